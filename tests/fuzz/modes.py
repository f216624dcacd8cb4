"""Gradient modes entered by hand, by helpers, or around one side only."""

from __future__ import annotations

from .blocks import body, indented
from .casts import cast_statement
from .selections import selected
from .tensors import Scope, bare

HELPERS = {
    "quiet": "def quiet():\n    torch.set_grad_enabled(False)\n",
    "loud": "def loud():\n    torch.set_grad_enabled(True)\n",
    "without": "def without(stack):\n    stack.enter_context(torch.no_grad())\n",
    "Off": """\
class Off:
    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, *error):
        torch.set_grad_enabled(self.before)
""",
    "off": """\
@contextlib.contextmanager
def off():
    with torch.no_grad():
        yield
""",
    "picked_quietly": "@torch.no_grad()\ndef picked_quietly(tensor):\n"
    "    return tensor[..., 0]\n",
    "cast_quietly": "@torch.no_grad()\ndef cast_quietly(tensor):\n"
    "    return tensor.float()\n",
}
_ENTERED: tuple[tuple[str, str], ...] = (
    ("torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)"),
    ("torch._C._set_grad_enabled(False)", "torch._C._set_grad_enabled(True)"),
    ("torch.autograd.set_grad_enabled(False)", "torch.set_grad_enabled(True)"),
    ("quiet()", "loud()"),
    ("quiet()", "torch.set_grad_enabled(True)"),
    ("$h = torch.no_grad()\n$h.__enter__()", "$h.__exit__(None, None, None)"),
    ("$h = torch.inference_mode()\n$h.__enter__()", "$h.__exit__(None, None, None)"),
    ("$h = torch.enable_grad()\n$h.__enter__()", "$h.__exit__(None, None, None)"),
    (
        "$h = contextlib.ExitStack()\n$h.enter_context(torch.no_grad())",
        "$h.close()",
    ),
    ("$h = contextlib.ExitStack()\nwithout($h)", "$h.close()"),
    (
        "$h = contextlib.ExitStack()\n$h.enter_context(torch.inference_mode())",
        "$h.pop_all().close()",
    ),
    ("$h = Off()\n$h.__enter__()", "$h.__exit__()"),
    ("$h = torch.is_grad_enabled()\nquiet()", "torch.set_grad_enabled($h)"),
    ("$h = torch.set_grad_enabled(train)", "torch.set_grad_enabled(True)"),
    ("if flag:\n    torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)"),
    ("torch.set_grad_enabled(mode=flag)", "torch.set_grad_enabled(True)"),
)
_CONTEXTS = (
    "contextlib.ExitStack() as stack",
    "Off()",
    "off()",
    "torch.no_grad()",
    "torch.inference_mode()",
    "torch.inference_mode(flag)",
    "torch.inference_mode(mode=False)",
    "torch.enable_grad()",
    "torch.set_grad_enabled(flag)",
    "torch.set_grad_enabled(not train)",
    "torch.no_grad() if flag else contextlib.nullcontext()",
    "contextlib.nullcontext(), torch.no_grad()",
    "torch.autograd.grad_mode.no_grad()",
)


def prelude(scope: Scope) -> list[str]:
    """Sometimes the cast, and only it, in a mode of its own."""
    if scope.choices.chance(50):
        return []
    if scope.choices.chance(20):
        name = scope.fresh("w")
        scope.copies.append(scope.source.become(name))
        return [f"{name} = cast_quietly({scope.source.text})"]
    return _around(scope, cast_statement(scope, scope.source))


def _around(scope: Scope, inside: list[str]) -> list[str]:
    choices = scope.choices
    if choices.chance(50):
        context = choices.pick(_CONTEXTS)
        if "stack" in context:
            mode = choices.pick(("torch.no_grad()", "torch.inference_mode()", "Off()"))
            inside = [f"stack.enter_context({mode})", *inside]
        return [f"with {context}:", *indented(inside)]
    entered, left = choices.pick(_ENTERED)
    guard = scope.fresh("guard")
    first = entered.replace("$h", guard).split("\n")
    last = left.replace("$h", guard).split("\n")
    match choices.below(4):
        case 0:
            return [*first, "try:", *indented(inside), "finally:", *indented(last)]
        case 1:
            scope.endings += last
            return [*first, *inside]
        case _:
            return [*first, *inside, *last]


def statement(scope: Scope) -> list[str]:
    """Any statements in a mode of their own."""
    choices = scope.choices
    if choices.chance(15):
        name = scope.fresh("r")
        scope.lists.append(name)
        return [f"{name} = picked_quietly({scope.copy().text})"]
    if choices.chance(50):
        name = scope.fresh("r")
        scope.lists.append(name)
        picked = bare(selected(scope, scope.copy()).text)
        return _around(scope, [f"{name} = {picked}"])
    return _around(scope, body(scope, 1))
