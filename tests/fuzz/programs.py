"""A generator of random PyTorch functions, as source text.

A program is an import block, the helpers it calls and one function, `ENTRY`. Its
parameters are those of `PARAMETERS` that its body names, so a program is its text.
Shapes fit by construction as far as the generator follows them; where it does not, a
function may raise, and must then go on raising no more than before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .blocks import indented, statement
from .casts import cast_statement
from .choices import Choices
from .indices import index_statement
from .parameters import GRIDS, PARAMETERS, ROWS, TABLES
from .statements import select_statement, selection, view_statement
from .tensors import Kind, Scope, Tensor, bare
from .topics import HELPERS, TOPICS, Topic
from .views import viewed

ENTRY = "fuzzed"
_LOGITS = ("logits", "student_logits", "lm_logits")


@dataclass(frozen=True, slots=True)
class Program:
    seed: int
    """Also of the inputs it runs on."""
    text: str


def program_of(seed: int, about: str | None = None) -> Program:
    """The program of a seed, the same one every time; `about` names a topic of it."""
    return Program(seed, program_text(Random(seed), about))


def program_text(random: Random, about: str | None = None) -> str:
    """A program, by the choices of a source of randomness."""
    choices = Choices(random)
    source = _source(choices)
    scope = Scope(choices, source)
    scope.noise = choices.weighted(((50, 0), (28, 1), (13, 2), (9, 4)))
    weights = [(topic.weight, topic) for topic in TOPICS.values()]
    count = choices.weighted(((45, 0), (40, 1), (15, 2)))
    topics = [choices.weighted(weights) for _ in range(count)]
    if about is not None:
        topics = [TOPICS[about], *topics[1:]]
    lines = _prelude(scope) + _begun(scope, topics)
    if choices.chance(30 if scope.copies else 85):
        lines += cast_statement(scope, scope.source)
        if choices.chance(10):
            lines += view_statement(scope)
    for _ in range(1 + choices.weighted(((56, 0), (24, 1), (12, 2), (8, 4)))):
        lines += statement(scope)
    if not scope.results or choices.chance(25):
        lines += select_statement(scope)
    lines += scope.endings + _return(scope)
    return _assembled(choices, lines)


def _source(choices: Choices) -> Tensor:
    dims = PARAMETERS["logits"].dims
    form = choices.weighted(
        ((62, "grid"), (14, "row"), (8, "table"), (8, "out"), (8, "made"))
    )
    match form:
        case "grid":
            return Tensor(choices.pick(GRIDS * 2 + _LOGITS * 2), dims, Kind.LOW)
        case "row":
            return Tensor(choices.pick(ROWS), ("B", "V"), Kind.LOW)
        case "table":
            return Tensor(choices.pick(TABLES), ("V", "H"), Kind.LOW)
        case "out":
            return Tensor("out.logits", dims, Kind.LOW)
        case _:
            made = choices.pick(
                ("F.linear(hidden, head_weight)", "(hidden @ head_weight.mT)")
            )
            return Tensor(made, dims, Kind.LOW)


def _prelude(scope: Scope) -> list[str]:
    """What happens before the cast."""
    choices = scope.choices
    lines: list[str] = []
    source = scope.source
    if not source.text.isidentifier() and choices.chance(70):
        name = choices.pick(("made_logits", "y", "dense"))
        lines.append(f"{name} = {bare(source.text)}")
        scope.source = source.become(name)
    elif choices.chance(20) and source.text.isidentifier():
        lines.append(
            choices.pick(
                (
                    f"{source.text} = {source.text} * 1",
                    f"{source.text} = {source.text}.clone()",
                    f"{source.text} = {source.text}.detach()",
                    f"{source.text} = {source.text}.contiguous()",
                    f"raw = {source.text}",
                )
            )
        )
    if choices.chance(8):
        made = viewed(scope, scope.source)
        name = scope.fresh("view")
        lines.append(f"{name} = {bare(made.text)}")
        scope.source = made.become(name)
    if choices.chance(15):
        lines += index_statement(scope, scope.source)
    return lines


def _begun(scope: Scope, topics: Sequence[Topic]) -> list[str]:
    """What the topics of a program need before the cast."""
    scope.topics = tuple(topic.statement for topic in topics)
    lines = [line for topic in topics for line in topic.prelude(scope)]
    if scope.writers:
        scope.noise += scope.choices.weighted(((40, 1), (40, 2), (20, 0)))
    return lines


def _return(scope: Scope) -> list[str]:
    choices = scope.choices
    names = [r.text for r in scope.results if r.text.isidentifier()] + scope.lists
    names = [name for name in names if choices.chance(85)]
    if choices.chance(15):
        names.append(bare(selection(scope).text))
    if choices.chance(4):
        names.append(scope.copy().text)
    if choices.chance(4):
        names.append(scope.source.text)
    if not names:
        names = [bare(selection(scope).text)]
    match choices.below(5):
        case 0 | 1 if len(names) > 1:
            return [f"return {', '.join(names)}"]
        case 2:
            inside = ", ".join(f"'{n}': {name}" for n, name in enumerate(names))
            return [f"return {{{inside}}}"]
        case 3 if len(names) > 1:
            return [f"return [{', '.join(names)}]"]
        case _:
            return [f"return {', '.join(names)}"]


_DECORATORS = (
    (50, ""),
    (42, "@torch.no_grad()\n"),
    (12, "@torch.inference_mode()\n"),
    (3, "@torch.enable_grad()\n"),
)


_IMPORTS = {
    r"(?<![\w.])nn\.": "from torch import nn",
    r"(?<![\w.])np\.": "import numpy as np",
    r"\(f32\)": "from torch import float32 as f32",
    **{
        rf"(?<![\w.]){name}\.": f"import {name}"
        for name in (
            "collections",
            "contextlib",
            "copy",
            "functools",
            "itertools",
            "operator",
        )
    },
}
"""What a text needs to be imported."""


def _assembled(choices: Choices, lines: list[str]) -> str:
    if any("parts" in line for line in lines):
        lines = ["parts = []", *lines]
        last = lines[-1]
        if "parts" not in last and not last.startswith("return {"):
            lines[-1] = f"{last}, parts"
    body = "\n".join(indented(lines)) + "\n"
    used = [name for name in PARAMETERS if re.search(rf"\b{name}\b", body)]
    helpers = _helpers(body)
    decorator = choices.weighted(_DECORATORS)
    function = f"{decorator}def {ENTRY}({', '.join(used)}):\n{body}"
    text = "\n\n".join([*helpers, function])
    header = "import torch\nimport torch.nn.functional as F\n"
    for pattern, line in _IMPORTS.items():
        if re.search(pattern, text):
            header += f"{line}\n"
    return f"{header}\n\n{text}"


def _helpers(body: str) -> list[str]:
    """The functions and classes that a body names, and those that these name."""
    needed: set[str] = set()
    texts = [body]
    while texts:
        text = texts.pop()
        for name, helper in HELPERS.items():
            if name not in needed and re.search(rf"(?<![\w.'\"]){name}\b", text):
                needed.add(name)
                texts.append(helper)
    return [text for name, text in HELPERS.items() if name in needed]
