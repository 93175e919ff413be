"""Every operator's gradient, differentiated again inside a compiled program, equals the eager one."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest

import core
from core.jit import to_static, tree
from tests.core.samples import cases_with_tensors
from tests.core.test_reflection import REFUSED, call_of
from tests.sampling import sampled

CASES = [case for case in cases_with_tensors(differentiated=True) if case[0] not in REFUSED]


def weighted(outputs: list[core.Tensor]) -> Optional[core.Tensor]:
    total = None
    for output in outputs:
        if output.dtype.is_floating and not output.stop_gradient:
            weights = np.random.default_rng(1).uniform(0.5, 1.5, output.shape)
            term = (output * core.to_tensor(weights, dtype=output.dtype)).sum()
            total = term if total is None else total + term
    return total


@pytest.mark.parametrize(("name", "index"), sampled(CASES, 4, group=lambda case: None))
def test_a_penalty_on_the_gradient_compiles_to_the_same_gradients(name: str, index: int) -> None:
    tensors, on_tensors = call_of(name, index)
    leaves = [tensor for tensor in tensors if not tensor.stop_gradient]
    positions = [i for i, tensor in enumerate(tensors) if any(tensor is leaf for leaf in leaves)]

    def penalty(*given: core.Tensor) -> Any:
        total = weighted(tree.flatten(on_tensors(*given))[0])
        if total is None:
            return None
        found = core.grad(total, [given[i] for i in positions], create_graph=True, allow_unused=True)
        result = None
        for gradient in found:
            if gradient is not None and not gradient.stop_gradient:
                term = (gradient * gradient).sum()
                result = term if result is None else result + term
        return result

    answers, is_constant = [], []
    for function in (penalty, to_static(penalty)):
        for leaf in leaves:
            leaf.clear_gradient(set_to_zero=False)
        core.seed(3)
        value = function(*tensors)
        if value is not None:
            value.backward()
        is_constant.append(value is None)
        answers.append([np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in leaves])
    assert is_constant[0] == is_constant[1]
    for eager, compiled in zip(*answers):
        scale = max(1.0, float(np.abs(eager).max(initial=0)))
        np.testing.assert_allclose(compiled, eager, rtol=0, atol=2e-5 * scale)
