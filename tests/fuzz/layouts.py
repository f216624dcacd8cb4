"""Whatever may add in the order of memory what a selection gives."""

from __future__ import annotations

from .casts import spelled
from .selections import selected
from .tensors import Scope, bare

HELPERS = {
    "total": "def total(tensor):\n    return tensor.sum()\n",
    "weigh": "def weigh(tensor):\n    return F.normalize(tensor, dim=-1).sum(-1)\n",
    "sliced": "def sliced(tensor):\n    return tensor.float()[:, -1]\n",
    "columns": "def columns(tensor):\n    wide = tensor.float()\n"
    "    return wide[..., ::2]\n",
    "halves": "def halves(tensor):\n    wide = tensor.float()\n"
    "    return wide[..., :1], wide[..., 1:2]\n",
}
_CONSUMERS = (
    "F.cosine_similarity($r, $r + 1, dim=-1)",
    "torch.cosine_similarity($r.flatten(), $r.flatten() + 1, dim=0)",
    "F.normalize($r, dim=-1)",
    "F.normalize($r.flatten(), dim=0)",
    "F.layer_norm($r, $r.shape[-1:])",
    "F.layer_norm($r, $r.shape)",
    "F.rms_norm($r, $r.shape[-1:])",
    "F.group_norm($r.unsqueeze(0), 1)",
    "F.instance_norm($r[None])",
    "nn.LayerNorm($r.shape[-1])($r)",
    "sum($r)",
    "sum($r.flatten())",
    "sum($r.unbind(0))",
    "sum($r.unbind(-1))",
    "functools.reduce(torch.add, $r)",
    "total($r)",
    "weigh($r)",
    "$r.var()",
    "$r.std(-1)",
    "torch.var_mean($r)[0]",
    "$r.nanmean()",
    "$r.nansum()",
    "$r.prod()",
    "$r.norm(p=1)",
    "$r.norm(dim=-1)",
    "torch.norm($r)",
    "torch.linalg.norm($r.flatten())",
    "torch.linalg.vector_norm($r)",
    "torch.linalg.matrix_norm($r[None, None].flatten(0, -2))",
    "torch.dot($r.flatten(), $r.flatten())",
    "torch.inner($r, $r)",
    "torch.einsum('...v->...', $r)",
    "torch.einsum('...v->', $r)",
    "torch.tensordot($r, $r, $r.dim())",
    "torch.matmul($r, torch.ones($r.shape[-1], 1))",
    "$r @ torch.ones($r.shape[-1])",
    "F.linear($r, torch.ones(2, $r.shape[-1]))",
    "nn.Linear($r.shape[-1], 2)($r)",
    "torch.addmv(torch.zeros($r.shape[0]), $r, torch.ones($r.shape[-1]))",
    "torch.cdist($r, $r)",
    "torch.cumsum($r, -1)[..., -1]",
    "torch.logcumsumexp($r, -1)[..., -1]",
    "torch.trapezoid($r)",
    "$r.softmax(-1)",
    "$r.softmax(0)",
    "torch.logsumexp($r, (0, -1))",
    "F.mse_loss($r, torch.zeros_like($r))",
    "F.l1_loss($r, torch.zeros_like($r))",
    "F.kl_div($r, $r.softmax(-1), reduction='sum')",
    "F.smooth_l1_loss($r, torch.zeros_like($r))",
    "F.cross_entropy($r, torch.zeros($r.shape[0], dtype=torch.long))",
    "F.cross_entropy($r.reshape(1, -1), torch.zeros(1, dtype=torch.long))",
    "F.binary_cross_entropy_with_logits($r, torch.zeros_like($r))",
    "torch.cov($r)",
    "torch.corrcoef($r)",
    "F.avg_pool1d($r[None].flatten(0, -2), 2)",
    "F.conv1d($r.reshape(1, 1, -1), torch.ones(1, 1, 1))",
    "$r.view(-1).sum()",
    "$r.T.sum() if $r.dim() < 3 else $r.mT.sum()",
    "$r.reshape(-1).cumsum(0)",
    "($r * 2).sum()",
    "($r * $r).mean()",
    "($r ** 2).sum(-1)",
    "($r + 1).pow(2).mean(0)",
    "torch.where($r > 0, $r, 0).sum()",
    "$r.abs().sum()",
    "$r.exp().sum()",
    "$r.relu().mean()",
    "$r.sigmoid().sum()",
    "torch.stack([$r, $r]).sum()",
    "torch.cat([$r, $r]).mean()",
    "$r.clone().sum()",
    "$r.detach().sum()",
    "$r.contiguous().sum()",
    "$r.unsqueeze(0).mean()",
    "$r.expand_as($r).sum()",
    "$r.masked_fill($r > 1, 0).sum()",
    "[v.sum() for v in $r]",
    "[v.mean() for v in $r.unbind(-1)]",
    "fn($r).sum()",
    "torch.autograd.functional.jacobian(torch.sum, $r)",
    "torch.quantile($r, 0.5)",
    "torch.histc($r)",
    "torch.bucketize($r, torch.zeros(1))",
    "$r.aminmax().max",
    "$r.max()",
    "$r.sort(-1).values",
    "$r.tolist()",
    "float($r.sum())",
    "round(float($r.mean()), 3)",
)
_HELPED = (
    "sliced($s).sum()",
    "sliced($s).mean(-1)",
    "columns($s).norm()",
    "columns($s).mean()",
    "halves($s)[0].sum()",
    "sum(halves($s))",
    "total(sliced($s))",
    "sliced($s)",
    "F.normalize(sliced($s))",
    "torch.cat(halves($s)).sum()",
)


def prelude(scope: Scope) -> list[str]:
    return []


def statement(scope: Scope) -> list[str]:
    choices = scope.choices
    name = scope.fresh("summed")
    scope.lists.append(name)
    if choices.chance(15):
        form = choices.pick(_HELPED).replace("$s", scope.source.text)
        return [f"{name} = {form}"]
    copy = scope.copy() if scope.copies else spelled(scope, scope.source)
    result = selected(scope, copy)
    if choices.chance(45):
        axis = choices.below(copy.rank)
        item = choices.pick(("0", "-1", ":1", "1:2", "::2", ":2", "n"))
        result = copy.become(f"{copy.text}[{':, ' * axis}{item}]")
    form = choices.pick(_CONSUMERS)
    if choices.chance(40):
        part = scope.fresh("cut")
        lines = [f"{part} = {bare(result.text)}"]
        if choices.chance(25):
            lines.append(
                choices.pick(
                    (f"{part} = {part} * 1", f"{part} = {part}.abs()", "n = n + 0")
                )
            )
        return [*lines, f"{name} = {form.replace('$r', part)}"]
    return [f"{name} = {form.replace('$r', result.text)}"]
