"""The tables of the documentation, made from what they describe.

A page holds a table between `<!-- table: name -->` and `<!-- end of table -->`, and a
file in the code block after `<!-- file: path -->`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from upcast_lint.config import DEFAULT_EXCLUDE, Settings, declarations, key_of
from upcast_lint.config_schema import as_json
from upcast_lint.registry import all_rules
from upcast_lint.selection import known_rules

from .pages import DOCS, ROOT

_REGION = re.compile(
    r"(?P<head><!-- table: (?P<name>[\w-]+) -->\n)"
    r"(?:.*\n)*?(?P<tail><!-- end of table -->)"
)
_FILE = re.compile(r"(?P<head><!-- file: (?P<path>\S+) -->\n```\w+\n)(?:.*\n)*?```")
_HAZARDS = ROOT / "tests" / "hazards"


def refreshed(text: str, page: Path) -> str:
    """A page with its tables, and the files it shows, as they are now."""

    def table(match: re.Match[str]) -> str:
        return f"{match['head']}\n{_TABLES[match['name']](page)}\n{match['tail']}"

    def file(match: re.Match[str]) -> str:
        content = (ROOT / match["path"]).read_text(encoding="utf-8").rstrip()
        return f"{match['head']}{content}\n```"

    return _FILE.sub(file, _REGION.sub(table, text))


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


# Rules


def _rules(page: Path) -> str:
    """Links lead to the pages of the site, or to their sources from outside it."""
    is_site = page.is_relative_to(DOCS)
    folder = "" if page.parent.name == "rules" else "rules/"
    runs = {rule.name for rule in all_rules()}
    rows = []
    for rule in known_rules():
        if is_site:
            link = f"{folder}{rule.name}.md"
        elif rule.name in runs:
            link = f"rules/{rule.name.replace('-', '_')}/doc.md"
        else:
            link = f"upcast_lint/run_rules/{rule.name}.md"
        summary = rule.summary + (" (off by default)" if rule.is_optional else "")
        rows.append((rule.code, f"[{rule.name}]({link})", _cell(summary)))
    return _markdown(("code", "name", "what it reports"), rows)


# Settings and options


def _settings(page: Path) -> str:
    parts = []
    for name, value in Settings()._asdict().items():
        declared = declarations()[name]
        default = as_json(value, declared.kind)
        if value is DEFAULT_EXCLUDE:
            shown = ", ".join(f"`{name}`" for name in DEFAULT_EXCLUDE)
        elif isinstance(default, dict):
            inside = ", ".join(f"{k} = {json.dumps(v)}" for k, v in default.items())
            shown = f"`{{ {inside} }}`" if inside else "`{}`"
        else:
            shown = f"`{json.dumps(default)}`"
        parts.append(
            f"### `{key_of(name)}`\n\n{declared.about}\n\n"
            f"- Type: {declared.kind.value}\n- Default: {shown}\n"
        )
    return "\n".join(parts)


def _options_of(command: str) -> Callable[[Path], str]:
    def table(page: Path) -> str:
        import click

        from upcast_lint.cli.root import root

        context = click.Context(root)
        found = root.get_command(context, command)
        assert found is not None
        rows = []
        for option in found.params:
            if not isinstance(option, click.Option):
                continue
            names = ", ".join(f"`{name}`" for name in option.opts)
            value = "" if option.is_flag else _value_of(option)
            rows.append((names + value, _cell(option.help or "")))
        return _markdown(("option", "what it does"), rows)

    return table


def _value_of(option: object) -> str:
    import click

    assert isinstance(option, click.Option)
    if isinstance(option.type, click.Choice):
        return " " + _cell("|".join(f"`{each}`" for each in option.type.choices))
    return f" `{option.metavar or option.type.name.upper().split()[0]}`"


def _action_inputs(page: Path) -> str:
    import yaml

    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    rows = [
        (
            f"`{name}`",
            _cell(" ".join(each["description"].split())),
            f"`{each['default']}`" if each["default"] else "",
        )
        for name, each in action["inputs"].items()
    ]
    return _markdown(("input", "what it says", "default"), rows)


# Hazards


def _hazards(page: Path) -> str:
    listed = re.findall(
        r"^\| (h\d+) \| (.*) \| `(\w+\.py)` \|$",
        (_HAZARDS / "README.md").read_text(encoding="utf-8"),
        re.M,
    )
    rows = [
        (number, _cell(about), f"`{file}::{_test_of(number, _HAZARDS / file)}`")
        for number, about, file in listed
    ]
    return _markdown(("", "hazard", "shown by, in `tests/hazards/`"), rows)


def _test_of(number: str, file: Path) -> str:
    """The first test that shows a hazard to be real."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return next(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and re.fullmatch(rf"test_{number}_\w+_is_real", node.name)
    )


# Evidence on width


def _weights(page: Path) -> str:
    """Each constant of the model's weights with the sentence that stands below it."""
    (path,) = (ROOT / "upcast_lint" / "analysis").rglob("*weights.py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    rows = []
    pending: list[tuple[str, int]] = []
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pending.append((name, ast.literal_eval(value)))
            case ast.Expr(value=ast.Constant(value=str(about))) if pending:
                for name, weight in pending:
                    if name in ("ENOUGH", "SURE"):
                        continue
                    said = name.lower().replace("_", " ")
                    rows.append((said, f"{weight:+d}", _cell(" ".join(about.split()))))
                pending = []
            case _:
                pending = []
    return _markdown(("evidence", "weight", "why"), rows)


_TABLES: dict[str, Callable[[Path], str]] = {
    "rules": _rules,
    "settings": _settings,
    "check-options": _options_of("check"),
    "action-inputs": _action_inputs,
    "verify-options": _options_of("verify"),
    "hazards": _hazards,
    "width-evidence": _weights,
}
