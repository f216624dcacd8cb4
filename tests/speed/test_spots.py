"""Spellings of casts: what is passed over, and what must not be."""

from __future__ import annotations

import pytest

from upcast_lint.screen.spots import find_conversions, find_spots, torch_names

SILENT = {
    "an annotation": "def f(x: float) -> float: ...",
    "another type": "x.to(torch.bfloat16)",
    "a comparison": "if x.dtype != torch.float32: pass",
    "an argument of a function": "y = softmax(x, dim=-1, dtype=torch.float32)",
    "an argument on a line of its own": "y = zeros(\n    dtype=torch.float32,\n)",
    "a member of a display that is asked": "x in (torch.float16, torch.float32)",
    "a key of a table": "SIZES = {\n    torch.float32: 4,\n}",
    "a string": "x.to('float32')",
    "the builtin": "y = float(x)",
}
FOUND = {
    "a method": "x.float()",
    "a method after a blank": "x. float ()",
    "a method on another line": "y = (x.\n    float())",
    "a broken line": "y = x.\\\n    double()",
    "a type": "x.to(torch.float32)",
    "a type in pieces": "x.to(torch . float32)",
    "a keyword": "x.to(dtype=torch.float64)",
    "a keyword on a line of its own": "x.to(\n    d,\n    dtype=torch.float32,\n)",
    "a type on a line of its own": "x.to(\n    # wide\n    torch.float32\n)",
    "the short name of a type": "x.to(torch.float)",
    "after another call": "x.to(f(y), torch.double)",
    "a name for a type": "wide = torch.float32",
    "a name in parentheses": "wide = (\n    torch.float32\n)",
    "two names": "wide, other = torch.float32, 1",
    "a walrus": "x.to((wide := torch.float32))",
    "type": "x.type(torch.float32)",
}


def is_found(code: str) -> bool:
    return any(find_spots(f"import torch\n{code}\n"))


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_what_no_cast_can_need(code: str) -> None:
    assert not is_found(code)


@pytest.mark.parametrize("code", FOUND.values(), ids=FOUND)
def test_what_may_be_a_cast(code: str) -> None:
    assert is_found(code)


@pytest.mark.parametrize(
    "code",
    [
        "from torch import float32",
        "from torch import (\n    nn,\n    double as wide,\n)",
        "from torch import nn, \\\n    float",
    ],
)
def test_a_type_that_is_imported(code: str) -> None:
    assert find_spots(code).imports_type


def test_types_where_there_is_no_torch() -> None:
    assert not any(find_spots("import numpy as np\nx.to(np.float32)\n"))


def test_names_imported_from_torch() -> None:
    text = """\
from torch import nn, gather as pick  # of a kind
from torch.nn.functional import (
    embedding,
    log_softmax as lsm,
)
from torchvision import ops
"""
    assert torch_names(text) == {
        "nn": "nn",
        "pick": "gather",
        "embedding": "embedding",
        "lsm": "log_softmax",
        "ops": "ops",
    }


def test_conversions() -> None:
    text = "x.to(d); x.type (d); x.\n    to(d); auto(d); x.tolist()"
    assert sorted(find_conversions(text)) == [2, 11, 28]
