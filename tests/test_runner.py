from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from upcast_lint import runner
from upcast_lint.checker import FixMode, Job
from upcast_lint.focus import Focus
from upcast_lint.runner import Outcome, Task, check_file, run

pytestmark = pytest.mark.usefixtures("toy_engine")

CAST = "a = logits.float().gather(1, i)\n"


@pytest.fixture
def task(project: Path) -> Callable[..., Task]:
    def make(name: str, text: str, job: Job | None = None, **others: Focus) -> Task:
        path = project / name
        path.write_text(text)
        return Task(name, str(path), path.stat(), job or Job(), **others)

    return make


def codes(outcome: Outcome) -> list[str]:
    return [each.code for each in outcome.checked.findings]


def test_no_files() -> None:
    assert list(run([], None, None)) == []


def test_a_clean_file_is_not_hashed_for_nobody(task: Callable[..., Task]) -> None:
    (outcome,) = run([task("x.py", "x = 1\n")], None, None)
    assert (codes(outcome), outcome.stamp) == ([], None)
    assert outcome.seconds > 0


def test_a_file_with_findings_can_be_told_from_a_changed_one(
    task: Callable[..., Task],
) -> None:
    (outcome,) = run([task("x.py", CAST)], None, None)
    assert outcome.stamp is not None
    assert outcome.stamp.size == len(CAST)


def test_a_file_that_is_gone(task: Callable[..., Task]) -> None:
    given = task("x.py", CAST)
    os.unlink("x.py")
    outcome = check_file(given)
    assert (codes(outcome), outcome.unread) == ([], "No such file or directory")


def test_a_pipe_that_took_the_files_place_does_not_hang(
    task: Callable[..., Task],
) -> None:
    given = task("x.py", CAST)
    os.unlink("x.py")
    os.mkfifo("x.py")
    outcome = check_file(given)
    assert outcome.unread == "not a regular file"


def test_a_bug_of_ours_says_where(task: Callable[..., Task]) -> None:
    failure = check_file(task("x.py", "crash = 1\n")).failure
    assert failure is not None
    assert failure.startswith("ZeroDivisionError: a bug (fake_engine.py:")


@pytest.mark.parametrize("processes", [None, 1, 2])
def test_a_focus_holds_with_and_without_a_fix(
    task: Callable[..., Task], processes: int | None
) -> None:
    focus = Focus(rows=((2, 2),))
    for fix, left in ((FixMode.NONE, 1), (FixMode.SAFE, 0)):
        tasks = [task(f"{n}.py", CAST * 2, Job(fix=fix), focus=focus) for n in "ab"]
        for outcome in run(tasks, processes, None):
            assert len(outcome.checked.findings) == left
            assert len(outcome.checked.fixed) == 1 - left
            assert len(outcome.checked.hidden) == 1


@pytest.mark.parametrize(("size", "is_shared"), [(10, False), (10_000_000, True)])
def test_processes_are_started_only_for_much_work(
    task: Callable[..., Task],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    is_shared: bool,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    given = task("x.py", "x" * size)
    assert (runner._process_count([given]) > 1) is is_shared
