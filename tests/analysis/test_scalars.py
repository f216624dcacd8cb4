from __future__ import annotations

import ast
import math

import pytest

from tests.analysis.scenes import function, scene
from upcast_lint.analysis.scalars import Operand, classify_operand, exact_constant


def operand(body: str, parameters: str = "x, t") -> Operand:
    """The kind of the right operand of what `f` returns."""
    found = function(body, parameters)
    (returned,) = (n for n in found.nodes() if isinstance(n, ast.Return))
    assert isinstance(returned.value, ast.BinOp)
    return classify_operand(returned.value.right, found.facts)


UNKNOWN = {
    "a parameter that is added": "return x + t",
    "a parameter that is divided": "return x + t / 2",
    "an attribute that is added": "return x + t.offset",
    "an unknown call": "return x / scale(t)",
    "the shape as a whole": "return x * x.shape",
    "a part of the shape": "return x * x.shape[1:]",
    "a string": "return x / 'a'",
    "a complex number": "return x * 2j",
    "a numpy number": "return x / np.float32(2)",
    "an element of an unknown loop": "for s in t:\n    pass\nreturn x * s",
    "a name of nowhere": "return x * SCALE",
    "a name that a branch makes unknown": """
        s = 2.0
        if t:
            s = scale(x)
        return x / s
    """,
}


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown(body: str) -> None:
    assert operand(body) is Operand.UNKNOWN


TENSOR = {
    "a result of torch": "return x * torch.exp(t)",
    "a result of torch through a name": "s = torch.ones(3)\nreturn x / s",
    "a parameter that is subscripted": "return x / t[:, None]",
    "a parameter that is subscripted elsewhere": "y = t[0]\nreturn x / t",
    "a parameter with tensor methods": "u = t.unsqueeze(-1)\nreturn x / t",
    "a parameter whose shape is read": "n = t.shape\nreturn x / t",
    "a parameter that is given to torch": "u = torch.clamp(t, 0)\nreturn x / t",
    "a parameter that is tested to be a tensor": """
        assert isinstance(t, torch.Tensor)
        return x / t
    """,
    "arithmetic with a tensor": "return x * (2 * torch.exp(t))",
    "a tensor in one branch": "return x * (2.0 if t else torch.ones(3))",
    "a name that is commonly a tensor's": "return x * t.bias",
    "a number that a tensor is added to": """
        s = 1.0
        s += torch.ones(3)
        return x * s
    """,
}


@pytest.mark.parametrize("body", TENSOR.values(), ids=TENSOR)
def test_evidence_of_a_tensor(body: str) -> None:
    assert operand(body) is Operand.TENSOR


@pytest.mark.parametrize(
    "parameter",
    [
        "t: torch.Tensor",
        "t: 'torch.Tensor'",
        "t: Optional[Tensor] = None",
        "t: float | torch.Tensor",
        "t: Float[Tensor, 'b 1'] = 1.0",
        "t: np.ndarray",
    ],
)
def test_a_parameter_that_may_be_a_tensor(parameter: str) -> None:
    assert operand("return x / t", f"x, {parameter}") is Operand.TENSOR


@pytest.mark.parametrize("name", ["bias", "noise_mask", "pos_embed", "loss_weight"])
def test_a_name_of_a_tensor(name: str) -> None:
    assert operand(f"return x / {name}", f"x, {name}=1.0") is Operand.TENSOR


def test_a_parameter_of_another_type_is_unknown() -> None:
    assert operand("return x / t", "x, t: Config") is Operand.UNKNOWN


ASSUMED = {
    "a divisor": "return x / t",
    "a factor": "return x * t",
    "an attribute": "return x / t.temperature",
    "a multiple": "return x * (2 * t)",
    "through a name": "inverse = 1.0 / t\nreturn x * inverse",
    "in one branch": "return x * (2.0 if x else t)",
}


@pytest.mark.parametrize("body", ASSUMED.values(), ids=ASSUMED)
def test_assumed_to_be_a_number(body: str) -> None:
    assert operand(body) is Operand.ASSUMED_NUMBER


def test_a_numeric_default_is_no_proof() -> None:
    assert operand("return x + t", "x, t=1e-6") is Operand.ASSUMED_NUMBER
    assert operand("return x + t", "x, *, t=-1.0") is Operand.ASSUMED_NUMBER


def test_a_factor_of_the_function_around_is_assumed() -> None:
    found = scene("""
        def outer(temperature):
            def f(x):
                return x / temperature
            return f
    """)
    (returned,) = (n for n in found.nodes() if isinstance(n, ast.Return))
    assert isinstance(returned.value, ast.BinOp)
    kind = classify_operand(returned.value.right, found.facts)
    assert kind is Operand.ASSUMED_NUMBER


NUMBER = {
    "a literal": "return x / 0.7",
    "a negative literal": "return x * -2",
    "a size": "return x / x.size(-1)",
    "an element of the shape": "return x / x.shape[-1]",
    "an unpacked shape": "b, s, v = x.shape\nreturn x / v",
    "an unpacked size": "b, s = x.size()\nreturn x / s",
    "a length": "return x / len(t)",
    "an item": "return x * t.item()",
    "a root": "return x / math.sqrt(t)",
    "a power of a size": "return x * x.size(-1) ** -0.5",
    "a conversion": "return x / float(t)",
    "a limit of a type": "return x + torch.finfo(x.dtype).min",
    "a limit through a name": "info = torch.finfo(x.dtype)\nreturn x + info.eps",
    "a constant of a module": "return x * math.pi",
    "an index of a loop": "for i in range(3):\n    return x + i",
    "the larger of two": "return x / max(1, len(t))",
    "one of two literals": "return x / (1.0 if t else 2.0)",
    "updated in a loop": """
        s = 1.0
        for _ in range(3):
            s = s * 0.5
            s += 1
        return x * s
    """,
}


@pytest.mark.parametrize("body", NUMBER.values(), ids=NUMBER)
def test_a_number(body: str) -> None:
    assert operand(body) is Operand.NUMBER


@pytest.mark.parametrize(
    "annotation", ["int", "float", "Optional[float]", "int | None"]
)
def test_a_parameter_with_the_type_of_a_number(annotation: str) -> None:
    assert operand("return x + t", f"x, t: {annotation}") is Operand.NUMBER


def method(body: str, init: str) -> Operand:
    found = scene(f"""
        class Head:
            scale: float
            def __init__(self, scale):
                {init}
            def f(self, x):
                {body}
    """)
    (returned,) = (n for n in found.nodes() if isinstance(n, ast.Return))
    assert isinstance(returned.value, ast.BinOp)
    return classify_operand(returned.value.right, found.facts)


@pytest.mark.parametrize(
    "init",
    [
        "self.scale = nn.Parameter(scale)",
        "self.scale = torch.ones(3)",
        "self.register_buffer('scale', scale)",
        "self.scale: torch.Tensor = scale",
        "self.other = self.scale[0]",
        "self.other = self.scale.unsqueeze(0)",
    ],
)
def test_an_attribute_that_the_class_makes_a_tensor(init: str) -> None:
    assert method("return x / self.scale", init) is Operand.TENSOR


def test_an_attribute_that_the_class_takes_from_its_caller_is_assumed() -> None:
    kind = method("return x / self.scale", "self.scale = scale")
    assert kind is Operand.ASSUMED_NUMBER


def constant(expression: str, before: str = "pass", header: str = "") -> float | None:
    body = f"    {before}\n    y = {expression}\n"
    found = scene(f"{header}\ndef f(x, t):\n{body}")
    return exact_constant(found.value("y"), found.facts)


@pytest.mark.parametrize(
    "expression",
    ["t", "True", "1j", "'inf'", "float(t)", "float('many')", "1 + 1", "x.inf", "~1"],
)
def test_no_exact_constant(expression: str) -> None:
    assert constant(expression) is None


def test_a_name_that_is_bound_twice_has_no_value() -> None:
    assert constant("s", "s = 1 if t else 2") is None
    assert constant("S", header="S = 1.0\nS = 2.0") is None
    assert constant("S", header="S = 1.0\ndef g():\n    global S\n    S = 2.0") is None


def test_a_shadowed_float_has_no_value() -> None:
    assert constant("float('inf')", header="def float(x):\n    return 0") is None


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0", 0),
        ("-1.5", -1.5),
        ("+2", 2),
        ("float('-inf')", -math.inf),
        ("-float('inf')", -math.inf),
        ("-math.inf", -math.inf),
        ("torch.inf", math.inf),
        ("np.inf", math.inf),
    ],
)
def test_an_exact_constant(expression: str, value: float) -> None:
    assert constant(expression) == value


def test_a_name_that_is_bound_once_has_its_value() -> None:
    assert constant("s", "s = -100") == -100
    assert constant("IGNORE", header="IGNORE = -100") == -100
