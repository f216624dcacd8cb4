"""The table of operations beside torch's own schemas: arguments, views and writes."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from upcast_lint.analysis import ops
from upcast_lint.analysis.ops import Memory, Operation, Role
from upcast_lint.analysis.words import words

torch = pytest.importorskip("torch")

NAMES = sorted(
    name
    for name in ops.names_of(*Role)
    if ops.method(name) is not None and not name.endswith("_")
)
ELSEWHERE = words(
    """
    self input dtype device layout memory_format requires_grad non_blocking as_tuple
    """
)
"""Parameters that the binding to Python adds or renames."""

UNTRACKED = ("unsafe_chunk", "unsafe_split")
"""Views that autograd is not told of, so that the schema calls them fresh."""


@cache
def schemas() -> dict[str, list[Any]]:
    """The schemas of each operator, those that write to `out` aside."""
    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        arguments = schema.arguments
        is_tensors = bool(arguments) and str(arguments[0].type) == "Tensor"
        if space == "aten" and is_tensors and not any(a.is_out for a in arguments):
            found.setdefault(name, []).append(schema)
    return found


def known(names: list[str]) -> list[str]:
    return [name for name in names if name in schemas() and hasattr(torch.Tensor, name)]


def row(name: str) -> Operation:
    found = ops.method(name)
    assert found is not None
    return found


def shares(schema: Any) -> bool:
    """Whether what an operator returns is, or may be, memory of its tensor."""
    return any(each.alias_info is not None for each in schema.returns)


def parameters(schema: Any) -> list[str]:
    return [a.name for a in schema.arguments if a.name != "self"]


@pytest.mark.parametrize("name", known(NAMES))
def test_parameters_are_those_of_a_schema_and_in_its_order(name: str) -> None:
    takes = row(name).takes
    if takes is None or any(each.name.startswith("*") for each in takes):
        return
    wanted = [p.name for p in takes if p.name not in ELSEWHERE]
    spelled = dict(row(name).others)
    others = {p: {p, *(o for o, n in spelled.items() if n == p)} for p in wanted}
    for each in wanted:
        assert any(others[each] & set(parameters(s)) for s in schemas()[name]), each
    assert any(_in_order(wanted, others, parameters(s)) for s in schemas()[name])


def _in_order(wanted: list[str], others: dict[str, set[str]], given: list[str]) -> bool:
    """Whether the parameters that a schema has stand in the order of the table."""
    places = [
        min(given.index(o) for o in others[each] & set(given))
        for each in wanted
        if others[each] & set(given)
    ]
    return bool(places or not wanted) and places == sorted(places)


@pytest.mark.parametrize(
    "name",
    known([n for n in NAMES if row(n).memory is Memory.VIEW and n not in UNTRACKED]),
)
def test_a_view_is_one_by_its_schema(name: str) -> None:
    assert any(map(shares, schemas()[name]))


@pytest.mark.parametrize(
    "name", known([n for n in NAMES if row(n).memory in (Memory.FRESH, Memory.VALUE)])
)
def test_what_is_fresh_shares_nothing_by_its_schema(name: str) -> None:
    assert not any(map(shares, schemas()[name]))


@pytest.mark.parametrize("name", known(NAMES))
def test_what_writes_to_nothing_writes_to_nothing_by_its_schema(name: str) -> None:
    written = {
        argument.name
        for schema in schemas()[name]
        for argument in schema.arguments
        if argument.alias_info is not None and argument.alias_info.is_write
    }
    assert written <= {each.target for each in row(name).writes}


INPLACE = sorted(
    name for name in schemas() if name.endswith("_") and not name.startswith("_")
)


@pytest.mark.parametrize("name", known(INPLACE))
def test_what_ends_with_an_underscore_writes_to_its_tensor(name: str) -> None:
    found = ops.method(name)
    if found is not None:
        assert "self" in {each.target for each in found.writes}


def test_enough_of_the_table_has_a_schema() -> None:
    assert len(known(NAMES)) > 300
