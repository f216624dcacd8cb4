"""Memory formats: `channels_last` is one of tensors of rank 4 alone.

`x.float(memory_format=torch.channels_last)[:, 0]` selects from a tensor of rank 4, and
`x[:, 0]` has no such format.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..analysis import ops
from ..analysis.facts import Facts
from ..analysis.flow import Flow, Read
from ..analysis.ops import Axes
from ..analysis.values import is_ellipsis, items_of
from .refusals import Unfixable

_ANY_RANK = ("torch.preserve_format", "torch.contiguous_format")


def check_layout(flow: Flow, cast: Sequence[Read], sinks: bool, facts: Facts) -> None:
    """Raises Unfixable where a cast would lay out a tensor of another rank.

    `cast` are the selections that are cast; `sinks` says that the whole is cast, too.
    """
    formats = [k.value for k in flow.cast.call.keywords if k.arg == "memory_format"]
    if all(facts.resolve(each) in _ANY_RANK for each in formats):
        return
    is_viewed = any(read.steps for read in (*flow.full_reads(), *cast))
    if (is_viewed and (cast or sinks)) or not all(map(_keeps_rank, cast)):
        raise Unfixable("the memory format may not be one of what is selected")


def _keeps_rank(read: Read) -> bool:
    assert read.selection is not None
    match read.selection.node:
        case ast.Subscript(slice=index):
            return all(
                isinstance(item, ast.Slice) or is_ellipsis(item)
                for item in items_of(index)
            )
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            taken = ops.tensor(name)
            is_along = taken is not None and taken.axes in (Axes.ALONG, Axes.INDEX)
            return is_along and taken is not None and taken.takes_dimension
        case _:
            return False
