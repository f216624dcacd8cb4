"""What asks about the type of the copy, and goes one way or another for it."""

from __future__ import annotations

from .selections import selected
from .tensors import Scope, bare

HELPERS: dict[str, str] = {}
_QUERIES = (
    "$w.is_floating_point()",
    "torch.is_floating_point($w)",
    "$w.is_complex()",
    "torch.is_complex($w)",
    "$w.is_signed()",
    "$w.is_inference()",
    "torch.is_inference($w)",
    "isinstance($w, torch.FloatTensor)",
    "isinstance($w, (torch.FloatTensor, torch.DoubleTensor))",
    "isinstance($w, torch.HalfTensor)",
    "isinstance($w, torch.BFloat16Tensor)",
    "isinstance($w, nn.Parameter)",
    "isinstance($w, torch.Tensor)",
    "torch.is_tensor($w)",
    "type($w) is torch.Tensor",
    "type($w) is nn.Parameter",
    "type($w) == type($s)",
    "$w.__class__ is nn.Parameter",
    "$w._base is None",
    "$w._is_view()",
    "$w.type() == 'torch.FloatTensor'",
    "'Float' in $w.type()",
    "$w.dtype.is_floating_point",
    "$w.dtype == torch.float32",
    "$w.dtype in (torch.float32, torch.float64)",
    "$w.dtype == torch.get_default_dtype()",
    "$w.dtype.itemsize > 2",
    "$w.itemsize > 2",
    "$w.nbytes > $w.numel() * 2",
    "$w.element_size() > 2",
    "torch.finfo($w.dtype).max > 1e30",
    "torch.can_cast($w.dtype, torch.float16)",
    "torch.promote_types($w.dtype, torch.float16) == torch.float32",
    "torch.result_type($w, 1) == torch.float32",
    "str($w.dtype) == 'torch.float32'",
    "'float32' in f'{$w.dtype}'",
    "repr($w.dtype).endswith('32')",
    "$w is $s",
    "$w.data_ptr() == $s.data_ptr()",
    "id($w) == id($s)",
    "$w.is_set_to($s)",
    "($w is $s and flag)",
    "hasattr($w, 'shape')",
    "$w.is_leaf",
    "$w.requires_grad",
    "$w.grad_fn is None",
    "$w.device.type == 'cpu'",
    "$w.dim() > 1",
    "len($w) > 1",
    "$w is not None",
)


def prelude(scope: Scope) -> list[str]:
    choices = scope.choices
    if choices.chance(30):
        name = scope.fresh("parameter")
        lines = [f"{name} = nn.Parameter({scope.source.text}.detach())"]
        scope.source = scope.source.become(name)
        return lines
    return []


def statement(scope: Scope) -> list[str]:
    choices = scope.choices
    copy = scope.copy()
    query = choices.pick(_QUERIES)
    query = query.replace("$w", copy.text).replace("$s", scope.source.text)
    name = scope.fresh("says")
    picked = bare(selected(scope, copy).text)
    scope.lists.append(name)
    forms: list[list[str]] = [
        [f"{name} = {query}"],
        [f"{name} = {picked} if {query} else None"],
        [f"{name} = 1 if {query} else {picked}"],
        [f"{name} = n", f"if {query}:", f"    {name} = {picked}"],
        [f"{name} = n", f"if not ({query}):", f"    {name} = {copy.text}.sum()"],
        [f"{name} = ({query}) and n"],
        [f"assert {query} or True", f"{name} = {picked}"],
        [f"{name} = [n, n] if {query} else 3"],
    ]
    return choices.pick(forms)
