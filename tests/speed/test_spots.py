"""Spellings of casts: what is passed over, and what must not be."""

from __future__ import annotations

import pytest

from upcast_lint.analysis import ops
from upcast_lint.screen import may_spell_cast
from upcast_lint.screen.spots import find_conversions, find_spots, torch_names

SILENT = {
    "an annotation": "def f(x: float) -> float: ...",
    "another type": "x.to(torch.bfloat16)",
    "a comparison": "if x.dtype != torch.float32: pass",
    "an argument of a function": "y = zeros(x, dim=-1, dtype=torch.float32)",
    "a softmax that is cast back": (
        "y = softmax(x, dim=-1, dtype=torch.float32).to(x.dtype)"
    ),
    "a softmax that is cast back like another": (
        "y = softmax(\n    x, dim=-1, dtype=torch.float32,\n).type_as(x)"
    ),
    "an argument on a line of its own": "y = zeros(\n    dtype=torch.float32,\n)",
    "a member of a display that is asked": "x in (torch.float16, torch.float32)",
    "a key of a table": "SIZES = {\n    torch.float32: 4,\n}",
    "a key before a blank": "SIZES = {\n    torch.float32 : 4,\n}",
    "members of a table": (
        "a, b = c\nWIDE = [\n    torch.float32,\n    torch.double,\n]"
    ),
    "the other comparison": "if x.dtype == torch.float32: pass",
    "a further argument": "y = zeros(f(g(y)), h(z), dtype=torch.float32)",
    "an argument below a comment": (
        "c = 'a'  # b\ny = zeros(\n    dtype=torch.float32,\n)"
    ),
    "an operand": "x.to(a or torch.float32)",
    "what is returned": "return torch.float32",
    "a longer name": "x.to(torch.float32_x) + x.to(my_float32)",
    "another method": "x.floats() + x.float_power(2)",
    "a string": "x.to('float32')",
    "a string in other quotes": 'x.to("float32")',
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
    "the builtin": "x.to(float)",
    "the builtin by keyword": "x.to(\n    d, dtype=float\n)",
    "an operation": "y = F.softmax(x, dim=-1, dtype=torch.float32)",
    "an operation that is moved": (
        "y = log_softmax(x, dim=-1, dtype=torch.float32).to(device)"
    ),
    "an operation over lines": (
        "y = torch.cumsum(\n    x,\n    dim=-1,\n    dtype=torch.float32,\n)"
    ),
    "a function": "y = as_tensor(x, dtype=torch.float32)",
    "a keyword on a line of its own": "x.to(\n    d,\n    dtype=torch.float32,\n)",
    "a type on a line of its own": "x.to(\n    # wide\n    torch.float32\n)",
    "the short name of a type": "x.to(torch.float)",
    "after another call": "x.to(f(y), torch.double)",
    "a name for a type": "wide = torch.float32",
    "a name in parentheses": "wide = (\n    torch.float32\n)",
    "two names": "wide, other = torch.float32, 1",
    "a walrus": "x.to((wide := torch.float32))",
    "type": "x.type(torch.float32)",
    "a type in parentheses": "x.to(a, (torch.float32))",
    "a type in parentheses on its line": "x.to(\n(torch.float32)\n)",
    "a type in parentheses after a break": "wide = \\\n    (torch.float32)",
    "two names in parentheses": "wide, other = (torch.float32, 1)",
    "a walrus in a suite": "if c: (wide := torch.float32)",
    "a bracket in a string": "x.to(f('('),\n    torch.float32)",
    "a bracket in a string of other quotes": 'x.to(f("("),\n    torch.float32)',
    "a bracket in a comment": "x.to(f(  # (\n    y),\n    torch.float32)",
    "a bracket that is far": f"x.to(\n{'    d,' * 200}\n    torch.float32)",
}


def is_found(code: str) -> bool:
    text = f"import torch\n{code}\nz.to(d)\n"
    found = any(find_spots(text))
    # What stands below is not asked.
    assert any(find_spots(text + "# end\n" * 100)) == found
    assert may_spell_cast(text.encode()) or not found
    return found


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_what_no_cast_can_need(code: str) -> None:
    assert not is_found(code)


@pytest.mark.parametrize("code", FOUND.values(), ids=FOUND)
def test_what_may_be_a_cast(code: str) -> None:
    assert is_found(code)


@pytest.mark.parametrize(
    "call", ["float()", "float ()", "float\\\n  ()", "float  # wide\n()", "double()"]
)
def test_a_call_needs_no_import_of_torch(call: str) -> None:
    text = f"y = (x.{call})\n"
    spots = find_spots(text)
    assert may_spell_cast(text.encode())
    assert spots.calls == [7]
    assert not spots.types


@pytest.mark.parametrize(
    "code",
    [
        "from torch import float32",
        "from torch import float64",
        "from torch import (float, nn)",
        "from torch import float32\ny = torch.float32",
        "from torch import (\n    nn,\n    double as wide,\n)",
        "from torch import nn, \\\n    float",
    ],
)
def test_a_type_that_is_imported(code: str) -> None:
    text = f"{code}\nx.to(float)\n"
    assert find_spots(text).imports_type
    assert may_spell_cast(text.encode())


@pytest.mark.parametrize(
    "code",
    [
        "x.to(torch.float32)",
        "import torch\nx = torch.float32",
        "from torch import nn\nx.to(d, float(y))",
        "import torch\nx.to(d)\ndef f(y: float): ...",
    ],
)
def test_what_a_glance_tells_to_be_no_cast(code: str) -> None:
    assert not may_spell_cast(code.replace("torch.f", "np.f", 1).encode())


def test_a_type_that_is_imported_from_elsewhere() -> None:
    assert not find_spots("import torch\nfrom numpy import float32\n").imports_type


def test_types_where_there_is_no_torch() -> None:
    assert not any(find_spots("import numpy as np\nx.to(np.float32)\n"))


def test_names_imported_from_torch() -> None:
    text = """\
# from torch with love
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


def test_conversions_of_every_spelling() -> None:
    text = "x.to(d); x.to (d); x.type(d); x.type (d)"
    assert sorted(find_conversions(text)) == [2, 11, 21, 32]


def test_conversions_in_a_part_of_a_text() -> None:
    text = "x.to(d); x.to(d); x.to(d)"
    assert list(find_conversions(text, 9, 17)) == [11]
    assert list(find_conversions(text, 9)) == [11, 20]


@pytest.mark.parametrize("name", sorted(ops.casts()))
def test_every_cast_of_the_table_has_a_spot(name: str) -> None:
    """What is added to the table needs its word here, too."""
    known = ops.method(name)
    call = f"x.{name}()" if known else f"torch.{name}(x, dtype=torch.float32)"
    if known is not None and known.names_type:
        call = f"x.{name}(torch.float32)"
    text = f"import torch\n{call}\n"
    spots = find_spots(text)
    assert spots.calls or (spots.types and list(find_conversions(text)))


@pytest.mark.parametrize("name", sorted(ops.casting_inside()))
def test_an_operation_that_casts_inside_is_a_conversion(name: str) -> None:
    text = f"import torch\ny = torch.{name}(x, dim=-1, dtype=torch.float32)\n"
    assert list(find_conversions(text)) == [text.index(name)]
    assert find_spots(text).types
    assert may_spell_cast(text.encode())
