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
    "what is written to by index": "y = x.float()\ny[0] = 1\nreturn y * 2",
    "what is added to by index": "y = x.float()\ny[0] += 1\nreturn y * 2",
    "no step": "y = x.float().sum(-1)\nreturn y[0]",
    "no step of a function": "y = g(x.float())\nreturn y[0]",
    "a function that a call gives": "y = h(1)(x.float())\nreturn y[0]",
    "a loop over a display": "for y in [g(x.float())]:\n    print(y)",
    "an attribute that is no view": "y = x.float().grad\nreturn y[0]",
    "a function with a name in its name": (
        "mypick = torch.gather\nreturn pick(x.float(), -1, i)"
    ),
    "a name in a name": "y = x.float()\nreturn yy[0] + y2[0]",
}
UNRELATED = {
    "a number": "y = 1 + g(x.float())",
    "a sign": "y = -g(x.float())",
    "a choice": "y = 1 if g(x.float()) else 2",
    "a display": "y, z = 1, g(x.float())",
    "a table": "y = {1: g(x.float())}",
    "a view of another tensor": "y = z.view(-1) + z.T + g(x.float())",
    "a selection from another tensor": "y = z.gather(-1, i) + g(x.float())",
    "a selection by a function": (
        "from torch import gather\ny = gather(z, -1, i) + g(x.float())"
    ),
    "a type for no cast": "y = z.zeros(torch.float32) + g(x.float())",
    "a cast to another type": "y = z.to(torch.float16) + g(x.float())",
    "a place for a tensor": "y = z.to('cpu') + z.to(device) + g(x.float())",
    "a type that is no value": (
        "w, v = z.shape, g(torch.float32)\n"
        "assert z.dtype == torch.float32\n"
        "y = z.to(device) + g(x.float())"
    ),
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
    "an annotated name": "y: Tensor = x.float()\nreturn y[0]",
    "a list of names": "[y, z] = [x.float(), 1]\nreturn y[0]",
    "an asynchronous loop": "async for row in x.float():\n    g(row)",
    "a target": "z[x.float()[0]] = 1",
    "a target of a loop": "y = x.float()\nfor z[y[0]] in r:\n    pass",
    "a manager": "with g(x.float()[0]) as z:\n    pass",
    "what is deleted": "y = x.float()\ndel z, w[y[0]]",
    "the subject of a match": "match x.float()[0]:\n    case 1:\n        pass",
    "a condition for a match": (
        "y = x.float()\nmatch c:\n    case 0:\n        pass\n"
        "    case 1 if y[0]:\n        pass"
    ),
    "a view by an attribute": "y = x.float().T\nreturn y[0]",
    "an index": "return z[x.float().argmax(-1)]",
    "an operand on the right": "y = t + x.float()\nreturn y[0]",
    "a sign": "y = -x.float()\nreturn y[0]",
    "what is asked": "return 1 if x.float()[0] else 2",
    "the other branch": "y = x if c else x.float()\nreturn y[0]",
    "the value of a walrus": "return (y := x.float())[0]",
    "a condition of a comprehension": "return [i for i in r if x.float()[i]]",
    "an argument of what is called": "return h(x.float()[0])()",
    "a transfer": "return x.float().cpu()[0]",
    "an export": "return x.float().numpy()[0]",
    "a sum": "return x.float().add(1)[0]",
    "a power": "return x.float().exp()[0]",
    "a function that is a step": "from torch import exp\nreturn exp(x.float())[0]",
    "a chain of assigned functions": (
        "c = torch.gather\nb = c\na = b\nreturn a(x.float(), -1, i)"
    ),
    "a function or another by one name": (
        "pick = torch.gather\npick = other\nreturn pick(x.float(), -1, i)"
    ),
    "a function that is named in a condition": (
        "if (pick := torch.gather):\n    return pick(x.float(), -1, i)"
    ),
    "beside a type for another": ("y = z.to(torch.float32)\nreturn x.float()[0]"),
    "double": "return x.double()[0]",
    "a type": "return x.to(torch.float64)[0]",
    "the short name of a type": "return x.to(torch.float)[0]",
    "the short name of the other": "return x.to(torch.double)[0]",
    "type": "return x.type(torch.float32)[0]",
    "a device and a type": "return x.to(device, torch.float32)[0]",
    "a type that is imported": "from torch import float32\nreturn x.to(float32)[0]",
    "a type of an annotated name": "t: T = torch.float32\nreturn x.to(t)[0]",
    "a type of one of two names": "t, u = torch.float32, 1\nreturn x.to(t)[0]",
    "a type of a walrus": "g((t := torch.float32))\nreturn x.to(t)[0]",
}


def text_of(body: str) -> str:
    return f"import torch\n\n\ndef f(x):\n{indent(body, '    ')}\n"


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_copies_that_are_not_selected_from(body: str) -> None:
    assert suspects(text_of(body), True) == []


@pytest.mark.parametrize("body", UNRELATED.values(), ids=UNRELATED)
def test_other_values_that_are_selected_from(body: str) -> None:
    assert suspects(text_of(f"{body}\nreturn y[0]"), True) == []


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
