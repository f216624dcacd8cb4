"""Casts and reads inside of what catches their errors, of sources that may be none."""

from __future__ import annotations

from .blocks import indented
from .blocks import statement as any_statement
from .casts import cast_statement
from .selections import selected
from .tensors import Scope, bare

HELPERS = {
    "Quiet": """\
class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        return kind is not None and issubclass(kind, (AttributeError, TypeError))
""",
    "some": "def some(tensor, flag):\n    return tensor if flag else None\n",
}
_ERRORS = ("AttributeError", "Exception", "(AttributeError, TypeError)", "TypeError")


def prelude(scope: Scope) -> list[str]:
    """A source that may be none, or is no tensor on some path."""
    choices = scope.choices
    name, text = scope.fresh("maybe"), scope.source.text
    form = choices.pick(
        (
            f"{name} = {text} if flag else None",
            f"{name} = some({text}, flag)",
            f"{name} = {{True: {text}}}.get(flag)",
            f"{name} = {text} if n > 1 else 'none'",
            f"{name} = {text} if train else [1, 2, 3]",
        )
    )
    scope.source = scope.source.become(name)
    lines = [form]
    if choices.chance(80):
        lines += _guarded(scope)
    return lines


def _guarded(scope: Scope) -> list[str]:
    """A cast in a `try` or a context that swallows what it raises."""
    choices = scope.choices
    inside = cast_statement(scope, scope.source)
    name = scope.copies[-1].text
    if choices.chance(25):
        inside += any_statement(scope.nested())
    if choices.chance(30):
        inside.append(f"box.append({choices.pick(('n', '1', name))})")
    fallback = choices.pick(
        (
            ["return None"],
            ["return n"],
            [f"{name} = torch.zeros(2, 3, 8)"],
            [f"{name} = None"],
            ["box.append('failed')"],
        )
    )
    if choices.chance(40):
        context = choices.pick(
            (
                "contextlib.suppress(AttributeError, TypeError)",
                "contextlib.suppress(Exception)",
                "Quiet()",
                "contextlib.suppress(ValueError)",
            )
        )
        if choices.chance(50):
            first = f"{name} = torch.zeros(2, 3, 8)"
            return [first, f"with {context}:", *indented(inside)]
        return [f"with {context}:", *indented(inside)]
    lines = ["try:", *indented(inside)]
    form = choices.below(4)
    if form < 3:
        lines += [f"except {choices.pick(_ERRORS)}:", *indented(fallback)]
    if form == 1:
        lines += ["else:", *indented(any_statement(scope.nested()) or ["pass"])]
    if form >= 2:
        lines += ["finally:", *indented([choices.pick(("box.append(n)", "pass"))])]
    return lines


def statement(scope: Scope) -> list[str]:
    """A read that may raise, inside of what catches it."""
    choices = scope.choices
    copy, got = scope.copy(), scope.fresh("got")
    scope.lists.append(got)
    text = copy.text
    read = choices.pick(
        (
            f"{text}[n + 1]",
            f"{text}[7]",
            f"{text}[:, n]",
            f"{text}.gather(-1, idx + 6)",
            f"{text}[cols * 2]",
            f"{text}.narrow(0, n, 1)",
            f"{text}.select(-1, 9)",
            f"{text}.topk(9).values",
            bare(selected(scope, copy).text),
        )
    )
    lines = [f"{got} = {read}"]
    if choices.chance(30):
        lines = [*cast_statement(scope, scope.source), *lines]
    if choices.chance(25):
        return [
            f"{got} = None",
            "with contextlib.suppress(IndexError, RuntimeError):",
            *indented(lines),
        ]
    error = choices.pick(("IndexError", "RuntimeError", "Exception"))
    lines = ["try:", *indented(lines), f"except {error}:", f"    {got} = n"]
    if choices.chance(25):
        lines += ["finally:", f"    box.append({choices.pick((got, 'n'))})"]
    return lines
