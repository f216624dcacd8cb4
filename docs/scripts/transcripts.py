"""Runs the console blocks of a page and puts down what they print.

Every page with such blocks begins with a scratch git repository of one commit: empty,
or with the shipped examples where the page says `<!-- examples -->`. Commands that
are ours alone run in this process; the rest goes through a shell. Timings differ from
run to run, so two transcripts are compared without them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .pages import ROOT, Block, blocks_of

_EXAMPLES = "<!-- examples -->"
_PROMPT = "$ "
_SHOWN_FOLDER = "/home/you/project"
_TIMINGS = (
    re.compile(r"(?<= in )\d+\.\d+ s\b"),
    re.compile(r"(?<=time )\d+\.\d+ ms before, \d+\.\d+ ms after"),
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A command as it is shown, with its prompt, and what it prints."""

    shown: str
    command: str
    output: str


def exchanges_of(block: Block) -> list[Exchange]:
    """The commands of a console block. Lines before the first are not allowed."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.body.splitlines(keepends=True):
        if line.startswith(_PROMPT):
            found.append(([line], []))
        elif not found[-1][1] and _goes_on("".join(found[-1][0])):
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return [
        Exchange(
            "".join(shown),
            "".join(shown).removeprefix(_PROMPT).replace("\\\n", " ").strip(),
            "".join(output),
        )
        for shown, output in found
    ]


def _goes_on(shown: str) -> bool:
    """Whether a command needs another line: after a backslash, or inside quotes."""
    try:
        shlex.split(shown)
    except ValueError:
        return True
    return shown.endswith("\\\n")


def rerun(text: str, folder: Path) -> str:
    """The page with the output of every command as it is now; `folder` is empty."""
    blocks = blocks_of(text)
    if not any(block.language == "console" for block in blocks):
        return text
    shell = _Shell(folder)
    shell.begin(has_examples=_EXAMPLES in text)
    parts: list[str] = []
    done = 0
    for block in blocks:
        if block.title is not None:
            shell.put(block.title, block.body)
        if block.language != "console":
            continue
        body = "".join(_again(each, shell) for each in exchanges_of(block))
        indented = re.sub(r"^(?=.)", block.indent, body, flags=re.M)
        parts += [text[done : block.start], indented]
        done = block.end
    return "".join([*parts, text[done:]])


def _again(exchange: Exchange, shell: _Shell) -> str:
    output = shell.run(exchange.command)
    if without_timings(output) == without_timings(exchange.output):
        output = exchange.output
    return exchange.shown + output


def without_timings(text: str) -> str:
    for pattern in _TIMINGS:
        text = pattern.sub("…", text)
    return text


class _Shell:
    """Runs commands in a folder, as a terminal would show them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "project"
        self._bin = folder / "bin"
        self._status = 0

    def begin(self, *, has_examples: bool) -> None:
        self._folder.mkdir()
        self._bin.mkdir()
        run_ours = f'#!/bin/sh\nexec "{sys.executable}" -m upcast_lint "$@"\n'
        run_python = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
        for name, text in (("upcast-lint", run_ours), ("python", run_python)):
            (self._bin / name).write_text(text)
            (self._bin / name).chmod(0o755)
        if has_examples:
            shutil.copytree(
                ROOT / "examples",
                self._folder / "examples",
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        first = "git init -q -b main && git add -A && git commit -q --allow-empty -m x"
        assert not self._in_shell(first)

    def put(self, path: str, text: str) -> None:
        """Write a file that the page shows, and commit it."""
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        named = shlex.quote(path)
        self._in_shell(f"git add {named} && git commit -q -m {named} -- {named}")

    def run(self, command: str) -> str:
        """What a command prints, on either stream."""
        if command == "echo $?":
            return f"{self._status}\n"
        words = shlex.split(command)
        is_plain = not set(command) & set("|><&;*$")
        if words[0] == "upcast-lint" and is_plain:
            output = self._in_process(words[1:])
        else:
            output = self._in_shell(command)
        return output.replace(str(self._folder), _SHOWN_FOLDER)

    def _in_process(self, arguments: list[str]) -> str:
        from click.testing import CliRunner

        from upcast_lint.cli.root import root

        with _in_folder(self._folder):
            result = CliRunner().invoke(root, arguments, prog_name="upcast-lint")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        self._status = result.exit_code
        return result.output

    def _in_shell(self, command: str) -> str:
        identity = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (
                ("NAME", "You"),
                ("EMAIL", "you@example.org"),
                ("DATE", "2026-01-05T12:00:00+00:00"),
            )
        }
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") and not name.endswith("_COLOR")
        }
        environment |= identity
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(self._bin),
            "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self._status = done.returncode
        return done.stdout.decode()


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
