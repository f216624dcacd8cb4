"""Indices that are not what they seem: broadcast, no mask, longer than the whole."""

from __future__ import annotations

from .tensors import Scope

HELPERS = {
    "Odd": """\
class Odd:
    def __init__(self, value=None):
        self.value = value

    def eq(self, other):
        return torch.zeros(3, dtype=torch.long)

    ne = gt = lt = isfinite = any = bool = logical_not = eq

    def __eq__(self, other):
        return torch.zeros(2, dtype=torch.long)

    def __gt__(self, other):
        return torch.tensor([1, 1, 1])

    def unique(self):
        return torch.zeros(4, dtype=torch.long)

    def argsort(self, dim=-1):
        return torch.zeros(2, dtype=torch.long)

    def nonzero(self):
        return torch.zeros(2, 1, dtype=torch.long)
""",
    "arange": "def arange(size):\n    return torch.zeros(size, dtype=torch.long)\n",
    "randperm": "def randperm(size):\n    return torch.ones(2, dtype=torch.long)\n",
}
_ODD = (
    "Odd().eq(1)",
    "Odd().ne(n)",
    "(Odd() == 1)",
    "(Odd() > 0)",
    "Odd().isfinite(1)",
    "Odd().bool(1)",
    "Odd().unique()",
    "Odd().argsort()",
    "Odd().nonzero().flatten()",
    "arange(2)",
    "randperm(2)",
    "Odd(rows).value.repeat(2)",
)


def prelude(scope: Scope) -> list[str]:
    return []


def statement(scope: Scope) -> list[str]:
    choices, copy = scope.choices, scope.copy()
    name = scope.fresh("r")
    scope.lists.append(name)
    return [f"{name} = {choices.pick(_forms(scope))}"] if copy.dims else []


def _forms(scope: Scope) -> list[str]:
    choices, copy = scope.choices, scope.copy()
    text, last = copy.text, f"{copy.text}.shape[-1]"
    rows = choices.pick(
        (f"torch.arange({text}.shape[0])", f"torch.arange(len({text}))")
    )
    forms = [f"{text}[{odd}]" for odd in _ODD]
    forms += [
        f"{text}[..., torch.arange({last})]",
        f"{text}[..., torch.randperm({last})]",
        f"{text}[..., torch.arange({last}).repeat(3)]",
        f"{text}[torch.zeros(40, dtype=torch.long)]",
        f"{text}[[0] * 30]",
        f"{text}.index_select(-1, torch.zeros(400, dtype=torch.long))",
        f"{text}.index_select(-1, torch.arange({last}))",
        f"{text}.gather(-1, {text}.argsort(-1))",
        f"{text}.gather(-1, torch.zeros_like({text}, dtype=torch.long))",
        f"torch.take_along_dim({text}, {text}.argsort(-1), -1)",
        f"{text}.take(torch.arange({text}.numel()))",
        f"[{text}[k] for k in (0, 1, 0, 1, 0)]",
        f"[{text}[:, k:k + 3] for k in range(3)]",
        f"[{text}[k % 2] for k in range(9)]",
        f"[{text}[..., k] for k in [0, 0, 1]]",
        f"{text}[rows]",
        f"{text}[rows.repeat(20)]",
        f"{text}[{rows}]",
        f"{text}[torch.arange(2)]",
    ]
    match copy.dims:
        case ("B", "V"):
            forms += [
                f"{text}[{rows}, labels.T]",
                f"{text}[{rows}, labels.mT]",
                f"{text}[{rows}, labels.t().contiguous()]",
                f"{text}[{rows}, labels[:, 0]]",
                f"{text}[{rows}[:, None], labels]",
                f"{text}[{rows}[None], labels.T]",
                f"{text}[{rows}, labels[:, :1].T]",
                f"{text}[torch.arange(2), labels[:2, :2]]",
                f"{text}[{rows}, rows[:, None]]",
                f"{text}[:, labels.repeat(1, 90)]",
                f"{text}[:, labels]",
            ] * 2
        case ("B", "S", "V"):
            forms += [
                f"{text}[{rows}, labels.T.clamp(max=2)]",
                f"{text}[{rows}, picks[:, None]]",
                f"{text}[{rows}, pos]",
                f"{text}[{rows}, pos, labels.T]",
                f"{text}[{rows}, :, labels.T]",
                f"{text}[{rows}[:, None], torch.arange({text}.shape[1]), labels]",
                f"{text}[{rows}[:, None], 0, labels]",
                f"{text}[{rows}[:, None], pos[:, None], labels]",
                f"{text}[..., labels.flatten()]",
                f"{text}[..., idx]",
                f"{text}[mask, labels[mask]]",
                f"{text}[mask.nonzero()]",
                f"{text}[mask.int()]",
                f"{text}[mask.long()]",
                f"{text}[mask.to(torch.uint8)]",
                f"{text}[labels.eq(1)]",
                f"{text}[(labels == 1).nonzero(as_tuple=True)]",
            ] * 2
        case _:
            pass
    return forms
