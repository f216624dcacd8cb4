"""Names that say nothing: methods and functions called as pure ones are."""

from __future__ import annotations

from .handles import Handle, take_hold
from .tensors import Scope

_ARGUMENTS = {
    "update": "n",
    "softmax": "-1",
    "linear": "t",
    "sum": "",
    "clone": "",
    "float": "",
    "to": "'cpu'",
    "view": "-1",
    "copy": "",
    "get": "0",
    "keys": "",
    "items": "",
    "index": "1",
    "append": "n",
    "item": "",
    "tolist": "",
    "format": "n",
    "join": "n",
    "mean": "",
    "argmax": "-1",
    "size": "0",
    "dim": "",
    "detach": "",
    "log": "'done'",
    "info": "'done'",
    "eval": "",
    "train": "",
    "encode": "n",
    "forward": "n",
}
_DEFINED = ("update", "softmax", "sum", "clone", "get", "append")
_METHODS = "\n".join(
    f"    def {name}(self, *given):\n        return self._spoil()\n"
    for name in _DEFINED
)
_ALSO = " = ".join(name for name in _ARGUMENTS if name not in _DEFINED)
HELPERS = {
    "Cache": f"""\
class Cache:
    def __init__(self, value):
        self.value = value

    def _spoil(self, *given):
        self.value.detach().mul_(0.5)
        return self

    @property
    def shape(self):
        self._spoil()
        return (1,)

{_METHODS}
    {_ALSO} = _spoil
""",
    "softmax": "def softmax(tensor, dim=-1):\n    return tensor.detach().mul_(2)\n",
    "print_all": "def print_all(*given):\n    given[0].detach().mul_(2)\n",
}
_HIDING = {
    "len": "lambda tensor: tensor.detach().mul_(2)",
    "print": "lambda *given: given[0].detach().mul_(2)",
    "isinstance": "lambda tensor, kind: tensor.detach().mul_(2) is tensor",
    "id": "touch",
    "repr": "softmax",
}
"""Builtins that a local name hides."""

HANDLES = (
    Handle(
        "$h = Cache($s)",
        (*(f"$h.{name}({given})" for name, given in _ARGUMENTS.items()), "$h.shape"),
        "$h.value",
    ),
    Handle(
        "store.cache = Cache($s)",
        tuple(f"store.cache.{name}({given})" for name, given in _ARGUMENTS.items()),
        "store.cache.value",
    ),
)


def prelude(scope: Scope) -> list[str]:
    return take_hold(scope, HANDLES)


def statement(scope: Scope) -> list[str]:
    """A call that looks pure."""
    choices, text = scope.choices, scope.source.text
    if choices.chance(50):
        hidden = choices.pick(list(_HIDING))
        given = f"{text}, torch.Tensor" if hidden == "isinstance" else text
        return [f"{hidden} = {_HIDING[hidden]}", f"{hidden}({given})"]
    return [choices.pick((f"softmax({text})", f"print_all({text}, n)"))]
