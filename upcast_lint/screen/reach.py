"""Whether a cast may reach a selection: the flow analysis, taken wide.

Every name that may hold a copy is followed wherever it stands: rebinding, branches and
order are ignored, nested scopes share their names with those around them, and a method
or function counts by its name, whatever it is called on. So nothing is missed that the
flow analysis finds, and most functions with a cast are ruled out: their copies only
meet arithmetic, arguments and `return`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from ..analysis import ops
from ..analysis.ops import Role
from ..analysis.values import is_whole, items_of
from ..project import Project, imported_names, split_name
from .outline import Outline, Span
from .spots import is_word, torch_names
from .statements import Statements, Unclear

_WIDE = frozenset(("float32", "float64", "float", "double"))
_AFTER_TARGET = re.compile(r"[\s\\]*(?!==)[=,)\]:#]")
_NEW_LINE = re.compile(r"(?<![\\\r])\r?\n")
_NEAR = 400
"""How far the sign of an assignment is looked for, before it is parsed."""
_MOST_NAMES = 50
"""Up to so many names are looked for one by one."""
_IMPORT = re.compile(
    r"(?:from\b[.\w \t]+?)?\bimport\b[ \t]*"
    r"(?:\((?:[^()#]|#[^\n]*)*\)|(?:\\\r?\n|[^\n;#\\])*)"
)
_OF_TORCH = ("import torch", "from torch")
_WORD = re.compile(r"\w+")
Slots = frozenset[int | str]
"""Parameters, by their place or by their name."""
_DISPLAY = (ast.Tuple, ast.List)
_SUITES = frozenset(("body", "orelse", "finalbody", "handlers", "cases"))


class _Found(Exception):
    """A copy may meet a selection."""


class Known:
    """What is known of the file that a text is part of.

    `selections` are the names of methods and functions that some rule knows;
    `names_a_type` says that the module may bind a wide type to a name.
    """

    def __init__(
        self,
        outline: Outline,
        selections: frozenset[str],
        project: Project | None = None,
    ) -> None:
        self.text = outline.text
        self.project = project
        self.outline = outline
        self.selections = selections
        self.names_a_type = False
        self.casting: set[str] = set()
        """The functions of the file that may do no more than to cast."""
        self._functions: dict[str, set[str]] = {}
        self._takers: dict[tuple[str, Slots], frozenset[Span]] = {}
        self._elsewhere: dict[tuple[str, Slots], bool] = {}
        self._known_origins: dict[str, list[str]] = {}

    @cached_property
    def imported(self) -> dict[str, str]:
        """What the names stand for that are imported from torch."""
        return torch_names(self.text)

    @cached_property
    def _statements(self) -> Statements:
        return Statements(self.text)

    def functions_of(self, name: str) -> set[str]:
        """The functions of torch that a name may stand for, as far as they matter.

        By import, or because the file somewhere assigns it a name or an attribute.
        """
        if name in self._functions:
            return self._functions[name]
        found: set[str] = set()
        names = [name]
        for each in names:  # which grows meanwhile
            found.add(self.imported.get(each, ""))
            for value in self._assigned(each):
                if isinstance(value, ast.Attribute):
                    found.add(value.attr)
                elif isinstance(value, ast.Name) and value.id not in names:
                    names.append(value.id)
                    if len(names) > _MOST_NAMES:
                        raise Unclear("a name stands for many others")
        self._functions[name] = found
        return found

    def places_of(self, name: str) -> Iterator[int]:
        """Where a function of the file is named, but where it is defined."""
        for offset in _places_of(name, self.text):
            if self.text[offset - 4 : offset] != "def ":
                yield offset

    def takers_of(self, name: str, slots: Slots) -> frozenset[Span]:
        """The functions of a name that may read narrowly what they are given.

        With those that they give it to in turn.
        """
        if not slots:
            return frozenset()
        key = (name, slots)
        if key not in self._takers:
            self._takers[key] = frozenset()  # where it is given to itself
            found: set[Span] = set()
            for offset in _places_of(name, self.text, f"def {name}"):
                span = self.outline.function_at(offset)
                if span is None:
                    raise Unclear("a function cannot be cut out")
                reach = Reach(self.text[span.start : span.end], self)
                if reach.takes_narrowly(offset - span.start, slots):
                    found |= {span, *reach.takers}
            self._takers[key] = frozenset(found)
        return self._takers[key]

    def imports(self, node: ast.expr) -> bool:
        """Whether names with dots begin with one that may be of another file."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if self.project is None or not isinstance(node, ast.Name):
            return False
        return bool(self._origins(node.id))

    def is_taken_elsewhere(self, name: str, slots: Slots) -> bool:
        """Whether a function of another file may read narrowly what it is given.

        By its name here, or by names with dots that begin with a module's.
        """
        if self.project is None or not slots:
            return False
        key = (name, slots)
        if key not in self._elsewhere:
            path = self.project.path
            self._elsewhere[key] = self._is_taken(name, slots, self.project, path, 1)
        return self._elsewhere[key]

    def _is_taken(
        self, name: str, slots: Slots, project: Project, importer: str, more: int
    ) -> bool:
        """Where a file imports it in turn, so many more are looked into."""
        first, dot, rest = name.partition(".")
        for origin in self._origins(first):
            module, function = split_name(origin + dot + rest)
            source = project.module(module, importer) if module else None
            if source is None:
                continue
            if "\r" in source.text or "\f" in source.text:
                raise Unclear("lines are not what line feeds tell")
            other = Known(Outline(source.text), self.selections)
            if other.takers_of(function, slots) or (
                more
                and other._is_taken(function, slots, project, source.path, more - 1)
            ):
                return True
        return False

    def _origins(self, name: str) -> list[str]:
        """What a name stands for that is imported, from torch aside, in any scope."""
        if name not in self._known_origins:
            found = self._known_origins[name] = []
            for text in self._imports:
                if name not in text:
                    continue
                try:
                    (statement,) = ast.parse(text).body
                except (SyntaxError, ValueError):  # in a string, or no statement
                    continue
                names = imported_names(statement)
                found += (origin for bound, origin in names if bound == name)
        return self._known_origins[name]

    @cached_property
    def _imports(self) -> list[str]:
        """The texts of the imports, and of some that only look like one."""
        found: list[str] = []
        for offset in _places_of("import", self.text):
            match = _IMPORT.search(self.text, self.text.rfind("\n", 0, offset) + 1)
            if match is not None and match.start() <= offset:
                found.append(match[0])
        return [each for each in found if not each.startswith(_OF_TORCH)]

    def _assigned(self, name: str) -> Iterator[ast.expr]:
        """What the file assigns to a name, or to several of which it is one."""
        done = 0
        for offset in _places_of(name, self.text):
            if offset < done or not _may_be_target(self.text, offset + len(name)):
                continue
            given = list(_given_on_line(name, offset, self.text))
            if given:
                yield from given
                continue
            statements = self._statements
            number = statements.number_at(offset)
            done = statements.end_of(number)
            if statements.code.find("=", offset, done) >= 0:
                for statement in statements.parsed(number):
                    yield from _values_given(name, statement)


class Reach:
    """Of the casts in one text, which is a file's or a part of it."""

    def __init__(self, text: str, known: Known) -> None:
        """Raises Unclear, as `is_narrow` does."""
        self.text = text
        self.known = known
        self.statements = Statements(text)
        self.carriers: set[str] = set()
        self.fresh: list[str] = []
        self._read_whole: dict[str, bool] = {}
        self._taken: dict[int, set[str]] = {}
        self._is_taken_elsewhere = False
        """Whether a function of another file may read a copy narrowly."""
        self.takers: frozenset[Span] = frozenset()
        """The functions of the file that read a copy narrowly."""

    def takes_narrowly(self, offset: int, slots: Slots) -> bool:
        """Whether the function whose `def` stands at an offset may select.

        From what it is given in some slots.
        """
        for statement in self.statements.parsed(self.statements.number_at(offset)):
            if isinstance(statement, ast.FunctionDef):
                given = statement.args
                placed = [*given.posonlyargs, *given.args]
                self.fresh = [
                    each.arg
                    for place, each in enumerate([*placed, *given.kwonlyargs])
                    if each.arg in slots or (place in slots and place < len(placed))
                ]
        self.carriers.update(self.fresh)
        return self.is_narrow(())

    def is_narrow(self, offsets: Iterable[int]) -> bool:
        """Whether a cast that stands at one of the offsets may reach a selection."""
        try:
            self._visit_at(offsets)
            while self.fresh:
                # Statements seen before may hold these names, too.
                names, self.fresh = self.fresh, []
                self._visit_at(each for name in names for each in self._places(name))
        except _Found:
            return True
        return bool(self.takers) or self._is_taken_elsewhere

    def _places(self, name: str) -> Iterable[int]:
        """Where a name stands; of many names the places are collected at once."""
        if len(self.carriers) <= _MOST_NAMES:
            return _places_of(name, self.text)
        return self._words.get(name, ())

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for match in _WORD.finditer(self.text):
            found.setdefault(match[0], []).append(match.start())
        return found

    def _visit_at(self, offsets: Iterable[int]) -> None:
        for number in sorted(set(map(self.statements.number_at, offsets))):
            for statement in self.statements.parsed(number):
                self._visit(statement)

    def _visit(self, statement: ast.stmt) -> None:
        """Follow what a statement evaluates; not the statements in it."""
        match statement:
            case ast.Assign(targets=targets, value=value):
                self._bind(targets, self._assigned(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind([target], self._assigned(value))
            case ast.For(iter=source) | ast.AsyncFor(iter=source):
                self._iterate(source)
                self._carries(statement.target)
            case ast.Match():
                self._carries(statement.subject)
                for case in statement.cases:
                    if case.guard is not None:
                        self._carries(case.guard)
            case _:
                for name, value in ast.iter_fields(statement):
                    if name not in _SUITES:
                        self._visit_all(value if isinstance(value, list) else [value])

    def _visit_all(self, nodes: Iterable[object]) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self._carries(node)

    def _assigned(self, value: ast.expr) -> bool:
        """Whether a value, or an element of it that is unpacked, may be a copy."""
        return any([self._carries(element) for element in _unpacked(value)])

    def _bind(self, targets: list[ast.expr], carries: bool) -> None:
        for target in targets:
            self._carries(target)
            if not carries:
                continue
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and part.id not in self.carriers:
                    self.carriers.add(part.id)
                    self.fresh.append(part.id)

    def _carries(self, node: ast.AST) -> bool:
        """Whether an expression may be a copy. Raises where a copy is read narrowly."""
        match node:
            case ast.Name():
                return node.id in self.carriers
            case ast.Constant():
                return False
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                carries = self._carries(node.value)
                return carries and node.attr in ops.names_of(Role.VIEW)
            case ast.Subscript():
                carries = self._carries(node.value)
                self._carries(node.slice)
                is_read = isinstance(node.ctx, ast.Load)
                keeps_all = all(map(is_whole, items_of(node.slice)))
                if carries and is_read and not keeps_all:
                    raise _Found
                return carries
            case ast.BinOp():
                left, right = self._carries(node.left), self._carries(node.right)
                return left or right
            case ast.UnaryOp():
                return self._carries(node.operand)
            case ast.IfExp():
                self._carries(node.test)
                body, orelse = self._carries(node.body), self._carries(node.orelse)
                return body or orelse
            case ast.NamedExpr():
                carries = self._carries(node.value)
                self._bind([node.target], carries)
                return carries
            case ast.comprehension():
                self._iterate(node.iter)
                for condition in node.ifs:
                    self._carries(condition)
                return False
            case _:
                self._visit_all(ast.iter_child_nodes(node))
                return False

    def _iterate(self, source: ast.expr) -> None:
        """Follow what is iterated over, perhaps by way of `enumerate` and its like."""
        if self._carries(source):
            raise _Found
        if isinstance(source, ast.Call):
            for argument in source.args:
                self._iterate(argument)

    def _call(self, call: ast.Call) -> bool:
        given = [self._carries(argument) for argument in call.args]
        given += [self._carries(keyword.value) for keyword in call.keywords]
        carries = any(given)
        match call.func:
            case ast.Attribute(value=value, attr=name):
                if isinstance(value, ast.Name) and value.id == "self":
                    self.takers |= self.known.takers_of(name, self._slots(call, 1))
                elif carries and self.known.imports(value):
                    self._hand_to_import(ast.unparse(call.func), call)
                carries |= self._carries(value)
                if self._is_cast(call, name):
                    carries = True
                    if name not in self.known.selections:
                        return True
            case ast.Name(id=alias):
                if alias in self.known.casting or self._is_cast(call, alias):
                    return True
                if not carries:
                    return False
                names = self.known.functions_of(alias)
                if names & self.known.selections:
                    raise _Found
                self.takers |= self.known.takers_of(alias, self._slots(call))
                if self.known.imports(call.func):
                    self._hand_to_import(alias, call)
                return bool(names & _steps())
            case _:
                self._carries(call.func)
                return False
        if carries and name in self.known.selections:
            raise _Found
        return carries and name in _steps()

    def _hand_to_import(self, name: str, call: ast.Call) -> None:
        """Follow a copy that is given as it is to a function of another file."""
        if not self._is_taken_elsewhere:
            slots = self._slots(call)
            self._is_taken_elsewhere = self.known.is_taken_elsewhere(name, slots)

    def _slots(self, call: ast.Call, skipped: int = 0) -> Slots:
        """Where a call gives a copy as it is, behind the first parameters."""
        found: set[int | str] = set()
        for place, each in enumerate(call.args, skipped):
            if isinstance(each, ast.Starred):
                break
            if self._is_copy(each):
                found.add(place)
        for keyword in call.keywords:
            if keyword.arg is not None and self._is_copy(keyword.value):
                found.add(keyword.arg)
        return frozenset(found)

    def _is_copy(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return name in self.carriers and not self._is_read_whole(name)
            case ast.Call(func=ast.Attribute(attr=name)):
                return self._is_cast(node, name)
            case _:
                return False

    def _is_read_whole(self, name: str) -> bool:
        """Whether arithmetic or a `return` takes what a name holds, here or there."""
        if name not in self._read_whole:
            numbers = {self.statements.number_at(each) for each in self._places(name)}
            self._read_whole[name] = any(name in self._operands(n) for n in numbers)
        return self._read_whole[name]

    def _operands(self, number: int) -> set[str]:
        """The names that arithmetic or a `return` takes in a statement."""
        if number not in self._taken:
            self._taken[number] = {
                operand.id
                for statement in self.statements.parsed(number)
                for node in _walk(statement)
                for operand in _operands(node)
                if isinstance(operand, ast.Name)
            }
        return self._taken[number]

    def _is_cast(self, call: ast.Call, name: str) -> bool:
        if name in ("float", "double"):
            return isinstance(call.func, ast.Attribute)
        if name not in ops.casts() | ops.casting_inside():
            return False
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        return any(map(self._may_be_type, values))

    def _may_be_type(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute():
                return _is_type(node)
            case ast.Name(id=name):
                is_wide = name in _WIDE or self.known.imported.get(name) in _WIDE
                return is_wide or self._names_a_type
            case _:
                return False

    @cached_property
    def _names_a_type(self) -> bool:
        """Whether a name may stand for a wide type."""
        return self.known.names_a_type or ":=" in self.text or self._binds_type()

    def _binds_type(self) -> bool:
        """Whether an assignment gives a wide type a name."""
        numbers = {
            self.statements.number_at(offset)
            for name in _WIDE
            for offset in _places_of(name, self.text)
        }
        for number in numbers:
            for statement in self.statements.parsed(number):
                match statement:
                    case (
                        ast.Assign(value=value)
                        | ast.AnnAssign(value=ast.expr() as value)
                    ) if any(map(_is_type, _unpacked(value))):
                        return True
        return False


def _places_of(name: str, text: str, words: str = "") -> Iterator[int]:
    """Where a name stands in a text, as a word of its own, and as the last of words."""
    words = words or name
    found = text.find(words)
    while found >= 0:
        end = found + len(words)
        if not (is_word(text[found - 1 : found]) or is_word(text[end : end + 1])):
            yield end - len(name)
        found = text.find(words, end)


def _given_on_line(name: str, offset: int, text: str) -> Iterator[ast.expr]:
    """What the line around an offset assigns to a name, if it is a statement."""
    end = text.find("\n", offset)
    line = text[text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(text)]
    try:
        parsed = ast.parse(line.strip())
    except (SyntaxError, ValueError):
        return
    for statement in parsed.body:
        yield from _values_given(name, statement)


def _values_given(name: str, statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement, not those in it, assigns to a name, perhaps among others."""
    for node in _walk(statement):
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case ast.NamedExpr(target=target, value=value):
                targets = [target]
            case _:
                continue
        bound = (part for target in targets for part in ast.walk(target))
        if any(isinstance(part, ast.Name) and part.id == name for part in bound):
            yield from _unpacked(value)


def _unpacked(value: ast.expr) -> Iterator[ast.expr]:
    """The elements of a display, of those in it, too; or what is none."""
    if isinstance(value, _DISPLAY):
        for element in value.elts:
            yield from _unpacked(element)
    else:
        yield value


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _WIDE


def _walk(statement: ast.stmt) -> Iterator[ast.AST]:
    nodes: list[ast.AST] = [statement]
    for node in nodes:  # which grows meanwhile
        yield node
        nodes += (
            each
            for each in ast.iter_child_nodes(node)
            if not isinstance(each, ast.stmt)
        )


def _operands(node: ast.AST) -> tuple[ast.expr | None, ...]:
    """What arithmetic or a `return` takes."""
    match node:
        case ast.BinOp(left=left, right=right):
            return (left, right)
        case ast.Return(value=value):
            return (value,)
        case _:
            return ()


def _may_be_target(text: str, end: int) -> bool:
    """Whether a name that ends there may be assigned to, as a glance tells."""
    if _AFTER_TARGET.match(text, end) is None:
        return False
    sign = text.find("=", end, end + _NEAR)
    if sign < 0:
        return True
    closed = max(text.rfind(bracket, end, sign) for bracket in ")]")
    return _NEW_LINE.search(text, max(closed, end), sign) is None


@cache
def _steps() -> frozenset[str]:
    """The methods and functions whose result may be a copy again."""
    arithmetic = ops.names_of(Role.ARITHMETIC)
    others = ops.names_of(
        Role.VIEW, Role.SIGN, Role.EXPORT, Role.MOVE, Role.COPY, Role.ELEMENTWISE
    )
    in_place = {f"{name}_" for name in arithmetic}
    return arithmetic | others | ops.row_wise() | in_place | {"to", "expand"}
