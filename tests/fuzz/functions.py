"""Functions of the file that take the copy, or return it."""

from __future__ import annotations

from .casts import spelled
from .handles import filled
from .tensors import Scope

HELPERS = {
    "_last": "def _last(tensor):\n    return tensor[:, -1]\n",
    "_taken": "def _taken(tensor, at):\n    return tensor.index_select(-1, at)\n",
    "_scaled": "def _scaled(tensor, by):\n    part = (tensor / by)[..., :1]\n"
    "    return part, tensor.shape\n",
    "_either": "def _either(tensor, flag):\n    if flag:\n"
    "        return tensor.sum()\n    return tensor[..., 0]\n",
    "_halved": "def _halved(tensor, other):\n    other.data.mul_(0.5)\n"
    "    return tensor[:, 0]\n",
    "_best": "def _best(tensor):\n    return tensor.argmax(-1)\n",
    "_muted": "def _muted(tensor):\n    with torch.no_grad():\n"
    "        return tensor[..., :2]\n",
    "_kept": "def _kept(tensor, into):\n    into.append(tensor[0])\n"
    "    return tensor[0]\n",
    "_tried": "def _tried(tensor):\n    try:\n        return tensor[0, 0, 0, 0]\n"
    "    except (AttributeError, IndexError):\n        return tensor[..., -1]\n",
    "_negated": "def _negated(tensor):\n    return (-tensor)[..., :1]\n",
    "_through": "def _through(tensor):\n    return _inner(tensor) + 1\n\n\n"
    "def _inner(tensor):\n    return tensor[1:2]\n",
    "_up": "def _up(tensor):\n    return tensor.float()\n",
    "_wider": "def _wider(tensor):\n    return tensor.to(torch.float64)\n",
}
_FORMS = (
    "$a = _last($w)",
    "$a = _last(tensor=$w)",
    "$a = _taken($w, torch.tensor([0, 2]))",
    "$a, $b = _scaled($w, n)",
    "$a = _either($w, flag)",
    "$a = _halved($w, $s)",
    "$a = _halved($w, $s[:1])",
    "$a = _best($w)",
    "$a = _muted($w)",
    "$a = _kept($w, box)\n$b = box[-1]",
    "$a = _tried($w)",
    "$a = _negated($w)",
    "$a = _through($w)",
    "$a = _last($w)\n$b = _last($s.float())",
    "$a = _last($w)\n$b = _last($s)",
    "$a = _last(touch($w))",
    "$a = _taken($w, at=touch(torch.tensor([0])))",
    "def $b(tensor):\n    return tensor[..., n - 1:n]\n$a = $b($w)",
    "$a = _up($s)[..., :1]",
    "$b = _up($s)\n$a = $b[0]",
    "$b = _wider($s)\n$a = $b.select(0, 0), $b.shape",
    "$b = _up($s)\ntouch($s)\n$a = $b[:, 0]",
    "$b = _up($s)\nif flag:\n    $a = $b.sum()\nelse:\n    $a = $b[-1]",
)
_CHANGES = ("$a = $a", "touch($s)", "with torch.no_grad():\n    $s.mul_(2)")


def prelude(scope: Scope) -> list[str]:
    return []


def statement(scope: Scope) -> list[str]:
    choices = scope.choices
    is_named = scope.copies and choices.chance(50)
    copy = scope.copy() if is_named else spelled(scope, scope.source)
    names = {"a": scope.fresh("a"), "b": scope.fresh("b"), "w": copy.text}
    form = choices.pick(_FORMS)
    if choices.chance(30):
        form += "\n" + choices.pick(_CHANGES)
    scope.lists.append(names["a"])
    return filled(scope, form, scope.source, **names)
