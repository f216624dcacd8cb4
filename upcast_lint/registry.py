"""The rules that are installed, found by looking."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from functools import cache
from types import ModuleType

from .rule import Rule

_PACKAGE = "upcast_lint.rules"


def _package() -> ModuleType:
    """The rules package; in a checkout that is not installed, the folder beside us."""
    if importlib.util.find_spec(_PACKAGE) is not None:
        return importlib.import_module(_PACKAGE)
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.join(checkout, "rules")
    spec = importlib.util.spec_from_file_location(
        _PACKAGE,
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
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
        for folder in os.listdir(root):
            if os.path.isfile(os.path.join(root, folder, "__init__.py")):
                module = importlib.import_module(f"{_PACKAGE}.{folder}")
                found.append(module.RULE)
    return tuple(sorted(found, key=lambda rule: rule.code))


@cache
def rules_of(codes: frozenset[str] | None) -> tuple[Rule, ...]:
    """The rules that are asked where those of `codes` are to report, None for all.

    What a rule knows as a selection is one, whether or not the rule reports; only the
    optional ones are asked nothing.
    """
    return tuple(
        rule
        for rule in all_rules()
        if not rule.is_optional or (codes is not None and rule.code in codes)
    )
