"""`python -m upcast_lint` and the `upcast-lint` command."""

from __future__ import annotations


def main() -> None:
    from .cli import root

    root(prog_name="upcast-lint")


if __name__ == "__main__":
    main()
