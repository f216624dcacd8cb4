from __future__ import annotations

import signal
import threading

import pytest

from upcast_lint.interrupts import held


def test_without_an_interrupt_nothing_is_raised() -> None:
    before = signal.getsignal(signal.SIGINT)
    with held():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held():
        signal.raise_signal(signal.SIGINT)
        done.append("the rest of the block")
    assert done == ["the rest of the block"]


def test_an_interrupt_is_not_lost_where_the_block_fails() -> None:
    with pytest.raises(KeyboardInterrupt), held():
        signal.raise_signal(signal.SIGINT)
        raise OSError("full")


def test_another_thread_is_left_alone() -> None:
    ran = []

    def work() -> None:
        with held():
            ran.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ran == [True]
