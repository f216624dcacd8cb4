"""Peak memory without a GPU: every allocation that torch makes, counted.

`PeakMemory` sees each operator call and follows the storages it makes until they are
freed. It works on real tensors and, under `FakeTensorMode`, on tensors of any size.

Any active dispatch mode changes what it measures. Backward functions of selections
ask whether tensors may be subclasses and then add *out of place* into fresh zeros
where eager mode adds in place: one buffer of the source's size too many, 7 units for
5 in a gather before the rewrite and 3 for 2 after it. So those calls are mapped back to
their in-place forms, during a backward pass and on tensors that an operator has just
filled with zeros.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten

_ZEROS = frozenset(
    (_aten.new_zeros.default, _aten.zeros.default, _aten.zeros_like.default)
)
_IN_PLACE: dict[Callable[..., Any], Callable[..., Any]] = {
    _aten.scatter_add.default: _aten.scatter_add_.default,
    _aten.scatter.src: _aten.scatter_.src,
    _aten.index_put.default: _aten.index_put_.default,
    _aten.index_add.default: _aten.index_add_.default,
    _aten.masked_scatter.default: _aten.masked_scatter_.default,
    _aten.put.default: _aten.put_.default,
}


class PeakMemory(TorchDispatchMode):  # type: ignore[misc]
    """Counts live bytes while active: `peak` at most, `live` now.

    Memory allocated before counts once it is handed to `hold`; views share a storage
    and count once. Temporaries inside an operator are not seen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.live: int = 0
        self.peak: int = 0
        self._storages: dict[int, weakref.ref[torch.UntypedStorage]] = {}
        self._fresh_zeros: set[int] = set()

    def hold(self, *values: object) -> None:
        """Count the tensors among `values`, which exist already."""
        for value in values:
            if isinstance(value, torch.Tensor):
                self._follow(value.untyped_storage())

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        in_place = _IN_PLACE.get(func)
        if in_place is not None and self._is_fresh(args[0]) and _is_backward():
            func = in_place
        result = func(*args, **(kwargs or {}))
        for tensor in tensors_in(args):
            self._fresh_zeros.discard(id(tensor.untyped_storage()))
        for tensor in tensors_in(result):
            storage = tensor.untyped_storage()
            self._follow(storage)
            if func in _ZEROS:
                self._fresh_zeros.add(id(storage))
        return result

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, traceback)
        self._storages.clear()

    def _is_fresh(self, value: object) -> bool:
        return (
            isinstance(value, torch.Tensor)
            and id(value.untyped_storage()) in self._fresh_zeros
        )

    def _follow(self, storage: torch.UntypedStorage) -> None:
        key = id(storage)
        if key in self._storages:
            return
        size = storage.nbytes()

        def forget(_: weakref.ref[torch.UntypedStorage]) -> None:
            if self._storages.pop(key, None) is not None:
                self.live -= size
            self._fresh_zeros.discard(key)

        self._storages[key] = weakref.ref(storage, forget)
        self.live += size
        self.peak = max(self.peak, self.live)


def _is_backward() -> bool:
    """Whether autograd is running a backward pass; outside, zeros may be anyone's."""
    return bool(torch._C._current_graph_task_id() != -1)


def tensors_in(values: object) -> list[torch.Tensor]:
    """The tensors among what an operator takes or returns."""
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, (tuple, list)):
        return [tensor for each in values for tensor in tensors_in(each)]
    return []
