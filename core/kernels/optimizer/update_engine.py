"""Optimizer updates through the engine's fused multi-tensor operators, for devices that have no compiled rules.

Each operator's arguments are chosen so that its formula becomes Paddle's: the momentum is accumulated with a learning
rate of -1, so that it is not multiplied by one that changes; Adam gets a learning rate and an epsilon corrected for the
step. The rules that the engine lacks are absent from :data:`RULES`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Callable

import numpy as np

from core.kernels.engine import engine
from core.kernels.engine.engine import Array, Attributes

MOST_TENSORS = 45
"""The engine's multi-tensor operators have fixed tables; this fits the smallest."""

Columns = Sequence[Sequence[Array]]


def _run(operator: str, inputs: Sequence[Array], attributes: dict[str, Any], out: Sequence[Array]) -> None:
    engine.invoke(engine.operator_handle(operator), inputs, Attributes(attributes), out)


def _new(operator: str, inputs: Sequence[Array], **attributes: Any) -> Array:
    return engine.invoke(engine.operator_handle(operator), inputs, Attributes(attributes))[0]


def effective(gradient: Array, weight: Array, terms: Sequence[float]) -> Array:
    """Return the gradient scaled by a factor and bounded, plus weight decay; itself where nothing is to be done."""
    factor, low, high, l2, l1 = [float(term) for term in terms]
    if factor != 1.0:
        gradient = _new("_mul_scalar", [gradient], scalar=factor)
    if math.isfinite(low) or math.isfinite(high):
        gradient = _new("clip", [gradient], a_min=low, a_max=high)
    if l2 != 0.0:
        gradient = _new("elemwise_add", [gradient, _new("_mul_scalar", [weight], scalar=l2)])
    if l1 != 0.0:
        gradient = _new("elemwise_add", [gradient, _new("_mul_scalar", [_new("sign", [weight])], scalar=l1)])
    return gradient


def _parts(indices: Sequence[int]) -> Iterator[list[int]]:
    for first in range(0, len(indices), MOST_TENSORS):
        yield list(indices[first : first + MOST_TENSORS])


def _numbers(values: Sequence[float]) -> str:
    return f"({', '.join(repr(float(value)) for value in values)},)"


def _descend(weights: Sequence[Array], directions: Sequence[Array], rates: np.ndarray) -> None:
    """w -= rate * direction."""
    for part in _parts(range(len(weights))):
        inputs = [array for index in part for array in (weights[index], directions[index])]
        attributes = {"lrs": _numbers([rates[i] for i in part]), "wds": _numbers([0.0] * len(part))}
        _run("multi_sgd_update", inputs, {**attributes, "num_weights": len(part)}, [weights[i] for i in part])


def sgd(columns: Columns, gradients: Sequence[Array], rates: np.ndarray, constants: np.ndarray) -> None:
    """Plain gradient descent."""
    _descend(columns[0], gradients, rates[:, 0])


def momentum(columns: Columns, gradients: Sequence[Array], rates: np.ndarray, constants: np.ndarray) -> None:
    """Momentum, plain or Nesterov's: v = mu v + g with a rate of -1, then the weights from v."""
    weights, _, velocities = columns
    mu, nesterov = [float(constant) for constant in constants]
    for part in _parts(range(len(weights))):
        inputs = [array for i in part for array in (weights[i], gradients[i], velocities[i])]
        attributes = {"lrs": _numbers([-1.0] * len(part)), "wds": _numbers([0.0] * len(part)), "momentum": mu}
        unused = [_new("_copy", [weights[i]]) for i in part]
        _run("multi_sgd_mom_update", inputs, {**attributes, "num_weights": len(part)}, unused)
    if nesterov:
        _descend(weights, gradients, rates[:, 0])
    _descend(weights, velocities, rates[:, 0] * (mu if nesterov else 1.0))


def adam(columns: Columns, gradients: Sequence[Array], rates: np.ndarray, constants: np.ndarray) -> None:
    """Adam and AdamW; tensors that are at the same step go together."""
    weights, _, moments1, moments2, powers1, powers2 = columns
    beta1, beta2, epsilon = [float(constant) for constant in constants]
    steps: dict[tuple[float, float], list[int]] = {}
    for index, (power1, power2) in enumerate(zip(powers1, powers2)):
        steps.setdefault((float(power1.asnumpy()[0]), float(power2.asnumpy()[0])), []).append(index)
    for (power1, power2), indices in steps.items():
        root = math.sqrt(1 - power2)
        for part in _parts(indices):
            inputs = [array for i in part for array in (weights[i], gradients[i], moments1[i], moments2[i])]
            one = engine.from_numpy(np.ones(1, np.float32))
            attributes = {
                "lrs": _numbers([rates[i, 0] * root / (1 - power1) for i in part]),
                "wds": _numbers([1.0 - rates[i, 1] for i in part]),
                "etas": _numbers([1.0] * len(part)),
                "beta1": beta1,
                "beta2": beta2,
                "epsilon": epsilon * root,
                "num_weights": len(part),
            }
            _run("_multi_adamw_update", [*inputs, one], attributes, [weights[i] for i in part])
    for power, beta in [(power, beta1) for power in powers1] + [(power, beta2) for power in powers2]:
        _run("_mul_scalar", [power], {"scalar": beta}, [power])


def lamb(columns: Columns, gradients: Sequence[Array], rates: np.ndarray, constants: np.ndarray) -> None:
    """Lamb; a tensor that is not adapted takes Adam's step, which is then the same."""
    weights, _, moments1, moments2, powers1, powers2 = columns
    beta1, beta2, epsilon = [float(constant) for constant in constants]
    plain = [index for index in range(len(weights)) if not rates[index, 2]]
    if plain:
        chosen = [[column[index] for index in plain] for column in columns]
        kept = np.stack([rates[plain, 0], 1.0 - rates[plain, 0] * rates[plain, 1]], axis=1)
        adam(chosen, [gradients[index] for index in plain], kept, constants)
    for part in _parts([index for index in range(len(weights)) if rates[index, 2]]):
        counts = [_step(float(powers2[i].asnumpy()[0]), beta2) for i in part]
        attributes = {
            "learning_rates": _numbers([rates[i, 0] for i in part]),
            "wds": _numbers([rates[i, 1] for i in part]),
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "bias_correction": True,
            "step_count": f"({', '.join(str(count) for count in counts)},)",
            "num_tensors": len(part),
        }
        inputs = [array for i in part for array in (weights[i], gradients[i], moments1[i], moments2[i])]
        _run("_multi_lamb_update", inputs, attributes, [weights[i] for i in part])
        for i in part:
            _run("_mul_scalar", [powers1[i]], {"scalar": beta1}, [powers1[i]])
            _run("_mul_scalar", [powers2[i]], {"scalar": beta2}, [powers2[i]])


def _step(power: float, beta: float) -> int:
    """Return the exponent of a power of a beta; a large one where it no longer matters."""
    return round(math.log(power) / math.log(beta)) if power > 0 else 1_000_000


def sum_of_squares(arrays: Sequence[Array]) -> np.ndarray:
    """Return the sum of squares of each array, accumulated in float32."""
    parts = [[arrays[i] for i in part] for part in _parts(range(len(arrays)))]
    return np.concatenate([_new("multi_sum_sq", part, num_arrays=len(part)).asnumpy() for part in parts])


Rule = Callable[[Columns, Sequence[Array], np.ndarray, np.ndarray], None]
RULES: dict[str, Rule] = {"sgd": sgd, "momentum": momentum, "adam": adam, "lamb": lamb}
