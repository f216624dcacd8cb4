"""Paths that end twice."""

from __future__ import annotations

import pytest

from .test_paths import paths

TWICE = {
    "a handler of what meets nothing": (
        """
        start()
        try:
            g()
        except E:
            narrow()
        """,
        "- N",
    ),
    "a handler of what is read whole": (
        """
        start()
        try:
            full()
        except E:
            narrow()
        """,
        "N F NF",
    ),
    "the body and the finally return": (
        """
        def f():
            start()
            try:
                return
            finally:
                if c:
                    return
        """,
        "-",
    ),
    "a selection before either return": (
        """
        def f():
            start()
            narrow()
            try:
                if c:
                    return
            finally:
                if d:
                    return
            full()
        """,
        "N NF",
    ),
}


@pytest.mark.parametrize(("code", "expected"), TWICE.values(), ids=TWICE)
def test_paths(code: str, expected: str) -> None:
    assert paths(code) == expected
