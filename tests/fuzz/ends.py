"""Ways through a function that look as if there were more or fewer than there are."""

from __future__ import annotations

from .blocks import indented
from .selections import selected
from .tensors import Scope, bare

HELPERS = {
    "stop": "def stop():\n    raise RuntimeError('stop')\n",
}


def prelude(scope: Scope) -> list[str]:
    return []


def _full(scope: Scope) -> str:
    text = scope.copy().text
    return scope.choices.pick(
        (
            f"{text}.mean()",
            f"{text}.sum()",
            f"{text}.logsumexp(-1)",
            f"{text}.softmax(-1)",
            f"{text} * 2",
            text,
        )
    )


def _picked(scope: Scope) -> str:
    return bare(selected(scope, scope.copy()).text)


def statement(scope: Scope) -> list[str]:
    """Every way, or all but one, ends or reads in its own manner."""
    choices = scope.choices
    name = scope.fresh("part")
    first = [f"{name} = {_picked(scope)}"] if choices.chance(70) else [f"{name} = n"]
    return first + choices.pick((_match, _endless, _branches, _tries))(scope, name)


def _leaf(scope: Scope, name: str) -> list[str]:
    """How one way goes on."""
    choices = scope.choices
    return [
        choices.weighted(
            (
                (30, f"return {name}, {_full(scope)}"),
                (14, f"return {name}"),
                (12, f"return {name}, {_picked(scope)}"),
                (12, f"parts.append({_full(scope)})"),
                (10, f"parts.append({_picked(scope)})"),
                (6, "raise ValueError(n)"),
                (5, "stop()"),
                (5, "pass"),
            )
        )
    ]


def _match(scope: Scope, name: str) -> list[str]:
    choices = scope.choices
    subject, cases = choices.pick(
        (
            ("n", ("case 1:", "case _:")),
            ("n", ("case 1:", "case 2:")),
            ("n", ("case 1:", "case 2:", "case _:")),
            ("n", ("case 1:", "case kept:")),
            ("n", ("case 1:", "case int():", "case _:")),
            ("n", ("case 1 | 2:",)),
            ("n", ("case 1:", "case (1 | 2 | _):")),
            ("n", ("case 1:", "case _ if flag:")),
            ("n", ("case 1 if flag:", "case _ if train:", "case _:")),
            ("flag", ("case True:", "case False:")),
            ("flag", ("case True:", "case _:")),
            ("[n]", ("case [1]:", "case [_]:")),
            ("[n]", ("case [1]:", "case [*_]:", "case _:")),
            ("(n, flag)", ("case (1, _):", "case (_, True):", "case (_, _):")),
            ("'mean' if flag else 'sum'", ("case 'mean':", "case _:")),
            ("n", ("case _:",)),
            ("n", ("case 1 as kept:", "case _ as kept:")),
        )
    )
    lines = [f"match {subject}:"]
    for case in cases:
        lines += [f"    {case}", *indented(indented(_leaf(scope, name)))]
    return lines


def _endless(scope: Scope, name: str) -> list[str]:
    """A loop that only a `break` or a `return` leaves."""
    choices = scope.choices
    head = choices.pick(("while True:", "while 1:", "while not None:"))
    test = choices.pick(("flag", "train", "n > 1", "not flag"))
    leave = choices.pick(("break", *_leaf(scope, name)))
    if leave == "pass":
        leave = "break"
    inside = [f"if {test}:", f"    {leave}"]
    inside += choices.pick((_leaf(scope, name), ["n -= 1"], []))
    inside += choices.pick((["break"], ["break"], [f"return {name}, n"]))
    return [head, *indented(inside)]


def _branches(scope: Scope, name: str) -> list[str]:
    choices = scope.choices
    tests = ["if flag:", choices.pick(("elif n > 1:", "elif train:"))]
    lines: list[str] = []
    for test in tests[: 1 + choices.below(2)]:
        lines += [test, *indented(_leaf(scope, name))]
    if choices.chance(80):
        lines += ["else:", *indented(_leaf(scope, name))]
    return lines


def _tries(scope: Scope, name: str) -> list[str]:
    choices = scope.choices
    raised = choices.pick(("if flag: stop()", "stop()", "if n > 1: raise ValueError"))
    lines = ["try:", f"    {raised}", *indented(_leaf(scope, name))]
    error = choices.pick(("RuntimeError", "Exception", "ValueError", "BaseException"))
    lines += [f"except {error}:", *indented(_leaf(scope, name))]
    if choices.chance(30):
        lines += ["else:", *indented(_leaf(scope, name))]
    if choices.chance(30):
        lines += ["finally:", f"    parts.append({_full(scope)})"]
    return lines
