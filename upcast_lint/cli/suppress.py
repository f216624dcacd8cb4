"""`--add-noqa`: write a suppression for every finding that is left."""

from __future__ import annotations

from collections.abc import Sequence

from .. import writer
from ..annotate import with_suppressions
from ..document import NOTEBOOK_SUFFIX
from ..files import read_regular
from ..runner import Outcome
from ..source import Source


def suppress_all(outcomes: Sequence[Outcome], reason: str, problems: list[str]) -> int:
    """How many findings were suppressed; `problems` gets what could not be."""
    total = 0
    for outcome in outcomes:
        findings = [f for f in outcome.checked.findings if f.suppression_rows]
        if not findings or outcome.stamp is None:
            continue
        if outcome.path.endswith(NOTEBOOK_SUFFIX):
            problems.append(f"{outcome.path}: suppress in the notebook itself")
            continue
        try:
            source = Source.from_bytes(read_regular(outcome.absolute)[0], outcome.path)
            text, count = with_suppressions(source, findings, reason)
            if count:
                data = source.encode(text)
                writer.write(outcome.absolute, data, outcome.stamp.digest)
        except (writer.Changed, OSError, UnicodeError) as error:
            problems.append(f"{outcome.path}: not written: {error}")
            continue
        total += count
    return total
