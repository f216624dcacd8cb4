"""The closing line of the text formats, and of a diff."""

from __future__ import annotations

from ..finding import Finding, Safety
from ..replay import took_text
from ..report import Report, in_binary_units, plural


def summary(report: Report) -> str:
    """`Found 2 findings in 2 of 214 files in 0.4 s, about …  [*] 1 fixable …`"""
    findings = [placed.finding for placed in report.findings()]
    of = plural(len(report.outcomes) + report.silent, "file")
    took = took_text(report.seconds)
    fixed = sum(len(outcome.checked.fixed) for outcome in report.outcomes)
    done = f"Fixed {plural(fixed, 'finding')}. " if fixed else ""
    if not findings:
        left = "Nothing is left" if fixed else "No findings"
        return f"{done}{left} in {of} {took}."
    files = sum(bool(outcome.checked.findings) for outcome in report.outcomes)
    found = f"Found {plural(len(findings), 'finding')} in {files} of {of} {took}"
    total = report.total_bytes()
    if total:
        assumed = report.assumed(findings)
        # A sum over places is no peak: the copies need not live at the same time.
        known = sum(report.bytes_of(finding) > 0 for finding in findings)
        in_all = " in all" if known > 1 else ""
        found += f", about {in_binary_units(total)}{in_all}"
        found += f" at {assumed}" if assumed else ""
        found += f" in {known} of them" if known < len(findings) else ""
    return f"{done}{found}.{_offer(report, findings)}"


def forecast(report: Report) -> str:
    """`Would fix 2 findings and leave 6.  [!] 6 with --unsafe-fixes.`, of a diff."""
    findings = [placed.finding for placed in report.findings()]
    fixed = sum(len(outcome.checked.fixed) for outcome in report.outcomes)
    if not fixed and not findings:
        return summary(report)
    would = f"Would fix {plural(fixed, 'finding') if fixed else 'nothing'}"
    left = f" and leave {len(findings)}" if findings else ""
    return f"{would}{left}.{_offer(report, findings)}"


def _offer(report: Report, findings: list[Finding]) -> str:
    safe = count_fixable(findings, Safety.SAFE)
    unsafe = count_fixable(findings, Safety.UNSAFE)
    parts = []
    if safe:
        parts.append(f"  [*] {safe} fixable with --fix.")
    if unsafe and not report.takes_unsafe:
        more = "more " if safe else ""
        parts.append(f"  [!] {unsafe} {more}with --unsafe-fixes.")
    return "".join(parts)


def count_fixable(findings: list[Finding], safety: Safety) -> int:
    """How many have a fix of the tier."""
    return sum(each.fix is not None and each.fix.safety is safety for each in findings)
