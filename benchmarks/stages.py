"""Where the time of a run goes, by stage, in one process."""

from __future__ import annotations

import ast
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from upcast_lint import linter
from upcast_lint.analysis import casts, facts, syntax
from upcast_lint.finding import Confidence
from upcast_lint.linter import Options
from upcast_lint.screen import excerpt, outline, reach, spots, tiers
from upcast_lint.source import Source, UnreadableSource

STAGES = (
    ("find spellings", spots, "find_spots"),
    ("outline functions", outline.Outline, "__init__"),
    ("outline functions", outline.Outline, "function_at"),
    ("words of width", tiers, "may_be_vocab_wide"),
    ("parse", ast, "parse"),
    ("reach of casts", reach.Reach, "is_narrow"),
    ("parents, candidates", syntax.Tree, "of"),
    ("parents, candidates", casts, "cast_candidates"),
    ("names", facts.Module, "facts"),
    ("cut out the rest", excerpt, "excerpt"),
)


class Clock:
    """Time by stage; a stage inside another counts for itself alone."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._stack: list[float] = []

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **keywords: Any) -> Any:
            self._stack.append(0.0)
            start = time.process_time()
            try:
                return function(*arguments, **keywords)
            finally:
                spent = time.process_time() - start
                self.seconds[stage] += spent - self._stack.pop()
                self.calls[stage] += 1
                if self._stack:
                    self._stack[-1] += spent

        return wrapper


def profile(folder: str, any_width: bool) -> None:
    """Print a table of the stages of one run over a folder."""
    from upcast_lint import judge

    linter.load()
    clock = Clock()
    wrapped = (
        *STAGES,
        ("width", judge, "judge_width"),
        ("flow", judge, "follow"),
        ("judge", linter, "lint_rows"),
    )
    for stage, owner, name in wrapped:
        setattr(owner, name, clock.timed(stage, getattr(owner, name)))
    read = clock.timed("read", Path.read_bytes)
    decode = clock.timed("decode", Source.from_bytes)
    glance = clock.timed("glance at bytes", linter.is_clean)
    lint = clock.timed("the rest of the screen", linter.lint)
    least = Confidence.LOW if any_width else Confidence.MEDIUM
    options = Options(least=least, parses_always=False)
    files = found = 0
    start = time.process_time()
    for path in sorted(Path(folder).rglob("*.py")):
        data = read(path)
        files += 1
        if glance(data, options):
            continue
        try:
            found += len(lint(decode(data, str(path)), options))
        except (UnreadableSource, SyntaxError, RecursionError, ValueError):
            found += 1
    total = time.process_time() - start
    print(f"{found} findings in {files} files, {total:.2f} s of CPU\n")
    print(f"{'stage':<24} {'seconds':>8} {'share':>6} {'calls':>7}")
    for stage, seconds in sorted(clock.seconds.items(), key=lambda each: -each[1]):
        share = f"{seconds / total:.0%}"
        print(f"{stage:<24} {seconds:8.3f} {share:>6} {clock.calls[stage]:7}")
