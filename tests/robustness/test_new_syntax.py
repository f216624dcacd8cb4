"""Syntax of Python 3.11 to 3.14: found where this Python reads it, else named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from upcast_lint.checker import FixMode

from .support import CAST, COMMAND, FUNCTION, MENDED, checked, environment

BODY = f"    return {CAST}\n"
SYNTAX = {
    "match": (
        (3, 10),
        "def g(logits, i, m):\n    match m:\n        case {'a': [1, *_]} | None if i:\n"
        f"            return {CAST}\n        case str() as s:\n            pass\n",
    ),
    "except star": (
        (3, 11),
        f"def g(logits, i):\n    try:\n        return_ = {CAST}\n"
        "    except* ValueError:\n        return_ = None\n    return return_\n",
    ),
    "star in a subscript": ((3, 11), "def g(logits, i):\n    a[*i]\n" + BODY),
    "type parameters": ((3, 12), "def g[T: (int, str), *Ts, **P](logits, i):\n" + BODY),
    "a class with type parameters": (
        (3, 12),
        f"class A[T]:\n    def g(self, logits, i):\n        return {CAST}\n",
    ),
    "a type alias": ((3, 12), "type A[T] = list[T] | None\n" + FUNCTION),
    "quotes of its own kind in an f-string": (
        (3, 12),
        "def g(logits, i):\n    s = f'{i['a']}{'\\n'.join(f'{'x'}')!r:>{'9'}}'\n"
        + BODY,
    ),
    "a comment in an f-string": (
        (3, 12),
        "def g(logits, i):\n    s = f'{i  # a comment\n    }'\n" + BODY,
    ),
    "defaults of type parameters": ((3, 13), "def g[T = int](logits, i):\n" + BODY),
    "except without brackets": (
        (3, 14),
        "def g(logits, i):\n    try:\n        f()\n    except ValueError, OSError:\n"
        "        pass\n" + BODY,
    ),
    "a template string": ((3, 14), "def g(logits, i):\n    s = t'{i!r:>{9}}'\n" + BODY),
}


@pytest.mark.parametrize("name", SYNTAX)
def test_a_cast_in_new_syntax(name: str) -> None:
    version, text = SYNTAX[name]
    done = checked(text.encode(), FixMode.UNSAFE)
    if sys.version_info < version:
        (finding,) = done.findings
        assert finding.code == "UPC900"
        ours = f"{sys.version_info.major}.{sys.version_info.minor}"
        assert finding.message.endswith(f" (parsed with Python {ours})")
        assert done.data is None
    else:
        assert [finding.code for finding in done.fixed] == ["UPC001"], done.refusal
        assert done.data == text.replace(CAST, MENDED).encode()


def test_what_the_parser_warns_of_is_not_our_report() -> None:
    text = FUNCTION.replace("    ", "    s = '\\d' if 1else 2\n    ", 1)
    done = subprocess.run(
        [sys.executable, "-Werror", *COMMAND[1:], "--width", "any", "-"],
        input=text.encode(),
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"UPC001" in done.stdout and b"UPC900" not in done.stdout
