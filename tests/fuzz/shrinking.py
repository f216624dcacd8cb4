"""Make a failing program small: remove and simplify parts while it still fails."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy

Predicate = Callable[[str], bool]
_ATTEMPTS = 1500


def shrink(text: str, fails: Predicate, attempts: int = _ATTEMPTS) -> str:
    """The smallest text found for which `fails` holds, as it does for `text`.

    Greedy: each simplification that keeps the failure is kept, until none does.
    """
    best = ast.unparse(ast.parse(text)) + "\n"
    if not fails(best):
        return text
    left = attempts
    progress = True
    while progress and left > 0:
        progress = False
        for candidate in _simpler(best):
            left -= 1
            if left < 0:
                break
            if len(candidate) < len(best) and fails(candidate):
                best = candidate
                progress = True
                break
    return best


def _simpler(text: str) -> Iterator[str]:
    """Texts with one part less, large parts first."""
    tree = ast.parse(text)
    yield from _unused_parameters(tree)
    for path in sorted(_suites(tree), key=lambda p: -len(ast.dump(p[0]))):
        yield from _shorter_suite(tree, path)
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.expr)]
    for number, node in enumerate(nodes):
        for smaller in _parts(node):
            copied = deepcopy(tree)
            target = [n for n in ast.walk(copied) if isinstance(n, ast.expr)][number]
            yield from _rendered(_Replace(target, smaller).visit(copied))


def _rendered(tree: ast.AST) -> Iterator[str]:
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        ast.parse(text)
    except Exception:
        return
    yield text


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, by: ast.AST) -> None:
        self.target = target
        self.by = by

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.target:
            return deepcopy(self.by)
        return self.generic_visit(node)


def _unused_parameters(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        kept = [a for a in function.args.args if a.arg in read]
        if kept != function.args.args and not function.args.defaults:
            copied = deepcopy(tree)
            for twin in ast.walk(copied):
                if isinstance(twin, ast.FunctionDef) and twin.name == function.name:
                    twin.args.args = deepcopy(kept)
            yield from _rendered(copied)


_Path = tuple[ast.AST, str, int]


def _suites(tree: ast.Module) -> Iterator[_Path]:
    """Each suite: its owner, its field, and the owner's number in the tree."""
    for number, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody", "handlers", "decorator_list"):
            if isinstance(getattr(node, field, None), list) and getattr(node, field):
                yield node, field, number


def _shorter_suite(tree: ast.Module, path: _Path) -> Iterator[str]:
    owner, field, number = path
    suite = getattr(owner, field)
    for index, statement in enumerate(suite):
        replacements: list[list[ast.AST]] = [[]]
        if isinstance(statement, ast.stmt) and not isinstance(
            statement, ast.FunctionDef
        ):
            for inner in ("body", "orelse", "finalbody"):
                if getattr(statement, inner, None):
                    replacements.append(getattr(statement, inner))
            if isinstance(statement, ast.Match):
                replacements += [list(case.body) for case in statement.cases]
        for replacement in replacements:
            copied = deepcopy(tree)
            twin = next(n for k, n in enumerate(ast.walk(copied)) if k == number)
            changed = getattr(twin, field)
            changed[index : index + 1] = deepcopy(replacement)
            if not changed and field == "body":
                changed.append(ast.Pass())
            yield from _rendered(copied)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Simpler expressions to stand for one."""
    match node:
        case ast.Call(func=ast.Attribute(value=receiver), args=arguments):
            yield receiver
            yield from arguments
        case ast.Call(args=arguments):
            yield from arguments
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            yield value
        case ast.BinOp(left=left, right=right):
            yield left
            yield right
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse
        case ast.NamedExpr(value=value):
            yield value
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for index, element in enumerate(elements):
                yield element
                rest = elements[:index] + elements[index + 1 :]
                if isinstance(node, ast.Tuple) and rest:
                    yield ast.Tuple(rest, ast.Load())
                elif rest:
                    yield ast.List(rest, ast.Load())
        case ast.Dict(values=values):
            yield from (v for v in values)
        case _:
            return
