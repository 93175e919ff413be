"""core.assign into a tensor that is there already; what Paddle 2.6.2 does was looked up."""

from __future__ import annotations

import numpy as np

import core
from core.nn import Parameter


def test_a_parameter_goes_on_needing_a_gradient() -> None:
    weight = core.create_parameter([2, 2], "float32")
    name = weight.name
    assert core.assign(core.ones([2, 2]), weight) is weight
    assert isinstance(weight, Parameter) and weight.is_leaf and not weight.stop_gradient and weight.name == name
    (weight * 2).sum().backward()
    np.testing.assert_array_equal(weight.grad.numpy(), np.full((2, 2), 2.0))


def test_a_result_brings_its_gradient_along() -> None:
    source = core.ones([2], dtype="float32")
    source.stop_gradient = False
    for target in (core.zeros([2]), core.create_parameter([2], "float32")):
        core.assign(source * 3, target)
        assert not target.stop_gradient and not target.is_leaf
        (target * 2).sum().backward()
        np.testing.assert_array_equal(source.grad.numpy(), np.full(2, 6.0))
        source.clear_grad()


def test_what_needs_no_gradient_still_needs_none() -> None:
    target = core.zeros([2])
    core.assign([1.0, 2.0], target)
    assert target.stop_gradient and target.tolist() == [1.0, 2.0]
