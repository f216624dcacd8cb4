"""Control flow around statements: branches, loops, handlers, contexts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .casts import cast_statement
from .indices import index_statement
from .noise import noise_statement
from .statements import (
    finish_statement,
    finished,
    metadata_statement,
    operand,
    select_statement,
    selection,
    view_statement,
)
from .tensors import Kind, Scope, Tensor, bare

_MAX_DEPTH = 2
_TESTS = ("flag", "train", "n > 1", "t > 1.0", "not flag", "mask.any()", "fn is None")


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def statement(scope: Scope) -> list[str]:
    """One statement of any kind."""
    choices = scope.choices
    if scope.noise > 0 and choices.chance(45):
        return noise_statement(scope)
    if scope.topics and choices.chance(30):
        return choices.pick(scope.topics)(scope)
    return choices.weighted(_KINDS)(scope)


def body(scope: Scope, count: int) -> list[str]:
    """A suite in a scope of its own. Its results go into `parts`."""
    inner = scope.nested()
    lines: list[str] = []
    for _ in range(count):
        lines += statement(inner)
    scope.noise = inner.noise
    scope.endings += [e for e in inner.endings if e not in scope.endings]
    made = [r for r in inner.results if r not in scope.results]
    made += [
        Tensor(name, ("?",), Kind.RESULT)
        for name in inner.lists
        if name not in scope.lists
    ]
    for result in made:
        if scope.choices.chance(80):
            lines.append(f"parts.append({result.text})")
    return lines or ["pass"]


def _count(scope: Scope) -> int:
    return scope.choices.weighted(((70, 1), (30, 2)))


def _if(scope: Scope) -> list[str]:
    choices = scope.choices
    lines = [f"if {choices.pick(_TESTS)}:", *indented(body(scope, _count(scope)))]
    if choices.chance(25):
        lines += [f"elif {choices.pick(_TESTS)}:", *indented(body(scope, 1))]
    if choices.chance(45):
        lines += ["else:", *indented(body(scope, _count(scope)))]
    return lines


def _leaves(scope: Scope) -> list[str]:
    """A branch that ends the function."""
    inner = scope.nested()
    lines = statement(inner)
    result = bare(selection(inner).text)
    leave = scope.choices.pick((f"return {result}", f"return {result}, parts"))
    return [f"if {scope.choices.pick(_TESTS)}:", *indented([*lines, leave])]


def _for(scope: Scope) -> list[str]:
    choices = scope.choices
    index = scope.fresh("k")
    lines = [f"for {index} in range({choices.pick(('2', 'n', '1', '0'))}):"]
    inside = body(scope, _count(scope))
    if choices.chance(30):
        leave = choices.pick(("break", "continue"))
        inside += [f"if {choices.pick((*_TESTS, f'{index} > 0'))}:", f"    {leave}"]
        if choices.chance(50):
            inside += body(scope, 1)
    lines += indented(inside)
    if choices.chance(15):
        lines += ["else:", *indented(body(scope, 1))]
    return lines


def _while(scope: Scope) -> list[str]:
    index = scope.fresh("left")
    lines = [f"{index} = n", f"while {index} > 0:"]
    return [*lines, *indented([f"{index} -= 1", *body(scope, _count(scope))])]


def _try(scope: Scope) -> list[str]:
    choices = scope.choices
    inside = body(scope, _count(scope))
    if choices.chance(30):
        where = choices.pick((0, len(inside)))
        inside.insert(where, "if flag: raise ValueError('flag')")
    lines = ["try:", *indented(inside)]
    final = choices.chance(35)
    if not final or choices.chance(50):
        error = choices.pick(("ValueError", "RuntimeError", "(IndexError, ValueError)"))
        lines += [f"except {error}:", *indented(body(scope, 1))]
        if choices.chance(25):
            lines += ["else:", *indented(body(scope, 1))]
    if final:
        lines += ["finally:", *indented(body(scope, 1))]
    return lines


def _with(scope: Scope) -> list[str]:
    context = scope.choices.pick(
        (
            "torch.no_grad()",
            "torch.no_grad()",
            "torch.enable_grad()",
            "torch.set_grad_enabled(train)",
            "torch.inference_mode(False)",
        )
    )
    return [f"with {context}:", *indented(body(scope, _count(scope)))]


def _match(scope: Scope) -> list[str]:
    return [
        "match n:",
        "    case 1:",
        *indented(indented(body(scope, 1))),
        scope.choices.pick(("    case _:", "    case 2:")),
        *indented(indented(body(scope, 1))),
    ]


def _chunk_loop(scope: Scope) -> list[str]:
    """A loop that reads the copy piece by piece."""
    choices = scope.choices
    copy = scope.copy() if choices.chance(85) else operand(scope)
    axis = choices.below(copy.rank)
    step = choices.pick(("1", "2", "n"))
    low, high, part = scope.fresh("lo"), scope.fresh("hi"), scope.fresh("part")
    size = copy.size(axis)
    before = ":, " * axis
    leading, trailing = copy.dims[:axis], copy.dims[axis + 1 :]
    piece = Tensor(part, (*leading, "?", *trailing), Kind.RESULT)
    row = Tensor(part, (*leading, *trailing), Kind.RESULT)
    text = copy.text
    heads: list[tuple[list[str], Tensor]] = [
        (
            [
                f"for {low} in range(0, {size}, {step}):",
                f"    {part} = {text}[{before}{low}:{low} + {step}]",
            ],
            piece,
        ),
        (
            [
                f"for {low} in range(0, {size}, {step}):",
                f"    {high} = min({low} + {step}, {size})",
                f"    {part} = {text}[{before}{low}:{high}]",
            ],
            piece,
        ),
        ([f"for {part} in {text}.split({step}, dim={axis}):"], piece),
        ([f"for {part} in torch.split({text}, {step}, {axis}):"], piece),
        ([f"for {part} in {text}.chunk(2, dim={axis}):"], piece),
        ([f"for {part} in {text}.unbind({axis}):"], row),
        (
            [
                f"for {low} in range({size}):",
                f"    {part} = {text}[{before}{low}]",
            ],
            row,
        ),
        ([f"for {low}, {part} in enumerate({text}.unbind({axis})):"], row),
        (
            [
                f"{low} = 0",
                f"while {low} < {size}:",
                f"    {part} = {text}.narrow({axis}, {low}, 1)",
                f"    {low} += 1",
            ],
            piece,
        ),
        (
            [
                f"for {low} in range({size}):",
                f"    {part} = {text}.select({axis}, {low})",
            ],
            row,
        ),
    ]
    if axis == 0:
        heads.append(([f"for {part} in {text}:"], row))
    head, tensor = choices.pick(heads)
    inside: list[str] = []
    if choices.chance(15):
        inside.append(choices.pick((f"{part}.mul_(2)", f"{part} = {part} * 2")))
    made = finished(scope, tensor)
    inside.append(f"parts.append({bare(made.text)})")
    if choices.chance(15):
        leave = choices.pick(("break", "continue"))
        inside.insert(0, f"if {choices.pick(_TESTS)}: {leave}")
    lines = [*head, *indented(inside)]
    if choices.chance(10):
        lines += ["else:", "    parts.append(n)"]
    return lines


def _comprehension(scope: Scope) -> list[str]:
    choices = scope.choices
    copy = scope.copy()
    text = copy.text
    index, part, name = scope.fresh("k"), scope.fresh("c"), scope.fresh("made")
    forms = [
        f"[{text}[{index}].sum() for {index} in range({text}.shape[0])]",
        f"[{part}.sum(-1) for {part} in {text}.split(1)]",
        f"[{part}.amax() for {part} in {text}]",
        f"torch.stack([{part}[..., 0] for {part} in {text}.unbind(0)])",
        f"{{{index}: {text}[{index}, 0] for {index} in range(2)}}",
        f"sum({text}[{index}, ..., 0] for {index} in range(2))",
        f"[{part} for {part} in {text}.chunk(2, -1)]",
        f"[{text}[..., {index}:{index} + 2] for {index} in range(0, 4, 2)]",
        f"list(map(lambda {index}: {text}[{index}].max(), range(2)))",
        f"torch.cat([{part}.flatten() for {part} in {text}.split(2, dim=-1)])",
        f"[{part}.argmax(-1) for {part} in {text}.unbind(-1)] if flag else None",
        f"max(({text}[{index}].max() for {index} in range(2)), key=float)",
        f"tuple({part}.mean() for {part} in {text}.unbind(0) if {part}.numel() > n)",
    ]
    scope.lists.append(name)
    return [f"{name} = {choices.pick(forms)}"]


def _nested_function(scope: Scope) -> list[str]:
    """A local function with a cast of its own."""
    name, inner = scope.fresh("local"), scope.nested()
    argument = scope.fresh("arg")
    inner.source = scope.source.become(argument)
    inner.copies = []
    lines = cast_statement(inner, inner.source)
    result = bare(selection(inner).text)
    scope.lists.append(f"{name}({scope.source.text})")
    return [f"def {name}({argument}):", *indented([*lines, f"return {result}"])]


def _control(scope: Scope) -> list[str]:
    if scope.depth >= _MAX_DEPTH:
        return select_statement(scope)
    return scope.choices.weighted(_BLOCKS)(scope)


def _index(scope: Scope) -> list[str]:
    return index_statement(scope, scope.copy())


def _cast(scope: Scope) -> list[str]:
    return cast_statement(scope, scope.source)


_KINDS: tuple[tuple[int, Callable[[Scope], list[str]]], ...] = (
    (50, select_statement),
    (16, _control),
    (8, _chunk_loop),
    (9, finish_statement),
    (6, metadata_statement),
    (7, view_statement),
    (4, _comprehension),
    (5, _index),
    (2, _cast),
    (2, _nested_function),
)
_BLOCKS: tuple[tuple[int, Callable[[Scope], list[str]]], ...] = (
    (30, _if),
    (8, _leaves),
    (14, _for),
    (5, _while),
    (14, _try),
    (14, _with),
    (6, _match),
)
