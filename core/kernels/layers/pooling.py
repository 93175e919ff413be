"""How pooling windows are computed and differentiated: the engine's kernels, and ours for positions of maxima."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta, Plan
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import int32
from core.kernels.engine import engine
from core.kernels.engine.constants import zeros
from core.kernels.engine.engine import Array

_FORWARD = engine.operator_handle("Pooling")
_BACKWARD = engine.operator_handle("_backward_Pooling")


def engine_attributes(kind: str) -> Any:
    """Return the function that turns a pooling call's attributes into the engine's."""

    def attributes(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {"pool_type": kind, "pooling_convention": "valid"}
        result.update({key: options[key] for key in ("kernel", "stride", "pad")})
        if kind == "avg":
            result["count_include_pad"] = not options["exclusive"]
        return result

    return attributes


def infer_pooling(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    """Return the output's shape and type; only whole windows count."""
    shape, dtype = metas[0]
    window = zip(shape[2:], options["kernel"], options["stride"], options["pad"])
    return [((*shape[:2], *[(size + 2 * pad - kernel) // stride + 1 for size, kernel, stride, pad in window]), dtype)]


class MaximumPooling(Operator):
    """The largest element of each window."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "Pooling", infer=infer_pooling, attributes=engine_attributes("max"))

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run the engine's pooling; nothing is kept but that it was run."""
        assert self.handle is not None
        return engine.invoke(self.handle, arrays, plan.attributes)[:1], needs_gradient or None


class MaximumPoolingBackward(Operator):
    """The gradient of maximum pooling from (gradient, x).

    The positions that the engine records are in the order in which the elements of x are in memory. That may have
    changed since the forward run, as reading x puts oneDNN's blocks in order. So they are found again.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "_backward_Pooling",
            infer=lambda metas, options: metas[1:2],
            attributes=engine_attributes("max"),
            differentiable=False,
            needs_custom_operator=True,
        )

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run the engine's pooling, whose second, hidden output is the positions, and its backward kernel."""
        assert plan.metas is not None
        gradient, x = arrays
        ((shape, dtype),) = infer_pooling(plan.metas, attributes)
        output, positions = engine.empty(shape, dtype), engine.empty(shape, int32)
        with engine.engine_mode(recording=False, training=True):
            engine.invoke(_FORWARD, [x], plan.attributes, [output, positions])
        results = [engine.empty(*plan.metas[0])]
        return engine.invoke(_BACKWARD, [gradient, positions, x, output, positions], plan.attributes, results), None


class AveragePoolingBackward(Operator):
    """The gradient of average pooling from the output's gradient alone: both are linear, each the other's transpose.

    Attributes of a call: those of the pooling, and ``size``, the spatial shape of its input.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "_backward_Pooling",
            infer=lambda metas, options: [((*metas[0][0][:2], *options["size"]), metas[0][1])],
            attributes=engine_attributes("avg"),
            needs_custom_operator=True,
        )

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run the engine's backward kernel; it reads only the shape of the input."""
        assert plan.metas is not None
        unused, result = zeros(*plan.metas[0]), engine.empty(*plan.metas[0])
        return engine.invoke(_BACKWARD, [arrays[0], unused, arrays[0]], plan.attributes, [result]), None


def maximum_positions(
    x: np.ndarray, kernel: Sequence[int], stride: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> np.ndarray:
    """Find where the largest element of each window is.

    Args:
        x: Shape (N, C, *size).
        kernel: Size of a window.
        stride: Step between windows.
        pairs: Positions added before and after each axis; never the largest.

    Returns:
        int32, shape (N, C, *positions): indices into the flattened spatial axes; the first of equal ones.
    """
    size = x.shape[2:]
    rank = len(size)
    padded = np.pad(x, [(0, 0), (0, 0), *pairs], constant_values=-np.inf)
    axes = tuple(range(2, rank + 2))
    windows: np.ndarray = np.lib.stride_tricks.sliding_window_view(padded, tuple(kernel), axes)  # type: ignore[call-overload]  # numpy's stubs ask for literal axes
    strided = (slice(None), slice(None), *[slice(None, None, step) for step in stride])
    windows = windows[strided]
    inside = np.unravel_index(windows.reshape(*windows.shape[: rank + 2], -1).argmax(-1), tuple(kernel))
    flat = np.zeros(windows.shape[: rank + 2], np.int64)
    for i in range(rank):
        starts = np.arange(windows.shape[i + 2]) * stride[i] - pairs[i][0]
        starts = starts.reshape([-1 if j == i + 2 else 1 for j in range(rank + 2)])
        flat = flat * size[i] + np.clip(starts + inside[i], 0, size[i] - 1)
    return flat.astype(np.int32)


def adaptive_maximum_positions(x: np.ndarray, output_size: Sequence[int]) -> np.ndarray:
    """Find where the largest element of each of ``output_size`` nearly equal regions is; see maximum_positions."""
    size = x.shape[2:]
    positions = np.arange(int(np.prod(size))).reshape(size)
    result = np.empty((*x.shape[:2], *output_size), np.int32)
    for cell in np.ndindex(*output_size):
        region = tuple([slice(i * n // o, -(-(i + 1) * n // o)) for i, n, o in zip(cell, size, output_size)])
        within, place = (slice(None), slice(None), *region), (slice(None), slice(None), *cell)
        inside = x[within].reshape(*x.shape[:2], -1).argmax(-1)
        result[place] = positions[region].reshape(-1)[inside]
    return result


def gather_positions(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the elements of x (N, C, *size) at flat spatial positions, in the shape of ``positions``."""
    flat = x.reshape(*x.shape[:2], -1)
    return np.take_along_axis(flat, positions.reshape(*x.shape[:2], -1), -1).reshape(positions.shape)


def scatter_positions(values: np.ndarray, positions: np.ndarray, size: Sequence[int], accumulate: bool) -> np.ndarray:
    """Write values (N, C, ...) to flat positions of zeros (N, C, *size); equal positions add up, or the last wins."""
    shape = values.shape[:2]
    result = np.zeros((shape[0] * shape[1], int(np.prod(size))), values.dtype)
    index = (np.arange(len(result))[:, None], positions.reshape(len(result), -1))
    if accumulate:
        np.add.at(result, index, values.reshape(len(result), -1))
    else:
        result[index] = values.reshape(len(result), -1)
    return result.reshape(*shape, *size)
