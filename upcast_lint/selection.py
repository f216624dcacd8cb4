"""Which rules run: selectors (codes, prefixes, names, `ALL`) resolved to codes.

As in ruff the more specific selector wins, whichever list it stands in: `select =
["UPC001"]` holds against `ignore = ["UPC"]`. An optional rule runs only where its code
or its name is selected: `ALL` and prefixes leave it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Protocol

from .errors import UsageError
from .run_rules import RUN_RULES, UNREADABLE

ALL = "ALL"


class UnknownName(UsageError):
    """A name that nothing has; `str` says so and gives the nearest that exists."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} `{name}`{suggestion(name, known)}")


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?` with the nearest of `known`, or nothing."""
    import difflib

    by_folded = {other.casefold(): other for other in known if other != name}
    near = difflib.get_close_matches(name.casefold(), by_folded, 1, 0.5)
    return f"; did you mean `{by_folded[near[0]]}`?" if near else ""


class Documented(Protocol):
    """A rule, of the code or of the run, as far as a reader is concerned."""

    @property
    def code(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def is_optional(self) -> bool: ...

    def doc(self) -> str: ...


@cache
def known_rules() -> tuple[Documented, ...]:
    """The installed rules and those about the run, by code."""
    from .registry import all_rules

    return (*all_rules(), *RUN_RULES)


def find_rule(name: str) -> Documented:
    """The rule of a code or name; raises UnknownName."""
    for rule in known_rules():
        if name in (rule.code, rule.name):
            return rule
    raise UnknownName(
        "rule", name, [n for rule in known_rules() for n in (rule.code, rule.name)]
    )


def selected_codes(
    select: Sequence[str], ignore: Sequence[str]
) -> frozenset[str] | None:
    """The codes that run; None where those are the usual. Raises UnknownName."""
    if list(select) == [ALL] and not ignore:
        return None
    optional = {rule.code: rule.name for rule in known_rules() if rule.is_optional}
    # Only naming it turns it off: no narrower selection hides an unchecked file.
    chosen: dict[str, tuple[int, bool]] = {UNREADABLE: (0, True)}
    for selectors, is_selected in ((select, True), (ignore, False)):
        for selector in selectors:
            strength, codes = _resolve(selector)
            for code in codes:
                named = (code, optional.get(code, selector))
                if is_selected and selector not in named:
                    continue
                if chosen.get(code, (-1, False))[0] <= strength:
                    chosen[code] = (strength, is_selected)
    left = frozenset(code for code, (_, is_selected) in chosen.items() if is_selected)
    return None if left == usual_codes() else left


def usual_codes() -> frozenset[str]:
    """The codes that run where nothing is selected: all but those of optional rules."""
    return frozenset(rule.code for rule in known_rules() if not rule.is_optional)


def _resolve(selector: str) -> tuple[int, list[str]]:
    """How specific a selector is, and the codes that it stands for."""
    rules = known_rules()
    if selector == ALL:
        return 0, [rule.code for rule in rules]
    by_name = [rule.code for rule in rules if rule.name == selector]
    if by_name:
        return len(by_name[0]), by_name
    by_prefix = [rule.code for rule in rules if rule.code.startswith(selector)]
    if not by_prefix or not selector:
        raise UnknownName(
            "rule", selector, [ALL, *(n for r in rules for n in (r.code, r.name))]
        )
    return len(selector), by_prefix


def codes_of(selectors: Iterable[str]) -> frozenset[str]:
    """All codes that any of the selectors stands for. Raises UnknownName."""
    return frozenset(code for each in selectors for code in _resolve(each)[1])
