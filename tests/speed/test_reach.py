"""Which casts may reach a selection."""

from __future__ import annotations

from textwrap import indent

import pytest

from upcast_lint.screen.tiers import suspects

SILENT = {
    "arithmetic": "y = x.float() @ w\nreturn y",
    "an argument": "return g(x.float())",
    "what is selected before": "y = x[0].float()\nreturn y * 2",
    "a shape": "y = x.float()\nreturn y.shape[0]",
    "a new axis": "y = x.float()\nreturn y[:, None] + y[..., None]",
    "another type": "y = x.to(torch.float16)\nreturn y[0]",
    "a device": "y = x.to(device)\nreturn y[0]",
    "no step": "y = x.float().sum(-1)\nreturn y[0]",
}
FOUND = {
    "in one expression": "return x.float()[0]",
    "a method": "return x.float().gather(-1, i)",
    "a function": "return torch.gather(x.float(), -1, i)",
    "a keyword": "return torch.gather(input=x.float(), dim=-1, index=i)",
    "a name": "y = x.float()\nreturn y[0]",
    "a chain of names": "y = x.float()\nz = w = y.view(-1)\nreturn w[0]",
    "a name that is bound later": "for _ in r:\n    g(y[0])\n    y = x.float()",
    "a step": "y = (x.float() / t).squeeze(0)\nreturn y[0]",
    "a condition": "y = x.float() if c else x\nreturn y[0]",
    "a walrus": "if (y := x.float()) is not None:\n    return y[0]",
    "a display": "y, z = x.float(), 1\nreturn y[0]",
    "a loop": "for row in x.float():\n    g(row)",
    "a loop by way of enumerate": "for i, row in enumerate(x.float()):\n    g(row)",
    "a comprehension": "return [g(row) for row in x.float()]",
    "a nested function": "y = x.float()\ndef h():\n    return y[0]\nreturn h",
    "a match": "y = x.float()\nmatch c:\n    case 1 if y[0] > 1:\n        return 1",
    "a try": "try:\n    y = x.float()\nfinally:\n    g(y[0])",
    "a with": "with c:\n    y = x.float()\nreturn y[0]",
    "a type of a local name": "t = torch.float32\nreturn x.to(t)[0]",
    "an imported function": "from torch import gather as pick\nreturn pick(x.float())",
    "an assigned function": "pick = torch.gather\nreturn pick(x.float(), -1, i)",
    "several statements on a line": "y = x.float(); z = y[0]; return z",
    "a decorator": "@h(x.float()[0])\ndef g(): pass",
}


def text_of(body: str) -> str:
    return f"import torch\n\n\ndef f(x):\n{indent(body, '    ')}\n"


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_copies_that_are_not_selected_from(body: str) -> None:
    assert suspects(text_of(body), True) == []


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_copies_that_may_be_selected_from(body: str) -> None:
    text = text_of(body)
    assert suspects(text, True) == [(4, text.count("\n"))]


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ny = x.float()[0]\n",
        "import torch\nclass C:\n    y = x.to(torch.float32)[0]\n",
        "import torch\nif c:\n    def f(x):\n        return x.float()[0]\n",
        "import torch\rdef f(x):\r    return x.float()[0]\r",
        'import torch\ndef f(x):\n    y = """\n)"""\n    return x.float()[0] + """\n',
        "import torch\ndef f(x):\n    return x.float()[0\n",
    ],
)
def test_what_only_the_whole_file_tells(text: str) -> None:
    assert suspects(text, True) is None


@pytest.mark.parametrize(
    "head",
    [
        "import torch\nWIDE = torch.float32",
        "import torch\nA, WIDE = 1, torch.double",
        "import torch\nWIDE = (\n    torch.float\n)",
        "from torch import float32 as WIDE",
        "from torch import float as WIDE",
    ],
)
def test_a_type_that_the_module_names(head: str) -> None:
    assert suspects(f"{head}\n\n\ndef f(x):\n    return x.to(WIDE)[0]\n", True)
