"""What a container gives may have been made anywhere."""

from __future__ import annotations

import pytest

from upcast_lint.analysis.gradients import GradientMode

from .test_gradients import mode, proof


@pytest.mark.parametrize("taken", ["model.get(idx)", "model.pop(idx)"])
def test_a_gradient_may_flow_from_what_a_container_gives(taken: str) -> None:
    body = f"""
        with torch.no_grad():
            x = {taken}
            y = x.float()
        return y.gather(-1, idx)
    """
    assert proof(body) is None


@pytest.mark.parametrize("made", ["model.exp()", "torch.exp(model)", "model * 2"])
def test_no_gradient_flows_from_what_is_computed_in_a_region(made: str) -> None:
    body = f"""
        with torch.no_grad():
            x = {made}
        return x.float().gather(-1, idx)
    """
    assert proof(body) is not None


@pytest.mark.parametrize(
    "decorator", ["lib.no_grad()", "lib.inference_mode", "no_grad"]
)
def test_a_decorator_of_another_library_tells_nothing(decorator: str) -> None:
    code = f"import lib\n@{decorator}\ndef f(x):\n    return x.float()\n"
    assert mode(code) is GradientMode.UNKNOWN
