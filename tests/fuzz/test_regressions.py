"""Programs that the fuzzer found, each on the smallest form that showed the mistake.

A program of the safe tier has to keep outputs and gradients, one of the unsafe tier
its outputs, whether the engine rewrites it or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from .attack import Tier, attack
from .programs import Program


@dataclass(frozen=True, slots=True)
class Regression:
    name: str
    reason: str
    tier: Tier
    body: str


_HEADER = "import torch\nimport torch.nn.functional as F\n\n\n"
_SEEDS = range(0, 60, 20)
_VARIANTS = 16


REGRESSIONS = (
    Regression(
        "sign after arithmetic",
        "a change of sign commutes with the cast, not with the arithmetic above it",
        Tier.SAFE,
        """\
def fuzzed(step_logits, labels):
    rows = torch.arange(labels.size(0))
    return (step_logits.to(torch.float32) - 2).neg()[rows, labels[:, 1]]
""",
    ),
    Regression(
        "sign of an arithmetic carrier",
        "the same through a name",
        Tier.UNSAFE,
        """\
def fuzzed(lm_logits, cols):
    lm_logits = lm_logits.float()
    lm_logits = lm_logits + 1
    return (-lm_logits).take_along_dim(cols[None, None], 2)
""",
    ),
    Regression(
        "abs after clamp",
        "clamping is arithmetic, too",
        Tier.SAFE,
        """\
def fuzzed(logits, labels):
    wide = logits.float()
    clamped = wide.clamp(min=-1.0, max=0.7)
    return clamped.abs()[labels > 2]
""",
    ),
    Regression(
        "comprehension over arithmetic",
        "the selection of an iteration is no expression to rebuild; this raised",
        Tier.SAFE,
        """\
def fuzzed(scores):
    wide = scores.to(torch.float32, copy=True)
    bent = torch.relu(wide)
    return [row.sum() for row in bent]
""",
    ),
    Regression(
        "source read in the statement of the cast",
        "the order in which three contributions to a gradient are added",
        Tier.SAFE,
        """\
def fuzzed(x, mask):
    first, second = x.float(), x.float()
    return second, first.masked_select(mask.unsqueeze(-1))
""",
    ),
    Regression(
        "strided piece of a loop is summed",
        "a piece bound by the loop has other strides after the rewrite",
        Tier.UNSAFE,
        """\
def fuzzed(logits):
    parts = []
    wide = logits.to(torch.float32)
    for part in wide.unbind(2):
        parts.append(part.sum())
    return parts
""",
    ),
    Regression(
        "strided row of an iteration is measured",
        "the same where the tensor itself is iterated over",
        Tier.SAFE,
        """\
def fuzzed(lm_logits):
    parts = []
    wide = torch.Tensor.float(lm_logits)
    for part in wide:
        parts.append(part.norm())
    return parts
""",
    ),
    Regression(
        "piece of a loop is written to before another read",
        "the piece is a view: the write reaches the copy",
        Tier.UNSAFE,
        """\
def fuzzed(hidden, head_weight, idx):
    wide = (hidden @ head_weight.mT).to(torch.float32)
    for part in wide:
        part.mul_(2)
    return wide.gather(dim=2, index=idx)
""",
    ),
    Regression(
        "alias of the copy is never read",
        "the alias kept the name of a copy that was gone: NameError",
        Tier.UNSAFE,
        """\
def fuzzed(lm_logits, train):
    wide = lm_logits.to(torch.float32)
    if train:
        for number in enumerate(wide):
            pass
        alias = wide
    return wide.max(0, keepdim=True).values
""",
    ),
    Regression(
        "source of an attribute read between cast and selection",
        "the order of contributions counts for `out.logits` as for a name",
        Tier.SAFE,
        """\
def fuzzed(out):
    wide = out.logits.float()
    low = out.logits.sum()
    rows = torch.arange(wide.shape[0])[:, None]
    picked = wide[rows, torch.arange(wide.shape[1])]
    return picked, low
""",
    ),
    Regression(
        "cast without gradients, selection with them",
        "the selection of an undifferentiated copy began to require a gradient",
        Tier.UNSAFE,
        """\
@torch.no_grad()
def fuzzed(grid, n):
    grid = grid.float()
    with torch.enable_grad():
        return grid[n - 1]
""",
    ),
    Regression(
        "cast without gradients, slice after the block",
        "a float32 source is its own copy, and keeps its gradient",
        Tier.UNSAFE,
        """\
def fuzzed(grid):
    with torch.no_grad():
        wide = grid.float()
    return wide[:, -1] * 2
""",
    ),
    Regression(
        "view of the copy made without gradients",
        "a view requires a gradient even where none is recorded; a cast does not",
        Tier.UNSAFE,
        """\
def fuzzed(grid):
    wide = grid.float()
    with torch.no_grad():
        last = wide[-1:]
    return last, last[0] * 2
""",
    ),
    Regression(
        "arithmetic without gradients between cast and selection",
        "lifting the selection moved the arithmetic to where gradients flow",
        Tier.UNSAFE,
        """\
def fuzzed(grid, cols):
    grid = grid.to(torch.float32)
    with torch.no_grad():
        grid = grid * 3
    return grid[..., cols]
""",
    ),
    Regression(
        "vector of rows beside a mask of two dimensions",
        "the vector has one dimension, and no place for the mask",
        Tier.UNSAFE,
        """\
def fuzzed(x, mask, row_scale):
    x = x.float()
    return (x * row_scale[:, None, None])[mask]
""",
    ),
    Regression(
        "chunks of arithmetic",
        "a tuple of chunks cannot be cast",
        Tier.SAFE,
        """\
def fuzzed(student_logits):
    first, second = (student_logits.to(torch.float32, copy=True) / 3.0).chunk(2, 1)
    return first
""",
    ),
    Regression(
        "chunks of an arithmetic carrier",
        "the same through names",
        Tier.SAFE,
        """\
def fuzzed(step_logits):
    step_logits = step_logits.type(torch.float32)
    step_logits = 1.0 - step_logits
    first, second = step_logits.chunk(2, 1)
    return second
""",
    ),
    Regression(
        "method on a negated copy",
        "`(-wide).exp()` is not `-wide.exp()`",
        Tier.UNSAFE,
        """\
def fuzzed(step_logits, labels):
    wide = step_logits.float()
    return (-wide).exp().gather(dim=1, index=labels[:, :1])
""",
    ),
    Regression(
        "copy handed on and written to before a selection",
        "the write reaches the copy that the selection reads",
        Tier.SAFE,
        """\
@torch.no_grad()
def fuzzed(hidden, head_weight, labels, flag, store):
    wide = F.linear(hidden, head_weight).float()
    if flag:
        store.alias = wide
        store.alias.mul_(2)
    return wide[labels > 2]
""",
    ),
    Regression(
        "embedding that renormalises the copy",
        "`max_norm` writes to the weights it looks up",
        Tier.UNSAFE,
        """\
def fuzzed(table, idx, n):
    wide = table.to(dtype=torch.float32, copy=True)
    if n > 1:
        rows = F.embedding(idx, wide, max_norm=1.0)
    return torch.argmax(wide, dim=1), wide[0]
""",
    ),
    Regression(
        "strided element of a tuple is summed",
        "a name bound through a tuple display holds a slice with other strides",
        Tier.SAFE,
        """\
def fuzzed(logits):
    logits = logits.to(torch.float32, copy=True)
    column, whole = logits[..., 0], logits
    return column.sum()
""",
    ),
    Regression(
        "alias through another cast read in between",
        "`x.to(torch.float32)` is `x` itself where that is float32",
        Tier.SAFE,
        """\
def fuzzed(embed_weight, store):
    first = embed_weight.to(torch.float32)
    second = embed_weight.to(torch.float32, copy=True)
    store.value = first[:1]
    return second[torch.arange(2)]
""",
    ),
    Regression(
        "nested function reads the source in between",
        "its call is a use of the source: contributions are added in another order",
        Tier.SAFE,
        """\
def fuzzed(grid):
    wide = grid.to(torch.float32, copy=True)

    def total():
        return grid.sum()

    low = total()
    return wide.select(2, 1), low
""",
    ),
    Regression(
        "guard after the source is gone",
        "the guard went along with the cast, past a rebinding of what it asks about",
        Tier.SAFE,
        """\
def fuzzed(step_logits):
    wide = (
        step_logits
        if step_logits.dtype == torch.float32
        else step_logits.to(torch.float64)
    )
    step_logits = None
    part = wide[-1:]
    return part
""",
    ),
    Regression(
        "full read of a view under the copy's own name",
        "the cast was placed on the source, and the flattening was lost",
        Tier.UNSAFE,
        """\
def fuzzed(x, flag, store):
    wide = x.type(torch.float32)
    wide = wide.flatten(0, 1)
    if flag:
        return wide.amax(dim=1, keepdim=True)
    store.wide = wide
""",
    ),
    Regression(
        "full read of a detached copy",
        "the same with the gradient that was cut off",
        Tier.UNSAFE,
        """\
def fuzzed(hidden, flag):
    wide = hidden.float()
    if flag:
        wide = wide.detach()
        return wide
    return wide[:, -1]
""",
    ),
    Regression(
        "nested function in sight writes to the source",
        "the condition that it does not is known to be false",
        Tier.UNSAFE,
        """\
def fuzzed(lm_logits, mask):
    wide = lm_logits.float()

    def double():
        lm_logits.mul_(2)

    double()
    return wide[mask]
""",
    ),
    Regression(
        "vector of rows beside coordinates",
        "what `where` gives is an index of as many dimensions as the mask",
        Tier.UNSAFE,
        """\
def fuzzed(lm_logits, mask, row_scale):
    wide = lm_logits.type(torch.float32)
    return (wide * row_scale[:, None, None])[torch.where(mask)]
""",
    ),
    Regression(
        "guarded cast and arithmetic in one branch",
        "the arithmetic was done on the paths of the other branch as well",
        Tier.UNSAFE,
        """\
def fuzzed(logits, idx, flag):
    if not flag:
        if logits.dtype is not torch.float32:
            logits = logits.float()
        logits = logits / 3.0
    return torch.gather(logits, 2, idx)
""",
    ),
    Regression(
        "guarded cast in a handler, slice in the cleanup",
        "the guard came to be asked where no exception was handled",
        Tier.SAFE,
        """\
def fuzzed(lm_logits, flag):
    try:
        number = 1
    except IndexError:
        if flag:
            lm_logits = lm_logits.float()
    finally:
        first = lm_logits[0]
        first.fill_(0.25)
    return first
""",
    ),
    Regression(
        "view under a mode that a flag decides",
        "a view with gradients off still says that it requires them; a cast does not",
        Tier.SAFE,
        """\
def fuzzed(student_logits, train):
    wide1 = student_logits.to(torch.float32, copy=True)
    with torch.set_grad_enabled(train):
        return wide1[0]
""",
    ),
    Regression(
        "gather from a source that a callee writes to later",
        "backward of gather needs its input, which was the copy, as it was",
        Tier.SAFE,
        """\
def fuzzed(scores, fn):
    best = scores.argsort(dim=0, descending=True)[:2]
    kept = scores.to(torch.float).gather(0, best)
    fn(scores)
    return kept
""",
    ),
    Regression(
        "absolute values of a source that is written to later",
        "backward of abs needs its input, which was the copy, as it was",
        Tier.SAFE,
        """\
def fuzzed(hidden, n):
    picked = hidden.to(dtype=torch.float32).abs()[-n:]
    hidden[...] = 0
    return picked
""",
    ),
    Regression(
        "a suite of which every statement is dropped",
        "nothing was left below the condition",
        Tier.SAFE,
        """\
def fuzzed(lm_logits, flag):
    lm_logits = lm_logits.type(torch.float32)
    if flag:
        v1 = lm_logits.div(0)
        v2 = lm_logits / 3.0
    return lm_logits[1:2]
""",
    ),
    Regression(
        "write between the cast and a comprehension",
        "what a comprehension iterates over is read after the write",
        Tier.SAFE,
        """\
def fuzzed(hidden):
    wide = hidden.to(torch.float32)
    hidden.mul_(0.5)
    return [row.amax() for row in wide]
""",
    ),
    Regression(
        "write inside a comprehension",
        "what a comprehension iterates over is read between the writes",
        Tier.SAFE,
        """\
def fuzzed(hidden):
    wide = hidden.to(torch.float32)
    return [(row.amax(), hidden.mul_(0.5)) for row in wide]
""",
    ),
    Regression(
        "generator over the copy, consumed after a write",
        "its parts are read where it is consumed",
        Tier.SAFE,
        """\
def fuzzed(hidden):
    wide = hidden.to(torch.float32)
    rows = (row.amax() for row in wide)
    hidden.mul_(0.5)
    return list(rows)
""",
    ),
    Regression(
        "generator over the copy beside an argument that writes",
        "the other arguments are evaluated before it is consumed",
        Tier.SAFE,
        """\
def fuzzed(hidden):
    wide = hidden.to(torch.float32)
    return max((row.amax() for row in wide), default=hidden.mul_(0.5))
""",
    ),
    Regression(
        "gather from a source that a nested function writes to later",
        "it is called before backward, which needs the source as it was",
        Tier.SAFE,
        """\
def fuzzed(student_logits, pos):
    wide = student_logits.float()

    def late():
        student_logits.mul_(2)
    kept = wide.gather(-2, pos[:, None, None].expand(-1, 1, wide.shape[1]))
    return {'0': late, '1': kept}
""",
    ),
    Regression(
        "view between a vector of rows and the selection",
        "the view gives the rows another rank than the vector has",
        Tier.UNSAFE,
        """\
def fuzzed(row_scale, n, out):
    dense = out.logits
    wide = dense.to(torch.float32, copy=True)
    scaled = wide * row_scale[:, None, None]
    return scaled[..., None][:n]
""",
    ),
)


@pytest.mark.parametrize("regression", REGRESSIONS, ids=lambda each: each.name)
def test_program_is_unchanged_by_fixes(regression: Regression) -> None:
    torch.set_num_threads(1)
    for seed in _SEEDS:
        program = Program(seed, _HEADER + regression.body)
        result = attack(program, regression.tier, _VARIANTS)
        assert result.ran, "the program does not run"
        assert result.mismatch is None, f"{regression.reason}\n{result.report()}"
