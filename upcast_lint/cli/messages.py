"""What is said beside the report, on stderr; and how a run ends that cannot go on."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from ..escape import visible

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130


def say(kind: str, text: str) -> None:
    """`kind` is `error`, `warning` or `note`; the text may quote file names."""
    click.echo(f"{kind}: {visible(text)}", err=True)


def fail(text: str) -> NoReturn:
    say("error", text)
    sys.exit(FAILED)
