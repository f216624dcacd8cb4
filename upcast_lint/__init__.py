"""Find upcasts of whole tensors that are read only narrowly, and reorder them."""

from __future__ import annotations

__version__ = "0.2.0"
