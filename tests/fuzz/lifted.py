"""What stays between a cast and its selection: on some paths, in place, expanded."""

from __future__ import annotations

from .casts import spelled
from .selections import selected
from .tensors import Scope, bare

HELPERS: dict[str, str] = {}

_NUMBERS = ("t", "temperature", "2", "0.5", "n", "0", "3.0")
_BETWEEN = (
    (16, ("if flag:", "    $c = $c / $n")),
    (10, ("if n != 1:", "    $c = $c * $n")),
    (6, ("if flag:", "    $c = $c - $n", "else:", "    $c = $c * 2")),
    (12, ("$c /= $n",)),
    (8, ("$c *= $n",)),
    (14, ("$c.div_($n)",)),
    (10, ("$c.mul_($n)",)),
    (6, ("$c = $c.mul_($n)",)),
    (8, ("if train:", "    $c.div_($n)")),
    (6, ("for _ in range(n):", "    $c = $c / 2")),
    (4, ("$c = $c.softmax(-1)",)),
)
_MEANWHILE = (
    (60, ()),
    (4, ("labels.clamp_(min=1)",)),
    (4, ("labels = labels.flip(0)",)),
    (4, ("mask = ~mask",)),
    (3, ("mask.logical_not_()",)),
    (3, ("rows = rows.flip(0)",)),
    (3, ("picks = picks.roll(1)",)),
    (5, ("$s.mul_(2)",)),
    (3, ("touch(labels)",)),
    (3, ("touch($s)",)),
    (3, ("assert n < 2",)),
    (3, ("if flag and n > 1:", "    raise ValueError('many')")),
    (2, ("parts.append($c.shape)",)),
)
_AFTERWARDS = ((82, ()), (6, ("$c.mul_(2)",)), (4, ("$c /= 2",)), (4, ("$s.zero_()",)))
_EXPANDED = (
    "$c.unsqueeze(1).expand(-1, 2, -1, -1)",
    "$c[:, None].expand(-1, 3, -1, -1)",
    "$c[:, None].expand((-1, 2, -1, -1))",
)
_NAMED = (
    "$c.gather(-1, labels[:, None, :, None].expand(-1, 2, -1, -1))",
    "$c.gather(dim=-1, index=labels[:, None, :, None])",
    "torch.gather($c, 3, labels[:, None, :, None])",
    "$c.take_along_dim(labels[:, None, :, None], -1)",
    "$c[:, 0]",
    "$c[:, :, -1]",
)


def prelude(scope: Scope) -> list[str]:
    return []


def statement(scope: Scope) -> list[str]:
    choices, source = scope.choices, scope.source
    copy, kept = scope.fresh("lone"), scope.fresh("kept")
    cast = spelled(scope, source)
    form = choices.weighted(((70, "$x"), (15, "$x.clone()"), (15, "$x * 2")))
    lines = [f"{copy} = {form.replace('$x', cast.text)}"]
    tensor = cast.become(copy)
    if source.dims[:2] == ("B", "S") and choices.chance(25):
        lines.append(f"{copy} = {choices.pick(_EXPANDED)}")
        taken = choices.pick(_NAMED)
    else:
        lines += choices.weighted(_BETWEEN)
        taken = bare(selected(scope, tensor).text)
    lines += choices.weighted(_MEANWHILE)
    lines.append(f"{kept} = {taken}")
    lines += choices.weighted(_AFTERWARDS)
    scope.lists.append(kept)
    number = choices.pick(_NUMBERS)
    places = (("$c", copy), ("$s", source.text), ("$n", number))
    for place, text in places:
        lines = [line.replace(place, text) for line in lines]
    return lines
