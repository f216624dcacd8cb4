"""Every view in every context: what is known of one is known of all, by the table.

The views are those of the table, called as methods, as functions and by keyword where
torch knows them so. What they make of axes is compared with torch itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from upcast_lint.analysis import ops
from upcast_lint.analysis.effects import effects_of
from upcast_lint.analysis.elements.kinds import kind_of_expression
from upcast_lint.analysis.elements.types import Sort
from upcast_lint.analysis.gradients import no_gradient
from upcast_lint.analysis.indices import is_mask
from upcast_lint.analysis.indices.axes import Line, origin
from upcast_lint.analysis.indices.ranks import Shapes
from upcast_lint.analysis.ops import Axes, Memory, Operation, Role
from upcast_lint.analysis.width.lineage import trail

from .scenes import Scene, function

torch = pytest.importorskip("torch")

ARGUMENTS = {
    Axes.INSERT: ("0", "dim=1", "-1"),
    Axes.DROP: ("0", "dim=0"),
    Axes.SWAP: ("0, 1", "-1, 0", "dim0=1, dim1=2"),
    Axes.MOVE: ("0, 1", "(0, 1), (1, 2)", "source=2, destination=0"),
    Axes.PERMUTE: ("1, 0, 2", "(2, 0, 1)", "dims=(2, 1, 0)"),
    Axes.UNFLATTEN: ("1, (3, 1)", "dim=2, sizes=(2, 2)"),
    Axes.SIZES: ("1, 3, 4", "(1, 12)"),
    Axes.FLATTEN: ("", "0, 1", "start_dim=1"),
    Axes.OF_OTHER: ("other",),
    Axes.EXPAND: ("5, 3, 4",),
    Axes.GIVEN: ("(5, 3, 4)",),
    Axes.ALONG: ("1, 0, 2", "dim=2, start=1, length=2"),
    Axes.REMOVE: ("1, 0", "dim=0, index=0"),
}
"""How an operation of a tensor of the shape `[1, 3, 4]` may be called."""

SHAPE = (1, 3, 4)
ROLES = (Role.VIEW, Role.EXPAND, Role.PART)
NOT_RUN = ("to_local",)
"""Of tensors of another kind."""


@dataclass(frozen=True)
class View:
    """`text` is a view of what stands for the braces."""

    operation: Operation
    text: str

    def of(self, tensor: str) -> str:
        return self.text.format(tensor)

    def __str__(self) -> str:
        return self.of("x")


def _views() -> Iterator[View]:
    for name in sorted(ops.names_of(*ROLES)):
        attribute, method = ops.attribute(name), ops.method(name)
        if attribute is not None:
            if attribute.is_distinctive and attribute.axes is not Axes.REVERSE:
                yield View(attribute, f"{{}}.{name}")
            continue
        if method is None or method.memory is Memory.FRESH or name in NOT_RUN:
            continue
        for given in ARGUMENTS.get(method.axes, ("",)):
            if name == "ravel" and given:
                continue
            if name in ("swapaxes", "t"):
                given = given.replace("dim0", "axis0").replace("dim1", "axis1")
            if name != "t":
                yield View(method, f"{{}}.{name}({given})")
                if hasattr(torch, name) and not _needs_tuple(method, given):
                    given = f", {given}" if given else ""
                    yield View(method, f"torch.{name}({{}}{given})")


def _needs_tuple(method: Operation, given: str) -> bool:
    """Whether a function takes one tuple where the method takes numbers."""
    assert method.takes is not None
    is_open = bool(method.takes) and method.takes[0].name.startswith("*")
    return is_open and given[:1].isdecimal()


VIEWS = list(_views())
WHOLE = [v for v in VIEWS if v.operation.role is Role.VIEW]


def each(views: list[View]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("view", views, ids=str)


def made(view: View, of: str, before: str = "pass") -> Scene:
    return function(f"{before}\nother = torch.zeros(1, 3, 4)\ny = {view.of(of)}")


def test_the_table_has_views_by_many_names() -> None:
    assert len({v.operation.name for v in VIEWS}) >= 20


@each(VIEWS)
def test_a_view_of_a_mask_is_a_mask(view: View) -> None:
    scene = made(view, "m", "m = labels.ne(3)")
    assert is_mask(scene.value("y"), scene.facts) is True


@each(VIEWS)
def test_a_view_of_integers_is_no_mask(view: View) -> None:
    scene = made(view, "m", "m = labels.long()")
    assert is_mask(scene.value("y"), scene.facts) is False


@each(VIEWS)
def test_a_view_keeps_the_type(view: View) -> None:
    scene = made(view, "m", "m = labels.long()")
    assert kind_of_expression(scene.value("y"), scene.facts).kind is Sort.INTEGRAL


@each(VIEWS)
def test_a_view_of_a_free_tensor_is_free(view: View) -> None:
    scene = made(view, "m", "m = labels.detach()")
    value = scene.value("y")
    assert no_gradient(value, value, (), scene.facts, scene.directives, False)


@each([v for v in VIEWS if not v.operation.cuts_gradient])
def test_a_view_of_a_tensor_with_gradients_has_them(view: View) -> None:
    scene = made(view, "x")
    value = scene.value("y")
    assert not no_gradient(value, value, (), scene.facts, scene.directives, False)


@each(VIEWS)
def test_what_writes_to_a_view_writes_to_the_tensor(view: View) -> None:
    scene = function(
        f"x = x.clone()\nother = torch.zeros(1, 3, 4)\ny = {view}\ny.zero_()"
    )
    tensor = next(n for n in scene.nodes() if getattr(n, "id", "") == "x")
    assert effects_of(scene.facts).writes_to(tensor)


@each(WHOLE)
def test_a_view_is_of_the_tensor_that_it_is_traced_to(view: View) -> None:
    scene = made(view, "x")
    assert any(
        getattr(node, "id", "") == "x" for node in trail(scene.value("y"), scene.facts)
    )


@each(VIEWS)
def test_the_rank_of_a_view_is_the_one_that_torch_gives(view: View) -> None:
    scene = made(view, "m", "m = torch.zeros(1, 3, 4)\nb, s, v = m.shape")
    result = _run(view)
    assert Shapes(scene.facts).ranks(scene.value("y")) >= {result.dim()}
    if view.operation.axes not in (Axes.DROP, Axes.OF_OTHER, Axes.GIVEN):
        assert Shapes(scene.facts).ranks(scene.value("y")) == {result.dim()}


@each(VIEWS)
def test_the_axes_of_a_view_come_from_where_torch_takes_them(view: View) -> None:
    """Each element tells by its value where it stood."""
    scene = made(view, "m", "m = torch.zeros(1, 3, 4)\nb, s, v = m.shape")
    result = _run(view)
    value = scene.value("y")
    for axis in range(result.dim()):
        found = origin(
            Line(value, axis, result.dim()), Shapes(scene.facts).ranks, scene.facts
        )
        if found is None:
            assert view.operation.axes not in _EXACT
            continue
        if not found:
            assert result.shape[axis] == 1
            continue
        lines = _lines(result, axis)
        assert any(
            line.rank == 3 and lines <= _lines(_source(), line.axis) for line in found
        )


_EXACT = (
    Axes.INSERT,
    Axes.SWAP,
    Axes.SWAP_LAST,
    Axes.REVERSE,
    Axes.PERMUTE,
    Axes.MOVE,
)
"""Of these every axis is known."""


def _source() -> torch.Tensor:
    return torch.arange(12).view(SHAPE)


def _run(view: View) -> torch.Tensor:
    names = {"torch": torch, "x": _source(), "other": torch.zeros(SHAPE)}
    found = eval(str(view), names)
    assert isinstance(found, torch.Tensor)
    return found


def _lines(tensor: torch.Tensor, axis: int) -> set[frozenset[int]]:
    flat = tensor.movedim(axis, -1).reshape(-1, tensor.shape[axis])
    return {frozenset(row.tolist()) for row in flat}
