"""Statements that read a copy, and what is done with what they give."""

from __future__ import annotations

import re

from .casts import spelled
from .selections import selected
from .tensors import Kind, Scope, Tensor, bare
from .views import disguised, scaled


def operand(scope: Scope) -> Tensor:
    """What a selection reads: mostly a copy, else a cast in the same expression."""
    if not scope.copies or scope.choices.chance(6):
        base = disguised(scope, scope.source) if scope.choices.chance(10) else None
        tensor = spelled(scope, base or scope.source)
    else:
        tensor = scope.copy()
    return disguised(scope, tensor)


def selection(scope: Scope) -> Tensor:
    """A selection of a copy, with what is done to its result at once."""
    result = selected(scope, operand(scope))
    # A slice is strided: what adds it up may do so in another order.
    if scope.choices.chance(45 if result.text.endswith("]") else 20):
        result = finished(scope, result)
    return result


def finished(scope: Scope, result: Tensor) -> Tensor:
    """A further operation on a selected tensor."""
    text = result.text
    forms = [
        f"{text}.squeeze(-1)",
        f"{text}.float()",
        f"{text}.log_softmax(-1)",
        f"{text}.sum()",
        f"{text}.sum()",
        f"{text}.mean()",
        f"{text}.mean()",
        f"{text}.sum(-1)",
        f"{text}.norm()",
        f"{text}.norm()",
        f"torch.sum({text})",
        f"({text} * 2)",
        f"({text} / t)",
        f"{text}.clone()",
        f"{text}.logsumexp(-1)",
        f"{text}.contiguous()",
        f"{text}.reshape(-1)",
        f"{text}.unsqueeze(0)",
        f"torch.log_softmax({text}, dim=-1)",
        f"{text}.tolist()",
        f"({text} + 1).sum()",
        f"{text}.double()",
        f"{text}.view(-1)",
    ]
    return Tensor(scope.choices.pick(forms), ("?",), Kind.RESULT)


def select_statement(scope: Scope) -> list[str]:
    """Statements that select, mostly into a new name."""
    choices = scope.choices
    form = choices.below(20)
    if form < 12:
        result = selection(scope)
        name = scope.fresh(choices.pick(("picked", "part", "r")))
        scope.results.append(result.become(name))
        return [f"{name} = {bare(result.text)}"]
    if form < 14:
        return [f"parts.append({bare(selection(scope).text)})"]
    if form == 14:
        first, second = scope.fresh("a"), scope.fresh("b")
        one, two = selection(scope), selection(scope)
        scope.results += [one.become(first), two.become(second)]
        return [f"{first}, {second} = {bare(one.text)}, {bare(two.text)}"]
    if form == 15:
        return _unpacked(scope)
    if form == 16:
        name = scope.fresh("r")
        result = selection(scope)
        scope.results.append(result.become(name))
        return [f"if ({name} := {bare(result.text)}) is not None:", "    pass"]
    if form == 17:
        name = scope.fresh("pair")
        one, two = selection(scope), selection(scope)
        scope.lists.append(name)
        return [
            choices.pick(
                (
                    f"{name} = ({one.text}, {two.text})",
                    f"{name} = {{'a': {one.text}, 'b': {two.text}}}",
                    f"{name} = [{one.text}, n, {two.text}]",
                )
            )
        ]
    if form == 18:
        name = scope.fresh("r")
        one, two = selection(scope), selection(scope)
        scope.lists.append(name)
        return [f"{name} = {one.text} if flag else {two.text}"]
    return [f"store.value = {bare(selection(scope).text)}"]


def _unpacked(scope: Scope) -> list[str]:
    """A selection that gives several tensors."""
    tensor = operand(scope)
    d = scope.choices.pick((-1, 0, 1))
    first, second = scope.fresh("a"), scope.fresh("b")
    result = Tensor(first, ("?",), Kind.RESULT)
    form = scope.choices.pick(
        (
            f"{first}, {second} = {tensor.text}.topk(2, dim={d})",
            f"{first}, {second} = {tensor.text}.max({d})",
            f"{first}, {second} = {tensor.text}.chunk(2, {d})",
            f"{first}, {second} = {tensor.text}[..., :2], {tensor.text}[..., 2:]",
            f"{first}, {second} = {tensor.text}.kthvalue(1, {d})",
            f"{first}, {second} = {tensor.text}[..., 0], {tensor.text}[..., 1]",
            f"{first}, *{second} = {tensor.text}.unbind({d})",
            f"{first}, {second} = torch.min({tensor.text}, dim={d})",
        )
    )
    keep_both = scope.choices.chance(60)
    scope.results.append(result)
    if keep_both:
        scope.lists.append(second)
    lines = [form]
    if scope.choices.chance(20) and "topk" in form:
        pair = scope.fresh("pair")
        scope.results.pop()
        if keep_both:
            scope.lists.pop()
        scope.lists.append(f"{pair}.values")
        lines = [f"{pair} = {form.partition(' = ')[2]}"]
    return lines


def finish_statement(scope: Scope) -> list[str]:
    """Further work on an earlier result."""
    if not scope.results:
        return []
    result = scope.choices.pick(scope.results)
    if not result.text.isidentifier():
        return []
    made = finished(scope, result)
    if scope.choices.chance(35):
        return [f"{result.text} = {bare(made.text)}"]
    name = scope.fresh("done")
    scope.lists.append(name)
    return [f"{name} = {bare(made.text)}"]


def metadata_statement(scope: Scope) -> list[str]:
    """A read that needs no data of the copy."""
    text = scope.copy().text
    name = scope.fresh("m")
    plain = [
        f"{name} = {text}.shape[-1]",
        f"{name} = {text}.size(0)",
        f"{name} = {text}.shape",
        f"{name} = {text}.ndim",
        f"{name} = {text}.dtype",
        f"{name} = {text}.numel()",
        f"{name} = {text}.dim()",
        f"{name} = len({text})",
        f"{name} = isinstance({text}, torch.Tensor)",
        f"{name} = {text}.is_floating_point()",
        f"{name} = {text}.device.type",
        f"{name} = torch.zeros({text}.shape[0], dtype={text}.dtype)",
        f"{name} = torch.finfo({text}.dtype).min",
        f"{name} = {text}.element_size()",
        f"{name} = {text}.requires_grad",
        f"{name} = torch.zeros(2, dtype={text}.dtype, device={text}.device)",
        f"{name} = {text} is None",
        f"{name} = {text}.is_contiguous()",
        f"{name} = {text}.is_leaf",
        f"{name} = torch.zeros_like({text}[..., 0])",
        f"{name} = {text}.new_zeros(2)",
        f"{name} = type({text}).__name__",
    ]
    silent = [
        f"assert {text}.dim() >= 1",
        f"assert {text}.dtype in (torch.float32, torch.float64, torch.bfloat16)",
        f"assert {text}.shape[0] > 0, {text}.shape",
    ]
    if scope.choices.chance(25):
        return [scope.choices.pick(silent)]
    # Layout is allowed to change; only these say so.
    options = plain if scope.choices.chance(15) else plain[:17]
    scope.lists.append(name)
    return [scope.choices.pick(options)]


def view_statement(scope: Scope) -> list[str]:
    """A view or scaled copy under another name, or its own."""
    tensor = scope.copy()
    made = disguised(scope, tensor)
    if made.text == tensor.text or scope.choices.chance(45):
        made = scaled(scope, made)
    name = tensor.text if scope.choices.chance(40) else scope.fresh("v")
    if not name.isidentifier():
        name = scope.fresh("v")
    scope.copies = [c for c in scope.copies if c.text != name]
    if scope.source.text == name:
        scope.source = made.become(name)
    scope.copies.append(made.become(name))
    lines = [f"{name} = {bare(made.text)}"]
    if scope.choices.chance(60 if scope.noise > 0 else 10):
        changes = [c for f, c in _CHANGES.items() if reads_name(lines[0], f)]
        scope.noise -= len(changes[:1])
        lines += changes[:1]
    return lines


_CHANGES = {
    "t": "t = t + 1",
    "temperature": "temperature *= 2",
    "n": "n = 3 - n",
    "row_scale": "row_scale.mul_(2)",
    "out.temperature": "out.temperature = 2.5",
}
"""How what arithmetic reads beside the copy may change before the selection."""


def reads_name(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}\b", text) is not None
