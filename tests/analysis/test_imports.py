"""What a dotted expression stands for."""

from __future__ import annotations

from textwrap import dedent

import pytest

from .helpers import facts_of, used

UNKNOWN = {
    "a parameter": "def f(torch): use(torch.float32)",
    "a keyword parameter": "import torch\ndef f(*, torch): use(torch.float32)",
    "a local": """
        import torch
        def f():
            torch = fake()
            use(torch.float32)
    """,
    "a local that is bound later": """
        import torch
        def f():
            use(x)
            x = torch
    """,
    "rebound in a branch": """
        def f(c):
            import torch
            if c: torch = fake()
            use(torch.float32)
    """,
    "imported in a branch alone": """
        def f(c):
            if c: import torch
            use(torch.float32)
    """,
    "rebound in the module": """
        import torch
        torch = fake()
        def f(): use(torch.float32)
    """,
    "a fallback where the import fails": """
        try: import torch
        except ImportError: torch = None
        def f(): use(torch.float32)
    """,
    "a loop variable": """
        import torch
        def f():
            for torch in libraries: use(torch.float32)
    """,
    "an outer function's parameter": """
        import torch
        def g(torch):
            def f(): use(torch.float32)
    """,
    "a name that nothing binds": "def f(): use(torch.float32)",
    "a star import": "from torch import *\ndef f(): use(float32)",
    "a relative import": "from . import torch\ndef f(): use(torch.float32)",
    "a relative import of a name": "from .torch import float32\ndef f(): use(float32)",
    "a call": "import torch\ndef f(): use(torch.device('cpu').type)",
    "an item": "import torch\ndef f(): use(torch[0].float32)",
    "a name of the class is not seen in a method": """
        class C:
            import torch
            def f(self): use(torch.float32)
    """,
    "two imports that do not agree": """
        def f(c):
            if c: from torch import float32 as t
            else: from torch import float16 as t
            use(t)
    """,
    "an alias of two things": """
        import torch
        def f(c):
            t = torch.float32 if c else torch.float16
            use(t)
    """,
    "an alias in a branch": """
        import torch
        def f(c, t):
            if c: t = torch.float32
            use(t)
    """,
    "an alias of itself": """
        def f():
            while c: t = t
            use(t)
    """,
    "a walrus in a loop over itself": """
        def f():
            for i in n:
                t = u
                u = t
            use(t)
    """,
}


@pytest.mark.parametrize("code", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_unknown(code: str) -> None:
    facts = facts_of(code, "f")
    assert facts.resolve(used(facts)) is None


KNOWN = {
    "a module": ("import torch\ndef f(): use(torch)", "torch"),
    "an attribute": ("import torch\ndef f(): use(torch.float32)", "torch.float32"),
    "a renamed module": ("import torch as t\ndef f(): use(t.int8)", "torch.int8"),
    "a renamed submodule": (
        "import torch.nn.functional as F\ndef f(): use(F.relu)",
        "torch.nn.functional.relu",
    ),
    "a submodule by its package": (
        "import torch.nn\ndef f(): use(torch.nn.functional.relu)",
        "torch.nn.functional.relu",
    ),
    "a name from a module": (
        "from torch import float64\ndef f(): use(float64)",
        "torch.float64",
    ),
    "a renamed name": (
        "from torch import float64 as wide\ndef f(): use(wide)",
        "torch.float64",
    ),
    "a module from a package": (
        "from torch.nn import functional as F\ndef f(): use(F.embedding)",
        "torch.nn.functional.embedding",
    ),
    "one spelling of float": (
        "import torch\ndef f(): use(torch.float)",
        "torch.float32",
    ),
    "one spelling of double": (
        "from torch import double\ndef f(): use(double)",
        "torch.float64",
    ),
    "one spelling of half": ("import torch\ndef f(): use(torch.half)", "torch.float16"),
    "another library": (
        "import numpy as np\ndef f(): use(np.float32)",
        "numpy.float32",
    ),
    "a kernel language": (
        "import triton.language as tl\ndef f(): use(tl.float32)",
        "triton.language.float32",
    ),
    "an import inside": (
        "def f():\n import torch as t\n use(t.float32)",
        "torch.float32",
    ),
    "an import that hides another": (
        "import numpy as t\ndef f():\n import torch as t\n use(t.float32)",
        "torch.float32",
    ),
    "an import in an outer function": (
        """
        def g():
            import torch
            def f(): use(torch.float32)
        """,
        "torch.float32",
    ),
    "an alias in an outer function": (
        """
        import torch
        def g():
            t = torch
            def f(): use(t.float32)
        """,
        "torch.float32",
    ),
    "an alias two functions further out": (
        """
        import torch
        def h():
            t = torch
            def g():
                u = t
                def f(): use(u.float32)
        """,
        "torch.float32",
    ),
    "both arms import the same": (
        """
        def f(c):
            if c: from torch import float32 as t
            else: from torch import float as t
            use(t)
        """,
        "torch.float32",
    ),
    "an alias": (
        "import torch\ndef f():\n t = torch.float32\n use(t)",
        "torch.float32",
    ),
    "an alias of the module": (
        "import torch\ndef f():\n t = torch\n use(t.float32)",
        "torch.float32",
    ),
    "an alias of an alias": (
        "import torch\ndef f():\n t = torch\n u = t.float32\n use(u)",
        "torch.float32",
    ),
    "an alias of the whole module": (
        "import torch\nWIDE = torch.float32\ndef f(): use(WIDE)",
        "torch.float32",
    ),
    "from class scope to module scope": (
        "import torch\nclass C:\n def f(self): use(torch.float32)",
        "torch.float32",
    ),
    "in a lambda": (
        "import torch\ng = lambda: 0\ndef f(): use(torch.int)",
        "torch.int32",
    ),
    "in the class body itself": (
        "class f:\n import torch\n use(torch.float32)",
        "torch.float32",
    ),
    "an annotated alias": (
        "import torch\ndef f():\n t: object = torch.float32\n use(t)",
        "torch.float32",
    ),
    "a walrus": (
        "import torch\ndef f():\n g(t := torch.float32)\n use(t)",
        "torch.float32",
    ),
}


@pytest.mark.parametrize(("code", "expected"), KNOWN.values(), ids=KNOWN.keys())
def test_known(code: str, expected: str) -> None:
    facts = facts_of(code, "f")
    assert facts.resolve(used(facts)) == expected


NAMES_OF_TORCH = {
    "not imported": ("def f(): pass", None),
    "only a part of it": ("from torch import float32\ndef f(): pass", None),
    "hidden by a parameter": ("import torch\ndef f(torch): pass", None),
    "hidden by a local": ("import torch\ndef f(): torch = 1", None),
    "hidden in an outer function": (
        "import torch\ndef g(torch):\n def f(): pass",
        None,
    ),
    "rebound in the module": ("import torch\ntorch = 1\ndef f(): pass", None),
    "a submodule under its own name": (
        "import torch.nn.functional as F\ndef f(): pass",
        None,
    ),
    "imported": ("import torch\ndef f(): pass", "torch"),
    "renamed": ("import torch as tc\ndef f(): pass", "tc"),
    "a submodule brings the package": ("import torch.nn\ndef f(): pass", "torch"),
    "imported inside": ("def f():\n import torch as t", "t"),
    "hidden under one name, not the other": (
        "import torch\nimport torch as t\ndef f(torch): pass",
        "t",
    ),
    "a class in between does not hide it": (
        "import torch\nclass C:\n torch = 1\n def f(self): pass",
        "torch",
    ),
}


@pytest.mark.parametrize(
    ("code", "expected"), NAMES_OF_TORCH.values(), ids=NAMES_OF_TORCH.keys()
)
def test_name_of_torch(code: str, expected: str | None) -> None:
    assert facts_of(dedent(code), "f").imports.name_of_torch() == expected
