"""Selections: everything that takes elements out of a tensor."""

from __future__ import annotations

from collections.abc import Callable

from . import indices
from .tensors import Dims, Kind, Scope, Tensor

Maker = Callable[[Scope, Tensor], Tensor | None]


def selected(scope: Scope, tensor: Tensor) -> Tensor:
    """A selection of the tensor; what it needs is written into the expression."""
    while True:
        maker = scope.choices.weighted(_MAKERS)
        made = maker(scope, tensor)
        if made is not None:
            return made


def _result(text: str, dims: Dims) -> Tensor:
    return Tensor(text, dims, Kind.RESULT)


def _axis(scope: Scope, tensor: Tensor) -> int:
    """Mostly the last."""
    if tensor.rank == 1 or scope.choices.chance(60):
        return tensor.rank - 1
    return scope.choices.below(tensor.rank)


def _signed(scope: Scope, axis: int, rank: int) -> int:
    return axis - rank if scope.choices.chance(60) else axis


def _gather(scope: Scope, tensor: Tensor) -> Tensor | None:
    axis = _axis(scope, tensor)
    index = indices.along(scope, tensor, axis)
    if index is None:
        return None
    d = _signed(scope, axis, tensor.rank)
    text = scope.choices.pick(
        (
            f"{tensor.text}.gather({d}, {index})",
            f"{tensor.text}.gather(dim={d}, index={index})",
            f"torch.gather({tensor.text}, {d}, {index})",
            f"torch.gather(input={tensor.text}, dim={d}, index={index})",
            f"torch.take_along_dim({tensor.text}, {index}, dim={d})",
            f"{tensor.text}.take_along_dim({index}, {d})",
        )
    )
    return _result(text, _replaced(tensor.dims, axis, "?"))


def _take(scope: Scope, tensor: Tensor) -> Tensor | None:
    index = scope.choices.pick(("idx", "labels", "cols", "torch.tensor([0, 3])"))
    text = scope.choices.pick(
        (f"{tensor.text}.take({index})", f"torch.take({tensor.text}, {index})")
    )
    return _result(text, ("?",))


def _index_select(scope: Scope, tensor: Tensor) -> Tensor | None:
    axis = scope.choices.below(tensor.rank)
    index = indices.vector(scope, tensor, axis)
    d = _signed(scope, axis, tensor.rank)
    text = scope.choices.pick(
        (
            f"{tensor.text}.index_select({d}, {index})",
            f"torch.index_select({tensor.text}, {d}, {index})",
            f"{tensor.text}.index_select(dim={d}, index={index})",
        )
    )
    return _result(text, _replaced(tensor.dims, axis, "?"))


def _at(axis: int, rank: int, item: str, scope: Scope) -> str:
    """A subscript that puts `item` on one axis."""
    if axis == rank - 1 and rank > 1 and scope.choices.chance(60):
        return f"[..., {item}]"
    if axis == rank - 2 and scope.choices.chance(20):
        return f"[..., {item}, :]"
    return "[" + ":, " * axis + item + "]"


def _indexed(scope: Scope, tensor: Tensor) -> Tensor | None:
    """Indexing by one vector, or by several tensors together."""
    joint = _joint_indices(tensor)
    if joint and scope.choices.chance(60):
        item, dims = scope.choices.pick(joint)
        return _result(f"{tensor.text}[{item}]", dims)
    axis = _axis(scope, tensor)
    index = indices.vector(scope, tensor, axis)
    if axis == 0 and scope.choices.chance(20):
        index = scope.choices.pick(("[0, 1]", "[1, 1]"))
    text = tensor.text + _at(axis, tensor.rank, index, scope)
    return _result(text, _replaced(tensor.dims, axis, "?"))


def _joint_indices(tensor: Tensor) -> list[tuple[str, Dims]]:
    text, dims = tensor.text, tensor.dims
    rows = f"torch.arange({text}.shape[0])"
    match dims:
        case ("B", "S", "V"):
            return [
                (f"{rows}, pos", ("B", "V")),
                (f"torch.arange({text}.size(0)), pos", ("B", "V")),
                (f"{rows}, pos, cols[0]", ("B",)),
                (f"{rows}[:, None], torch.arange({text}.shape[1]), labels", ("B", "S")),
                (
                    f"{rows}.unsqueeze(1), torch.arange({text}.size(1))[None], labels",
                    ("B", "S"),
                ),
                ("rows, picks", ("J", "V")),
                ("rows[:, None], picks", ("J", "J", "V")),
                (f"{rows}, -1, labels[:, 0]", ("B",)),
                (f"{rows}, 0", ("B", "V")),
                ("rows, :, 0", ("J", "S")),
                (f"{rows}, :, labels[:, 0]", ("B", "S")),
            ]
        case ("BS", "V"):
            return [
                (f"{rows}, labels.reshape(-1)", ("BS",)),
                ("torch.arange(labels.numel()), labels.view(-1)", ("BS",)),
                (f"range({text}.shape[0]), labels.flatten()", ("BS",)),
            ]
        case ("B", "V"):
            return [
                (f"{rows}, labels[:, 0]", ("B",)),
                ("rows, 0", ("J",)),
                ("torch.arange(labels.size(0)), labels[:, -1]", ("B",)),
            ]
        case _:
            return []


def _masked(scope: Scope, tensor: Tensor) -> Tensor | None:
    text = tensor.text
    match tensor.dims:
        case ("B", "S", "V"):
            options: list[tuple[str, Dims]] = [
                (f"{text}[mask]", ("M", "V")),
                (f"{text}[~mask]", ("M", "V")),
                (f"{text}[mask.bool()]", ("M", "V")),
                (f"{text}[labels > 2]", ("M", "V")),
                (f"{text}[mask & (labels != 0)]", ("M", "V")),
                (f"{text}[wanted]", ("M",)),
                (f"{text}.masked_select(wanted)", ("M",)),
                (f"torch.masked_select({text}, wanted)", ("M",)),
                (f"{text}.masked_select(mask.unsqueeze(-1))", ("M",)),
                (f"{text}[mask, 0]", ("M",)),
                (f"{text}[mask, :2]", ("M", "2")),
                (f"{text}[mask][..., 0]", ("M",)),
                (f"{text}[mask.nonzero(as_tuple=True)]", ("M", "V")),
                (f"{text}[torch.where(mask)]", ("M", "V")),
            ]
        case ("BS", "V"):
            options = [
                (f"{text}[mask.view(-1)]", ("M", "V")),
                (f"{text}[mask.reshape(-1)]", ("M", "V")),
                (f"{text}[(labels > 1).flatten()]", ("M", "V")),
            ]
        case ("B", "V"):
            options = [
                (f"{text}[mask[:, 0]]", ("M", "V")),
                (f"{text}[wanted[:, 0]]", ("M",)),
                (f"{text}.masked_select(wanted[:, 0])", ("M",)),
            ]
        case _:
            return None
    chosen, dims = scope.choices.pick(options)
    return _result(chosen, dims)


_ITEMS: tuple[tuple[str, str | None], ...] = (
    ("-1", None),
    ("0", None),
    ("1", None),
    ("n", None),
    (":1", "1"),
    ("-1:", "1"),
    ("1:2", "1"),
    ("-n:", "?"),
    (":n", "?"),
    (":2", "2"),
    ("-2:", "2"),
    ("::2", "?"),
    ("n - 1:n", "1"),
    (":-1", "-1"),
    ("1:", "-1"),
    ("n:", "?"),
)


def _sliced(scope: Scope, tensor: Tensor) -> Tensor | None:
    axis = scope.choices.below(tensor.rank)
    item, size = scope.choices.pick(_ITEMS)
    dims = _cut(tensor.dims, axis, size)
    text = tensor.text + _at(axis, tensor.rank, item, scope)
    if tensor.rank == 3 and scope.choices.chance(20):
        second, more = scope.choices.pick(_ITEMS)
        text = f"{tensor.text}[:, {item}, {second}]"
        dims = (tensor.dims[0],)
        dims += tuple(
            _cut((dim,), 0, s)[0]
            for dim, s in ((tensor.dims[1], size), (tensor.dims[2], more))
            if s is not None
        )
    return _result(text, dims)


def _cut(dims: Dims, axis: int, size: str | None) -> Dims:
    if size is None:
        return dims[:axis] + dims[axis + 1 :]
    if size == "-1":
        size = f"{dims[axis]}-1"
    return _replaced(dims, axis, size)


def _replaced(dims: Dims, axis: int, size: str) -> Dims:
    return (*dims[:axis], size, *dims[axis + 1 :])


def _pieces(scope: Scope, tensor: Tensor) -> Tensor | None:
    text = tensor.text
    axis = scope.choices.below(tensor.rank)
    d = _signed(scope, axis, tensor.rank)
    options: list[tuple[str, str | None]] = [
        (f"{text}.narrow({d}, 0, 1)", "1"),
        (f"{text}.narrow({d}, n - 1, 1)", "1"),
        (f"torch.narrow({text}, {d}, 0, 2)", "2"),
        (f"{text}.select({d}, -1)", None),
        (f"{text}.select({d}, 0)", None),
        (f"torch.select({text}, {d}, 1)", None),
        (f"{text}.split(1, dim={d})[0]", "1"),
        (f"{text}.split([1, {tensor.size(axis)} - 1], dim={d})[0]", "1"),
        (f"torch.split({text}, 2, {d})[0]", "2"),
        (f"{text}.chunk(2, {d})[0]", "?"),
        (f"{text}.chunk(2, dim={d})[-1]", "?"),
        (f"{text}.unbind({d})[-1]", None),
        (f"torch.unbind({text}, {d})[0]", None),
    ]
    chosen, size = scope.choices.pick(options)
    return _result(chosen, _cut(tensor.dims, axis, size))


def _ordered(scope: Scope, tensor: Tensor) -> Tensor | None:
    text = tensor.text
    axis = _axis(scope, tensor)
    d = _signed(scope, axis, tensor.rank)
    less = _cut(tensor.dims, axis, None)
    kept = _replaced(tensor.dims, axis, "2")
    options: list[tuple[str, Dims]] = [
        (f"{text}.argmax({d})", less),
        (f"{text}.argmax(dim={d})", less),
        (f"{text}.argmin({d}, keepdim=True)", _replaced(tensor.dims, axis, "1")),
        (f"torch.argmax({text}, dim={d})", less),
        (f"{text}.topk(2, dim={d}).values", kept),
        (f"{text}.topk(2, dim={d}).indices", kept),
        (f"{text}.topk(2, {d})[0]", kept),
        (f"torch.topk({text}, 2, dim={d})[1]", kept),
        (f"{text}.topk(1, {d}, largest=False).values", _replaced(kept, axis, "1")),
        (f"{text}.kthvalue(2, {d}).values", less),
        (f"{text}.max({d}).values", less),
        (f"{text}.max(dim={d})[0]", less),
        (f"{text}.max({d}).indices", less),
        (f"{text}.min({d}, keepdim=True).values", _replaced(kept, axis, "1")),
        (f"torch.max({text}, {d}).values", less),
        (f"{text}.amax({d})", less),
        (f"{text}.amax(dim={d}, keepdim=True)", _replaced(kept, axis, "1")),
        (f"torch.amin({text}, {d})", less),
        (f"{text}.max()", ()),
        (f"{text}.amax()", ()),
        (f"{text}.min()", ()),
        (f"{text}.argmax()", ()),
        (f"{text}.median({d}).values", less),
        (f"{text}.mode({d}).values", less),
        (f"{text}.aminmax().max", ()),
    ]
    chosen, dims = scope.choices.pick(options)
    return _result(chosen, dims)


def _embedded(scope: Scope, tensor: Tensor) -> Tensor | None:
    if tensor.dims != ("V", "H"):
        return None
    ids = scope.choices.pick(
        ("labels", "idx", "cols", "labels[:, 0]", "torch.arange(2)")
    )
    text = scope.choices.pick(
        (
            f"F.embedding({ids}, {tensor.text})",
            f"torch.nn.functional.embedding({ids}, {tensor.text})",
            f"F.embedding(input={ids}, weight={tensor.text})",
            f"F.embedding({ids}, {tensor.text}, padding_idx=0)",
            f"F.embedding({ids}, {tensor.text}, max_norm=1.0)",
            f"{tensor.text}[{ids}]",
        )
    )
    return _result(text, ("?",))


_MAKERS: tuple[tuple[int, Maker], ...] = (
    (26, _gather),
    (20, _sliced),
    (12, _indexed),
    (12, _ordered),
    (8, _index_select),
    (8, _pieces),
    (10, _masked),
    (20, _embedded),
    (2, _take),
)
