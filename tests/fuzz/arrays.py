"""NumPy over the memory of a tensor. It has no bfloat16: such runs raise and count not.

What numpy gives from a copy that is a view of it is a read of numbers in some order.
"""

from __future__ import annotations

from .handles import Handle, filled, take_hold
from .selections import selected
from .tensors import Scope, bare

HELPERS = {
    "flatten_out": "def flatten_out(array):\n    array[...] = 0\n",
}
_CHANGES = (
    "$h[...] = 0",
    "$h[0] = 1",
    "$h.flat[0] = 9",
    "$h.flat = 3",
    "$h *= 2",
    "$h += 1",
    "$h.fill(0)",
    "$h.sort()",
    "$h.sort(0)",
    "$h.partition(1)",
    "$h.put(0, 5)",
    "$h.itemset(0) if hasattr($h, 'itemset') else $h.put(0, 7)",
    "$h.resize($h.shape)",
    "$h.ravel()[:] = 0",
    "$h.reshape(-1)[0] = 4",
    "$h.T[...] = 1",
    "$h.view()[...] = 1",
    "$h.clip(0, 1, $h)",
    "$h.round(0, $h)",
    "np.multiply($h, 0, $h)",
    "np.multiply($h, 2, out=$h)",
    "np.add($h, 1, $h)",
    "np.negative($h, $h)",
    "np.clip($h, 0, 0, $h)",
    "np.copyto($h, 0)",
    "np.put($h, 0, 1)",
    "np.place($h, $h > 0, 0)",
    "np.putmask($h, $h > 0, 0)",
    "np.fill_diagonal($h.reshape(-1, $h.shape[-1]), 0)",
    "np.add.at($h, 0, 1)",
    "np.nan_to_num($h, False)",
    "np.cumsum($h, 0, None, $h)",
    "np.maximum($h, 1, $h)",
    "np.asarray($h)[...] = 0",
    "np.ravel($h)[0] = 3",
    "np.transpose($h)[...] = 2",
    "np.squeeze($h)[...] = 2",
    "memoryview($h.reshape(-1))[0] = 1.0",
    "torch.from_numpy($h).mul_(2)",
    "torch.as_tensor($h).mul_(2)",
    "flatten_out($h)",
    "$o = $h[0]\n$o[...] = 7",
    "for $o in $h:\n    $o *= 2",
    "with np.nditer($h, op_flags=['readwrite']) as $o:\n"
    "    for one in $o:\n        one[...] = 0",
    "np.multiply($h, 2)",
    "np.sort($h)",
    "$h.sum()",
    "$h.copy().fill(0)",
    "np.array($h).fill(0)",
)
HANDLES = tuple(
    Handle(made, _CHANGES)
    for made in (
        "$h = $s.detach().numpy()",
        "$h = $s.detach().cpu().numpy()",
        "$h = $s.numpy(force=True)",
        "$h = np.asarray($s.detach())",
        "$h = np.from_dlpack($s.detach())",
        "$h = $s.detach().__array__()",
        "$h = $s.detach().contiguous().numpy()",
        "$h = np.asanyarray($s.detach())",
        "$h = np.array($s.detach(), copy=False)",
        "$h = np.array($s.detach())",
        "$h = np.atleast_1d($s.detach())",
        "$h = $s.detach().clone().numpy()",
    )
)
_READS = (
    "$r.detach().numpy().sum()",
    "$r.numpy().mean()",
    "np.sum($r.detach().numpy())",
    "np.mean($r.detach().numpy(), axis=0)",
    "np.linalg.norm($r.detach().numpy())",
    "np.asarray($r.detach()).sum()",
    "np.dot($r.detach().numpy().ravel(), $r.detach().numpy().ravel())",
    "np.var(np.asarray($r.detach()))",
    "np.sum($r.detach())",
    "$r.detach().numpy().max()",
    "$r.detach().numpy()",
    "$r.detach().numpy().tolist()",
    "np.add.reduce($r.detach().numpy(), axis=None)",
    "np.einsum('...v->', $r.detach().numpy())",
)
_ONCE = (
    "np.asarray($s.detach())[...] = 0",
    "$s.detach().numpy()[...] = 0",
    "$s.detach().numpy().sort()",
    "$s.detach().numpy().fill(0)",
    "np.multiply($s.detach().numpy(), 0, $s.detach().numpy())",
    "np.clip($s.detach().numpy(), 0, 0, $s.detach().numpy())",
    "np.copyto($s.detach().numpy(), 1)",
    "flatten_out($s.detach().numpy())",
    "torch.from_numpy($s.detach().numpy()).zero_()",
)


def prelude(scope: Scope) -> list[str]:
    if scope.choices.chance(60):
        return take_hold(scope, HANDLES)
    scope.writers.append(filled(scope, scope.choices.pick(_ONCE), scope.source))
    return []


def statement(scope: Scope) -> list[str]:
    choices = scope.choices
    if choices.chance(25):
        return filled(scope, choices.pick(_ONCE), scope.source)
    name = scope.fresh("number")
    scope.lists.append(name)
    result = selected(scope, scope.copy())
    read = choices.pick(_READS).replace("$r", result.text)
    return [f"{name} = {bare(read)}"]
