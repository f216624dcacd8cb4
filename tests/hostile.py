"""A checkout in which whatever is imported or started leaves a trace."""

from __future__ import annotations

import sys
from pathlib import Path

FOUND = """\
def pick(model, x, ids):
    logits = model(x).logits
    wide = logits.float()
    return wide.gather(-1, ids.unsqueeze(-1))
"""
_OTHERS = (
    *("click", "libcst", "pathspec", "yaml", "pip", "setuptools", "torch", "numpy"),
    *("sitecustomize", "usercustomize", "conftest", "setup", "upcast_lint_rules"),
)
_PACKAGES = (
    "upcast_lint",
    "rules",
    "multiprocessing",
    "encodings",
    "importlib",
    "venv",
)


class Trap:
    """`checkout` is a folder of a stranger; `sprung` gives what of it has run."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "checkout"
        self._traces = folder / "traces"
        self._traces.mkdir(parents=True)
        python = (
            "import posix\n"
            f"posix.close(posix.open({str(self._traces)!r} + '/' + "
            "__name__.replace('/', '_'), posix.O_CREAT | posix.O_WRONLY))\n"
        )
        for package in _PACKAGES:
            for name in ("__init__", "__main__", "cli", "check", "resource_tracker"):
                self._write(f"{package}/{name}.py", python)
        for name in (*sys.stdlib_module_names, *_OTHERS):
            if name not in _PACKAGES:
                self._write(f"{name}.py", python)
        self._write("trap.pth", python.replace("\n", "; ") + "\n")
        self._write("pyvenv.cfg", f"home = {self.checkout}\n")
        self._write("python311._pth", ".\nimport site\n")
        for name in ("git", "python", "python3", "pip"):
            self._write(name, f"#!/bin/sh\ntouch {self._traces}/{name}-program\n")
            (self.checkout / name).chmod(0o755)
        self._write("new.py", FOUND)
        self._write("upcast-lint.toml", "width = 'any'\n")

    def _write(self, name: str, text: str) -> None:
        path = self.checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    @property
    def sprung(self) -> list[str]:
        return sorted(trace.name for trace in self._traces.iterdir())
