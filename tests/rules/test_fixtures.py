"""Each fixture: `after` is to the letter what the fixer makes of `before`.

What `before` and `after` compute is compared by `upcast-lint verify`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from upcast_lint.checker import Checked, FixMode, Job, check_bytes
from upcast_lint.finding import Confidence, Finding, Safety
from upcast_lint.linter import Options
from upcast_lint.registry import all_rules
from upcast_lint.rule import Rule
from upcast_lint.selection import usual_codes

pytest.importorskip("torch")

from upcast_lint.verify.fixture import load_specimen

FIXTURES = [(rule, path) for rule in all_rules() for path in rule.fixture_paths()]

for_each_fixture: Callable[[Callable[..., None]], Callable[..., None]]
for_each_fixture = pytest.mark.parametrize(
    ("rule", "path"),
    [
        pytest.param(rule, path, id=f"{rule.name}/{path.stem}")
        for rule, path in FIXTURES
    ],
)


@for_each_fixture
def test_the_fixer_makes_after_of_before(rule: Rule, path: Path) -> None:
    before, after = module_with("before", path), module_with("after", path)
    is_made = load_specimen(path).fixture.tier is not Safety.DISPLAY
    assert fixed(before, FixMode.UNSAFE) == (after if is_made else before)
    assert fixed(after, FixMode.UNSAFE) == after


@for_each_fixture
def test_only_what_is_claimed_safe_is_fixed_unasked(rule: Rule, path: Path) -> None:
    before, after = module_with("before", path), module_with("after", path)
    is_safe = load_specimen(path).fixture.tier is Safety.SAFE
    assert fixed(before, FixMode.SAFE) == (after if is_safe else before)


@for_each_fixture
def test_the_findings_are_those_of_the_rule(rule: Rule, path: Path) -> None:
    tier = load_specimen(path).fixture.tier
    found = findings(module_with("before", path), rule)
    assert {finding.code for finding in found} == {rule.code}
    assert {finding.safety for finding in found} == {tier}
    for finding in found:
        assert (finding.condition is None) is (tier is not Safety.UNSAFE)


def module_with(name: str, path: Path) -> str:
    """A fixture's module with one of its two functions, which is called `example`."""
    text = path.read_text(encoding="utf-8")
    functions = dict(functions_of(text))
    other = functions["after" if name == "before" else "before"]
    lines = text.splitlines(keepends=True)
    first, last = other
    # With the two blank lines behind it.
    kept = "".join(lines[: first - 1] + lines[last + 2 :])
    return kept.replace(f"def {name}(", "def example(", 1)


def functions_of(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The functions of a module, with their first and last rows."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            decorators = [each.lineno for each in node.decorator_list]
            assert node.end_lineno is not None
            yield node.name, (min([node.lineno, *decorators]), node.end_lineno)


def checked(text: str, mode: FixMode, rule: Rule | None = None) -> Checked:
    """All usual rules run; an optional one beside them where it is given."""
    codes = None
    if rule is not None and rule.is_optional:
        codes = usual_codes() | {rule.code}
    job = Job(Options(codes, least=Confidence.LOW), fix=mode)
    return check_bytes(text.encode(), "fixture.py", job)


def fixed(text: str, mode: FixMode) -> str:
    result = checked(text, mode)
    assert result.refusal is None
    return text if result.data is None else result.data.decode()


def findings(text: str, rule: Rule) -> tuple[Finding, ...]:
    return checked(text, FixMode.NONE, rule).findings
