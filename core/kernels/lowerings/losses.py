"""The mean cross entropy of rows: of a few scores in a custom kernel, of many by some of the engine's operators."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.dispatch.class_numbers import holds_ignored
from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value, constant
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.dtypes import DType, int64
from core.kernels.engine import engine, host_array
from core.kernels.engine.custom_kernels import gradient_of_first, kernel

MOST_ELEMENTS = 2**15
"""Above it the engine's operators, on several threads, are as fast."""

LARGEST_EXACT = 2**53  # of the integers that the engine makes out of a float64

_gradient = kernel("layers.cross_entropy", "mean_cross_entropy_gradient")
_MEAN = Kernel(
    "mean_cross_entropy.numba",
    kernel("layers.cross_entropy", "mean_cross_entropy"),
    infer=lambda metas, options: [((), metas[0][1])],
    gradients=gradient_of_first(_gradient),
)
_BACKWARD = Kernel(
    "mean_cross_entropy_backward.numba", _gradient, infer=lambda metas, options: metas[1:2], differentiable=False
)


def _kept(labels: Value, classes: int, ignore_index: int, dtype: DType) -> tuple[Value, Optional[Value]]:
    """Return labels that are classes, and 1 for each that counts and 0 for the others; None where all are known to."""
    known = None if labels.traced else host_array.view(labels.held, *labels.meta)
    if known is not None and not holds_ignored(known, classes, ignore_index, "cross_entropy"):
        return labels, None
    counts = apply("not_equal", labels, _whole_number(ignore_index))
    return apply("where", counts, labels, _whole_number(0)), apply("cast", counts, dtype=dtype)


def _whole_number(number: int) -> Value:
    if abs(number) <= LARGEST_EXACT:
        return apply("full", shape=(), value=float(number), dtype=int64)
    return constant(engine.from_numpy(np.array(number, np.int64)))


def _number_of(kept: Value) -> Value:
    """Return how many rows count, 1 where none does: then the mean is 0."""
    total = apply("sum", kept, axis=(0, 1), keepdims=False)
    return apply("add", total, apply("cast", apply("equal_scalar", total, scalar=0.0), dtype=kept.meta[1]))


def _mean_by_parts(scores: Value, labels: Value, ignore_index: int) -> tuple[Value, list[Value]]:
    (rows, classes), dtype = scores.meta
    logs = apply("log_softmax", scores, axis=1)
    labels, kept = _kept(labels, classes, ignore_index, dtype)
    losses = apply("neg", apply("pick", logs, labels, axis=1))
    if kept is not None:
        losses = apply("multiply", losses, kept)
    total = apply("sum", losses, axis=(0, 1), keepdims=False)
    if kept is not None:
        return apply("divide", total, _number_of(kept)), [logs]
    return (apply("multiply_scalar", total, scalar=1.0 / rows) if rows != 1 else total), [logs]


_MEAN_BY_PARTS = Composition(_mean_by_parts, keeps=True)


@Composition
def _backward_by_parts(
    gradient: Value, scores: Value, labels: Value, *logs: Value, ignore_index: int
) -> Value:
    """Return the gradient of the scores; ``logs`` are their log_softmax, where the forward pass kept them."""
    (rows, classes), dtype = scores.meta
    (found,) = logs or [apply("log_softmax", scores, axis=1)]
    labels, kept = _kept(labels, classes, ignore_index, dtype)
    if kept is None:
        share = apply("multiply_scalar", gradient, scalar=1.0 / rows) if rows != 1 else gradient
        shares = apply("broadcast_to", apply("neg", share), shape=(rows, 1))
    else:
        shares = apply("multiply", apply("neg", apply("divide", gradient, _number_of(kept))), kept)
    picked = apply("pick_backward", shares, labels, axis=1, shape=(rows, classes))
    return apply("log_softmax_backward", picked, found, axis=1)


def _are_few(call: Call, scores: int) -> bool:
    return call.is_for_numba and call.size(scores) <= MOST_ELEMENTS


@lowers("mean_cross_entropy")
def _mean(call: Call) -> Operator:
    return _MEAN if _are_few(call, 0) else _MEAN_BY_PARTS


@lowers("mean_cross_entropy_backward")
def _backward(call: Call) -> Operator:
    return _BACKWARD if len(call.metas) == 3 and _are_few(call, 1) else _backward_by_parts
