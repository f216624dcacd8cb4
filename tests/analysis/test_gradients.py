from __future__ import annotations

import ast

import pytest

from tests.analysis.scenes import Scene, function, scene
from upcast_lint.analysis.gradients import (
    GradientMode,
    gradient_mode,
    leaves_disabled_region,
    no_gradient,
)
from upcast_lint.analysis.indices import Proof


def proof_of(found: Scene, inference: bool = False) -> Proof | None:
    """The proof for the first cast `….float()`, and the reads by `gather`."""
    cast = found.calls("float")[0]
    assert isinstance(cast.func, ast.Attribute)
    return no_gradient(
        cast,
        cast.func.value,
        found.calls("gather"),
        found.facts,
        found.directives,
        inference,
    )


def proof(body: str) -> Proof | None:
    return proof_of(function(body, "x, idx, other, model"))


def mode(code: str) -> GradientMode:
    found = scene(code)
    return gradient_mode(found.call("float"), found.facts)


OPEN = {
    "a parameter": "y = x.float()\nreturn y.gather(-1, idx)",
    "only the cast is in the region": """
        with torch.no_grad():
            y = x.float()
        return y.gather(-1, idx)
    """,
    "only the read is in the region": """
        y = x.float()
        with torch.no_grad():
            return y.gather(-1, idx)
    """,
    "one of two reads is outside": """
        with torch.no_grad():
            y = x.float()
            a = y.gather(-1, idx)
        return a + y.gather(-1, other)
    """,
    "an alias made in a region": """
        with torch.no_grad():
            y = x
        return y.float().gather(-1, idx)
    """,
    "a view made in a region": """
        with torch.no_grad():
            y = x[:, -1]
        return y.float().gather(-1, idx)
    """,
    "a reshape made in a region": """
        with torch.no_grad():
            y = x.view(-1)
        return y.float().gather(-1, idx)
    """,
    "moved in a region, which may do nothing": """
        with torch.no_grad():
            y = x.to(idx.device)
        return y.float().gather(-1, idx)
    """,
    "an attribute read in a region": """
        with torch.no_grad():
            w = model.lm_head.weight
        return w.float().gather(-1, idx)
    """,
    "got by a getter in a region": """
        with torch.no_grad():
            w = model.get_output_embeddings().weight
        return w.float().gather(-1, idx)
    """,
    "a module made in a region": """
        with torch.no_grad():
            layer = torch.nn.Linear(3, 3)
        return layer.weight.float().gather(-1, idx)
    """,
    "a tensor made in a region that requires gradients": """
        with torch.no_grad():
            w = torch.ones(3, 3, requires_grad=True)
        return w.float().gather(-1, idx)
    """,
    "dropout in a region, which may do nothing": """
        with torch.no_grad():
            y = model.dropout(x)
        return y.float().gather(-1, idx)
    """,
    "gathered from other ranks in a region, which may do nothing": """
        with torch.no_grad():
            y = all_gather(x)
        return y.float().gather(-1, idx)
    """,
    "the weight of what a region computed": """
        with torch.no_grad():
            head = model.build(x)
        return head.weight.float().gather(-1, idx)
    """,
    "passed on by an operation that may give its input": """
        with torch.no_grad():
            y = x.contiguous()
        return y.float().gather(-1, idx)
    """,
    "computed in a region in one branch": """
        with torch.no_grad():
            y = model(x)
        if other:
            y = x
        return y.float().gather(-1, idx)
    """,
    "detached, then mixed with another in a loop": """
        y = x.detach()
        for _ in range(3):
            y = y + other
        return y.float().gather(-1, idx)
    """,
    "detached, then written to": """
        y = x.detach()
        y[other] = x[other]
        return y.float().gather(-1, idx)
    """,
    "detached, then made to require gradients": """
        y = x.detach()
        y.requires_grad_()
        return y.float().gather(-1, idx)
    """,
    "detached, then set to require gradients": """
        y = x.detach()
        y.requires_grad = True
        return y.float().gather(-1, idx)
    """,
    "detached, then scaled by a tensor": """
        y = x.detach() * other
        return y.float().gather(-1, idx)
    """,
    "detached afterwards": "return x.float().gather(-1, idx).detach()",
    "the field data of an object": "return other.data.float().gather(-1, idx)",
    "a read in a generator": """
        with torch.no_grad():
            y = x.float()
            return (y.gather(-1, i) for i in idx)
    """,
    "a read in a nested function": """
        with torch.no_grad():
            y = x.float()
            def later():
                return y.gather(-1, idx)
            return later
    """,
}


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN)
def test_a_gradient_may_flow(body: str) -> None:
    assert proof(body) is None


PROVED = {
    "cast and read in one region": """
        with torch.no_grad():
            y = x.float()
            return y.gather(-1, idx)
    """,
    "cast and read in two regions": """
        with torch.no_grad():
            y = x.float()
        with torch.inference_mode():
            return y.gather(-1, idx)
    """,
    "detached": "return x.detach().float().gather(-1, idx)",
    "detached by name": "y = x.detach()\nreturn y[:, 1:].float().gather(-1, idx)",
    "detached and scaled by a number": """
        y = x.detach() / 0.7
        return y.float().gather(-1, idx)
    """,
    "detached and scaled in a loop": """
        y = x.detach()
        for _ in range(3):
            y = y * 0.5
        return y.float().gather(-1, idx)
    """,
    "the data of a tensor": "n = x.shape\nreturn x.data.float().gather(-1, idx)",
    "integers": "return x.argmax(-1).float().gather(-1, idx)",
    "a comparison": "return (x > 0).float().gather(-1, idx)",
    "a mask": "return x.isnan().float().gather(-1, idx)",
    "made without gradients": "return torch.zeros(3, 4).float().gather(-1, idx)",
    "computed in a region": """
        with torch.no_grad():
            logits = model(x).logits
        return logits.float().gather(-1, idx)
    """,
    "an attribute of what a region computed": """
        with torch.no_grad():
            output = model(x)
        return output.logits.float().gather(-1, idx)
    """,
    "computed in a region from keywords": """
        with torch.no_grad():
            output = model(**x)
        return output.logits.float().gather(-1, idx)
    """,
    "arithmetic in a region": """
        with torch.no_grad():
            y = x + 1
        return y.float().gather(-1, idx)
    """,
    "unpacked in a region": """
        with torch.no_grad():
            y, _ = model(x)
        return y.float().gather(-1, idx)
    """,
    "in one region or the other": """
        with torch.no_grad():
            if other:
                y = model(x)
            else:
                y = x.softmax(-1)
        return y.float().gather(-1, idx)
    """,
}


@pytest.mark.parametrize("body", PROVED.values(), ids=PROVED)
def test_no_gradient_flows(body: str) -> None:
    found = proof(body)
    assert found is not None
    assert not found.stated


def test_the_configuration_is_marked_as_a_statement() -> None:
    found = function("return x.float().gather(-1, idx)", "x, idx")
    stated = proof_of(found, inference=True)
    assert stated is not None
    assert stated.stated


def test_a_comment_is_marked_as_a_statement() -> None:
    stated = proof("return x.float().gather(-1, idx)  # upcast-lint: no-grad")
    assert stated == Proof("stated: no-grad", stated=True)


UNKNOWN = {
    "a mode that is a variable": """
        def f(x, train):
            with torch.set_grad_enabled(train):
                return x.float()
    """,
    "a region under a condition": """
        def f(x, train):
            with torch.no_grad() if train else contextlib.nullcontext():
                return x.float()
    """,
    "an unknown manager": """
        def f(x, ctx):
            with torch.no_grad(), ctx:
                return x.float()
    """,
    "a region that is suspended": """
        def f(x):
            with torch.no_grad():
                yield x
                yield x.float()
    """,
    "a region that waits": """
        async def f(x):
            with torch.no_grad():
                await x.ready
                return x.float()
    """,
    "a decorated coroutine": """
        @torch.no_grad()
        async def f(x):
            return x.float()
    """,
    "an unknown decorator inside": """
        @torch.no_grad()
        @wrapped
        def f(x):
            return x.float()
    """,
    "a mode that is set by a call": """
        def f(x):
            torch.set_grad_enabled(False)
            return x.float()
    """,
    "a mode that is set inside a region": """
        def f(x):
            with torch.no_grad():
                torch.set_grad_enabled(True)
                return x.float()
    """,
    "a manager that is entered by hand": """
        def f(x, stack):
            stack.enter_context(torch.no_grad())
            return x.float()
    """,
    "a generator expression": """
        @torch.no_grad()
        def f(xs):
            return (x.float() for x in xs)
    """,
}


@pytest.mark.parametrize("code", UNKNOWN.values(), ids=UNKNOWN)
def test_the_mode_is_unknown(code: str) -> None:
    assert mode(code) is GradientMode.UNKNOWN


ENABLED = {
    "no region": """
        def f(x):
            return x.float()
    """,
    "after the region": """
        def f(x):
            with torch.no_grad():
                pass
            return x.float()
    """,
    "enabled inside": """
        def f(x):
            with torch.no_grad():
                with torch.enable_grad():
                    return x.float()
    """,
    "inference mode that is off, which enables": """
        def f(x):
            with torch.no_grad(), torch.inference_mode(False):
                return x.float()
    """,
    "the decorator of a function around": """
        @torch.no_grad()
        def outer(x):
            def f():
                return x.float()
            return f
    """,
    "the region around the definition": """
        def outer(x):
            with torch.no_grad():
                def f():
                    return x.float()
            return f
    """,
    "enabled below the decorator": """
        @torch.no_grad()
        @torch.enable_grad()
        def f(x):
            return x.float()
    """,
    "a method called forward of a module": """
        class Head(torch.nn.Module):
            def forward(self, x):
                return x.float()
    """,
    "the backward of an autograd function, under create_graph": """
        class Fn(torch.autograd.Function):
            @staticmethod
            def backward(ctx, x):
                return x.float()
    """,
    "the forward of an autograd function that is called by name": """
        class Fn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.float()
        y = Fn.forward(None, 1)
    """,
    "a shadowed torch": """
        def f(x, torch):
            with contextlib.nullcontext():
                return x.float()
    """,
}


@pytest.mark.parametrize("code", ENABLED.values(), ids=ENABLED)
def test_the_mode_is_enabled(code: str) -> None:
    assert mode(code) is GradientMode.ENABLED


def test_a_region_of_a_shadowed_torch_is_unknown() -> None:
    code = """
        def f(x, torch):
            with torch.no_grad():
                return x.float()
    """
    assert mode(code) is GradientMode.UNKNOWN


DISABLED = {
    "no_grad": "with torch.no_grad():",
    "no_grad, renamed": "with ng():",
    "the long name": "with torch.autograd.no_grad():",
    "inference_mode": "with torch.inference_mode():",
    "inference_mode that is on": "with torch.inference_mode(mode=True):",
    "set_grad_enabled": "with torch.set_grad_enabled(False):",
    "beside autocast": "with torch.no_grad(), torch.autocast('cuda'):",
    "the last of two": "with torch.enable_grad(), torch.no_grad():",
}


@pytest.mark.parametrize("header", DISABLED.values(), ids=DISABLED)
def test_the_mode_is_disabled_in_a_region(header: str) -> None:
    assert mode(f"def f(x):\n    {header}\n        y = x.float()\n") is (
        GradientMode.DISABLED
    )


def test_the_mode_is_disabled_by_a_manager_with_a_name() -> None:
    body = "quiet = torch.no_grad()\nwith quiet:\n    y = x.float()"
    found = function(body)
    assert gradient_mode(found.call("float"), found.facts) is GradientMode.DISABLED


DECORATED = {
    "called": "@torch.no_grad()",
    "bare": "@torch.no_grad",
    "inference": "@torch.inference_mode()",
    "bare inference": "@torch.inference_mode",
    "renamed": "@ng()",
    "above a harmless one": "@torch.no_grad()\n@functools.wraps(g)",
    "below an unknown one": "@remote\n@torch.no_grad()",
    "set": "@torch.set_grad_enabled(False)",
}


LEFT_ALONE = {
    "compiled": "@torch.compile",
    "compiled with options": "@torch.compile(dynamic=True)",
    "scripted": "@torch.jit.script",
    "cached": "@functools.cache",
    "of no object": "@staticmethod",
}


@pytest.mark.parametrize("decorators", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_the_mode_is_left_alone_by_a_decorator(decorators: str) -> None:
    code = f"import functools\n{decorators}\ndef f(x):\n    return x.float()\n"
    assert mode(code) is GradientMode.ENABLED


@pytest.mark.parametrize("decorators", DECORATED.values(), ids=DECORATED)
def test_the_mode_is_disabled_by_a_decorator(decorators: str) -> None:
    code = f"import functools\n{decorators}\ndef f(x):\n    return x.float()\n"
    assert mode(code) is GradientMode.DISABLED


@pytest.mark.parametrize(
    ("base", "decorators", "name"),
    [
        ("torch.autograd.Function", "@staticmethod", "forward"),
        ("torch.autograd.function.Function", "@staticmethod", "forward"),
        (
            "torch.autograd.Function",
            "@staticmethod\n    @once_differentiable",
            "backward",
        ),
    ],
)
def test_the_mode_is_disabled_by_autograd(
    base: str, decorators: str, name: str
) -> None:
    code = f"""
class Fn({base}):
    {decorators}
    def {name}(ctx, x):
        return x.float()
"""
    assert mode(code) is GradientMode.DISABLED


def leaves(code: str) -> bool:
    found = scene(code)
    return leaves_disabled_region(
        found.call("float"), found.call("gather"), found.facts
    )


STAYS = {
    "no region": """
        def f(x, idx):
            y = x.float()
            return y.gather(-1, idx)
    """,
    "one region": """
        def f(x, idx):
            with torch.no_grad():
                y = x.float()
                return y.gather(-1, idx)
    """,
    "the read is deeper": """
        def f(x, idx):
            with torch.no_grad():
                y = x.float()
                with torch.enable_grad():
                    return y.gather(-1, idx)
    """,
    "a decorator": """
        @torch.no_grad()
        def f(x, idx):
            y = x.float()
            return y.gather(-1, idx)
    """,
    "enabled again around the cast": """
        def f(x, idx):
            with torch.no_grad():
                with torch.enable_grad():
                    y = x.float()
            return y.gather(-1, idx)
    """,
    "autocast around the cast": """
        def f(x, idx):
            with torch.autocast("cuda"):
                y = x.float()
            return y.gather(-1, idx)
    """,
    "a mode that was set before": """
        def f(x, idx):
            torch.set_grad_enabled(False)
            y = x.float()
            return y.gather(-1, idx)
    """,
}


@pytest.mark.parametrize("code", STAYS.values(), ids=STAYS)
def test_cast_and_read_are_in_the_same_mode(code: str) -> None:
    assert not leaves(code)


LEAVES = {
    "the read is outside": """
        def f(x, idx):
            with torch.no_grad():
                y = x.float()
            return y.gather(-1, idx)
    """,
    "the region is conditional": """
        def f(x, idx, train):
            with torch.set_grad_enabled(train):
                y = x.float()
            return y.gather(-1, idx)
    """,
    "the region is unknown": """
        def f(x, idx, ctx):
            with ctx:
                y = x.float()
            return y.gather(-1, idx)
    """,
    "the read is in another region": """
        def f(x, idx):
            with torch.no_grad():
                y = x.float()
            with torch.no_grad():
                return y.gather(-1, idx)
    """,
    "the read is in a nested function": """
        @torch.no_grad()
        def f(x, idx):
            y = x.float()
            return lambda: y.gather(-1, idx)
    """,
    "the read is in a generator": """
        @torch.no_grad()
        def f(x, idx):
            y = x.float()
            return (y.gather(-1, i) for i in idx)
    """,
    "the mode is set between": """
        def f(x, idx):
            y = x.float()
            torch.set_grad_enabled(True)
            return y.gather(-1, idx)
    """,
}


@pytest.mark.parametrize("code", LEAVES.values(), ids=LEAVES)
def test_the_read_leaves_the_region_of_the_cast(code: str) -> None:
    assert leaves(code)
