"""The shape of the code, read from it: who may import whom, and what a rule has.

finding ← source ← analysis ← rewrite ← rule ← rules/* ← registry ← linter ← runner
← cli
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from upcast_lint.analysis import ops
from upcast_lint.registry import all_rules
from upcast_lint.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "upcast_lint"

LAYERS = (
    (
        "finding",
        "errors",
        "escape",
        "files",
        "lines",
        "links",
        "run_rules",
        "json_spans",
    ),
    ("source", "project"),
    ("analysis",),
    ("rewrite",),
    ("rule",),
    ("rules",),
    ("registry",),
    ("safety", "wording", "across"),
    ("judge",),
    ("screen",),
    ("linter",),
    ("runner",),
    ("cli", "adapters"),
    ("__main__",),
)
"""Parts of the package, lowest first; what is not named stands with the runner."""

ABOVE_ALL = ("verify",)
"""Parts that nothing imports when it is imported itself."""

PROCESS_STARTERS = ("pool", "gitdiff", "verify")


@dataclass(frozen=True, slots=True)
class Code:
    """One module of the product. `name` is dotted and begins with the package."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def part(self) -> str:
        """The top-level part of the package that it belongs to."""
        return part_of(self.name)


@cache
def modules() -> tuple[Code, ...]:
    found = []
    for folder, name in (
        (ROOT / PACKAGE, PACKAGE),
        (ROOT / "rules", f"{PACKAGE}.rules"),
    ):
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            if "fixtures" in parts:
                continue
            dotted = ".".join((name, *parts)).removesuffix(".__init__")
            found.append(Code(dotted, path, ast.parse(path.read_text("utf-8"))))
    return tuple(found)


def part_of(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def names() -> frozenset[str]:
    return frozenset(code.name for code in modules())


def imported(code: Code) -> Iterator[str]:
    """The modules that a module imports, wherever the import stands."""
    package = code.name.split(".")
    if code.path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            dotted = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{dotted}.{alias.name}"
                yield inner if inner in names() else dotted


def rank(part: str) -> int:
    for number, layer in enumerate(LAYERS):
        if part in layer:
            return number
    return rank("runner")


def for_each_module(check: Callable[[Code], None]) -> Callable[[], None]:
    """A test that makes a check on every module and names those that fail it."""

    def test() -> None:
        failures = []
        for code in modules():
            try:
                check(code)
            except AssertionError as error:
                failures.append(f"{code.name}: {str(error).splitlines()[0]}")
        assert not failures, "\n".join(failures)

    test.__name__, test.__doc__ = check.__name__, check.__doc__
    return test


@for_each_module
def test_no_module_imports_a_later_layer(code: Code) -> None:
    if code.part in (*ABOVE_ALL, "__init__"):
        return
    for name in imported(code):
        if name.split(".")[0] == PACKAGE and part_of(name) != "__init__":
            assert part_of(name) not in ABOVE_ALL, name
            assert rank(part_of(name)) <= rank(code.part), name


@for_each_module
def test_only_verify_imports_what_runs_tensors(code: Code) -> None:
    roots = {name.split(".")[0] for name in imported(code)}
    if code.part != "verify":
        assert not roots & {"torch", "numpy"}


@for_each_module
def test_only_what_writes_edits_reads_with_libcst(code: Code) -> None:
    roots = {name.split(".")[0] for name in imported(code)}
    assert "libcst" not in roots or code.part in ("rewrite", "adapters")


@for_each_module
def test_only_the_command_line_and_verify_print(code: Code) -> None:
    if code.part in ("cli", "verify"):
        return
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in ("print", "click.echo", "click.secho")


@for_each_module
def test_only_the_runner_git_and_verify_start_processes(code: Code) -> None:
    roots = {name.split(".")[0] for name in imported(code)}
    if code.part not in PROCESS_STARTERS:
        assert not roots & {"subprocess", "multiprocessing", "concurrent", "asyncio"}
    called = {
        ast.unparse(n.func) for n in ast.walk(code.tree) if isinstance(n, ast.Call)
    }
    assert not called & {"os.system", "os.popen", "os.fork", "os.execv"}


@for_each_module
def test_nothing_opens_a_socket(code: Code) -> None:
    roots = {name.split(".")[0] for name in imported(code)}
    assert not roots & {"socket", "http", "requests", "ssl"}
    assert "urllib.request" not in set(imported(code))


@for_each_module
def test_nothing_runs_the_text_that_it_reads(code: Code) -> None:
    if code.part == "verify":
        return
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "compile", "__import__")


@for_each_module
def test_analysis_and_rewrite_are_pure(code: Code) -> None:
    if code.part not in ("analysis", "rewrite", "rules", "safety", "judge"):
        return
    roots = {name.split(".")[0] for name in imported(code)}
    assert not roots & {"os", "sys", "shutil", "tempfile", "random", "time"}
    if code.part != "rules":
        assert "pathlib" not in roots
    called = {
        ast.unparse(n.func) for n in ast.walk(code.tree) if isinstance(n, ast.Call)
    }
    assert "open" not in called and "input" not in called


@for_each_module
def test_no_one_names_the_rules_package_when_importing(code: Code) -> None:
    assert not any(name.startswith(f"{PACKAGE}.rules") for name in imported(code))


@for_each_module
def test_rules_know_analysis_alone(code: Code) -> None:
    if code.part != "rules":
        return
    for name in imported(code):
        if name.split(".")[0] == PACKAGE:
            assert part_of(name) in ("analysis", "rule"), name


@for_each_module
def test_every_module_says_what_it_is_for(code: Code) -> None:
    if code.path.read_text("utf-8").strip():
        assert ast.get_docstring(code.tree)


@for_each_module
def test_every_dataclass_has_slots(code: Code) -> None:
    for node in ast.walk(code.tree):
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                if "dataclass" in ast.unparse(decorator):
                    assert "slots=True" in ast.unparse(decorator), node.name


@for_each_module
def test_nothing_is_swallowed(code: Code) -> None:
    """A handler of everything does more than pass over it."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None
            broad = ast.unparse(node.type) in ("Exception", "BaseException")
            assert not (broad and all(isinstance(s, ast.Pass) for s in node.body))


ENGINE = ("analysis", "rewrite", "rules", "safety", "judge", "screen", "linter")
TABLE = f"{PACKAGE}.analysis.ops"


@for_each_module
def test_what_is_known_of_operations_stands_in_their_table(code: Code) -> None:
    """No list names three operations of torch; a rule lists those that it owns.

    Lists of words that names are made of may hold some, if most are no operations.
    """
    if code.part not in ENGINE or code.name.startswith(TABLE):
        return
    own = owned_names(code)
    for row, listed in lists_of_names(code.tree):
        known = {each for each in listed if each.rpartition(".")[2] in operations()}
        is_owned = own is not None and listed <= own
        is_table = len(known) >= 3 and 2 * len(known) > len(listed)
        assert not is_table or is_owned, f"line {row}: {sorted(known)}"


@cache
def operations() -> frozenset[str]:
    """The names of the table that are not Python's as well, such as `int`."""
    return ops.names_of(*ops.Role) - frozenset(dir(builtins))


def owned_names(code: Code) -> frozenset[str] | None:
    """The names that a rule declares, if the module is of a rule."""
    found = [rule for rule in all_rules() if rule.folder == code.path.parent]
    return found[0].names if found else None


def lists_of_names(tree: ast.Module) -> Iterator[tuple[int, frozenset[str]]]:
    """The strings of each display, of each set made of a text, of each pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Set() | ast.Tuple() | ast.List():
                yield node.lineno, strings(node.elts)
            case ast.Dict(keys=keys):
                yield node.lineno, strings(keys)
            case ast.MatchOr(patterns=patterns):
                values = [getattr(each, "value", None) for each in patterns]
                yield node.lineno, strings(values)
            case ast.Call(
                func=ast.Name(id="words" | "word_set"),
                args=[ast.Constant(value=str() as text)],
            ):
                yield node.lineno, frozenset(text.split())


def strings(nodes: Iterable[ast.expr | None]) -> frozenset[str]:
    return frozenset(
        each.value
        for each in nodes
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


PLACES = {"lineno", "end_lineno", "col_offset", "end_col_offset"}
OF_THE_TEXT = (
    "analysis.parents",  # the function in a row
    "analysis.directives",  # the statement of a comment
    "analysis.casts",  # in the order in which they are reported
    "judge",  # the rows that suppress a finding
)


@for_each_module
def test_no_order_is_read_from_line_numbers(code: Code) -> None:
    """What runs before what, the flow graph tells."""
    name = code.name.removeprefix(f"{PACKAGE}.")
    if name in OF_THE_TEXT or (
        code.part not in ("analysis", "rules", "safety", "judge")
    ):
        return
    for node in ast.walk(code.tree):
        is_order = isinstance(node, ast.Compare) or (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).rpartition(".")[2]
            in ("sort", "sorted", "min", "max", "bisect_left", "bisect_right")
        )
        if is_order:
            parts = list(ast.walk(node))
            read = {p.attr for p in parts if isinstance(p, ast.Attribute)}
            read |= {p.value for p in parts if isinstance(p, ast.Constant)}
            assert not read & PLACES, ast.unparse(node)


def test_the_modules_of_a_layer_import_one_another_without_a_circle() -> None:
    """At import time: imports inside functions and for types are left out."""
    graph = {code.name: set(_at_import_time(code)) for code in modules()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail, name))
        if name in done:
            return
        for other in sorted(graph.get(name, ())):
            visit(other, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def _at_import_time(code: Code) -> Iterator[str]:
    top = ast.Module(
        [s for s in code.tree.body if isinstance(s, ast.Import | ast.ImportFrom)], []
    )
    for name in imported(Code(code.name, code.path, top)):
        if name in names() and name not in (PACKAGE, code.name):
            yield name


def test_every_layer_exists() -> None:
    parts = {code.part for code in modules()} | {"__main__"}
    assert {part for layer in LAYERS for part in layer} <= parts


SECTIONS = [
    "What it does",
    "Why it costs",
    "Example",
    "Fix safety",
    "When it stays silent",
    "References",
]

RULES = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def test_there_is_a_rule_in_every_folder_and_no_other() -> None:
    folders = {p.parent for p in (ROOT / "rules").glob("*/__init__.py")}
    assert {rule.folder.resolve() for rule in all_rules()} == folders


def test_codes_and_names_are_unique() -> None:
    rules = all_rules()
    assert len({rule.code for rule in rules}) == len(rules)
    assert len({rule.name for rule in rules}) == len(rules)
    assert [rule.code for rule in rules] == sorted(rule.code for rule in rules)


@RULES
def test_a_code_has_three_digits_and_is_not_about_the_run(rule: Rule) -> None:
    assert re.fullmatch(r"UPC[0-8]\d\d", rule.code)


@RULES
def test_folder_and_name_share_one_spelling(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert rule.folder.name == rule.name.replace("-", "_")


@RULES
def test_a_summary_is_one_line_without_a_full_stop(rule: Rule) -> None:
    assert rule.summary
    assert "\n" not in rule.summary and not rule.summary.endswith(".")
    assert len(rule.summary) <= 88


@RULES
def test_a_page_has_its_sections_in_order(rule: Rule) -> None:
    page = rule.doc()
    assert page.startswith(f"# {rule.name} ({rule.code})\n")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == SECTIONS
    for section in re.split(r"^## .*$", page, flags=re.MULTILINE)[1:]:
        assert section.strip()


@RULES
def test_the_example_of_a_page_is_code(rule: Rule) -> None:
    example = rule.doc().partition("## Example")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", example, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        ast.parse(block)


@RULES
def test_a_rule_has_fixtures_with_a_before_and_an_after(rule: Rule) -> None:
    paths = rule.fixture_paths()
    assert paths
    for path in paths:
        tree = ast.parse(path.read_text("utf-8"))
        names = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
        assert {"before", "after"} <= names, path.name


@RULES
def test_a_rule_keeps_no_state(rule: Rule) -> None:
    for path in rule.folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not isinstance(node, ast.Global | ast.ClassDef)
