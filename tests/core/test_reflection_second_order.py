"""Every operator's gradient, differentiated again inside a compiled program, equals the eager one."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest

import core
from core import operators
from core.jit import to_static, tree
from core.kernels.dispatch.errors import OperatorError
from tests.core.samples import Draw, all_samples

SAMPLES = all_samples()
CASES = [(name, i) for name in sorted(SAMPLES) if not name.endswith("_") for i in range(len(SAMPLES[name]))]


def weighted(outputs: list[core.Tensor]) -> Optional[core.Tensor]:
    total = None
    for output in outputs:
        if output.dtype.is_floating and not output.stop_gradient:
            weights = np.random.default_rng(1).uniform(0.5, 1.5, output.shape)
            term = (output * core.to_tensor(weights, dtype=output.dtype)).sum()
            total = term if total is None else total + term
    return total


@pytest.mark.parametrize(("name", "index"), CASES)
def test_a_penalty_on_the_gradient_compiles_to_the_same_gradients(name: str, index: int) -> None:
    args, kwargs = SAMPLES[name][index](Draw())
    tensors, skeleton = tree.flatten((list(args), kwargs))
    leaves = [tensor for tensor in tensors if not tensor.stop_gradient and tensor.is_leaf]
    if not leaves:
        return
    positions = [i for i, tensor in enumerate(tensors) if any(tensor is leaf for leaf in leaves)]

    def penalty(*given: core.Tensor) -> Any:
        positional, named = tree.unflatten(skeleton, list(given))
        total = weighted(tree.flatten(getattr(operators, name)(*positional, **named))[0])
        if total is None:
            return None
        found = core.grad(total, [given[i] for i in positions], create_graph=True, allow_unused=True)
        result = None
        for gradient in found:
            if gradient is not None and not gradient.stop_gradient:
                term = (gradient * gradient).sum()
                result = term if result is None else result + term
        return result

    answers = []
    for function in (penalty, to_static(penalty)):
        for leaf in leaves:
            leaf.clear_gradient(set_to_zero=False)
        core.seed(3)
        try:
            value = function(*tensors)
        except OperatorError as error:
            assert "while a program is being compiled" in str(error) or "depends on data" in str(error), error
            return
        if value is None:
            return
        value.backward()
        answers.append([np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in leaves])
    for eager, compiled in zip(*answers):
        scale = max(1.0, float(np.abs(eager).max(initial=0)))
        np.testing.assert_allclose(compiled, eager, rtol=0, atol=2e-5 * scale)
