"""Casts of every spelling, and the statements that guard them."""

from __future__ import annotations

from .tensors import Kind, Scope, Tensor, bare

_SPELLINGS = (
    (30, "{}.float()"),
    (10, "{}.to(torch.float32)"),
    (8, "{}.to(dtype=torch.float32)"),
    (10, "{}.to(torch.float32, copy=True)"),
    (8, "{}.to(dtype=torch.float32, copy=True)"),
    (5, "{}.double()"),
    (3, "{}.to(torch.float64)"),
    (4, "{}.type(torch.float32)"),
    (4, "torch.Tensor.float({})"),
    (4, "{}.to(f32)"),
    (2, "{}.to(torch.float)"),
    (2, "{}.to(torch.float32, non_blocking=True)"),
    (2, "{}.to('cpu', torch.float32)"),
    (1, "torch.Tensor.to({}, torch.float32)"),
)


def spelled(scope: Scope, source: Tensor) -> Tensor:
    text = scope.choices.weighted(_SPELLINGS)
    inner = bare(source.text) if text.endswith("({})") else source.text
    return Tensor(text.format(inner), source.dims, Kind.WIDE)


def _target(scope: Scope, source: Tensor) -> str:
    """The source's own name, so that the cast rebinds it, or a new one."""
    if source.text.isidentifier() and scope.choices.chance(50):
        return source.text
    return scope.fresh(scope.choices.pick(("wide", "w", "up")))


def cast_statement(scope: Scope, source: Tensor) -> list[str]:
    """The statements that make a copy, which `scope` then offers."""
    form = scope.choices.weighted(_FORMS)
    return form(scope, source)


def _offer(scope: Scope, name: str, source: Tensor) -> None:
    copy = Tensor(name, source.dims, Kind.WIDE)
    scope.copies = [c for c in scope.copies if c.text != name]
    scope.copies.append(copy)
    if scope.source.text == name:
        scope.source = copy


def _plain(scope: Scope, source: Tensor) -> list[str]:
    name = _target(scope, source)
    line = f"{name} = {spelled(scope, source).text}"
    _offer(scope, name, source)
    return [line]


def _dtype_guard(scope: Scope, source: Tensor) -> list[str]:
    lines: list[str] = []
    name = source.text
    if not name.isidentifier() or scope.choices.chance(20):
        name = scope.fresh("w")
        lines.append(f"{name} = {bare(source.text)}")
    test = scope.choices.pick(
        (
            f"{name}.dtype != torch.float32",
            f"torch.float32 != {name}.dtype",
            f"not {name}.dtype == torch.float32",
            f"{name}.dtype is not torch.float32",
            f"{name}.dtype == torch.bfloat16",
        )
    )
    lines += [f"if {test}:", f"    {name} = {name}.float()"]
    _offer(scope, name, source)
    return lines


def _flag_guard(scope: Scope, source: Tensor) -> list[str]:
    name = source.text
    lines: list[str] = []
    if not name.isidentifier():
        name = scope.fresh("w")
        lines.append(f"{name} = {bare(source.text)}")
    test = scope.choices.pick(("flag", "train", "n > 1", "not flag"))
    cast = spelled(scope, source.become(name)).text
    lines += [f"if {test}:", f"    {name} = {cast}"]
    _offer(scope, name, source)
    return lines


def _conditional(scope: Scope, source: Tensor) -> list[str]:
    name = _target(scope, source)
    cast = spelled(scope, source).text
    text = scope.choices.pick(
        (
            f"{cast} if flag else {source.text}",
            f"{source.text} if train else {cast}",
            f"{source.text} if {source.text}.dtype == torch.float32 else {cast}",
            f"{cast} if {source.text}.dtype != torch.float32 else {source.text}",
        )
    )
    _offer(scope, name, source)
    return [f"{name} = {text}"]


def _walrus(scope: Scope, source: Tensor) -> list[str]:
    name = _target(scope, source)
    cast = spelled(scope, source).text
    size = scope.fresh("size")
    line = scope.choices.pick(
        (
            f"{size} = ({name} := {cast}).shape[0]",
            f"assert ({name} := {cast}) is not None",
        )
    )
    _offer(scope, name, source)
    return [line]


def _several(scope: Scope, source: Tensor) -> list[str]:
    first, second = scope.fresh("w"), scope.fresh("v")
    cast = spelled(scope, source).text
    line = scope.choices.pick(
        (
            f"{first} = {second} = {cast}",
            f"{first}, {second} = {cast}, {spelled(scope, source).text}",
        )
    )
    _offer(scope, first, source)
    _offer(scope, second, source)
    return [line]


def _per_branch(scope: Scope, source: Tensor) -> list[str]:
    name = scope.fresh("w")
    lines = [
        "if flag:",
        f"    {name} = {spelled(scope, source).text}",
        "else:",
        f"    {name} = {spelled(scope, source).text}",
    ]
    _offer(scope, name, source)
    return lines


_FORMS = (
    (60, _plain),
    (10, _dtype_guard),
    (4, _flag_guard),
    (5, _conditional),
    (5, _walrus),
    (3, _several),
    (2, _per_branch),
)
