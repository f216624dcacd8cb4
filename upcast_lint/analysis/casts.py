"""Casts: the expressions that convert a whole tensor to a wider float type.

Recognised are `x.float()`, `x.double()`, `x.to(torch.float32)` with `device`, `copy`,
`non_blocking` and `memory_format`, `x.to(float)`, `x.type(torch.float32)`, of a tensor
`torch.as_tensor(x, dtype=torch.float32)`, the methods as functions
(`torch.Tensor.float(x)`), and a function of the file that only returns such a cast. So
is, apart from them, what casts inside: `softmax(x, -1, dtype=torch.float32)`. The type
must resolve to `torch.float32` or `torch.float64`: `tl.float32`, `np.float32`,
`x.to(y.dtype)` and `x.type_as(y)` are no casts, for they may narrow.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from . import ops
from .callers import called_function
from .casting import casting_functions
from .facts import Facts, Module
from .ops import Gives, Operation
from .syntax import ScopeNode, Tree
from .tensor_calls import is_builtin

_WIDE = {Gives.FLOAT32: "float32", Gives.FLOAT64: "float64"}
_DTYPES = {"torch.float32": "float32", "torch.float64": "float64"}
_TENSOR = "torch.Tensor."
_FUNCTIONAL = "torch.nn.functional."


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """`call` converts `source` to `dtype` (`float32` or `float64`)."""

    call: ast.Call
    source: ast.expr
    dtype: str
    dtype_node: ast.expr | None
    """The expression that spells the type, where one does."""
    is_method: bool
    """`source.float()` rather than `torch.Tensor.float(source)`."""
    device: ast.expr | None = None
    """The device that the same call moves the tensor to."""
    copies: bool = False
    """`copy=True`: the result never shares memory with the source."""
    returned: ast.Call | None = None
    """The cast in the function of the file that `call` calls."""
    is_inside: bool = False
    """`call` is an operation that works on the copy, and gives what it makes of it."""

    @property
    def lays_out(self) -> bool:
        """Whether the call asks for a memory format."""
        return any(k.arg == "memory_format" for k in self.call.keywords)

    @property
    def itemsize(self) -> int:
        return 4 if self.dtype == "float32" else 8


def cast_candidates(
    tree: Tree, rows: Sequence[tuple[int, int]] | None = None
) -> dict[ScopeNode, list[ast.Call]]:
    """The calls that may be casts, by their scope, in the order of the text.

    All of them, or those in the outermost functions that begin the `rows`.
    """
    functions = tree.once(tree.module, casting_functions)
    names = ops.casts() | ops.casting_inside()
    calls = [
        node
        for node in tree.nodes(rows)
        if isinstance(node, ast.Call)
        and (
            node.func.attr in names
            if isinstance(node.func, ast.Attribute)
            else isinstance(node.func, ast.Name)
            and (node.func.id in functions or node.func.id in names)
        )
    ]
    calls.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    found: dict[ScopeNode, list[ast.Call]] = {}
    for call in calls:
        found.setdefault(tree.scope(call), []).append(call)
    return found


def recognise_cast(node: ast.AST, facts: Facts) -> Cast | None:
    """The cast that `node` is, or None."""
    if not isinstance(node, ast.Call):
        return None
    function = node.func
    name = getattr(function, "attr", getattr(function, "id", ""))
    dotted = facts.resolve(function) if name in ops.casts() else None
    if dotted is not None:
        return _called_as_function(node, dotted, facts)
    if isinstance(function, ast.Name):
        return _of_function(node, function, facts)
    operation = ops.method(name) if name in ops.casts() else None
    if operation is None or not isinstance(function, ast.Attribute):
        return None
    if facts.resolve(function.value) is not None:
        return None
    return _cast(node, operation, function.value, node.args, True, facts)


def cast_inside(node: ast.Call, facts: Facts) -> Cast | None:
    """The cast that a row-wise operation makes of its operand, by its `dtype=`."""
    function = node.func
    name = getattr(function, "attr", getattr(function, "id", ""))
    if name not in ops.casting_inside():
        return None
    dotted = facts.resolve(function)
    is_method = dotted is None and isinstance(function, ast.Attribute)
    operation = ops.method(name) if is_method else ops.function(dotted or "")
    bound = None if operation is None else operation.bind(node)
    if operation is None or bound is None or not bound.is_complete:
        return None
    if is_method:
        assert isinstance(function, ast.Attribute)
        source: ast.expr | None = function.value
    else:
        source = bound.of.get("input")
    spelled = bound.of.get("dtype")
    if source is None or spelled is None:
        return None
    if (dotted or "").startswith(_FUNCTIONAL) and spelled in node.args:
        return None  # its third parameter is another one
    dtype = _DTYPES.get(facts.resolve(spelled) or "")
    if dtype is None:
        return None
    return Cast(node, source, dtype, spelled, is_method, copies=True, is_inside=True)


def _called_as_function(call: ast.Call, dotted: str, facts: Facts) -> Cast | None:
    """`torch.Tensor.float(x)`, and `torch.as_tensor(x, dtype=…)` of a tensor."""
    operation = ops.function(dotted)
    if operation is None or not operation.may_widen or not call.args:
        return None
    source = call.args[0]
    if isinstance(source, ast.Starred):
        return None
    if not dotted.startswith(_TENSOR):
        # It takes lists and numbers, too, and all else by keyword.
        if len(call.args) > 1:
            return None
        from .receivers import Receiver, receiver_of

        if receiver_of(source, facts) is not Receiver.TENSOR:
            return None
    return _cast(call, operation, source, call.args[1:], False, facts)


def _of_function(call: ast.Call, name: ast.Name, facts: Facts) -> Cast | None:
    """The cast that a function of the file returns, if a call calls it."""
    returned = facts.tree.once(facts.tree.module, casting_functions).get(name.id)
    if returned is None or len(call.args) != 1 or call.keywords:
        return None
    function = called_function(name, facts)
    if function is None or facts.tree.scope(returned) is not function:
        return None
    made = recognise_cast(returned, Module(facts.source, facts.tree).facts(function))
    source = call.args[0]
    if (
        made is None
        or made.device is not None
        or made.lays_out
        or not isinstance(made.source, ast.Name)
        or isinstance(source, ast.Starred)
    ):
        return None
    return Cast(
        call, source, made.dtype, None, False, copies=made.copies, returned=returned
    )


def _cast(
    call: ast.Call,
    operation: Operation,
    source: ast.expr,
    arguments: list[ast.expr],
    is_method: bool,
    facts: Facts,
) -> Cast | None:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in keywords or any(isinstance(a, ast.Starred) for a in arguments):
        return None
    wide = _WIDE.get(operation.gives)
    if wide is not None:
        if arguments or keywords.keys() - {"memory_format"}:
            return None
        return Cast(call, source, wide, None, is_method)
    if any(parameter.name.startswith("*") for parameter in operation.takes or ()):
        return _to(call, source, arguments, keywords, is_method, facts)
    bound = operation.bind(call)
    spelled = None if bound is None else bound.of.get("dtype")
    if bound is None or spelled is None or len(arguments) > 1:
        return None
    dtype = _DTYPES.get(facts.resolve(spelled) or "")
    device = bound.of.get("device")
    return (
        None if dtype is None else Cast(call, source, dtype, spelled, is_method, device)
    )


def _to(
    call: ast.Call,
    source: ast.expr,
    arguments: list[ast.expr],
    keywords: dict[str | None, ast.expr],
    is_method: bool,
    facts: Facts,
) -> Cast | None:
    """`to(dtype, non_blocking, copy)` or `to(device, dtype, non_blocking, copy)`."""
    if keywords.keys() - {
        "dtype",
        "device",
        "copy",
        "non_blocking",
        "memory_format",
    }:
        return None
    spelled = keywords.get("dtype")
    device = keywords.get("device")
    flags = list(arguments)
    if spelled is None and flags and _dtype(flags[0], facts) is not None:
        spelled = flags.pop(0)
    elif flags and device is None:
        device = flags.pop(0)
        if spelled is None and flags:
            spelled = flags.pop(0)
    if spelled is None or len(flags) > 2:
        return None
    dtype = _dtype(spelled, facts)
    if dtype is None:
        return None
    copy = keywords.get("copy", flags[1] if len(flags) == 2 else None)
    is_builtins = is_builtin(spelled, "float", facts)
    return Cast(
        call,
        source,
        dtype,
        None if is_builtins else spelled,
        is_method,
        device,
        copies=copy is not None
        and not (isinstance(copy, ast.Constant) and copy.value is False),
    )


def _dtype(node: ast.expr, facts: Facts) -> str | None:
    """The wide type that an argument of `to` names; Python's `float` is float64."""
    if is_builtin(node, "float", facts):
        return "float64"
    return _DTYPES.get(facts.resolve(node) or "")


def is_guard_for(test: ast.expr, cast: Cast, facts: Facts) -> bool:
    """Whether `test` only asks if the source lacks the type that the cast gives it.

    Then the cast changes nothing where the test is false, and the test can go, unless
    the cast also copies, moves or lays out the tensor anew.
    """
    if cast.copies or cast.device is not None or cast.lays_out:
        return False
    match test:
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.Compare(left=left, ops=[op], comparators=[right])
        ) if isinstance(op, ast.Eq | ast.Is):
            pass
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
            op, ast.NotEq | ast.IsNot
        ):
            pass
        case _:
            return False
    if not _is_dtype_of(left, cast.source):
        left, right = right, left
    return (
        _is_dtype_of(left, cast.source)
        and _DTYPES.get(facts.resolve(right) or "") == cast.dtype
    )


def _is_dtype_of(node: ast.expr, source: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "dtype"
        and ast.dump(node.value) == ast.dump(source)
    )


def is_on_cpu(cast: Cast, facts: Facts) -> bool:
    """Whether the copy evidently is a tensor in the memory of the CPU."""
    if cast.device is not None:
        return _is_cpu(cast.device)
    match facts.value(cast.source):
        case ast.Call(func=ast.Attribute(attr="cpu"), args=[], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="to"), args=[device, *_]):
            return _is_cpu(device)
        case _:
            return False


def _is_cpu(device: ast.expr) -> bool:
    return isinstance(device, ast.Constant) and device.value == "cpu"
