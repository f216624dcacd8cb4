"""`python -m upcast_lint` and the `upcast-lint` command."""

from __future__ import annotations

import sys
import traceback


def main() -> None:
    from .cli import root

    try:
        root(prog_name="upcast-lint")
    except Exception:  # an uncaught one would exit with 1, which means findings
        traceback.print_exc()
        sys.exit(2)


if __name__ == "__main__":
    main()
