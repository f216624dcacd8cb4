"""Chains of row-wise and elementwise operations, of which rows or columns are read."""

from __future__ import annotations

from .casts import spelled
from .selections import selected
from .tensors import Scope, Tensor, bare
from .views import scaled

HELPERS: dict[str, str] = {}

_ROW_WISE = (
    "$c.softmax(-1)",
    "$c.log_softmax(dim=-1)",
    "F.softmax($c, dim=-1)",
    "F.log_softmax($c, -1)",
    "torch.softmax($c, dim=-1)",
    "torch.log_softmax(input=$c, dim=-1)",
    "F.softmax($c, dim=-1, dtype=torch.float32)",
    "$c.cumsum(-1)",
    "torch.cumsum($c, dim=-1)",
)
_OTHER_AXES = ("$c.softmax(1)", "F.log_softmax($c, dim=0)", "$c.softmax(-2)")
_REDUCED = ("$c.logsumexp(-1)", "torch.logsumexp($c, dim=-1)")
_KEPT = ("torch.logsumexp($c, -1, keepdim=True)",)
_EVEN = (
    "$c.tanh()",
    "(torch.tanh($c / 3.0) * 3.0)",
    "$c.exp()",
    "torch.log1p($c.abs())",
    "$c.square()",
    "$c.clamp(min=-2.0)",
    "torch.nan_to_num($c)",
    "$c.masked_fill(wanted, float('-inf'))",
    "$c.masked_fill(mask[..., None], 0.0)",
    "$c.masked_fill(mask.unsqueeze(-1), -1.0)",
)
_ROWS = (
    "[:, -1]",
    "[:, -1]",
    "[:, -1:]",
    "[:, -2:]",
    "[:, 0]",
    "[:, 1]",
    "[:, :2]",
    "[-1]",
    "[:1]",
    "[0, -1]",
    "[mask]",
    "[~mask]",
    "[rows]",
    "[:, picks]",
    "[torch.arange($c.shape[0]), pos]",
    "[:, -1, :]",
    "[:, None, -1]",
    ".select(1, -1)",
    ".narrow(1, 0, 1)",
    ".index_select(0, rows)",
    ".index_select(1, picks)",
    "[:, -1].argmax(-1)",
)


def prelude(scope: Scope) -> list[str]:
    """The rank of the source, and that it lies in the memory of the CPU."""
    source, lines = scope.source, []
    if not source.text.isidentifier():
        name = scope.fresh("source")
        lines.append(f"{name} = {bare(source.text)}")
        scope.source = source = source.become(name)
    if scope.choices.chance(75):
        sizes = ", ".join(scope.fresh("size") for _ in source.dims)
        lines.append(f"{sizes} = {source.text}.shape")
    if source.dims[-1] == "V":
        lines.append("weight = head_weight.float()")
    if scope.choices.chance(70):
        name = scope.fresh("held")
        lines.append(f"{name} = {source.text}.cpu()")
        scope.source = source.become(name)
    return lines


def statement(scope: Scope) -> list[str]:
    choices = scope.choices
    name, chained = scope.fresh("taken"), scope.fresh("probs")
    lines: list[str] = []
    if scope.source.dims[-1] == "V" and choices.chance(20):
        product = f"({spelled(scope, scope.source).text} @ weight)"
        scope.lists.append(name)
        return [f"{name} = {product}{choices.pick(_ROWS[:8])}"]
    tensor = scope.copy() if scope.copies else spelled(scope, scope.source)
    for _ in range(choices.weighted(((50, 0), (35, 1), (15, 2)))):
        tensor = _between(scope, tensor)
    if choices.chance(30):
        lines.append(f"{chained} = {bare(tensor.text)}")
        if choices.chance(40):
            lines += ["if flag:", f"    {chained} = {chained} / t"]
        tensor = tensor.become(chained)
    kind = choices.weighted(
        ((64, _ROW_WISE), (12, _REDUCED), (8, _KEPT), (16, _OTHER_AXES))
    )
    tensor = tensor.become(choices.pick(kind).replace("$c", tensor.text))
    if kind in (_ROW_WISE, _OTHER_AXES) and choices.chance(25):
        tensor = _between(scope, tensor)
    if choices.chance(50):
        named = scope.fresh("rowwise")
        lines.append(f"{named} = {bare(tensor.text)}")
        tensor = tensor.become(named)
        if choices.chance(12):
            scope.lists.append(named)
    if choices.chance(15):
        taken = selected(scope, tensor).text
    else:
        form = choices.pick(_ROWS).replace("$c", tensor.text)
        taken = f"{tensor.text}{form}"
    scope.lists.append(name)
    return [*lines, f"{name} = {bare(taken)}"]


def _between(scope: Scope, tensor: Tensor) -> Tensor:
    if scope.choices.chance(40):
        return scaled(scope, tensor)
    text = scope.choices.pick(_EVEN).replace("$c", tensor.text)
    return tensor.become(text)
