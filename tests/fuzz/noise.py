"""Statements that forbid a rewrite, or seem to: full reads, writes, rebinding."""

from __future__ import annotations

from collections.abc import Callable

from .casts import cast_statement, spelled
from .selections import selected
from .tensors import Kind, Scope, Tensor, bare

HELPERS = {
    "touch": "def touch(tensor):\n    tensor.mul_(0.5)\n    return tensor\n",
    "same": "def same(tensor):\n    return tensor\n",
    "fresh": "def fresh(tensor):\n    return tensor * 2\n",
    "keep": "def keep(tensor, into):\n    into.append(tensor)\n",
    "column": "def column(tensor):\n    return tensor[..., 0]\n",
}
"""Functions of the module, given to a program that calls them."""


def noise_statement(scope: Scope) -> list[str]:
    scope.noise -= 1
    if scope.writers and scope.choices.chance(60):
        return scope.choices.pick(scope.writers)
    return scope.choices.weighted(_NOISE)(scope)


def _write(scope: Scope, tensor: Tensor) -> list[str]:
    """An in-place operation on a tensor or through a view of it."""
    text = tensor.text
    alias = scope.fresh("alias")
    forms: list[list[str]] = [
        [f"{text}.mul_(0.5)"],
        [f"{text}.add_(1)"],
        [f"{text}.zero_()"],
        [f"{text}[..., 0] = 0"],
        [f"{text}[0] = 1.5"],
        [f"{text}[..., 1:] = 0.25"],
        [f"{text}.view(-1)[0] = 2.0"],
        [f"{text}.clamp_(min=0)"],
        [f"{text}.data.mul_(2)"],
        [f"{text}.detach().neg_()"],
        ["with torch.no_grad():", f"    {text}.mul_(0.5)"],
        [f"F.relu({text}, inplace=True)"],
        [f"torch.neg({text}.detach(), out={text}.detach())"],
        [f"{text}.copy_({text}.flip(-1))"],
        [f"{text}.fill_(0.5)"],
        [f"{text}.transpose(0, -1).mul_(2)"],
        [f"{text}.unbind(0)[0].zero_()"],
        [f"{alias} = {text}[0]", f"{alias}.fill_(0.25)"],
        [f"{alias} = {text}", f"{alias}.mul_(2)"],
        [f"{alias} = {text}.view({text}.shape)", f"{alias} += 1"],
        [f"for {alias} in {text}:", f"    {alias}.mul_(3)"],
        [f"touch({text})"],
        [f"fn({text})"],
        [f"torch.relu_({text})"],
        [f"{text}.index_fill_(0, torch.tensor([0]), 0)"],
        [f"{text}.squeeze_()"],
        [f"[{alias}.neg_() for {alias} in {text}.split(1)]"],
        [f"{alias} = [{text}]", f"{alias}[0].mul_(2)"],
        [f"store.alias = {text}", "store.alias.mul_(2)"],
    ]
    if text.isidentifier():
        forms += [[f"{text} += 1"], [f"{text} *= 0.5"], [f"{text} /= t"]]
    return scope.choices.pick(forms)


def _write_source(scope: Scope) -> list[str]:
    return _write(scope, scope.source)


def _write_copy(scope: Scope) -> list[str]:
    return _write(scope, scope.copy())


def _write_result(scope: Scope) -> list[str]:
    names = [r for r in scope.results if r.text.isidentifier()]
    if not names:
        return _write_source(scope)
    return _write(scope, scope.choices.pick(names))


def _full_read(scope: Scope) -> list[str]:
    text = scope.copy().text
    name = scope.fresh("full")
    forms = [
        f"{name} = {text}.sum()",
        f"{name} = {text}.sum(-1)",
        f"{name} = torch.softmax({text}, dim=-1)",
        f"{name} = {text}.logsumexp(-1)",
        f"{name} = {text}.log_softmax(-1)[..., 0]",
        f"{name} = ({text} * {text}).mean()",
        f"{name} = ({text} - {text}.amax(-1, keepdim=True)).sum(-1)",
        f"{name} = {text}.clone()",
        f"{name} = {text}",
        f"{name} = F.softplus({text}).sum()",
        f"{name} = same({text})",
        f"{name} = fresh({text}).sum()",
        f"{name} = fn({text})",
        f"{name} = column({text})",
        f"{name} = [{text}]",
        f"{name} = torch.cat([{text}, {text}])",
        f"{name} = {text} > 0.7",
        f"{name} = {text}.argsort(-1)",
        f"{name} = {text}.cumsum(-1)[..., -1]",
    ]
    silent = [
        f"box.append({text})",
        f"store.value = {text}",
        f"keep({text}, box)",
        f"box += [{text}]",
        f"assert {text}.isfinite().any() or {text}.dim() > 0",
    ]
    if scope.choices.chance(25):
        return [scope.choices.pick(silent)]
    scope.lists.append(name)
    return [scope.choices.pick(forms)]


def _rebind_source(scope: Scope) -> list[str]:
    text = scope.source.text
    if not text.isidentifier():
        return [f"{text} = {text} * 2"] if "." in text and "(" not in text else []
    forms = [
        f"{text} = {text} * 2",
        f"{text} = {text} + 1",
        f"{text} = {text}.clone()",
        f"{text} = None",
        f"del {text}",
        f"{text} = {text} * 0",
        f"if flag: {text} = {text} * 2",
        f"({text} := {text} * 3)",
        f"for {text} in [{text} * 2]: pass",
        f"with torch.no_grad(): {text} = {text} * 2",
        f"{text}, _ = {text} * 2, 1",
    ]
    if scope.source.dims == ("B", "S", "V"):
        forms += [f"{text} = other", f"{text}, other = other, {text}"]
    chosen = scope.choices.pick(forms)
    if chosen in (f"{text} = None", f"del {text}") and not scope.copies:
        return []
    if scope.copies and chosen in (f"{text} = None", f"del {text}"):
        remaining = [c for c in scope.copies if c.text != text]
        if not remaining:
            return []
        scope.copies = remaining
        scope.source = remaining[-1]
    return [chosen]


def _rebind_copy(scope: Scope) -> list[str]:
    text = scope.copy().text
    if not text.isidentifier():
        return []
    forms = [
        f"{text} = {text} * 2",
        f"{text} = {text} / t",
        f"{text} = {text}.clone()",
        f"{text} = -{text}",
        f"if flag: {text} = {text} + 1",
        f"if flag:\n    {text} = {text} / temperature",
        f"{text} = same({text})",
        f"{text} = fn({text})",
        f"{text} = {text}.float()",
        f"{text} = {text}.detach()",
        f"{text} = {text} if flag else {text} * 2",
        f"{text} = F.relu({text})",
    ]
    return scope.choices.pick(forms).split("\n")


def _rebind_operand(scope: Scope) -> list[str]:
    """Change what a later expression reads beside the copy."""
    forms = [
        "t = t + 1",
        "t *= 2",
        "temperature = 0.5",
        "idx = idx.clamp(max=1)",
        "idx = torch.zeros_like(idx)",
        "labels = labels.clamp(max=2)",
        "labels[:, 0] = 0",
        "idx[..., 0] = idx[..., 1]",
        "cols.zero_()",
        "mask = ~mask",
        "mask[:, 0] = True",
        "n = 1",
        "out.temperature = 3.0",
        "row_scale.mul_(2)",
        "pos = pos * 0",
        "rows = torch.zeros_like(rows)",
        "picks.fill_(0)",
        "wanted = wanted & (wanted.sum() > 0)",
    ]
    return [scope.choices.pick(forms)]


def _alias(scope: Scope) -> list[str]:
    choices = scope.choices
    copy = scope.copy()
    name = scope.fresh("u")
    if choices.chance(40):
        line = choices.pick(
            (f"{name} = {scope.source.text}", f"{name} = {scope.source.text}.detach()")
        )
        if choices.chance(50):
            scope.source = scope.source.become(name)
        return [line]
    scope.copies.append(copy.become(name))
    return [f"{name} = {copy.text}"]


def _delete(scope: Scope) -> list[str]:
    names = [c for c in scope.copies if c.text.isidentifier()]
    if len(scope.copies) < 2 or not names:
        return []
    gone = scope.choices.pick(names)
    if gone.text == scope.source.text:
        return []
    scope.copies = [c for c in scope.copies if c.text != gone.text]
    return [scope.choices.pick((f"del {gone.text}", f"{gone.text} = None"))]


def _closure(scope: Scope) -> list[str]:
    text = scope.choices.pick((scope.copy().text, scope.copy().text, scope.source.text))
    name = scope.fresh("late")
    tensor = scope.copy().become(text) if text != scope.source.text else scope.source
    picked = selected(scope, tensor).text
    forms: list[list[str]] = [
        [f"{name} = lambda: {text}.sum()"],
        [f"{name} = lambda: {picked}"],
        [f"def {name}():", f"    return {bare(picked)}"],
        [f"def {name}():", f"    return {text}.amax(-1).sum()"],
        [f"{name} = lambda tensor={text}: tensor[..., 0]"],
        [f"def {name}(tensor={text}):", "    return tensor.sum()"],
    ]
    if text.isidentifier():
        forms += [
            [
                f"def {name}():",
                f"    nonlocal {text}",
                f"    {text} = {text} * 2",
                f"    return {text}.sum()",
            ],
            [f"def {name}():", f"    {text}.mul_(2)", f"    return {text}[0].sum()"],
        ]
    lines = list(scope.choices.pick(forms))
    scope.lists.append(scope.choices.pick((name, f"{name}()")))
    if scope.choices.chance(40):
        result = scope.fresh("got")
        scope.lists.append(result)
        lines.append(f"{result} = {name}()")
    return lines


def _container(scope: Scope) -> list[str]:
    copy = scope.copy()
    name = scope.fresh("held")
    text, form = scope.choices.pick(
        (
            (f"{name}[0]", f"{name} = ({copy.text}, n)"),
            (f"{name}['w']", f"{name} = {{'w': {copy.text}}}"),
            (f"{name}[-1]", f"{name} = [n, {copy.text}]"),
            ("store.wide", f"store.wide = {copy.text}"),
            ("box[-1]", f"box.append({copy.text})"),
        )
    )
    scope.copies.append(copy.become(text))
    return [form]


def _second_cast(scope: Scope) -> list[str]:
    source = scope.source
    if scope.choices.chance(40):
        return cast_statement(scope, source)
    name = scope.fresh("r")
    result = selected(scope, spelled(scope, source))
    scope.results.append(result.become(name))
    return [f"{name} = {bare(result.text)}"]


def _source_read(scope: Scope) -> list[str]:
    """A read of the source itself, in its own precision."""
    name = scope.fresh("low")
    scope.lists.append(name)
    text = scope.source.text
    forms = [
        f"{name} = {text}.sum()",
        f"{name} = {selected(scope, scope.source).text}",
        f"{name} = {text} * 2",
        f"{name} = fn({text})",
        f"{name} = same({text})",
        f"{name} = {text}",
    ]
    return [scope.choices.pick(forms)]


def _other_side(scope: Scope) -> list[str]:
    """A pretend guard that leaves early, or work that has nothing to do with it."""
    text = scope.copy().text
    picked = selected(scope, Tensor(text, scope.copy().dims, Kind.WIDE)).text
    forms: list[list[str]] = [
        ["if flag:", f"    return {bare(picked)}"],
        ["if not train:", f"    return {text}"],
        ["if n > 1:", f"    return {text}.sum(), n"],
        ["if flag:", "    raise ValueError('flag')"],
        ["if train:", "    return None"],
        ["if flag and train:", f"    return [{text}]"],
    ]
    return scope.choices.pick(forms)


_NOISE: tuple[tuple[int, Callable[[Scope], list[str]]], ...] = (
    (8, _full_read),
    (12, _write_source),
    (11, _write_copy),
    (13, _write_result),
    (9, _rebind_source),
    (8, _rebind_copy),
    (8, _rebind_operand),
    (6, _alias),
    (5, _delete),
    (7, _closure),
    (6, _container),
    (8, _second_cast),
    (8, _source_read),
    (6, _other_side),
)
