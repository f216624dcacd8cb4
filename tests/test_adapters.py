from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import libcst
import libcst.codemod
import pytest

from upcast_lint.adapters.flake8 import Plugin
from upcast_lint.adapters.libcst_codemod import ReorderUpcasts

pytestmark = pytest.mark.usefixtures("toy_engine")

SAFE = "a = logits.float().gather(1, i)\n"
RISKY = "b = risky_x.float().gather(1, i)\n"


def flake8(text: str, name: str = "x.py") -> list[tuple[int, int, str]]:
    plugin = Plugin(None, name, text.splitlines(keepends=True))
    return [(row, column, message[:6]) for row, column, message, _ in plugin.run()]


def codemod(text: str, takes_unsafe: bool = False) -> str:
    context = libcst.codemod.CodemodContext(filename="x.py")
    command = ReorderUpcasts(context, takes_unsafe)
    return command.transform_module(libcst.parse_module(text)).code


def test_flake8_gets_nothing_for_a_clean_file(project: Path) -> None:
    assert flake8("x = 1\n") == []


def test_flake8_gets_rows_from_1_and_columns_from_0(project: Path) -> None:
    assert flake8("\n" + SAFE) == [(2, 4, "UPC001")]


def test_flake8_leaves_our_own_suppressions_to_us(project: Path) -> None:
    assert flake8(SAFE.rstrip() + "  # upcast-lint: ignore[UPC001]\n") == []


def test_flake8_sees_the_settings_of_the_file(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "upcast-lint.toml").write_text("ignore = ['UPC001']\n")
    assert flake8(SAFE, "sub/x.py") == []


def test_flake8_finds_the_plugin(project: Path) -> None:
    pytest.importorskip("flake8")
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--version"], capture_output=True, check=True
    )
    assert b"upcast-lint" in done.stdout


def test_the_codemod_leaves_a_clean_file(project: Path) -> None:
    assert codemod("x = 1\n") == "x = 1\n"


def test_the_codemod_makes_safe_fixes(project: Path) -> None:
    assert codemod(SAFE + RISKY) == "a = logits.gather(1, i).float()\n" + RISKY


def test_the_codemod_makes_others_when_asked(project: Path) -> None:
    assert codemod(RISKY, True) == "b = risky_x.gather(1, i).float()\n"


def test_the_codemod_warns_of_what_is_refused(project: Path) -> None:
    context = libcst.codemod.CodemodContext(filename="x.py")
    tree = libcst.parse_module("a = refused_x.float().gather(1, i)\n")
    ReorderUpcasts(context).transform_module(tree)
    assert context.warnings == ["not fixed: the tree changed"]
