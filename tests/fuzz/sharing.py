"""Results that share memory, and whoever writes to one and reads the other."""

from __future__ import annotations

from .casts import spelled
from .handles import filled
from .tensors import Scope

HELPERS = {
    "pair": "def pair(tensor):\n    wide = tensor.float()\n"
    "    return wide[0], wide[0, :1]\n",
    "both": "def both(tensor):\n    wide = tensor.float()\n"
    "    part = wide[..., 0]\n    return part, wide[..., :1]\n",
    "apart": "def apart(tensor):\n    wide = tensor.float()\n"
    "    return wide[..., 0], wide[..., 1]\n",
    "given_back": "def given_back(tensor, into):\n    wide = tensor.float()\n"
    "    into.append(wide[0])\n    return wide[0]\n",
}
_PAIRS = (
    "$a, $b = pair($s)",
    "$a, $b = both($s)",
    "$a, $b = apart($s)",
    "$a, $b = $w[0], $w[0]",
    "$a, $b = $w[0], $w[:1]",
    "$a, $b = $w[..., 0], $w[..., :2]",
    "$a, $b = $w[..., 0], $w[..., 1]",
    "$a = $w[0]\n$b = $w[0, :1]",
    "$a = $w[-1:]\n$b = $a[..., 0]",
    "$a = $w[0]\n$b = $a",
    "$a = $b = $w[..., 0]",
    "$a = $w[..., 0]\n$b = $w.detach()[..., :1]",
    "$a, $b = $w.unbind(0)[0], $w.select(0, 0)",
    "$a, $b = $w.narrow(-1, 0, 1), $w[..., 0]",
    "$a, $b = $w.split(1)[0], $w.chunk(2)[0]",
    "$a = given_back($s, box)\n$b = box[-1]",
    "$a = $w[0]\n$b = $s[0]",
    "$a = $w.view(-1)[0]\n$b = $w[0]",
    "store.a = $w[0]\n$a = $w[0]\n$b = store.a",
)
_CHANGES = (
    "$a.detach().mul_(2)",
    "$a.detach().zero_()",
    "$b.detach().add_(1)",
    "with torch.no_grad():\n    $a += 1",
    "touch($a.detach())",
    "$a.data.neg_()",
    "$a = $a * 2",
)


def prelude(scope: Scope) -> list[str]:
    return []


def statement(scope: Scope) -> list[str]:
    choices = scope.choices
    copy = scope.copy() if scope.copies else spelled(scope, scope.source)
    names = {"a": scope.fresh("a"), "b": scope.fresh("b"), "w": copy.text}
    form = choices.pick(_PAIRS)
    if choices.chance(70):
        form += "\n" + choices.pick(_CHANGES)
    scope.lists += [names["a"], names["b"]]
    return filled(scope, form, scope.source, **names)
