"""`--add-noqa`: write a suppression for every finding that is left."""

from __future__ import annotations

from .. import writer
from ..annotate import with_suppressions
from ..document import NOTEBOOK_SUFFIX
from ..files import read_regular
from ..interrupts import held
from ..source import Source
from .state import Run


def suppress_all(run: Run, reason: str) -> int:
    """How many findings were suppressed; the run gets what could not be."""
    total = 0
    for outcome in run.outcomes:
        findings = [f for f in outcome.checked.findings if f.suppression_rows]
        if not findings or outcome.stamp is None:
            continue
        if outcome.path.endswith(NOTEBOOK_SUFFIX):
            run.problems.append(f"{outcome.path}: suppress in the notebook itself")
            continue
        try:
            source = Source.from_bytes(read_regular(outcome.absolute)[0], outcome.path)
            text, count = with_suppressions(source, findings, reason)
            if count:
                data = source.encode(text)
                with held():  # or a file could be written and not counted
                    writer.write(outcome.absolute, data, outcome.stamp.digest)
                    run.written += 1
        except (writer.Changed, OSError, UnicodeError) as error:
            run.problems.append(f"{outcome.path}: not written: {error}")
            continue
        total += count
    return total
