"""`python -m upcast_lint` and the `upcast-lint` command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    from .cli import root

    try:
        root(prog_name="upcast-lint")
    except Exception:  # an uncaught one would exit with 1, which means findings
        import traceback

        traceback.print_exc()
        sys.exit(2)


if __name__ == "__main__":
    # `python -m` looks for modules in the current folder first, and would run a
    # `json.py` of the project that is checked.
    if sys.path[:1] in ([""], [os.getcwd()]):
        del sys.path[0]
    main()
