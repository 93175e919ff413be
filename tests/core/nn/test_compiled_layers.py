"""Every layer, training and evaluation: compiled gives the eager run's outputs, gradients and buffers to 1e-6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable, Optional

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from tests.core.nn.reference_cases import Case, draw, flat
from tests.core.test_reflection_layers import CASES as ONE_DROPOUT_AT_MOST
from tests.core.test_reflection_layers import kind_of_layer
from tests.sampling import sampled

QUERY = draw("query", 2, 3, 8)
CASES = {
    **ONE_DROPOUT_AT_MOST,
    "Transformer that drops": Case(
        lambda p: p.nn.Transformer(8, 2, 2, 2, 12, dropout=0.3, attn_dropout=0.2, act_dropout=0.1),
        draw("memory", 2, 4, 8),
        QUERY,
    ),
    "LSTM that drops": Case(lambda p: p.nn.LSTM(8, 4, num_layers=2, direction="bidirect", dropout=0.3), QUERY),
    "a cell used twelve times": Case(lambda p: p.nn.RNN(p.nn.GRUCell(4, 3)), draw("long", 2, 12, 4)),
    "a layer used twelve times": Case(
        lambda p: p.nn.Linear(8, 8), QUERY, call=lambda layer, x: sum([layer(x * i) for i in range(12)]).tanh()
    ),
    "several that draw": Case(
        lambda p: p.nn.Sequential(p.nn.Dropout(0.3), p.nn.RReLU(), p.nn.AlphaDropout(0.2), p.nn.Linear(8, 4)), QUERY
    ),
    "batch norm of two calls": Case(
        lambda p: p.nn.Sequential(p.nn.Conv2D(4, 4, 3), p.nn.BatchNorm2D(4, momentum=0.6)),
        draw("image", 2, 4, 6, 5),
        call=lambda layer, x: layer(x) + layer(x * 2 - 1),
    ),
}
ALWAYS_FLOAT32 = {"BatchNorm_act", "BatchNorm_trainable_statistics"}  # BatchNorm's own dtype argument, as in Paddle
PRECISIONS = {name: ("float32",) if name in ALWAYS_FLOAT32 else ("float32", "float64") for name in CASES}
RUNS = [(name, precision, True) for name in CASES for precision in PRECISIONS[name]]
RUNS += [(name, precision, False) for name in CASES for precision in reversed(PRECISIONS[name])]
"""The default run trains each kind of layer in float32, and takes a sample of the others."""


@pytest.fixture(autouse=True)
def single_precision_afterwards() -> Iterator[None]:
    yield
    core.set_default_dtype("float32")


def outcome(name: str, dtype: str, training: bool, wrap: Callable[..., Any]) -> dict[str, Optional[np.ndarray]]:
    """Return outputs, the gradients of inputs and parameters (None where there is none) and the state afterwards."""
    case = CASES[name]
    core.seed(5)
    layer = case.build(core)
    for key, tensor in layer.state_dict().items():
        if tensor.stop_gradient and key.endswith(("bias", "weight")):
            continue
        values = draw(f"{name}.{key}", *tensor.shape) * 0.5
        tensor.set_value((np.abs(values) + 0.5 if key.endswith("_variance") else values).astype(dtype))
    layer.train() if training else layer.eval()
    tensors = [core.to_tensor(v, dtype=dtype if v.dtype.kind == "f" else str(v.dtype)) for v in case.inputs]
    for tensor in tensors:
        tensor.stop_gradient = not tensor.dtype.is_floating
    core.seed(7)
    outputs = wrap(lambda *given: flat(case.call(layer, *given)))(*tensors)
    heads = [output for output in outputs if not output.stop_gradient]
    if heads:
        weights = [core.to_tensor(draw(f"head{i}", *head.shape), dtype=dtype) for i, head in enumerate(heads)]
        core.autograd.backward(heads, weights)
    found: dict[str, Optional[np.ndarray]] = {f"output {i}": output.numpy() for i, output in enumerate(outputs)}
    leaves = {f"input {i}": tensor for i, tensor in enumerate(tensors)}
    leaves.update(layer.named_parameters())
    for key, parameter in layer.named_parameters():
        assert not training or not heads or parameter.stop_gradient or parameter.grad is not None, key
    for key, leaf in leaves.items():
        found[f"gradient of {key}"] = None if leaf.grad is None else leaf.grad.numpy()
    for key, tensor in (*layer.state_dict().items(), *layer.named_buffers()):
        found[f"state {key}"] = tensor.numpy()
    return found


@pytest.mark.parametrize(
    ("name", "precision", "training"), sampled(RUNS, 6, group=lambda run: kind_of_layer(run[0]))
)
def test_compiled_is_eager(name: str, precision: str, training: bool) -> None:
    core.set_default_dtype(precision)
    eager = outcome(name, precision, training, wrap=lambda function: function)
    compiled = outcome(name, precision, training, wrap=to_static)
    assert set(eager) == set(compiled)
    # where the exact gradient is 0, as for a bias of attention's keys, what is left is the rounding of larger terms
    gradients = [value for key, value in eager.items() if key.startswith("gradient") and value is not None]
    terms = max([1.0, *[np.abs(value).max(initial=0) for value in gradients]])
    for key, expected in eager.items():
        got = compiled[key]
        assert (got is None) == (expected is None), key
        if got is None or expected is None:
            continue
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype), key
        size = max(1.0, float(np.abs(expected.astype("float64")).max(initial=0)))
        scale = terms if key.startswith("gradient") and precision == "float32" else size
        difference = np.abs(got.astype("float64") - expected.astype("float64")).max(initial=0)
        assert difference <= (1e-6 if precision == "float32" else 1e-12) * scale, (key, difference / scale)


def test_two_backward_passes_and_none_leave_the_same_statistics() -> None:
    values = draw("batch", 6, 3) * 2 + 1

    def statistics(wrap: Callable[..., Any], passes: int, record: bool) -> tuple[np.ndarray, np.ndarray]:
        layer = nn.BatchNorm1D(3, momentum=0.75)
        x = core.to_tensor(values, stop_gradient=False)
        with core.set_grad_enabled(record):
            total = wrap(lambda x: (layer(x) ** 3).sum())(x)
        for last in (False, True)[2 - passes :]:
            total.backward(retain_graph=not last)
        return layer._mean.numpy(), layer._variance.numpy()

    mean = 0.25 * values.mean(0)
    variance = 0.75 + 0.25 * values.var(0)
    for wrap in (lambda function: function, to_static):
        for passes, record in ((0, True), (1, True), (2, True), (0, False)):
            found = statistics(wrap, passes, record)
            np.testing.assert_allclose(found[0], mean, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(found[1], variance, rtol=1e-6)
