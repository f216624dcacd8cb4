"""What may stand between a cast and a selection: views, signs, scalar arithmetic."""

from __future__ import annotations

from .tensors import Kind, Scope, Tensor


def viewed(scope: Scope, tensor: Tensor) -> Tensor:
    """The tensor in another guise that keeps all of its elements."""
    text, dims = tensor.text, tensor.dims
    options: list[Tensor] = [
        tensor.become(f"{text}.contiguous()"),
        tensor.become(f"{text}.detach()"),
        tensor.become(f"(-{text})"),
        tensor.become(f"{text}.neg()"),
        tensor.become(f"{text}.abs()"),
        tensor.become(f"torch.abs({text})"),
        tensor.become(f"{text}.squeeze()"),
        tensor.become(f"{text}[None]", ("1", *dims)),
        tensor.become(f"{text}[..., None]", (*dims, "1")),
        tensor.become(f"{text}.unsqueeze(1)", (dims[0], "1", *dims[1:])),
        tensor.become(f"{text}.view({text}.shape)"),
    ]
    if tensor.rank >= 2:
        swapped = (dims[1], dims[0], *dims[2:])
        options += [
            tensor.become(f"{text}.transpose(0, 1)", swapped),
            tensor.become(f"{text}.mT", (*dims[:-2], dims[-1], dims[-2])),
            tensor.become(
                f"torch.transpose({text}, -1, -2)", (*dims[:-2], dims[-1], dims[-2])
            ),
        ]
    if tensor.rank == 3:
        flat = ("BS" if dims[:2] == ("B", "S") else "?", dims[2])
        options += [
            tensor.become(f"{text}.view(-1, {text}.shape[-1])", flat),
            tensor.become(f"{text}.reshape(-1, {text}.size(-1))", flat),
            tensor.become(f"{text}.flatten(0, 1)", flat),
            tensor.become(f"{text}.permute(1, 0, 2)", (dims[1], dims[0], dims[2])),
            tensor.become(f"torch.reshape({text}, (-1, {text}.shape[-1]))", flat),
        ]
        options += options[-5:-2]
    return scope.choices.pick(options)


_NUMBERS = ("2", "0.5", "0.7", "1.0", "-1", "30.0", "3", "0")
_FACTORS = ("t", "temperature", "out.temperature", "n", "(t + 1)", "float(n)")


def scaled(scope: Scope, tensor: Tensor) -> Tensor:
    """Arithmetic of the tensor with a number."""
    choices = scope.choices
    text = tensor.text
    number = choices.pick(_FACTORS if choices.chance(45) else _NUMBERS)
    forms = [
        f"({text} / {number})",
        f"({text} * {number})",
        f"({number} * {text})",
        f"({text} - {number})",
        f"({text} + {number})",
        f"({number} - {text})",
        f"{text}.div({number})",
        f"torch.mul({text}, {number})",
        f"{text}.mul({number})",
        f"{text}.clamp(min=-1.0, max=0.7)",
        f"torch.relu({text})",
        f"(torch.tanh({text} / 3.0) * 3.0)",
        f"{text}.exp()",
        f"({text} / {number} + 1)",
    ]
    if tensor.dims and tensor.dims[0] == "B" and tensor.rank == 3:
        forms.append(f"({text} * row_scale[:, None, None])")
    scaled_text = choices.pick(forms)
    return Tensor(scaled_text, tensor.dims, tensor.kind)


def disguised(scope: Scope, tensor: Tensor) -> Tensor:
    """None, one or two of the above."""
    count = scope.choices.weighted(((70, 0), (24, 1), (6, 2)))
    for _ in range(count):
        if scope.choices.chance(35) and tensor.kind is Kind.WIDE:
            tensor = scaled(scope, tensor)
        else:
            tensor = viewed(scope, tensor)
    return tensor
