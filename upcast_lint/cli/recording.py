"""Keep what a run printed to which every result was known, for `replay`."""

from __future__ import annotations

import os

from ..cache import Cache, own_code
from ..checker import FixMode
from ..escape import without_surrogates
from ..interrupts import held
from ..replay import FOLDER, record, took_text
from ..report import Report
from ..reporters import TEXT_FORMATS
from ..session import Session
from .options import Options
from .output import Output


def keep_record(
    cache: Cache,
    session: Session,
    options: Options,
    report: Report,
    files: list[str],
    started_ns: int,
    code: int,
) -> None:
    """Of a run without problems; nothing where it did or said more than report."""
    request, here = session.request, os.getcwd()
    more = (options.verbose, options.output_file, options.baseline, options.diff_base)
    if request.fix is not FixMode.NONE or report.notes or any(more):
        return
    if cache.folder != os.path.join(here, FOLDER):
        return
    searched = (*request.paths, here, *filter(None, [request.config]))
    others = (other for file in files for other in cache.others(file))
    paths = (*session.discovery.rests_on(searched), *own_code(), *files, *others)
    made = record(started_ns, paths, _printed(report, options), code)
    if made is not None:
        with held():
            cache.write(*made)


def _printed(report: Report, options: Options) -> tuple[str, str]:
    """The report before and after the time that the run took, if that is in it."""
    text = without_surrogates(Output(options).rendered(report))
    if options.quiet or options.output_format not in TEXT_FORMATS:
        return text, ""
    before, _, after = text.rpartition(took_text(report.seconds))
    return before, after
