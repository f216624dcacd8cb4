"""`python -m upcast_lint` and the `upcast-lint` command."""

from __future__ import annotations

import gc
import os
import sys

from .replay import replay


def main() -> None:
    try:
        _main(sys.argv[1:])
    except KeyboardInterrupt:  # before the command answers interrupts itself
        from .cli.messages import INTERRUPTED, say

        say("warning", "interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Who read it has gone; what is still to be flushed goes nowhere.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in filter(None, (sys.stdout, sys.stderr)):
            os.dup2(nowhere, stream.fileno())
        sys.exit(1)
    except Exception:  # an uncaught one would exit with 1, which means findings
        import traceback

        traceback.print_exc()
        sys.exit(2)


def _main(arguments: list[str]) -> None:
    # click answers a shell that asks for completions, and expands `*` on Windows.
    asks_click = "_UPCAST_LINT_COMPLETE" in os.environ or os.name == "nt"
    code = None if asks_click or arguments[:1] != ["check"] else replay()
    if code is not None:
        sys.exit(code)
    # Little that a run makes is garbage in cycles; looking for it takes a twentieth of
    # the time, and looking less often hardly any memory.
    gc.set_threshold(20_000)
    from .cli.arguments import plain

    values = None if asks_click else plain(arguments)
    if values is None:
        from .cli.root import root

        root(prog_name="upcast-lint")
    else:
        from .cli.check import check

        check(**values)


if __name__ == "__main__":
    # `python -m` looks for modules in the current folder first, and would run a
    # `json.py` of the project that is checked. What it looks for before it comes here
    # only `python -I -m` keeps it from finding there.
    try:
        here = os.getcwd()
    except OSError:  # it is gone, which the command says
        here = ""
    if sys.path[:1] in ([""], [here]):
        del sys.path[0]
    main()
