"""Steps that an interrupt from the keyboard must not part."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held() -> Iterator[None]:
    """Let an interrupt that comes in the block wait until the block has ended.

    Only the main thread gets interrupts; in another one nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal waiting
        waiting = True

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting:
            signal.raise_signal(signal.SIGINT)
