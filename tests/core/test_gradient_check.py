"""The check of gradients finds one wrong element of many, and names the order and the input."""

from __future__ import annotations

import numpy as np
import pytest

import core
from tests.core.gradient_check import check_gradients


class Square(core.autograd.PyLayer):
    """The square, with a gradient that is off by a number in one element of the first, or of the second, order."""

    @staticmethod
    def forward(ctx, x, errors):  # type: ignore[no-untyped-def]
        ctx.save_for_backward(x, errors)
        return x * x

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        x, (first, second) = ctx.saved_tensor()[0], ctx.saved_tensor()[1].unbind()
        return gradient * (2 * x + first + second * (x - x.detach())), None


@pytest.mark.parametrize(("order", "error"), [("first", 5e-6), ("second", 5e-5)])
def test_one_wrong_element_of_many_is_found(order: str, error: float) -> None:
    x = np.random.default_rng(0).uniform(1, 2, (4, 5))
    errors = np.zeros((2, 4, 5))
    check_gradients(lambda x, e: Square.apply(x, e), x, errors, only=[0])
    errors[0 if order == "first" else 1, 2, 3] = error
    with pytest.raises(AssertionError, match=f"{order} derivative by input 0"):
        check_gradients(lambda x, e: Square.apply(x, e), x, errors, only=[0])
