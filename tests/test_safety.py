"""How safe a rewrite is: each condition where it is needed, and where it is not.

Sources are called `logits`, which are taken for ordinary floats, where the type of
the elements is not the question.
"""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.rewrite.helpers import IMPORTS, source_of
from upcast_lint.analysis.coverage import are_disjoint
from upcast_lint.analysis.reads import Piece
from upcast_lint.finding import Confidence, Finding, Safety
from upcast_lint.linter import Options, lint


def finding(code: str, *, inference: bool = False) -> Finding:
    text = IMPORTS + dedent(code).lstrip("\n")
    options = Options(least=Confidence.LOW, inference=inference)
    (found,) = lint(source_of(text), options)
    return found


def conditions(code: str) -> list[str]:
    text = finding(code).condition
    return [] if text is None else [text]


REPEATS = "gradients are summed in the source's dtype if an index repeats in `ids`"
SEVERAL = (
    "the copy is read more than once on a path: gradients are then added in the "
    "source's dtype; or no gradient flows"
)
ROUNDS = "no element is selected in two rounds of the loop, or no gradient flows"
BETWEEN = (
    "`logits` is also used between the cast and the selection: the order in which "
    "gradients are added may change; or no gradient flows"
)
FINITE = (
    "no gradient flows, or the arithmetic before the selection has a finite "
    "derivative everywhere"
)

SAFE = {
    "one index a row": """
        def f(logits, labels):
            return logits.float().gather(-1, labels.unsqueeze(-1))
    """,
    "the columns of a topk": """
        def f(logits, other):
            best = other.topk(8, dim=-1).indices
            return logits.float().gather(-1, best)
    """,
    "rows that are kept once": """
        def f(logits, mask):
            rows = mask.nonzero().squeeze(-1)
            return logits.float().index_select(0, rows)
    """,
    "the last step": """
        def f(logits):
            return logits.float()[:, -1]
    """,
    "a mask": """
        def f(logits, labels):
            return logits.float()[labels != -100]
    """,
    "the largest of each row": """
        def f(logits):
            return logits.float().argmax(-1)
    """,
    "no gradient by decorator": """
        @torch.no_grad()
        def f(logits, ids):
            return logits.float().gather(-1, ids)
    """,
    "no gradient by context": """
        def f(logits, ids):
            with torch.inference_mode():
                return logits.float().gather(-1, ids)
    """,
    "a detached source": """
        def f(logits, ids):
            return logits.detach().float().gather(-1, ids)
    """,
    "arithmetic with finite numbers": """
        def f(logits, labels):
            return (logits.float() / 0.7).gather(-1, labels.unsqueeze(-1))
    """,
    "a source written to before the cast": """
        def f(logits):
            logits.div_(2)
            return logits.float()[:, -1]
    """,
    "a source written to after the read of a view": """
        def f(logits):
            last = logits.float()[:, -1]
            logits.div_(2)
            return last
    """,
    "an unknown call before the cast": """
        def f(logits, g):
            g(logits)
            return logits.float()[:, -1]
    """,
    "an unknown call after the read": """
        def f(logits, g):
            last = logits.float()[:, -1]
            g(logits)
            return last
    """,
    "an unknown call, where the source is made here": """
        def f(x, y, g, ids):
            logits = torch.matmul(x, y)
            wide = logits.float()
            g(ids)
            return wide[:, -1]
    """,
    "arms that exclude each other": """
        def f(logits, labels, c):
            wide = logits.float()
            if c:
                return wide[:, -1]
            return wide.gather(-1, labels.unsqueeze(-1))
    """,
    "parts that do not overlap": """
        def f(logits, n):
            wide = logits.float()
            return wide[:, 0:2], wide[:, 2:3]
    """,
    "metadata between": """
        def f(logits):
            wide = logits.float()
            size = logits.shape
            return wide[:, -1].view(size[0], -1)
    """,
    "positions alone, read twice": """
        def f(logits):
            wide = logits.float()
            return wide.argmax(-1), wide.argmin(-1)
    """,
}


@pytest.mark.parametrize("code", SAFE.values(), ids=SAFE.keys())
def test_safe(code: str) -> None:
    found = finding(code)
    assert found.condition is None
    assert found.safety is Safety.SAFE
    assert found.fix is not None and found.fix.safety is Safety.SAFE


UNSAFE = {
    "an index that may repeat": (
        """
        def f(logits, ids):
            return logits.float().gather(-1, ids)
        """,
        f"{REPEATS}; safe with `# upcast-lint: distinct(ids)` or under no_grad",
    ),
    "an index that has no name": (
        """
        def f(logits, ids):
            return logits.float().gather(-1, ids.long())
        """,
        "gradients are summed in the source's dtype if an index repeats in "
        "`ids.long()`",
    ),
    "an unknown call of something else": (
        """
        def f(logits, g, ids):
            wide = logits.float()
            g(ids)
            return wide[:, -1]
        """,
        "`g` does not change `logits`",
    ),
    "two reads of one path": (
        """
        def f(logits):
            wide = logits.float()
            return wide[:, -1], wide[:, 0]
        """,
        f"nothing writes to `[:, -1]` or `[:, 0]`, which shared memory; {SEVERAL}",
    ),
    "a read and a full read of one path": (
        """
        def f(logits, c):
            wide = logits.float()
            last = wide[:, -1]
            if c:
                return last, wide.logsumexp(-1)
            return last
        """,
        SEVERAL,
    ),
    "every round of a loop": (
        """
        def f(logits, labels):
            wide = logits.float()
            out = []
            for label in labels:
                out.append(wide.gather(-1, label.unsqueeze(-1)))
            return out
        """,
        ROUNDS,
    ),
    "a use between": (
        """
        def f(logits):
            wide = logits.float()
            total = logits.sum()
            return wide[:, -1], total
        """,
        BETWEEN,
    ),
    "an unknown call between": (
        """
        @torch.no_grad()
        def f(logits, g):
            wide = logits.float()
            g(logits)
            return wide[:, -1]
        """,
        "`g` does not change `logits`",
    ),
    "arithmetic with an unknown number": (
        """
        def f(logits, labels, temperature):
            return (logits.float() / temperature).gather(-1, labels.unsqueeze(-1))
        """,
        f"`temperature` is a number; {FINITE}",
    ),
    "arithmetic with a pole": (
        """
        def f(logits, labels):
            return (1.0 / logits.float()).gather(-1, labels.unsqueeze(-1))
        """,
        FINITE,
    ),
    "a kernel that may treat the tail apart": (
        """
        @torch.no_grad()
        def f(logits):
            return logits.float().sigmoid()[:, -1]
        """,
        "the kernel of `sigmoid` treats every element alike",
    ),
    "a view that is summed up": (
        """
        def f(logits):
            part = logits.float()[:, 3:9]
            return part.sum()
        """,
        "`sum` gives the same bits for a dense tensor as for a strided view",
    ),
    "ties that share a gradient": (
        """
        def f(logits):
            return logits.float().amax(-1)
        """,
        None,
    ),
    "ties whose order is open": (
        """
        @torch.no_grad()
        def f(logits):
            return logits.float().topk(5).indices
        """,
        "no two elements are equal where `topk` has to choose, or any of them will do",
    ),
    "a source whose elements are not known": (
        """
        @torch.no_grad()
        def f(grid, ids):
            return grid.float().gather(-1, ids)
        """,
        "`grid` has an ordinary float type, for which `gather` is implemented",
    ),
    "a source that is compared": (
        """
        @torch.no_grad()
        def f(grid):
            return grid.float().argmax(-1)
        """,
        "`grid` has a float type no wider than float32",
    ),
    "a sign of a source that may be unsigned": (
        """
        @torch.no_grad()
        def f(grid):
            return (-grid.float())[:, -1]
        """,
        "`grid` has a float type",
    ),
    "a source that backward needs": (
        """
        def f(logits, labels):
            best = logits.float().gather(-1, labels.unsqueeze(-1))
            logits.div_(2)
            return best
        """,
        "`logits` is written to by `div_` after it was selected from, which backward "
        "refuses; or no gradient flows",
    ),
    "a source whose absolute values backward needs": (
        """
        def f(logits):
            last = logits.float().abs()[:, -1]
            logits.zero_()
            return last
        """,
        "`logits` is written to by `zero_` after it was selected from, which backward "
        "refuses; or no gradient flows",
    ),
    "a source that backward needs, written to by a nested function": (
        """
        def f(logits, labels):
            def later():
                logits.div_(2)
            return logits.float().gather(-1, labels.unsqueeze(-1)), later
        """,
        "no nested function changes `logits`; or no gradient flows",
    ),
    "a source that backward needs, given to a callee": (
        """
        def f(logits, labels, g):
            best = logits.float().gather(-1, labels.unsqueeze(-1))
            g(logits)
            return best
        """,
        "`g` does not change `logits`; or no gradient flows",
    ),
    "a view, taken where a flag may switch gradients off": (
        """
        def f(logits, flag):
            wide = logits.float()
            with torch.set_grad_enabled(flag):
                return wide[:, -1]
        """,
        "gradients are on where the selection, a view, is taken",
    ),
    "a view, taken under another manager than the cast": (
        """
        def f(logits, manager):
            with torch.enable_grad():
                wide = logits.float()
            with manager:
                return wide[:, -1]
        """,
        "entering `manager` does not change `logits`; "
        "what is cast in inference mode is not used outside of it; "
        "gradients are on where the selection, a view, is taken",
    ),
    "a source written to, its view lifted": (
        """
        @torch.no_grad()
        def f(logits):
            wide = logits.float()
            logits.div_(2)
            return wide[:, -1]
        """,
        "backward does not mind that the source is written to",
    ),
    "a suspension between": (
        """
        @torch.no_grad()
        async def f(logits, g):
            wide = logits.float()
            await g()
            return wide[:, -1]
        """,
        None,
    ),
    "a name that others may import": (
        """
        logits = load()
        wide = logits.float()
        best = wide.argmax(-1)
        """,
        "nothing imports `wide` from this module",
    ),
}


@pytest.mark.parametrize(("code", "condition"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(code: str, condition: str | None) -> None:
    found = finding(code)
    assert found.safety is Safety.UNSAFE
    assert found.fix is not None and found.fix.safety is Safety.UNSAFE
    assert found.condition is not None
    if condition is not None:
        assert found.condition == condition


DISPLAYED = {
    "the cast moves to the device of the index": (
        """
        def f(logits, ids, device):
            return logits.to(device, torch.float32).gather(-1, ids)
        """,
        "the cast also moves the tensor to the index's device",
    ),
    "a move between": (
        """
        def f(logits, ids):
            return logits.float().cuda().gather(-1, ids)
        """,
        "the cast also moves the tensor to the index's device",
    ),
    "a copy that ends a region without gradients": (
        """
        def f(logits, ids):
            with torch.no_grad():
                wide = logits.float()
                n = 1
            return wide.gather(-1, ids)
        """,
        "the cast runs without gradients, the selection with them",
    ),
    "a vector that is written to": (
        """
        def f(logits, scale, ids):
            wide = logits.float() * scale[:, None]
            scale.zero_()
            return wide.index_select(0, ids)
        """,
        "`scale` changes before the selection",
    ),
}


@pytest.mark.parametrize(("code", "reason"), DISPLAYED.values(), ids=DISPLAYED.keys())
def test_displayed(code: str, reason: str) -> None:
    found = finding(code)
    assert found.safety is Safety.DISPLAY
    assert found.fix is None
    assert f"not rewritten: {reason}" in found.notes


SILENT = {
    "a write before a comprehension that reads the copy": """
        def f(logits):
            wide = logits.float()
            logits.mul_(0.5)
            return [row.amax() for row in wide]
    """,
    "a write in a comprehension that reads the copy": """
        def f(logits):
            wide = logits.float()
            return [(row.amax(), logits.mul_(0.5)) for row in wide]
    """,
    "written to between, elements copied out": """
        def f(logits, ids):
            wide = logits.float()
            logits.div_(2)
            return wide.gather(-1, ids)
    """,
    "written to between by an alias": """
        def f(logits, ids):
            view = logits.view(-1)
            wide = logits.float()
            view.zero_()
            return wide.gather(-1, ids)
    """,
    "written to in a round of the loop": """
        def f(logits, ids):
            wide = logits.float()
            for step in ids:
                use(wide.gather(-1, step))
                logits.div_(2)
    """,
    "the copy is written to": """
        def f(logits, ids):
            wide = logits.float()
            wide.div_(2)
            return wide.gather(-1, ids)
    """,
    "a view of the copy is written to": """
        def f(logits, ids):
            wide = logits.float()
            wide.view(-1).zero_()
            return wide.gather(-1, ids)
    """,
    "a part of the copy is written to and read again": """
        def f(logits, ids):
            wide = logits.float()
            last = wide[:, -1]
            last.zero_()
            return wide.gather(-1, ids)
    """,
    "a step of the loop writes to its part": """
        def f(logits):
            wide = logits.float()
            for _ in range(3):
                last = wide[:, -1]
                last.mul_(2)
    """,
    "a hook": """
        def f(logits, ids, hook):
            wide = logits.float()
            wide.register_hook(hook)
            return wide.gather(-1, ids)
    """,
    "a gradient that is kept": """
        def f(logits, ids):
            wide = logits.float()
            wide.retain_grad()
            return wide.gather(-1, ids)
    """,
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_silent(code: str) -> None:
    assert lint(source_of(IMPORTS + dedent(code)), Options(least=Confidence.LOW)) == ()


SUMS = {
    "a reduction of the view": ("part.sum()", True),
    "a mean": ("part.mean(-1)", True),
    "a norm by function": ("torch.norm(part)", True),
    "a product": ("part @ weight", True),
    "behind a view": ("part.view(-1).sum()", True),
    "behind its transpose": ("part.T.sum()", True),
    "behind a function's view": ("torch.transpose(part, 0, 1).sum()", True),
    "behind an index": ("part[0].sum()", True),
    "as a walrus": ("(again := part).sum()", True),
    "its strides": ("part.stride()", True),
    "nothing": ("part", False),
    "arithmetic": ("part * 2", False),
    "an order": ("part.argmax(-1)", False),
    "its size": ("part.shape", False),
    "another tensor": ("weight.sum()", False),
}


@pytest.mark.parametrize(("expression", "expected"), SUMS.values(), ids=SUMS.keys())
def test_a_view_that_meets_a_reduction(expression: str, expected: bool) -> None:
    code = f"""
        @torch.no_grad()
        def f(logits, weight):
            part = logits.float()[:, 3:9]
            return {expression}
    """
    assert (finding(code).safety is Safety.UNSAFE) is expected


USES = {
    "its shape": ("n = logits.shape", False),
    "its size": ("n = logits.size(0)", False),
    "its type": ("n = logits.dtype", False),
    "its length": ("n = len(logits)", False),
    "whether there is one": ("n = logits is None", False),
    "another tensor": ("n = labels.sum()", False),
    "a sum": ("n = logits.sum()", True),
    "arithmetic": ("n = logits * 2", True),
    "through a view": ("n = logits.view(-1).sum()", True),
    "through a name": ("flat = logits.view(-1)\n    n = flat.sum()", True),
}


@pytest.mark.parametrize(("statement", "expected"), USES.values(), ids=USES.keys())
def test_a_use_between(statement: str, expected: bool) -> None:
    code = (
        "def f(logits, labels):\n    wide = logits.float()\n"
        f"    {statement}\n    return wide[:, -1], n\n"
    )
    assert (finding(code).condition == BETWEEN) is expected


def test_a_use_between_by_what_hides_a_built_in() -> None:
    code = """
        def f(logits, labels, len):
            wide = logits.float()
            n = len(logits)
            return wide[:, -1], n
    """
    condition = finding(code).condition
    assert condition is not None
    assert BETWEEN in condition and "`len` does not change `logits`" in condition


def test_a_use_between_of_an_attribute() -> None:
    code = """
        def f(out):
            wide = out.logits.float()
            a = out.logits.sum()
            b = out.logits.mean()
            return wide[:, -1], a, b
    """
    condition = finding(code).condition
    assert condition is not None and "order in which gradients" in condition


def test_a_write_of_the_next_round_is_a_later_write() -> None:
    code = """
        def f(logits, labels, out):
            for label in labels:
                logits.mul_(0.9)
                out.append(logits.float().gather(-1, label.unsqueeze(-1)))
    """
    condition = finding(code).condition
    assert condition is not None and "which backward refuses" in condition


def test_a_call_whose_text_has_braces() -> None:
    code = """
        @torch.no_grad()
        def f(logits, g):
            wide = logits.float()
            {"a": g}["a"](logits)
            return wide[:, -1]
    """
    condition = finding(code).condition
    assert condition is not None and "`logits`" in condition


def test_a_rectified_source_may_hold_zeros_of_both_signs() -> None:
    """`torch.relu(-0.0)` is `-0.0`, an absolute value is not."""
    code = """
        @torch.no_grad()
        def f(logits):
            return torch.{}(logits).float().max()
    """
    assert finding(code.format("relu")).safety is Safety.UNSAFE
    assert finding(code.format("abs")).safety is Safety.SAFE


def test_a_stated_fact_makes_a_fix_safe_and_is_named() -> None:
    code = """
        def f(logits, ids):
            # upcast-lint: distinct(ids)
            return logits.float().gather(-1, ids)
    """
    found = finding(code)
    assert found.safety is Safety.SAFE
    assert len(found.notes) == 1 and found.notes[0].startswith("rests on ")


def test_a_stated_lack_of_gradients_makes_a_fix_safe_and_is_named() -> None:
    code = """
        def f(logits, ids):
            wide = logits.float()
            return wide.gather(-1, ids)  # upcast-lint: no-grad
    """
    found = finding(code)
    assert found.safety is Safety.SAFE
    assert len(found.notes) == 1 and found.notes[0].startswith("rests on ")


def test_the_configuration_can_state_that_no_gradient_flows() -> None:
    code = """
        def f(logits, ids):
            return logits.float().gather(-1, ids)
    """
    assert finding(code).safety is Safety.UNSAFE
    assert finding(code, inference=True).safety is Safety.SAFE


def test_a_fact_about_another_index_changes_nothing() -> None:
    code = """
        def f(logits, ids, other):
            # upcast-lint: distinct(other)
            return logits.float().gather(-1, ids)
    """
    found = finding(code)
    assert found.safety is Safety.UNSAFE
    assert found.notes == ()


def piece(lower: str | None, upper: str | None, dimension: int = 1) -> Piece:
    return Piece(dimension, lower, upper)


OVERLAPPING = [
    (None, None),
    (piece("0", "2"), None),
    (piece("0", "2"), piece("1", "3")),
    (piece("0", None), piece("2", None)),
    (piece(None, "n"), piece("m", None)),
    (piece("0", "2"), piece("2", "3", 2)),
    (piece("0", "-1"), piece("2", "3")),
    (Piece(1, "0", "2", "2"), piece("2", "3")),
]

DISJOINT = [
    (piece("0", "2"), piece("2", "3")),
    (piece(None, "n"), piece("n", None)),
    (piece("3", "5"), piece("0", "2")),
    (piece("-3", "-2"), piece("-2", None)),
]


@pytest.mark.parametrize(("left", "right"), OVERLAPPING)
def test_parts_that_may_overlap(left: Piece | None, right: Piece | None) -> None:
    assert not are_disjoint(left, right)
    assert not are_disjoint(right, left)


@pytest.mark.parametrize(("left", "right"), DISJOINT)
def test_parts_that_do_not_overlap(left: Piece, right: Piece) -> None:
    assert are_disjoint(left, right)
    assert are_disjoint(right, left)
