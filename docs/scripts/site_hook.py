"""What the site holds besides the pages under `docs/`: a page for every rule.

mkdocs loads this file by its path. A rule's page is its `doc.md`, followed by the
rewrites that `upcast-lint verify` runs for it. Nothing here imports torch.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from upcast_lint.links import HOME, REPOSITORY
from upcast_lint.registry import all_rules
from upcast_lint.rule import Rule
from upcast_lint.selection import known_rules

_RULES = "Rules"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The addresses; and the rules' pages, after the page on all of them."""
    config.site_url, config.repo_url = HOME, REPOSITORY
    for section in config.nav or ():
        if _RULES in section:
            section[_RULES] += [
                {f"{rule.code} {rule.name}": f"rules/{rule.name}.md"}
                for rule in known_rules()
            ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    with_fixtures = {rule.name: rule for rule in all_rules()}
    for rule in known_rules():
        text = rule.doc()
        if rule.name in with_fixtures:
            text += _fixtures(with_fixtures[rule.name])
        path = f"rules/{rule.name}.md"
        files.append(File.generated(config, path, content=text))
    return files


def _fixtures(rule: Rule) -> str:
    parts = [
        "\n## Rewrites that are run\n\n"
        "Each is run before and after by `upcast-lint verify`, on every pair of types, "
        "contiguous and strided, with ties, infinities, NaN and empty inputs.\n"
    ]
    parts += (part for path in rule.fixture_paths() for part in _fixture(path))
    return "\n".join(parts)


def _fixture(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    claim = (ast.get_docstring(tree) or path.stem).splitlines()[0]
    yield f'??? example "{_quoted(claim)} ({_tier(tree)})"\n'
    yield "    ```diff"
    yield from (f"    {line}".rstrip() for line in _changes(tree, text, path.stem))
    yield "    ```\n"


def _quoted(claim: str) -> str:
    return claim.rstrip(".").replace('"', "'")


def _tier(tree: ast.Module) -> str:
    """As the fixture declares it: `tier=Safety.SAFE` or the first argument."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "Safety"
        ):
            return node.attr.lower()
    return "unknown"


def _changes(tree: ast.Module, text: str, name: str) -> list[str]:
    """The whole function with its changed lines marked."""
    versions = {
        node.name: (ast.get_source_segment(text, node) or "").replace(
            f"def {node.name}(", f"def {name}(", 1
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in ("before", "after")
    }
    before, after = (_decorated(tree, text, versions, each) for each in versions)
    return [line for line in difflib.ndiff(before, after) if not line.startswith("?")]


def _decorated(
    tree: ast.Module, text: str, versions: dict[str, str], name: str
) -> list[str]:
    """The lines of a function, its decorators first."""
    (node,) = (
        each
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.name == name
    )
    decorators = [f"@{ast.get_source_segment(text, d)}" for d in node.decorator_list]
    return [*decorators, *versions[name].splitlines()]
