"""See whether a whole wide copy is made, whatever the code calls it.

A spy on `Tensor.gather` would miss `torch.gather`, indexing and every equivalent
refactoring. This one looks at what operators return: on a narrow path no *new* tensor
of the wide dtype has as many elements as the source, forward or backward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .accounting import tensors_in


class WideTensors(TorchDispatchMode):  # type: ignore[misc]
    """Collects the operators that make a tensor of `dtype` with `numel` elements.

    Views and in-place results are not new: they share the storage of an argument.
    """

    def __init__(self, dtype: torch.dtype, numel: int) -> None:
        super().__init__()
        self.made: list[str] = []
        self._dtype = dtype
        self._numel = numel

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = {id(tensor.untyped_storage()) for tensor in tensors_in(args)}
        for tensor in tensors_in(result):
            is_wide = tensor.dtype == self._dtype and tensor.numel() >= self._numel
            if is_wide and id(tensor.untyped_storage()) not in given:
                self.made.append(str(func))
        return result
