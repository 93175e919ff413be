"""Outputs of a PyLayer through which no gradient flows."""

from __future__ import annotations

import pytest

import core


class Both(core.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        double, triple = x * 2, x * 3
        ctx.mark_non_differentiable(triple)
        ctx.mark_not_inplace(x)
        return double, triple

    @staticmethod
    def backward(ctx, by_double, by_triple):
        assert by_triple.tolist() == [0.0, 0.0]
        return by_double * 2


@pytest.mark.parametrize("wrap", [lambda function: function, core.jit.to_static])
def test_no_gradient_flows_through_marked_outputs(wrap) -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    double, triple = wrap(lambda x: Both.apply(x))(x)
    assert double.tolist() == [2.0, 4.0] and triple.tolist() == [3.0, 6.0]
    assert not double.stop_gradient and triple.stop_gradient
    double.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_marked_output_counts_as_a_constant() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    double, triple = Both.apply(x)
    (double * triple).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]
