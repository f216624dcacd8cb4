from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import pytest

from upcast_lint import pool
from upcast_lint.pool import map_in_processes


def square(number: int) -> int:
    return number * number


def die_at_seven(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(number)


def die_of_memory(number: int) -> int:
    if number == 3:
        os._exit(137)
    return square(number)


def name_the_process(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def ignores_interrupts(_: int) -> bool:
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_interrupt_before_a_worker_ignores_them_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    work = pool._work

    def interrupted(*arguments: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        work(*arguments)

    monkeypatch.setattr(pool, "_work", interrupted)
    assert sorted(pool.map_in_processes(square, [2, 3], 2)) == [(2, 4), (3, 9)]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("given", [0, 1, 2])
def test_where_the_system_gives_no_more_processes_fewer_do(
    monkeypatch: pytest.MonkeyPatch, given: int
) -> None:
    started: list[int] = []
    fork = os.fork

    def refuse() -> int:
        if len(started) == given:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(1)
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    pairs = sorted(pool.map_in_processes(square, range(50), 4))
    assert pairs == [(number, number * number) for number in range(50)]


def test_more_processes_than_files_may_be_open() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        items = range(5000)
        assert len(list(pool.map_in_processes(square, items, 1000))) == 5000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_nothing_to_do() -> None:
    assert list(map_in_processes(square, [], 2)) == []


@pytest.mark.parametrize("count", [1, 2, 5, 200])
@pytest.mark.parametrize("processes", [1, 2, 4])
def test_every_item_has_its_result(count: int, processes: int) -> None:
    pairs = sorted(map_in_processes(square, range(count), processes))
    assert pairs == [(each, each * each) for each in range(count)]


def test_the_work_is_shared() -> None:
    assert len({pid for _, pid in map_in_processes(name_the_process, range(8), 2)}) == 2


@pytest.mark.parametrize("count", [8, 600])
def test_one_that_kills_its_process_is_named_and_the_rest_go_on(count: int) -> None:
    pairs = dict(map_in_processes(die_at_seven, range(count), 2))
    assert pairs.pop(7) is None
    assert pairs == {each: each * each for each in range(count) if each != 7}


def test_a_process_that_ends_by_itself_is_a_death_too() -> None:
    assert dict(map_in_processes(die_of_memory, range(5), 2))[3] is None


def test_when_every_process_dies_every_item_is_named() -> None:
    pairs = list(map_in_processes(die_at_seven, [7, 7, 7], 2))
    assert pairs == [(7, None)] * 3


def test_the_parent_answers_interrupts() -> None:
    assert all(done for _, done in map_in_processes(ignores_interrupts, range(4), 2))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_giving_up_midway_leaves_no_process() -> None:
    results = map_in_processes(name_the_process, range(50), 2)
    pids = {pid for _, pid in (next(results), next(results))}
    results.close()  # type: ignore[attr-defined]
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)
