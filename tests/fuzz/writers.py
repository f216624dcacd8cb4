"""Calls that write to an argument without saying so in their name."""

from __future__ import annotations

from .handles import filled
from .tensors import Scope

HELPERS = {
    "scale_into": "def scale_into(tensor, out):\n"
    "    torch.mul(tensor, 2, out=out.detach())\n",
}
_WRITES = (
    "F.relu($d, True)",
    "F.relu($d, flag)",
    "F.relu($d, False)",
    "F.relu($d)",
    "F.relu6($d, True)",
    "F.leaky_relu($d, 0.1, True)",
    "F.leaky_relu($d, 0.1)",
    "F.elu($d, 1.0, True)",
    "F.celu($d, 1.0, flag)",
    "F.selu($d, True)",
    "F.silu($d, True)",
    "F.mish($d, flag)",
    "F.hardtanh($d, -1.0, 1.0, True)",
    "F.hardswish($d, True)",
    "F.hardsigmoid($d, True)",
    "F.threshold($d, 0.1, 0.0, True)",
    "F.dropout($d, 1.0, True, True)",
    "F.dropout($d, 0.5, False)",
    "F.dropout($d, 1.0, flag, flag)",
    "F.alpha_dropout($d, 0.5, True, True)",
    "F.normalize($d, 2.0, -1, 1e-12, $d)",
    "F.normalize($d, 2.0, -1)",
    "nn.ReLU(True)($d)",
    "nn.ReLU(inplace=flag)($d)",
    "nn.ReLU()($d)",
    "nn.Hardtanh(-1.0, 1.0, True)($d)",
    "nn.Dropout(1.0, True)($d)",
    "nn.functional.relu($d, **{'inplace': True})",
    "torch.clamp($d, 0, 1, out=$d)",
    "torch.mul($d, 2, **{'out': $d})",
    "torch.neg($d, **dict(out=$d))",
    "$o = {'out': $d}\ntorch.abs($d, **$o)",
    "$o = dict(out=$d)\ntorch.sigmoid($d, **$o)",
    "torch.exp($d, out=$d)",
    "torch.max($d, -1, out=($d[..., 0], torch.zeros(1, dtype=torch.long)))",
    "torch.sort($d, out=($d, torch.zeros(1, dtype=torch.long)))",
    "torch._foreach_mul_([$d], 2)",
    "torch._foreach_zero_([$d, $d])",
    "torch.Tensor.mul_($d, 2)",
    "torch.Tensor.zero_($d)",
    "torch.fill_($d, 0.5)",
    "torch.zero_($d)",
    "torch.ops.aten.mul_.Tensor($d, torch.tensor(2.0))",
    "torch.ops.aten.zero_($d)",
    "torch.nn.init.zeros_($s)",
    "nn.init.ones_($s)",
    "nn.init.uniform_($s)",
    "operator.imul($d, 2)",
    "operator.setitem($d, 0, 1.5)",
    "operator.iadd($d, 1)",
    "$d.__imul__(2)",
    "$d.__setitem__(0, 1.5)",
    "$d.untyped_storage().fill_(0)",
    "$s.untyped_storage().copy_($s.clone().mul_(2).untyped_storage())",
    "$s.data = $s.data * 2",
    "$d.set_($d.clone().mul_(2))",
    "$s.data.swapaxes(0, -1).mul_(2)",
    "$d.map_($d, lambda a, b: a * 2)",
    "$d.uniform_()",
    "$d.random_(0, 3)",
    "$d.put_(torch.tensor([0]), torch.zeros(1, dtype=$s.dtype))",
    "$d.masked_fill_($s > 0, 0)",
    "$d.scatter_(-1, torch.zeros_like($s, dtype=torch.long), 0.5)",
    "$d.where($s > 0, 0).shape",
    "$d.real.mul_(2)",
    "$d.real[...] = 0",
    "$d.unfold(-1, 1, 1).mul_(2)",
    "$d.diagonal(dim1=0, dim2=-1).zero_()",
    "torch.diagonal($d, 0, 0, -1).zero_()",
    "torch.atleast_1d($d).mul_(2)",
    "torch.as_tensor($d).mul_(2)",
    "torch.asarray($d).mul_(2)",
    "torch.from_dlpack($d).mul_(2)",
    "torch.ravel($d).mul_(2)",
    "torch.squeeze($d).mul_(2)",
    "torch.swapdims($d, 0, -1).mul_(2)",
    "torch.tensor_split($d, 2)[0].zero_()",
    "torch.hsplit($d, 2)[0].zero_()",
    "scale_into($s, $s)",
    "scale_into($s, out=$s)",
    "scale_into($s, **{'out': $s})",
    "torch.utils.checkpoint.checkpoint(touch, $d, use_reentrant=False)",
    "torch.func.vmap(lambda v: v.mul_(2))($d)",
    "torch.manual_seed(0)",
    "torch.is_tensor($s)",
    "torch.numel($s)",
)
_OF_TABLES = (
    "F.embedding(labels, $s, None, 1.0)",
    "F.embedding(labels, $s, None, max_norm=0.5)",
    "F.embedding(labels, $s, 0, 1.0, 2.0)",
    "F.embedding(labels, $s, None)",
    "F.embedding_bag(labels, $s, None, 0.5)",
    "F.embedding_bag(labels, $s)",
    "torch.embedding_renorm_($d, labels.flatten(), 0.5, 2.0)",
    "nn.Embedding.from_pretrained($d, True, None, 0.5)(labels)",
)


def prelude(scope: Scope) -> list[str]:
    """The next disturbances are such calls."""
    forms: tuple[str, ...] = _WRITES
    if scope.source.dims == ("V", "H"):
        forms = _OF_TABLES * 4 + _WRITES
    for _ in range(3):
        scope.writers.append(_filled(scope, scope.choices.pick(forms)))
    return []


def statement(scope: Scope) -> list[str]:
    return _filled(scope, scope.choices.pick(_WRITES))


def _filled(scope: Scope, form: str) -> list[str]:
    source = scope.source
    detached = f"{source.text}.detach()" if scope.choices.chance(70) else source.text
    return filled(scope, form, source, d=detached)
