"""The rules that are installed, found by looking."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from .rule import Rule

_PACKAGE = "upcast_lint.rules"


def _package() -> ModuleType:
    """The rules package; in a checkout that is not installed, the folder beside us."""
    if importlib.util.find_spec(_PACKAGE) is not None:
        return importlib.import_module(_PACKAGE)
    folder = Path(__file__).resolve().parent.parent / "rules"
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no rules at {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = module
    spec.loader.exec_module(module)
    return module


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    package = _package()
    found: list[Rule] = []
    for root in package.__path__:
        for folder in Path(root).iterdir():
            if (folder / "__init__.py").is_file():
                module = importlib.import_module(f"{_PACKAGE}.{folder.name}")
                found.append(module.RULE)
    return tuple(sorted(found, key=lambda rule: rule.code))
