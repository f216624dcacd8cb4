from __future__ import annotations

import pytest

from upcast_lint import selection
from upcast_lint.run_rules import RUN_RULES, RunRule
from upcast_lint.selection import UnknownName, codes_of, find_rule, selected_codes

RULES = (
    RunRule("UPC001", "upcast-before-gather", ""),
    RunRule("UPC002", "upcast-before-index-select", ""),
    RunRule("UPC020", "softmax-of-few-columns", "", is_optional=True),
    *RUN_RULES,
)


@pytest.fixture(autouse=True)
def two_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "known_rules", lambda: RULES)


def test_all_needs_no_list_of_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(selection, "known_rules")
    assert selected_codes(["ALL"], []) is None


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        (["UPC001"], [], {"UPC001", "UPC900"}),
        (["UPC0"], [], {"UPC001", "UPC002", "UPC900"}),
        (["upcast-before-gather"], [], {"UPC001", "UPC900"}),
        (["ALL"], ["UPC001"], {"UPC002", "UPC900", "UPC901"}),
        (["ALL"], ["UPC900"], {"UPC001", "UPC002", "UPC901"}),
        (["UPC001"], ["UPC"], {"UPC001"}),
        (["UPC"], ["UPC001"], {"UPC002", "UPC900", "UPC901"}),
        (["UPC001"], ["UPC001"], {"UPC900"}),
    ],
)
def test_the_more_specific_selector_wins(
    select: list[str], ignore: list[str], codes: set[str]
) -> None:
    assert selected_codes(select, ignore) == codes


@pytest.mark.parametrize("name", ["UPC020", "softmax-of-few-columns"])
def test_an_optional_rule_runs_where_it_is_named(name: str) -> None:
    assert selected_codes([name], []) == {"UPC020", "UPC900"}
    assert selected_codes(["ALL", name], []) == {rule.code for rule in RULES}
    assert selected_codes(["ALL", name], ["UPC0"]) == {"UPC020", "UPC900", "UPC901"}


@pytest.mark.parametrize("name", ["ALL", "UPC", "UPC0", "UPC02"])
def test_no_wider_selector_runs_an_optional_rule(name: str) -> None:
    codes = selected_codes([name, "UPC001"], ["UPC901"])
    assert codes is not None and "UPC020" not in codes


def test_everything_by_another_way_is_still_everything() -> None:
    assert selected_codes(["UPC0", "UPC9"], []) is None


@pytest.mark.parametrize("name", ["UPC01x", "", "upc001"])
def test_an_unknown_selector_is_an_error(name: str) -> None:
    with pytest.raises(UnknownName):
        selected_codes([name], [])


def test_the_error_gives_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="did you mean `upcast-before-gather`"):
        find_rule("upcast-before-gatherr")


def test_codes_of_prefixes_and_names() -> None:
    assert codes_of(["UPC9", "upcast-before-gather"]) == {"UPC001", "UPC900", "UPC901"}
