"""Where torch is not installed, everything but running still imports and explains."""

from __future__ import annotations

import subprocess
import sys

HIDE_TORCH = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(name)
import importlib.util
sys.meta_path.insert(0, Hidden())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "torch" else found(name, *a)
"""


def run_hidden(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HIDE_TORCH + code],
        capture_output=True,
        text=True,
        check=False,
    )


def test_verify_says_what_to_install_and_exits_with_2() -> None:
    for arguments in ([], ["loss.py::f", "--inputs", "x=1"]):
        found = run_hidden(
            "from upcast_lint.verify.command import verify\n"
            f"verify({arguments!r}, prog_name='verify')\n"
        )
        assert found.returncode == 2, found.stderr
        assert "pip install torch numpy" in found.stderr
        assert "Traceback" not in found.stderr


def test_the_parts_that_run_nothing_import() -> None:
    names = "command", "exchange", "fixture", "gate", "plan", "specification"
    imports = "\n".join(f"import upcast_lint.verify.{name}" for name in names)
    found = run_hidden(imports)
    assert found.returncode == 0, found.stderr
    assert "torch" not in found.stdout


def test_help_needs_no_torch_and_says_that_user_code_runs() -> None:
    found = run_hidden(
        "from upcast_lint.verify.command import verify\n"
        "verify(['--help'], prog_name='verify')\n"
    )
    assert found.returncode == 0, found.stderr
    assert "THIS RUNS THE CODE" in found.stdout
