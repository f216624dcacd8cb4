"""Which consumer takes an expression that holds a copy, and what it does with it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from . import ops
from .casts import Cast, is_on_cpu
from .directives import Directives
from .facts import Facts
from .ops import Operation, Role
from .pieces.rounds import iterating
from .questions import asks_for_class, has_same_class
from .reads import (
    Consumption,
    Form,
    Kind,
    Result,
    RowWise,
    Selection,
    Step,
    StepKind,
    Use,
    Waste,
)
from .scalars import Operand, classify_operand, exact_constant
from .syntax import is_none_test
from .tensor_calls import builtin_called
from .values import integer, is_none, is_whole, items_of, truth

Recogniser = Callable[[Use], tuple[str, Selection | Waste] | None]
"""Gives the code of the rule that knows a use, and what the use is."""

_FUNCTION_MODULES = ("torch", "torch.nn.functional", "torch.Tensor", "torch.special")
_WRITING = ("out", "inplace", "max_norm")
"""Keywords that make a function of torch write to a tensor it is given."""

_ANSWERS = {Role.METADATA: Kind.METADATA, Role.TYPE: Kind.DTYPE}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


class Consumers:
    """Classifies the consumers of one cast's copy."""

    def __init__(
        self,
        cast: Cast,
        facts: Facts,
        directives: Directives,
        recognise: Recogniser,
    ) -> None:
        self.cast = cast
        self.facts = facts
        self.directives = directives
        self.recognise = recognise
        self.wastes: dict[ast.AST, tuple[str, Waste]] = {}
        """What some consumers waste, if they read the copy whole."""

    def of(self, node: ast.expr) -> Consumption:
        """What takes the value of `node`, which is not merely bound to a name."""
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.Attribute():
                return self._attribute(node, parent)
            case ast.Subscript():
                return self._subscript(node, parent)
            case ast.Call():
                return self._function(node, parent)
            case ast.keyword():
                call = self.facts.tree.parents[parent]
                assert isinstance(call, ast.Call | ast.ClassDef)
                if isinstance(call, ast.Call) and parent.arg is not None:
                    return self._function(node, call)
                return _full(node, "passed on")
            case ast.UnaryOp(op=ast.USub()):
                return Consumption(Step(StepKind.VIEW, parent, node, is_sign=True))
            case ast.BinOp():
                return self._arithmetic(node, parent)
            case ast.Compare() if is_none_test(parent):
                return Consumption(kind=Kind.METADATA, node=parent)
            case ast.For() | ast.AsyncFor() | ast.comprehension() if (
                parent.iter is node
            ):
                use = self._use(node, parent, Form.ITERATION, "")
                return self._selection(use) or _full(parent, "iterated over")
            case ast.Expr():
                return Consumption(kind=Kind.METADATA, node=parent)
            case ast.Delete():
                return Consumption(kind=Kind.DELETE, node=parent)
            case ast.AugAssign() if parent.target is node:
                return Consumption(kind=Kind.WRITE, node=parent, reason="written to")
            case ast.Return() | ast.Yield() | ast.YieldFrom():
                return _full(parent, "returned")
            case ast.Tuple() | ast.List() if isinstance(parent.ctx, ast.Del):
                return Consumption(kind=Kind.DELETE, node=parent)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict() | ast.Starred():
                return _full(parent, "put into a container")
            case ast.Assign() | ast.AnnAssign():
                return _full(parent, "stored")
            case _:
                return _full(parent, "read whole")

    def in_place(self, node: ast.expr) -> Step | None:
        """Arithmetic with a number that is written to the tensor itself.

        `x /= t` and `x.div_(t)`; the step stands for the tensor from then on.
        """
        parent = self.facts.tree.parents[node]
        match parent:
            case ast.AugAssign(op=operator, value=value) if parent.target is node:
                if not isinstance(operator, _ARITHMETIC):
                    return None
                step = self._scalar_step(node, node, value).step
            case ast.Attribute(attr=name) if _is_arithmetic_in_place(name):
                call = self.facts.tree.parents[parent]
                if not isinstance(call, ast.Call) or call.func is not parent:
                    return None
                if len(call.args) != 1 or call.keywords:
                    return None
                step = self._scalar_step(node, call, call.args[0]).step
            case _:
                return None
        return step if step is not None and step.aligned is None else None

    def _use(
        self,
        operand: ast.expr,
        node: ast.expr | ast.For | ast.AsyncFor | ast.comprehension,
        form: Form,
        name: str,
    ) -> Use:
        return Use(operand, node, form, name, self.cast, self.facts, self.directives)

    def _selection(self, use: Use) -> Consumption | None:
        found = self.recognise(use)
        if found is None:
            return None
        code, selection = found
        if isinstance(selection, Waste):
            self.wastes[use.node] = code, selection
            return None
        if selection.narrow is None:
            if selection.is_view and isinstance(selection.node, ast.expr):
                is_tuple = selection.result is Result.PARTS
                return Consumption(
                    Step(
                        StepKind.VIEW,
                        selection.node,
                        use.operand,
                        gives_parts=is_tuple,
                    )
                )
            return _full(use.node, f"read nearly whole by `{selection.label}`")
        return Consumption(
            kind=Kind.SELECTION, node=use.node, selection=selection, code=code
        )

    def _attribute(self, node: ast.expr, attribute: ast.Attribute) -> Consumption:
        name = attribute.attr
        if not isinstance(attribute.ctx, ast.Load):
            return Consumption(kind=Kind.WRITE, node=attribute, reason="written to")
        call = self.facts.tree.parents[attribute]
        if isinstance(call, ast.Call) and call.func is attribute:
            return self._method(node, call, name)
        known = ops.attribute(name)
        if known is not None and known.role in _ANSWERS:
            return Consumption(kind=_ANSWERS[known.role], node=attribute)
        if known is not None and known.role is Role.VIEW:
            return _step(StepKind.VIEW, attribute, node)
        return _full(attribute, f"its `{name}` is read")

    def _method(self, node: ast.expr, call: ast.Call, name: str) -> Consumption:
        use = self._use(node, call, Form.METHOD, name)
        found = self._selection(use)
        if found is not None:
            return found
        operation = ops.method(name)
        if operation is not None and operation.role in _ANSWERS:
            return Consumption(kind=_ANSWERS[operation.role], node=call)
        if name.endswith("_") and not name.endswith("__"):
            return Consumption(
                kind=Kind.WRITE, node=call, reason=f"written to by `{name}`"
            )
        return self._operation(
            node, call, name, operation, list(call.args), call.keywords
        )

    def _function(self, node: ast.expr, call: ast.Call) -> Consumption:
        dotted = self.facts.resolve(call.func)
        known = (
            builtin_called(call, self.facts) if dotted is None else ops.function(dotted)
        )
        if dotted is None and known is None:
            return _full(call, f"passed to `{_short(call.func, self.facts)}`")
        if asks_for_class(call, self.facts):
            is_same = call.args[:1] == [node] and has_same_class(call, self.facts)
            return Consumption(kind=Kind.METADATA if is_same else Kind.DTYPE, node=call)
        module, _, name = (dotted or "").rpartition(".")
        if known is not None and known.role in _ANSWERS:
            return Consumption(kind=_ANSWERS[known.role], node=call)
        loop = iterating(node, self.facts)
        if loop is not None:
            use = self._use(node, loop, Form.ITERATION, "")
            return self._selection(use) or _full(loop, "iterated over")
        if module not in _FUNCTION_MODULES:
            return _full(call, f"passed to `{_short(call.func, self.facts)}`")
        found = self._selection(self._use(node, call, Form.FUNCTION, name))
        if found is not None:
            return found
        if name.endswith("_") or any(k.arg in _WRITING for k in call.keywords):
            return Consumption(
                kind=Kind.WRITE, node=call, reason=f"written to by `{name}`"
            )
        if call.args and call.args[0] is node:
            rest, keywords = call.args[1:], call.keywords
        else:
            given = [k for k in call.keywords if k.value is node and k.arg == "input"]
            if not given:
                return self._commuted(node, call, name, known)
            rest = list(call.args)
            keywords = [k for k in call.keywords if k not in given]
        return self._operation(node, call, name, known, list(rest), keywords)

    def _commuted(
        self, node: ast.expr, call: ast.Call, name: str, operation: Operation | None
    ) -> Consumption:
        """`torch.mul(number, copy)`."""
        if (
            operation is not None
            and operation.role is Role.ARITHMETIC
            and len(call.args) == 2
            and not call.keywords
        ):
            return self._scalar_step(node, call, call.args[0])
        return _full(call, f"passed to `{name}`")

    def _operation(
        self,
        node: ast.expr,
        call: ast.Call,
        name: str,
        operation: Operation | None,
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
    ) -> Consumption:
        """A method or function of the copy that no rule knows as a selection."""
        whole = _full(call, f"read whole by `{name}`")
        if operation is None:
            return whole
        match operation.role:
            case Role.LIKE | Role.NEW:
                return self._new(call, name, keywords)
            case Role.VIEW | Role.SIGN:
                if len(arguments) == 1 and self._names_dtype(arguments[0]):
                    return _full(call, "its bits are reinterpreted")
                if any(k.arg in ("dtype", "memory_format", "out") for k in keywords):
                    return whole
                return Consumption(
                    Step(
                        StepKind.VIEW,
                        call,
                        node,
                        needs_dense=operation.needs_dense,
                        is_sign=operation.role is Role.SIGN,
                        is_abs=operation.role is Role.SIGN and operation.is_positive,
                    )
                )
            case Role.EXPAND if name == "expand" and _keeps_last_axis(call):
                return Consumption(Step(StepKind.VIEW, call, node, repeats=True))
            case Role.EXPORT if not arguments and not keywords:
                return Consumption(
                    Step(StepKind.LIFT, call, node, is_transfer=True, leaves_torch=True)
                )
            case Role.MOVE:
                return self._transfer(node, call, name, arguments, keywords)
            case Role.CAST if name == "to":
                return self._transfer(node, call, name, arguments, keywords)
            case Role.COPY if not arguments and not keywords:
                return Consumption(Step(StepKind.LIFT, call, node))
            case Role.ARITHMETIC if len(arguments) == 1 and not keywords:
                return self._scalar_step(node, call, arguments[0])
            case Role.ELEMENTWISE:
                return self._elementwise(node, call, operation, arguments, keywords)
            case Role.ROW:
                row = self._row_wise(node, call, operation)
                return whole if row is None else Consumption(row)
            case _:
                return whole

    def _row_wise(
        self, node: ast.expr, call: ast.Call, operation: Operation
    ) -> Step | None:
        """An operation along one dimension of the copy, written as a number."""
        if not operation.lifts_rows:
            return None
        bound = operation.bind(call)
        if bound is None or not bound.is_complete:
            return None
        given = {name: each for name, each in bound.of.items() if each is not node}
        dim, keepdim = integer(given.pop("dim", None)), given.pop("keepdim", None)
        dtype = given.pop("dtype", None)
        if dim is None or (keepdim is not None and truth(keepdim) is None):
            return None
        if dtype is not None and not self._names_dtype(dtype):
            return None
        if any(not isinstance(each, ast.Constant) for each in given.values()):
            return None
        adds = operation.axes is ops.Axes.REDUCE
        condition = None
        if adds:
            condition = (
                f"`{operation.name}` adds up a row in one order, however it lies in "
                "memory"
            )
        elif not is_on_cpu(self.cast, self.facts):
            condition = (
                f"the kernel of `{operation.name}` gives a row the same bits wherever "
                "it lies, as it does on a CPU"
            )
        return Step(
            StepKind.LIFT,
            call,
            node,
            condition,
            exact_gradient=False,
            row=RowWise(operation.name, dim, adds and not truth(keepdim)),
        )

    def _new(
        self, call: ast.Call, name: str, keywords: list[ast.keyword]
    ) -> Consumption:
        """A new tensor that has the shape or the type of the copy, not its elements."""
        given = {keyword.arg for keyword in keywords}
        if None in given or "out" in given:
            return _full(call, f"read whole by `{name}`")
        kind = Kind.METADATA if "dtype" in given else Kind.DTYPE
        return Consumption(kind=kind, node=call)

    def _names_dtype(self, node: ast.expr) -> bool:
        dotted = self.facts.resolve(self.facts.value(node))
        last = getattr(node, "attr", getattr(node, "id", ""))
        return (dotted is not None and dotted.startswith("torch.")) or "dtype" in last

    def _transfer(
        self,
        node: ast.expr,
        call: ast.Call,
        name: str,
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
    ) -> Consumption:
        allowed = {"device", "non_blocking"}
        if any(k.arg not in allowed for k in keywords) or len(arguments) > 1:
            return _full(call, f"read whole by `{name}`")
        for argument in arguments:
            if name == "to" and not _names_device(argument):
                return _full(call, "converted again")
        if name == "to" and not arguments and not keywords:
            return _full(call, "converted again")
        return Consumption(Step(StepKind.LIFT, call, node, is_transfer=True))

    def _elementwise(
        self,
        node: ast.expr,
        call: ast.Call,
        operation: Operation,
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
    ) -> Consumption:
        name = operation.name
        given = [*arguments, *(k.value for k in keywords)]
        operands = [classify_operand(a, self.facts) for a in given]
        if any(k.arg in ("out", "inplace", None) for k in keywords) or any(
            o not in (Operand.NUMBER, Operand.ASSUMED_NUMBER)
            and not isinstance(a, ast.Constant)
            for o, a in zip(operands, given, strict=True)
        ):
            return _full(call, f"read whole by `{name}`")
        condition = None
        if operation.bits is not ops.Bits.ELEMENT:
            condition = f"the kernel of `{name}` treats every element alike"
        assumed = [
            self.facts.text(a)
            for o, a in zip(operands, given, strict=True)
            if o is Operand.ASSUMED_NUMBER
        ]
        if assumed:
            condition = f"`{assumed[0]}` is a number"
        return Consumption(
            Step(
                StepKind.LIFT,
                call,
                node,
                condition,
                exact_gradient=operation.keeps_elements,
            )
        )

    def _arithmetic(self, node: ast.expr, operation: ast.BinOp) -> Consumption:
        if not isinstance(operation.op, _ARITHMETIC):
            return _full(operation, "read whole by arithmetic")
        other = operation.right if operation.left is node else operation.left
        return self._scalar_step(node, operation, other)

    def _scalar_step(
        self, node: ast.expr, result: ast.expr, other: ast.expr
    ) -> Consumption:
        """Arithmetic of the copy with `other`, if that is a number."""
        whole = _full(result, "read whole by arithmetic")
        aligned = _row_vector(other)
        if aligned is not None:
            return Consumption(
                Step(
                    StepKind.LIFT,
                    result,
                    node,
                    f"`{aligned.id}` has one element for each row",
                    exact_gradient=False,
                    aligned=aligned,
                )
            )
        match classify_operand(other, self.facts):
            case Operand.NUMBER:
                condition = None
            case Operand.ASSUMED_NUMBER:
                condition = f"`{self.facts.text(other)}` is a number"
            case _:
                return whole
        constant = exact_constant(other, self.facts)
        finite = constant is not None and abs(constant) < float("inf") and constant != 0
        return Consumption(
            Step(
                StepKind.LIFT,
                result,
                node,
                condition,
                exact_gradient=finite and not _is_divisor(node, result),
            )
        )

    def _subscript(self, node: ast.expr, subscript: ast.Subscript) -> Consumption:
        if subscript.value is not node:
            return _full(subscript, "used as an index")
        if not isinstance(subscript.ctx, ast.Load):
            return Consumption(
                kind=Kind.WRITE, node=subscript, reason="written to by index"
            )
        found = self._selection(self._use(node, subscript, Form.SUBSCRIPT, ""))
        if found is not None:
            return found
        if all(map(is_whole, items_of(subscript.slice))):
            return _step(StepKind.VIEW, subscript, node)
        return _full(subscript, "indexed")


def _full(node: ast.AST, reason: str) -> Consumption:
    return Consumption(kind=Kind.FULL, node=node, reason=reason)


def _step(kind: StepKind, node: ast.expr, operand: ast.expr) -> Consumption:
    return Consumption(Step(kind, node, operand))


def _keeps_last_axis(call: ast.Call) -> bool:
    """Whether the last size that `expand` is given is -1."""
    given = call.args[-1] if call.args else None
    match given:
        case ast.Tuple(elts=[*_, last]) | ast.List(elts=[*_, last]):
            given = last
        case _:
            pass
    return integer(given) == -1 and not call.keywords


def _is_divisor(node: ast.expr, result: ast.expr) -> bool:
    """Whether the copy is divided by: then a zero in it has no finite derivative."""
    match result:
        case ast.BinOp(op=ast.Div(), right=right):
            return right is node
        case ast.Call(args=[_, last]):
            return last is node
        case _:
            return False


def _is_arithmetic_in_place(name: str) -> bool:
    known = ops.method(name) if name.endswith("_") else None
    return known is not None and known.role is Role.ARITHMETIC


def _row_vector(node: ast.expr) -> ast.Name | None:
    """The vector `v` of `v[:, None, None]`, which varies along dimension 0 alone."""
    match node:
        case ast.Subscript(value=ast.Name() as name, slice=ast.Tuple(elts=items)):
            first, *rest = items
            if (
                isinstance(first, ast.Slice)
                and is_whole(first)
                and rest
                and all(map(is_none, rest))
            ):
                return name
    return None


def _names_device(node: ast.expr) -> bool:
    """Whether an argument of `to` evidently is a device."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str | int)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name == "device" or name.endswith("_device") or name == "dev"
        case ast.Call(func=ast.Attribute(attr="device") | ast.Name(id="device")):
            return True
        case ast.JoinedStr():
            return True
        case _:
            return False


def _short(function: ast.expr, facts: Facts) -> str:
    return facts.text(function) if len(facts.text(function)) < 60 else "a call"
