"""Statements told apart by their brackets are those that the parser sees."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from upcast_lint.screen.statements import Statements, Unclear

MODULES = ("argparse", "dataclasses", "inspect", "tokenize", "turtle", "typing", "ast")
CODE = '''\
@decorated(1)
def f(a, b=g(
        1)):  # (
    """One ( two
    three"""
    x = (a +
b)
    y = "(" + r'\\'' + """)
    """; z = [a,
        # a comment ]
        b]
    if x and \\
            y:
        return {x: y}
    elif z: z = 1
    else: z = 2
    try:
        pass
    except (A, B) as e:
        raise
    finally: x = 3
    match x:
        case [1, y] if z:
            pass
    async with a as b, \\
        c: pass
    for i in (1,
              2): print(i)
    while x: x -= 1
    return f"{x['a']}" f'{y:>{z}}'
'''


def shallow(statement: ast.stmt) -> str:
    """A statement without what stands below it."""
    names = ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list")
    for name in names:
        if hasattr(statement, name):
            setattr(statement, name, [])
    return ast.dump(statement)


def check(text: str) -> int:
    """How many statements were compared."""
    statements = Statements(text)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    count = 0
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Try | ast.Match):
            continue
        line = text[starts[node.lineno - 1] : starts[node.lineno] - 1]
        column = len(line.encode()[: node.col_offset].decode())
        number = statements.number_at(starts[node.lineno - 1] + column)
        found = [shallow(each) for each in statements.parsed(number)]
        assert shallow(node) in found, line
        count += 1
    return count


def test_every_kind_of_statement() -> None:
    assert check(CODE) == 21


def test_lines_that_end_in_two_characters() -> None:
    assert check(CODE.replace("\n", "\r\n")) == 21


ALONE = {
    "a decorator": ("@a(b)\n", "a(b)"),
    "a handler": ("except E as e:\n", ""),
    "a handler of groups": ("except* E:\n", ""),
    "what is tried on the line": ("try: a = b\n", "a = b"),
    "what is done at last on the line": ("finally: a = b\n", "a = b"),
    "a match": ("match a[b]:\n", "match a[b]:\n case _: pass"),
    "a case": ("case [a] if a[0]:\n", "match _:\n case [a] if a[0]: pass"),
    "a name that is a word of a match": ("case = match[a]\n", "case = match[a]"),
    "an annotation that is a string": ("a: 'T'\n", "a: 'T'"),
    "a colon at the end of a comment": ("a = b  # so:\n", "a = b"),
    "what stands on the line of a head": ("with a: b = c; d = e\n", "b = c\nd = e"),
    "what an asynchronous loop does": ("async for a in b: c = a[0]\n", "c = a[0]"),
    "what an asynchronous function does": ("async def a(): return b\n", "return b"),
}


@pytest.mark.parametrize(("text", "code"), ALONE.values(), ids=ALONE)
def test_what_a_line_evaluates(text: str, code: str) -> None:
    found = [shallow(each) for each in Statements(text).parsed(0)]
    expected = [shallow(each) for each in ast.parse(code).body]
    assert [each for each in found if each in expected] == expected
    assert found if code else not found


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_the_standard_library(name: str) -> None:
    path = Path(sysconfig.get_paths()["stdlib"], f"{name}.py")
    assert check(path.read_text(encoding="utf-8")) > 200


@pytest.mark.parametrize(
    "text",
    [
        "x = (1\n",
        "x = 1)\n",
        'x = "a\n',
        "x = 'a\n",
        "x = 1)\ny = (2\n",
        'x = """a\n',
        "x = [1)\ny = (2]\n)",
    ],
)
def test_what_does_not_close_is_unclear(text: str) -> None:
    with pytest.raises(Unclear):
        Statements(text)


@pytest.mark.parametrize(
    "text", ["x = = 1\n", "x = [1)\n", "except E: x = 1\n", "x = '\0'\n"]
)
def test_what_does_not_parse_by_itself_is_unclear(text: str) -> None:
    with pytest.raises(Unclear):
        Statements(text).parsed(0)
