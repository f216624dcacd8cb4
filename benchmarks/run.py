"""Compare upcast-lint with ruff and others on a folder, and print the table.

Nothing is fetched. Run it with the interpreter that upcast-lint is installed for:

    python benchmarks/run.py FOLDER
    python benchmarks/run.py FOLDER --profile
    python benchmarks/run.py FOLDER --growth PROJECT... --others SMALLER_FOLDER
"""

from __future__ import annotations

import argparse
import itertools
import random
import shutil
import sys
import tempfile
from pathlib import Path

from measure import Measured, Pair, alone, in_turn, measure, median

CLEAN = """\
import os


def joined(folder):
    return os.path.join(folder, "file")
"""
WITH_FINDING = """\
import torch


def chosen(logits, labels, vocab_size):
    logits = logits.float()
    return logits.gather(-1, labels.unsqueeze(-1))
"""
SIZES = (50, 150, 350)
ROW = "{:<34} {:>9} {:>9} {:>7}  {:<8} {:<8} {}"


class NotInstalled(Exception):
    """A command to compare; `str` says which."""


class Table:
    """Prints a row as soon as it is known, and remembers the largest process."""

    def __init__(self) -> None:
        self.peak = 0.0
        print(ROW.format("what", "ours", "ruff", "value", "target", "stretch", ""))

    def row(
        self,
        what: str,
        ours: str,
        theirs: str,
        value: float,
        target: float,
        stretch: float | None,
    ) -> None:
        verdict = "missed"
        if value <= target:
            verdict = "met" if stretch is None or value > stretch else "stretch met"
        goal = "" if stretch is None else f"≤ {stretch:g}"
        print(
            ROW.format(
                what, ours, theirs, f"{value:.2f}", f"≤ {target:g}", goal, verdict
            ),
            flush=True,
        )

    def pair(self, what: str, pair: Pair, target: float, stretch: float) -> None:
        self.note(pair.ours)
        ours, theirs = (
            f"{median([each.wall for each in side]):.3f} s"
            for side in (pair.ours, pair.theirs)
        )
        self.row(what, ours, theirs, pair.ratio, target, stretch)
        cpus = [median([e.cpu for e in side]) for side in (pair.ours, pair.theirs)]
        print(
            ROW.format(
                "  of which CPU",
                f"{cpus[0]:.3f} s",
                f"{cpus[1]:.3f} s",
                f"{pair.cpu_ratio:.2f}",
                "",
                "",
                "",
            ),
            flush=True,
        )

    def alone(
        self, what: str, measured: list[Measured], target: float, stretch: float
    ) -> None:
        self.note(measured)
        cpu = median([each.cpu for each in measured])
        self.row(what, f"{cpu:.3f} s", "", cpu, target, stretch)

    def note(self, measured: list[Measured]) -> None:
        self.peak = max(self.peak, *(each.peak for each in measured))


def main() -> None:
    options = _options()
    if options.profile:
        from stages import profile

        profile(options.folder, options.width == "any")
        return
    folder = str(Path(options.folder).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        _compare(folder, scratch, options.rounds)
        if options.growth:
            _grow(options.growth, scratch)
        if options.others:
            _others(str(Path(options.others).resolve()), scratch)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="time by stage instead")
    parser.add_argument("--width", choices=("vocab", "any"), default="vocab")
    parser.add_argument(
        "--growth", nargs="+", metavar="PROJECT", help="take files here"
    )
    parser.add_argument("--others", metavar="FOLDER", help="that the others finish")
    return parser.parse_args()


def _compare(folder: str, scratch: str, rounds: int) -> None:
    """The scratch folder is the current one, so that no cache lands elsewhere."""
    table = Table()
    ours = _ours(folder)
    theirs = [_tool("ruff"), "check", "--isolated", "--select", "F401", folder]
    cold = [*ours, "--no-cache"], [*theirs, "--no-cache"]
    pair = in_turn(*cold, scratch, rounds)
    table.pair("cold, default width", pair, 1.0, 0.5)
    pair = in_turn([*cold[0], "--width", "any"], cold[1], scratch, rounds)
    table.pair("cold, any width", pair, 2.0, 1.0)
    pair = in_turn(ours, theirs, scratch, rounds)
    table.pair("warm", pair, 0.8, 0.4)
    for what, text, target, stretch in (
        ("one clean file, CPU", CLEAN, 0.08, 0.05),
        ("one file with a finding, CPU", WITH_FINDING, 0.35, 0.25),
    ):
        path = Path(scratch) / "one.py"
        path.write_text(text)
        table.alone(what, alone(_ours(str(path)), scratch, rounds), target, stretch)
    table.row("largest process, MiB", f"{table.peak:.1f}", "", table.peak, 60, 40)


def _ours(path: str) -> list[str]:
    return [_tool("upcast-lint"), "check", "--isolated", path]


def _grow(projects: list[str], scratch: str) -> None:
    """CPU per MB of trees of several sizes, from files of all projects, shuffled."""
    print("\ngrowth: CPU per MB of mixed projects")
    base: float | None = None
    for size in SIZES:
        tree = Path(scratch) / f"grown{size}"
        _fill(tree, projects, size * 1_000_000)
        command = [*_ours(str(tree)), "--no-cache"]
        cpu = median([each.cpu for each in alone(command, scratch, 2)])
        per_mb = cpu / size
        base = base or per_mb
        print(
            f"{size:>6} MB {cpu:8.3f} s {1000 * per_mb:8.2f} ms/MB {per_mb / base:6.2f}"
        )
        shutil.rmtree(tree)


def _fill(tree: Path, projects: list[str], size: int) -> None:
    """Copy files until there are enough, taking all projects again where needed."""
    files = [
        path
        for project in projects
        for path in sorted(Path(project).rglob("*.py"))
        if path.is_file()
    ]
    random.Random(0).shuffle(files)
    for number, path in enumerate(itertools.cycle(files)):
        data = path.read_bytes()
        target = tree / str(number % 100) / f"{number}_{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        size -= len(data)
        if size <= 0:
            return


def _others(folder: str, scratch: str) -> None:
    print(f"\nothers on {sum(1 for _ in Path(folder).rglob('*.py'))} files, wall")
    ours = median([m.wall for m in alone([*_ours(folder), "--no-cache"], scratch, 3)])
    print(f"{'upcast-lint':<12} {ours:8.2f} s")
    for name, arguments in (
        ("flake8", ["--isolated"]),
        ("fixit", ["lint"]),
        ("torchfix", []),
    ):
        try:
            wall = measure([_tool(name), *arguments, folder], scratch).wall
        except NotInstalled:
            print(f"{name:<12} not installed")
            continue
        except RuntimeError as error:
            print(f"{name:<12} failed: {str(error).splitlines()[-1]}")
            continue
        print(f"{name:<12} {wall:8.2f} s {wall / ours:8.0f}×")


def _tool(name: str) -> str:
    """The command of this environment, or the one on the PATH; raises NotInstalled."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise NotInstalled(f"{name} is neither beside this interpreter nor on the PATH")
    return found


if __name__ == "__main__":
    try:
        main()
    except NotInstalled as error:
        sys.exit(str(error))
