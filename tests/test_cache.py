from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import fake_engine
from upcast_lint import cache as cache_module
from upcast_lint import checker, linter
from upcast_lint.cache import Cache
from upcast_lint.checker import Checked, Job, check_bytes
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options
from upcast_lint.runner import Outcome, Task, run

ROOT = Path(__file__).resolve().parents[1]
CAST = "a = logits.float().gather(1, i)\n"

pytestmark = pytest.mark.usefixtures("toy_engine")


@pytest.fixture
def files(project: Path) -> list[Path]:
    """Two files, old enough for their times to be trusted."""
    paths = [project / "clean.py", project / "found.py"]
    for path, text in zip(paths, ("x = 1\n", CAST), strict=True):
        path.write_text(text)
        age(path)
    return paths


def age(path: Path, seconds: int = 1000) -> None:
    os.utime(path, (path.stat().st_mtime - seconds,) * 2)


@pytest.fixture
def linted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that the linter has really looked at."""
    seen: list[str] = []

    def watch(source: object, options: Options) -> object:
        seen.append(os.path.basename(source.path))  # type: ignore[attr-defined]
        return fake_engine.lint(source, options)  # type: ignore[arg-type]

    monkeypatch.setattr(linter, "lint", watch)
    return seen


def check(
    files: list[Path], job: Job | None = None, warnings: list[str] | None = None
) -> list[Outcome]:
    job = job or Job()
    cache = Cache.open(os.getcwd(), job)
    tasks = [Task(path.name, str(path), path.stat(), job) for path in files]
    outcomes = sorted(run(tasks, 1, cache), key=lambda each: each.path)
    cache.save()
    if warnings is not None:
        warnings += cache.warnings
    return outcomes


def test_a_second_run_looks_at_nothing_and_says_the_same(
    files: list[Path], linted: list[str]
) -> None:
    cold = check(files)
    assert sorted(linted) == ["clean.py", "found.py"]
    linted.clear()
    warm = check(files)
    assert linted == []
    assert [each.checked for each in warm] == [each.checked for each in cold]


def test_a_touched_file_is_known_by_its_content(
    files: list[Path], linted: list[str]
) -> None:
    check(files)
    linted.clear()
    age(files[0])
    check(files)
    assert linted == []


def test_a_clean_file_is_known_by_its_size_and_time(files: list[Path]) -> None:
    check(files)
    job, other = Job(), Job(ignore_suppressions=True)
    cache = Cache.open(os.getcwd(), job)
    clean, found = map(str, files)
    status = files[0].stat()
    assert cache.is_clean(clean, job, status)
    assert not cache.is_clean(found, job, files[1].stat())
    assert not cache.is_clean("another.py", job, status)
    assert not cache.is_clean(clean, other, status)
    age(files[0])
    assert not cache.is_clean(clean, job, files[0].stat())


def test_a_file_of_other_settings_in_one_run(files: list[Path]) -> None:
    check(files)
    job, other = Job(), Job(ignore_suppressions=True)
    cache = Cache.open(os.getcwd(), job)
    path = str(files[1])
    assert cache.stamp(path, other) is None
    stamp = cache.stamp(path, job)
    assert stamp is not None
    cache.store(path, other, stamp, ())
    assert cache.stamp(path, job) is None
    assert cache.stamp(path, other) == stamp


def test_a_run_with_nothing_new_writes_nothing(files: list[Path]) -> None:
    check(files)
    (stored,) = Path(".upcast_lint_cache").glob("*.json")
    before = stored.stat()
    check(files)
    assert stored.stat() == before


def test_a_changed_file_is_looked_at(files: list[Path], linted: list[str]) -> None:
    check(files)
    linted.clear()
    files[0].write_text("x = 2\n")
    age(files[0], 500)
    check(files)
    assert linted == ["clean.py"]


def test_a_change_within_the_clocks_grain_is_seen(
    files: list[Path], linted: list[str]
) -> None:
    files[0].write_text("x = 3\n")
    time = files[0].stat().st_mtime_ns
    check(files)
    linted.clear()
    files[0].write_text("x = 4\n")
    os.utime(files[0], ns=(time, time))
    check(files)
    assert linted == ["clean.py"]


def test_a_change_while_the_file_is_checked_is_seen(
    files: list[Path], linted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check may take longer than the clock's grain."""
    files[0].write_text("x = 3\n")
    now = read_at = files[0].stat().st_mtime_ns

    def check_slowly(*arguments: Any) -> Checked:
        nonlocal now
        now += 3600 * 10**9
        return check_bytes(*arguments)

    monkeypatch.setattr("time.time_ns", lambda: now)
    monkeypatch.setattr("upcast_lint.runner.check_bytes", check_slowly)
    check(files[:1])
    linted.clear()
    files[0].write_text("x = 4\n")
    os.utime(files[0], ns=(read_at, read_at))
    check(files[:1])
    assert linted == ["clean.py"]


def test_a_time_of_zero_is_a_time(files: list[Path], linted: list[str]) -> None:
    files[0].write_text("x = 3\n")
    check(files)
    linted.clear()
    files[0].write_text("x = 4\n")
    os.utime(files[0], (0, 0))
    check(files)
    assert linted == ["clean.py"]


def test_other_options_have_results_of_their_own(
    files: list[Path], linted: list[str]
) -> None:
    check(files)
    linted.clear()
    for job in (
        Job(Options(least=Confidence.LOW)),
        Job(Options(vocab_names=("z",))),
        Job(Options(inference=True)),
        Job(Options(codes=frozenset({"UPC001"}))),
        Job(codes=frozenset({"UPC001"})),
        Job(Options(codes=frozenset()), codes=frozenset()),
        Job(ignore_suppressions=True),
    ):
        check(files, job)
        assert sorted(linted) == ["clean.py", "found.py"], job
        linted.clear()
    check(files)
    assert linted == []


def test_a_fix_looks_again_only_at_what_it_can_fix(
    files: list[Path], linted: list[str]
) -> None:
    check(files)
    linted.clear()
    outcomes = check(files, Job(fix=checker.FixMode.SAFE))
    assert set(linted) == {"found.py"}
    assert outcomes[1].checked.data is not None


def test_another_version_of_ours_starts_afresh(
    files: list[Path], linted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(files)
    linted.clear()
    monkeypatch.setattr(cache_module, "__version__", "99")
    check(files)
    assert len(linted) == 2


def test_changed_code_of_ours_starts_afresh(
    files: list[Path], linted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(files)
    linted.clear()
    monkeypatch.setattr(cache_module, "_code_stamp", lambda path: "edited")
    check(files)
    assert len(linted) == 2


def test_other_processes_look_in_the_same_place(project: Path) -> None:
    code = (
        "from upcast_lint.cache import Cache; from upcast_lint.checker import Job;"
        "from upcast_lint.linter import Options;"
        "codes = frozenset(f'UPC00{n}' for n in range(1, 9));"
        "print(Cache.open('.', Job(Options(codes=codes), codes=codes)).name)"
    )
    names = set()
    for seed in "123":
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, check=True
        )
        names.add(done.stdout)
    assert len(names) == 1 and names != {b""}


@pytest.mark.parametrize("rules", ["rules", "upcast_lint/rules"])
def test_what_is_code_of_ours(
    project: Path, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    code = ["upcast_lint/cache.py", "upcast_lint/reporters/full.py", f"{rules}/a/b.py"]
    other = [
        *(f"upcast_lint/{name}/c.py" for name in ("verify", "fixtures")),
        *(f"{rules}/a/{name}/d.py" for name in ("fixtures", "__pycache__")),
        f"{rules}/a/a.md",
    ]
    for name in (*code, *other):
        path = Path(project, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.setattr(cache_module, "__file__", str(Path(project, code[0])))

    def key() -> str:
        return Cache.open(str(project), Job()).name

    before = key()
    for name in other:
        age(Path(project, name))
        assert key() == before, name
    for name in code:
        age(Path(project, name))
        assert key() != before, name
        before = key()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"a": 3}', b"[" * 100_000, b'{"a": [1, 2]}'],
)
def test_a_damaged_cache_is_ignored_with_a_warning(
    files: list[Path], linted: list[str], content: bytes
) -> None:
    check(files)
    linted.clear()
    (stored,) = Path(".upcast_lint_cache").glob("*.json")
    stored.write_bytes(content)
    warnings: list[str] = []
    outcomes = check(files, warnings=warnings)
    assert len(linted) == 2
    assert len(warnings) == 1
    assert "damaged" in warnings[0]
    assert len(outcomes[1].checked.findings) == 1


@pytest.mark.parametrize(
    "entry", [3, "abcde", [1, 2, 0, "d"], dict.fromkeys("abcde")], ids=repr
)
def test_an_entry_of_another_form_damages_the_cache(
    files: list[Path], linted: list[str], entry: object
) -> None:
    check(files)
    linted.clear()
    (stored,) = Path(".upcast_lint_cache").glob("*.json")
    content = json.loads(stored.read_text())
    content["files"][str(files[0])] = entry
    stored.write_text(json.dumps(content))
    warnings: list[str] = []
    check(files, warnings=warnings)
    assert len(linted) == 2
    (warning,) = warnings
    assert "damaged" in warning


@pytest.mark.parametrize("damage", [None, "x", [["UPC001"]], {"a": 1}])
def test_a_damaged_entry_is_looked_at_again(
    files: list[Path], linted: list[str], damage: object
) -> None:
    check(files)
    linted.clear()
    (stored,) = Path(".upcast_lint_cache").glob("*.json")
    content = json.loads(stored.read_text())
    content["files"][str(files[1])][4] = damage
    content["files"][str(files[0])][1] = damage
    stored.write_text(json.dumps(content))
    outcomes = check(files)
    assert [len(each.checked.findings) for each in outcomes] == [0, 1]


def test_a_cache_of_another_key_by_the_same_name_is_not_ours(
    files: list[Path], linted: list[str]
) -> None:
    check(files)
    linted.clear()
    (stored,) = Path(".upcast_lint_cache").glob("*.json")
    content = json.loads(stored.read_text())
    stored.write_text(json.dumps({**content, "key": "another version"}))
    warnings: list[str] = []
    check(files, warnings=warnings)
    assert len(linted) == 2
    assert warnings == []


def test_a_folder_that_cannot_be_written_is_a_warning(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".upcast_lint_cache").write_text("a file is in the way")
    warnings: list[str] = []
    outcomes = check(files, warnings=warnings)
    assert len(outcomes) == 2
    assert any("cache not written" in warning for warning in warnings)


def test_a_cache_that_cannot_be_read_is_a_warning(files: list[Path]) -> None:
    check(files)
    (stored,) = Path(".upcast_lint_cache").glob("*.json")
    stored.unlink()
    stored.mkdir()
    warnings: list[str] = []
    assert len(check(files, warnings=warnings)) == 2
    assert [warning.partition(":")[0] for warning in warnings] == [
        "cache not read",
        "cache not written",
    ]
    assert not list(Path(".upcast_lint_cache").glob("*.json.*"))


def test_the_folder_tells_git_and_backups_to_pass_it_by(files: list[Path]) -> None:
    check(files)
    folder = Path(".upcast_lint_cache")
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f59")


def test_what_was_not_used_for_long_is_removed(files: list[Path]) -> None:
    check(files)
    name = f"{'0f' * 4}.json"
    old = [Path(".upcast_lint_cache", each) for each in (name, f"{name}.123")]
    others = [Path(".upcast_lint_cache", each) for each in ("a.json", "thesis.txt")]
    for path in (*old, *others):
        path.write_text("{}")
        age(path, 100 * 24 * 3600)
    check(files, Job(ignore_suppressions=True))
    assert [path.exists() for path in (*old, *others)] == [False, False, True, True]


def test_what_another_run_removed_meanwhile_is_no_fault(files: list[Path]) -> None:
    check(files)
    Path(f".upcast_lint_cache/{'0f' * 4}.json").symlink_to("gone")
    warnings: list[str] = []
    check(files, Job(ignore_suppressions=True), warnings)
    assert warnings == []


def test_a_folder_that_is_a_link_is_not_written_to(files: list[Path]) -> None:
    Path("elsewhere").mkdir()
    Path(".upcast_lint_cache").symlink_to("elsewhere")
    warnings: list[str] = []
    check(files, warnings=warnings)
    assert os.listdir("elsewhere") == []
    (warning,) = warnings
    assert "symbolic link" in warning


def test_a_link_in_the_folder_is_not_followed(files: list[Path]) -> None:
    Path(".upcast_lint_cache").mkdir()
    Path(".upcast_lint_cache/.gitignore").symlink_to(Path("made").absolute())
    check(files)
    assert not Path("made").exists()
    assert list(Path(".upcast_lint_cache").glob("*.json"))


def test_unreadable_files_are_not_remembered(files: list[Path]) -> None:
    files[0].unlink()
    files[0].symlink_to("nowhere")
    job = Job()
    cache = Cache.open(os.getcwd(), job)
    task = Task("clean.py", str(files[0]), files[1].stat(), job)
    (outcome,) = run([task], 1, cache)
    assert outcome.unread == "No such file or directory"
    cache.save()
    assert not Path(".upcast_lint_cache").exists()
