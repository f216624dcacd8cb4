"""Texts that mean what they are written like: names, f-strings, walrus, formats."""

from __future__ import annotations

from .tensors import Kind, Scope, Tensor

HELPERS: dict[str, str] = {}
_NAMES = (
    "torch_float",
    "F_fp32",
    "sum_fp32",
    "range_float",
    "n_float",
    "t_fp32",
    "float_torch",
    "len_float32",
    "fp32_idx",
    "labels_float",
    "other_fp32",
    "x_fp32",
    "logits_float",
    "parts_fp32",
    "max_float",
    "wide_logits",
    "float_logits",
    "type_float",
)
_FORMATS = (
    "torch.contiguous_format",
    "torch.preserve_format",
    "torch.channels_last",
    "torch.channels_last_3d",
)


def prelude(scope: Scope) -> list[str]:
    """A copy under a telling name, or in a format of its own."""
    choices, source = scope.choices, scope.source
    name = choices.pick(_NAMES) if choices.chance(60) else scope.fresh("wide")
    dims = source.dims
    text = source.text
    if choices.chance(45):
        form = choices.pick(_FORMATS)
        if form == "torch.channels_last" and source.rank == 3:
            text, dims = f"{text}[None]", ("1", *dims)
        if form == "torch.channels_last_3d" and source.rank == 3:
            text, dims = f"{text}[None, None]", ("1", "1", *dims)
        cast = choices.pick(
            (
                f"{text}.to(torch.float32, memory_format={form})",
                f"{text}.to(dtype=torch.float32, memory_format={form})",
                f"{text}.to(torch.float32, copy=True, memory_format={form})",
                f"{text}.float(memory_format={form})",
                f"{text}.double(memory_format={form})",
            )
        )
    else:
        cast = choices.pick((f"{text}.float()", f"{text}.to(torch.float32)"))
    scope.copies.append(Tensor(name, dims, Kind.WIDE))
    return [f"{name} = {cast}"]


def statement(scope: Scope) -> list[str]:
    choices, copy = scope.choices, scope.copy()
    text, name = copy.text, scope.fresh("said")
    scope.lists.append(name)
    index, key = scope.fresh("k"), scope.fresh("key")
    first = ", ".join(["0"] * copy.rank)
    q = '"' if "'" in text else "'"  # before Python 3.12 they must differ
    match choices.below(3):
        case 0:
            return [
                choices.pick(
                    (
                        f"{name} = f{q}{{{text}[{first}]=}}{q}",
                        f"{name} = f{q}{{{text}.argmax()=}}{q}",
                        f"{name} = f{q}{{{text}.shape=}} "
                        f"{{{text}[{first}].item():.3f}}{q}",
                        f"{name} = f{q}{{{text}[0].max().item()!r:>20}}{q}",
                        f"{name} = f{q}{{{text}[0].shape = }}{q}",
                        f"{name} = '%s' % {text}[{first}]",
                        f"{name} = '{{}}'.format({text}[{first}])",
                        f"{name} = f{q}{{{text}.dtype}} {{{text}[{first}]}}{q}",
                        f"{name} = str({text}[{first}])",
                    )
                )
            ]
        case 1:
            return choices.pick(
                (
                    [f"{name} = {text}[..., ({index} := n - 1)], {index}"],
                    [f"{name} = {text}[({index} := 0)], {index}"],
                    [f"{index} = 1", f"{name} = {index}, {text}[({index} := 0)]"],
                    [
                        f"{index} = 1",
                        f"{name} = {text}[({index} := 0)], {text}[{index}]",
                    ],
                    [f"{name} = {text}[0, ({index} := 1):{index} + 1]"],
                    [f"{name} = ({index} := {text})[..., 0], {index}.shape"],
                    [f"{name} = {text}.select(0, ({index} := n - 1)), {index}"],
                    [f"{name} = {text}[..., (n := 1)], n"],
                    [f"{name} = {text}[..., ({text} := 0)]"]
                    if text.isidentifier()
                    else [f"{name} = n"],
                    [f"{name} = {text}[box.append(n) or 0], {text}[len(box) - 1]"],
                    [f"{name} = {text}[(lambda {key}: {key})(0)]"],
                )
            )
        case _:
            return choices.pick(
                (
                    [f"{name} = torch.zeros(n), sum([1, n]), {text}[0]"],
                    [f"{name} = {text}[..., 0], len(labels), max(1, n)"],
                    [f"{name} = [{text}[k] for k in range(2)], F.relu({text}[0])"],
                    [f"{name} = {text}[idx[0, 0, 0] % 2], labels.sum(), t"],
                    [f"{name} = type({text}[0]), float(n), other[0]"],
                )
            )
