from __future__ import annotations

import pytest

from upcast_lint.escape import visible, without_surrogates


@pytest.mark.parametrize("text", ["plain", "naïve 漢字", "4·B·S·V", "emoji 🙂"])
def test_what_a_terminal_shows_as_it_is_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("unsafe", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\r", "a\\nb\\r"),
        ("\x9b", "\\x9b"),
        ("\u202eevil", "\\u202eevil"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("\x00\x7f", "\\x00\\x7f"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_could_act_on_a_terminal_becomes_text(unsafe: str, shown: str) -> None:
    assert visible(unsafe) == shown


def test_only_surrogates_go_where_json_escapes_the_rest() -> None:
    assert without_surrogates("\x1b\udcff") == "\x1b\\udcff"
