"""Blocks that are no transcript: commands, settings, workflows, rewrites, code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from docs.scripts.pages import ROOT, Block, blocks_of, pages
from tests.schemas import published_schema
from upcast_lint.cli.root import root
from upcast_lint.config import load
from upcast_lint.links import OWNER, REPOSITORY
from upcast_lint.linter import Options, lint, mend
from upcast_lint.source import Source

RUN_BY: dict[str, tuple[str, str]] = {
    "pip install -e '.[dev]' && pytest": (
        ".ci/run",
        "pip install -e '.[dev]' && pytest",
    ),
    "mypy": (".ci/run", "\nmypy\n"),
    "ruff check . && ruff format --check .": (".ci/run", "ruff format --check ."),
    "upcast-lint check .": (".ci/run", "upcast-lint check --no-cache ."),
    ".ci/run": (".ci/run", "#!"),
    # The wheel of the checkout, and `check` on its examples, without torch.
    "pip install . && upcast-lint check examples": (
        ".ci/run",
        "upcast-lint check --isolated --no-cache examples",
    ),
    "pip install .": (".ci/run", 'pip" install --quiet "$scratch"/dist/*.whl'),
    "pip install '.[torch]'": ("pyproject.toml", '"upcast-lint[docs,torch]"'),
    "python3 -m venv .venv && . .venv/bin/activate": (".ci/run", "python3 -m venv"),
    "upcast-lint verify": ("tests/verify/test_rule_fixtures.py", "judge(load_specimen"),
    "upcast-lint verify --rule UPC001": ("tests/verify/test_command.py", '"--rule"'),
    "upcast-lint verify --rule upcast-before-index-select": (
        "tests/verify/test_command.py",
        '"--rule"',
    ),
    "upcast-lint verify --device cuda --report gpu": (
        "tests/verify/test_command.py",
        '"--device", "cuda", "--report"',
    ),
    "upcast-lint verify examples/scoring.py::label_logprobs": (
        "tests/verify/test_command.py",
        "def test_a_template_is_printed",
    ),
    "upcast-lint verify --all examples": ("tests/verify/test_command.py", '"--all"'),
    "python -m tests.fuzz --tier safe --programs 20000": (
        "tests/fuzz/__main__.py",
        "--programs 20000",
    ),
    "python -m tests.fuzz --tier safe --programs 2000": ("tests/docs", ""),
    "python -m tests.fuzz --tier both --programs 5000": ("tests/docs", ""),
    "python -m docs.scripts": ("tests/docs/test_current.py", "rerun"),
    "mkdocs build --strict": ("tests/docs/test_site.py", '"--strict"'),
    "pytest tests/rules tests/analysis -q": (".ci/run", "pytest"),
    "pip install torch --index-url https://download.pytorch.org/whl/cpu": (
        ".github/workflows/ci.yml",
        "run: pip install torch --index-url https://download.pytorch.org/whl/cpu",
    ),
    "pytest -q tests/analysis": (".ci/run", "pytest"),
    "pytest tests/scenarios -k label": (".ci/run", "pytest"),
    'pytest tests/scenarios -k "a word of the title"': (".ci/run", "pytest"),
    "pre-commit install": ("tests/integration/test_pre_commit.py", "pre_commit"),
    "pre-commit run --all-files": (
        "tests/integration/test_pre_commit.py",
        '"run", "--all-files"',
    ),
    "upcast-lint check --output-format rdjson | reviewdog -f=rdjson "
    "-reporter=github-pr-review": ("tests/reporters/test_formats.py", "rdjson"),
    "flake8 --select UPC src": ("tests/docs", ""),
    "python -m libcst.tool codemod -x --no-format "
    "upcast_lint.adapters.libcst_codemod.ReorderUpcasts src": ("tests/docs", ""),
}
"""Commands in `sh` blocks: the file that runs each, and a part of it that does."""

FROM_GIT = f"pip install git+{REPOSITORY}"


def blocks(language: str) -> list[Any]:
    return [
        pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
        for page in pages()
        for number, block in enumerate(blocks_of(page.read_text(encoding="utf-8")))
        if block.language == language
    ]


@pytest.mark.parametrize("block", blocks("sh"))
def test_every_command_is_run_somewhere(block: Block) -> None:
    if block.title is not None:
        return
    for command in block.body.splitlines():
        if command == FROM_GIT:
            continue  # the address is a placeholder until there is one
        path, part = RUN_BY[command]
        where = ROOT / path
        assert where.is_dir() or part in where.read_text(encoding="utf-8")


def test_the_fuzzer_runs_as_shown() -> None:
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "tests.fuzz", "--tier", "both", "--programs", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_libcst_runs_the_codemod_as_shown(tmp_path: Path) -> None:
    source = tmp_path / "src" / "scoring.py"
    source.parent.mkdir()
    source.write_bytes((ROOT / "examples" / "scoring.py").read_bytes())
    command = next(each for each in RUN_BY if "libcst.tool" in each).split()[1:]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b".float().squeeze(-1)" in source.read_bytes()


def test_flake8_shows_our_findings_as_shown(tmp_path: Path) -> None:
    pytest.importorskip("flake8")
    from importlib.metadata import entry_points

    if "UPC" not in entry_points(group="flake8.extension").names:
        pytest.skip("upcast-lint is not installed, so flake8 cannot find it")
    source = tmp_path / "src" / "scoring.py"
    source.parent.mkdir()
    source.write_bytes((ROOT / "examples" / "scoring.py").read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--select", "UPC", "src"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert b"UPC001" in done.stdout


@pytest.mark.parametrize("block", blocks("toml"))
def test_settings_are_accepted(block: Block, tmp_path: Path) -> None:
    import tomllib

    if "[tool.upcast-lint]" in block.body:
        path = tmp_path / "pyproject.toml"
        path.write_text(block.body, encoding="utf-8")
        assert load(str(path)).settings
    else:
        assert tomllib.loads(block.body)


SCHEMAS = {
    ".github/workflows/": "workflow-syntax-for-github-actions",
    ".gitlab-ci.yml": "gitlab.com/.gitlab-ci.yml",
    ".pre-commit-config.yaml": "JSON schema for .pre-commit-config.yaml",
}


@pytest.mark.parametrize("block", blocks("yaml"))
def test_workflows_are_what_their_readers_take(block: Block) -> None:
    yaml = pytest.importorskip("yaml")
    assert block.title is not None
    document = yaml.safe_load(block.body)
    # YAML 1.1, which PyYAML reads, takes the key `on` for a truth value.
    document = {"on" if key is True else key: value for key, value in document.items()}
    head = next(
        head for start, head in SCHEMAS.items() if block.title.startswith(start)
    )
    schema = published_schema(head)
    jsonschema.validators.validator_for(schema)(schema).validate(document)


@pytest.mark.parametrize("block", blocks("yaml"))
def test_hooks_and_inputs_exist(block: Block) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    for hook in re.findall(r"- id: (\S+)", block.body):
        assert f"- id: {hook}\n" in hooks
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    with_inputs = block.body.partition(f"uses: {OWNER}/upcast-lint")[2]
    for name in re.findall(r"^          ([\w-]+): ", with_inputs, re.M):
        assert f"\n  {name}:\n" in action


@pytest.mark.parametrize("block", blocks("python"))
def test_code_parses(block: Block) -> None:
    body = block.body
    if re.search(r"^return\b", body, re.M):
        body = "def f():\n" + re.sub("^", "    ", body, flags=re.M)
    ast.parse(body)


NOT_OURS = {"--version"}
"""Of the group, which has no parameters of its own here."""


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_options_that_are_named_exist(page: Path) -> None:
    context = click.Context(root)
    known = {
        name
        for command in map(
            partial(root.get_command, context), root.list_commands(context)
        )
        for option in (command.params if command else ())
        for name in option.opts
    }
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    inline = re.sub("<!--.*?-->", "", prose)
    named = re.findall(r"(?<![\w-])--[a-z][a-z-]*", inline)
    assert set(named) - NOT_OURS <= known


MADE_BY = re.compile(r"<!-- made by --fix( --unsafe-fixes)? -->\n```diff\n")


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_rewrites_that_are_shown_are_made(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    starts = {match.end() for match in MADE_BY.finditer(text)}
    shown = [each for each in blocks_of(text) if each.start in starts]
    for block in shown:
        lines = block.body.splitlines()
        before, after = (
            "\n".join(line[1:] for line in lines if line[0] in f" {sign}")
            for sign in "-+"
        )
        head = "import torch\n\n\n"
        source = Source.from_bytes((head + before).encode(), "shown.py")
        options = Options()
        mended = mend(source, options, lint(source, options))
        assert mended.text == head + after
    assert len(shown) == len(starts)
