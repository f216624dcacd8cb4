"""Indices of every provenance: distinct, repeated, cut, computed.

Each function gives expressions that fit; which of them repeat is decided at run time,
and the engine has to tell from the code alone.
"""

from __future__ import annotations

from .tensors import Scope, Tensor


def along(scope: Scope, tensor: Tensor, axis: int) -> str | None:
    """An index for `gather` along an axis, or None where the shape has none."""
    options = _computed(scope, tensor, axis)
    leading = tensor.dims[:axis] + tensor.dims[axis + 1 :]
    if axis == tensor.rank - 1 and tensor.dims[axis] == "V":
        options += _given(leading) * 3
    name = _named(scope, f"along {tensor.dims} {axis}")
    if name is not None and scope.choices.chance(70):
        return name
    return scope.choices.pick(options) if options else None


def _given(leading: tuple[str, ...]) -> list[str]:
    match leading:
        case ("B", "S"):
            return [
                "labels.unsqueeze(-1)",
                "labels[..., None]",
                "idx",
                "idx",
                "topk_indices",
                "idx[..., :2]",
                "idx[..., :1]",
                "idx.clamp(max=1)",
                "idx % 2",
                "torch.where(mask[..., None], idx, 0)",
                "idx.masked_fill(~mask[..., None], 0)",
                "torch.cat([idx, idx], dim=-1)",
                "torch.cat([labels[..., None], idx], -1)",
                "labels[..., None].expand(-1, -1, 3)",
                "labels.unsqueeze(2).repeat(1, 1, 2)",
                "labels.view(*labels.shape, 1)",
                "labels.clamp(min=0).unsqueeze(-1)",
                "idx.sort(-1).values",
                "idx.flip(-1)",
                "cols.expand(*labels.shape, -1)",
                "cols[None, None].expand(labels.shape[0], labels.shape[1], -1)",
                "labels.unsqueeze(-1).long()",
                "torch.stack([labels, labels], dim=-1)",
                "idx.unsqueeze(-1).squeeze(-1)",
            ]
        case ("B", "S-1"):
            return [
                "labels[:, 1:, None]",
                "labels[:, 1:].unsqueeze(-1)",
                "idx[:, 1:]",
                "labels[:, :-1, None]",
            ]
        case ("BS",):
            return [
                "labels.reshape(-1, 1)",
                "labels.view(-1)[:, None]",
                "labels.flatten().unsqueeze(1)",
                "idx.view(-1, idx.shape[-1])",
                "idx.flatten(0, 1)",
            ]
        case ("B",):
            return ["labels[:, 0, None]", "labels[:, :1]", "idx[:, 0]", "idx[:, -1]"]
        case _:
            return []


def _computed(scope: Scope, tensor: Tensor, axis: int) -> list[str]:
    made = scope.choices.pick((tensor, tensor, scope.source))
    if made.dims != tensor.dims:
        made = tensor
    text, size = made.text, made.size(axis)
    d = axis - tensor.rank if scope.choices.chance(50) else axis
    cut = ", ".join([":"] * axis + [":2"])
    options = [
        f"{text}.argmax({d}, keepdim=True)",
        f"{text}.topk(2, dim={d}).indices",
        f"{text}.topk(2, {d})[1]",
        f"torch.topk({text}, k=2, dim={d}).indices",
        f"{text}.argsort({d})[{cut}]",
        f"{text}.argsort(dim={d}, descending=True)[{cut}]",
        f"{text}.sort({d}).indices[{cut}]",
        f"{text}.max({d}, keepdim=True).indices",
        f"{text}.argsort({d})",
    ]
    if axis == tensor.rank - 1:
        options += [
            f"torch.randint({size}, (*{text}.shape[:-1], 3))",
            f"torch.arange(2).expand(*{text}.shape[:-1], 2)",
            f"torch.randperm({size})[:2].expand(*{text}.shape[:-1], 2)",
            f"torch.multinomial(torch.ones({size}), 2).expand(*{text}.shape[:-1], 2)",
        ]
    if axis == 1 and tensor.rank == 3 and tensor.dims[:2] == ("B", "S"):
        options += [
            f"pos[:, None, None].expand(-1, 1, {text}.shape[-1])",
            f"pos.view(-1, 1, 1).expand(-1, -1, {text}.size(-1))",
            f"picks[None, :, None].expand({text}.shape[0], -1, {text}.shape[-1])",
            "pos.view(-1, 1, 1)",
        ]
    return options


def vector(scope: Scope, tensor: Tensor, axis: int) -> str:
    """A vector of positions along an axis."""
    size = tensor.size(axis)
    options = [
        "torch.arange(2)",
        "torch.tensor([0, 1])",
        "torch.tensor([1, 1, 0])",
        "torch.zeros(2, dtype=torch.long)",
        f"torch.arange(0, {size}, 2)",
        f"torch.randperm({size})[:2]",
        f"torch.randint({size}, (3,))",
        f"torch.randint(0, {size}, (2,))",
        f"torch.multinomial(torch.ones({size}), 2)",
        f"torch.multinomial(torch.ones({size}), 3, replacement=True)",
        f"torch.rand({size}).argsort()[:2]",
        f"torch.rand({size}).topk(2).indices",
        f"torch.arange({size})",
        f"torch.randperm({size})",
    ]
    name = {"V": "cols", "S": "picks", "B": "rows"}.get(tensor.dims[axis])
    if name is not None:
        options += [
            name,
            name,
            name,
            f"{name}.clamp(max=1)",
            f"torch.unique({name})",
            f"{name}.unique()",
            f"torch.cat([{name}, {name}])",
            f"{name}[:1]",
            f"{name} % 2",
            f"{name}.sort().values",
        ]
    if tensor.dims[axis] == "V":
        options += ["idx[0, 0]", "labels[:, 0]", "labels.view(-1)", "labels[0]"]
    if tensor.dims[axis] == "BS":
        options += ["mask.view(-1).nonzero().squeeze(-1)"] * 2
        options += ["torch.nonzero(mask.flatten()).view(-1)"]
    named = _named(scope, f"vector {tensor.dims[axis]}")
    if named is not None and scope.choices.chance(70):
        return named
    return scope.choices.pick(options)


def _named(scope: Scope, key: str) -> str | None:
    fitting = [name for name, fits in scope.indices if fits == key]
    return fitting[-1] if fitting else None


def index_statement(scope: Scope, tensor: Tensor) -> list[str]:
    """Bind an index to a name, sometimes from the copy itself."""
    axis = scope.choices.pick(range(tensor.rank - 1, -1, -1))
    name = scope.fresh("i")
    if scope.choices.chance(60):
        text, key = along(scope, tensor, axis), f"along {tensor.dims} {axis}"
    else:
        text = vector(scope, tensor, axis)
        key = f"vector {tensor.dims[axis]}"
    if text is None:
        return []
    scope.indices.append((name, key))
    lines = [f"{name} = {text}"]
    if scope.choices.chance(15):
        lines.append(
            scope.choices.pick(
                (
                    f"{name} = {name}.clamp(max=1)",
                    f"{name} = {name} % 2",
                    f"{name} = {name}.clone()",
                    f"{name} = torch.cat([{name}, {name}], dim={axis})",
                )
            )
        )
    return lines
