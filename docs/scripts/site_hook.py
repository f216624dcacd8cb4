"""What the site holds besides the pages under `docs/`: a page for every rule.

mkdocs loads this file by its path. A rule's page is its `doc.md`, followed by the
rewrites that `upcast-lint verify` runs for it. Nothing here imports torch.
"""

from __future__ import annotations

import ast
import difflib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from upcast_lint.links import HOME
from upcast_lint.registry import all_rules
from upcast_lint.rule import Rule
from upcast_lint.selection import known_rules

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from docs.scripts import flow_picture, memory_timeline, terminal  # noqa: E402

_RULES = "Rules"
_SHOWN = ["check", "--select", "UPC001", "examples/scoring.py"]
_IMAGE = re.compile(
    r'<img [^>]*src="(?P<stem>(?:[^"]*/)?pictures/(?P<name>[\w-]+))\.svg"[^>]*>'
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address; and the rules' pages, after the page on all of them."""
    config.site_url = HOME
    config.mdx_configs["pymdownx.superfences"] = {
        "custom_fences": [
            {"name": "console", "class": "transcript", "format": terminal.transcript}
        ]
    }
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
    pictures = _narrow() | {"terminal": _terminal()}
    for name, text in pictures.items():
        path = f"pictures/{name}.svg"
        files.append(File.generated(config, path, content=text))
    return files


def _narrow() -> dict[str, str]:
    """The pictures again, for screens on which the wide ones are too small to read."""
    table = (ROOT / "docs/pictures/memory-timeline.csv").read_text(encoding="utf-8")
    storages = memory_timeline.read_table(table)
    return {
        "flow-narrow": flow_picture.draw(is_narrow=True),
        "memory-timeline-narrow": memory_timeline.draw(storages, is_narrow=True),
    }


def _terminal() -> str:
    """What the tool prints on one of the examples, in colour."""
    options = ["--isolated", "--no-cache", "--color", "always"]
    done = subprocess.run(
        [sys.executable, "-m", "upcast_lint", *_SHOWN, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return terminal.picture(f"upcast-lint {' '.join(_SHOWN)}", done.stdout)


def on_page_content(html: str, **_: object) -> str:
    """Each picture with its narrow form, where it has one; terminals can scroll."""
    return _IMAGE.sub(_fitted, html)


def _fitted(image: re.Match[str]) -> str:
    if image["name"] == "terminal":
        return f'<span class="terminal" style="display: block">{image[0]}</span>'
    narrow = f"{image['stem']}-narrow.svg"
    source = f'<source media="(max-width: 44.9375em)" srcset="{narrow}">'
    return f"<picture>{source}{image[0]}</picture>"


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
