"""What is said beside the report, on stderr; and how a run ends that cannot go on."""

from __future__ import annotations

import sys
from typing import NoReturn

from ..escape import visible

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130


def tell(text: str) -> None:
    """Without a stderr there is nobody to tell."""
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


def say(kind: str, text: str) -> None:
    """`kind` is `error`, `warning` or `note`; the text may quote file names."""
    tell(f"{kind}: {visible(text)}\n")


def fail(text: str) -> NoReturn:
    say("error", text)
    sys.exit(FAILED)
