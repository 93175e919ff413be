"""The primitives of pooling and the one function behind the public ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import ConstantOperator, HostOperator, Operator
from core.kernels.dtypes import bfloat16, float32, int32
from core.kernels.layers.pooling import (
    AveragePoolingBackward,
    MaximumPooling,
    MaximumPoolingBackward,
    adaptive_maximum_positions,
    engine_attributes,
    gather_positions,
    infer_pooling,
    maximum_positions,
    scatter_positions,
)
from core.kernels.sizes.dimension import contains_dimension, is_known
from core.operators.creation._constants import constant
from core.operators.creation.creation import cast, filled
from core.operators.layers._activation_primitives import through_float32
from core.operators.layers._windows import (
    PaddingLike,
    Pairs,
    Sizes,
    channel_first,
    channel_last,
    check_rank,
    is_channel_last,
    padding_argument,
    sizes_argument,
)
from core.operators.shape.padding import pad_exact
from core.tensor import Tensor, apply


def _positions_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape = metas[0][0]
    window = zip(shape[2:], options["kernel"], options["stride"], options["pairs"])
    return [((*shape[:2], *[(size + sum(pair) - k) // step + 1 for size, k, step, pair in window]), int32)]


_maximum_pooling = MaximumPooling("maximum_pooling")
maximum_pooling_backward = MaximumPoolingBackward("maximum_pooling_backward")
_average_pooling = Operator("average_pooling", "Pooling", infer=infer_pooling, attributes=engine_attributes("avg"))
average_pooling_backward = AveragePoolingBackward("average_pooling_backward")
_maximum_positions = HostOperator("maximum_positions", maximum_positions, infer=_positions_meta, differentiable=False)
_adaptive_maximum_positions = HostOperator(
    "adaptive_maximum_positions",
    adaptive_maximum_positions,
    infer=lambda metas, options: [((*metas[0][0][:2], *options["output_size"]), int32)],
    differentiable=False,
)
_gather_positions = HostOperator(
    "gather_positions", gather_positions, infer=lambda metas, options: [(metas[1][0], metas[0][1])]
)
_scatter_positions = HostOperator(
    "scatter_positions",
    scatter_positions,
    infer=lambda metas, options: [((*metas[0][0][:2], *options["size"]), metas[0][1])],
)


def gather(x: Tensor, positions: Tensor) -> Tensor:
    """Take elements of x (N, C, *size) at flat spatial positions (N, C, ...)."""
    if x.dtype is bfloat16:
        return through_float32(gather, x, positions)
    return apply(_gather_positions, x, positions)


def scatter(values: Tensor, positions: Tensor, size: Sequence[int], accumulate: bool) -> Tensor:
    """Put values (N, C, ...) at flat spatial positions of zeros (N, C, *size)."""
    if values.dtype is bfloat16:
        return through_float32(scatter, values, positions, size, accumulate)
    return apply(
        _scatter_positions, values, positions, size=tuple(size), accumulate=accumulate
    )


def window_positions(x: Tensor, kernel: Sequence[int], stride: Sequence[int], pairs: Pairs) -> Tensor:
    """Return the flat spatial position of the largest element of each window."""
    x = cast(x, float32) if x.dtype is bfloat16 else x
    return apply(
        _maximum_positions, x, kernel=tuple(kernel), stride=tuple(stride), pairs=tuple(pairs)
    )


def adaptive_positions(x: Tensor, output_size: tuple[int, ...]) -> Tensor:
    """Return the flat spatial position of the largest element of each of ``output_size`` nearly equal regions."""
    x = cast(x, float32) if x.dtype is bfloat16 else x
    return apply(_adaptive_maximum_positions, x, output_size=output_size)


def average_windows(x: Tensor, **window: Any) -> Tensor:
    """Average each window; ``window`` is kernel, stride, pad (tuples) and exclusive."""
    return apply(_average_pooling, x, **window)


def pool(
    kind: str,
    rank: int,
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes],
    padding: PaddingLike,
    ceil_mode: bool,
    data_format: str,
    exclusive: bool = True,
    return_mask: bool = False,
) -> Any:
    """Pool with the meaning that Paddle gives to each argument; see the public functions.

    Args:
        kind: ``max`` or ``avg``.
        rank: Number of spatial axes.
        x, kernel_size, stride, padding, ceil_mode, data_format, exclusive, return_mask: As in the public functions.
    """
    caller = f"{kind}_pool{rank}d"
    check_rank(x, rank, caller)
    if not x.dtype.is_floating:
        raise OperatorTypeError(f"{caller}: expects a floating-point input, got {x.dtype.name}: cast it to float32")
    last = is_channel_last(data_format, rank, caller)
    if last and return_mask:
        raise OperatorError(f"{caller}: return_mask=True expects channels first, got data_format={data_format!r}")
    if last:
        x = channel_first(x)
    kernel = sizes_argument(kernel_size, rank, caller, "kernel_size")
    step = kernel if stride is None else sizes_argument(stride, rank, caller, "stride")
    if isinstance(padding, str) and padding.upper() == "VALID" and ceil_mode:
        raise OperatorError(f"{caller}: padding='VALID' expects ceil_mode=False")
    size = x.shape[2:]
    pairs = padding_argument(padding, size, kernel, step, last, caller)
    extras = _ceil(size, kernel, step, pairs, ceil_mode)
    whole = tuple([(before, after + extra) for (before, after), extra in zip(pairs, extras)])
    for axis, (length, window, pair) in enumerate(zip(size, kernel, whole)):
        if length + sum(pair) < window:
            raise OperatorError(
                f"{caller}: a window of {window} does not fit into axis {axis + 2} of the input {x.shape} with padding"
                f" {pair}"
            )
    if x.size == 0:
        shape = [(n + sum(pair) - k) // s + 1 for n, k, s, pair in zip(size, kernel, step, whole)]
        result: Any = filled((*x.shape[:2], *shape), 0, x.dtype) + x.sum() * 0
    elif kind == "max":
        result = _maximum(x, kernel, step, whole, return_mask)
    else:
        result = _average(x, kernel, step, pairs, extras, exclusive)
    return channel_last(result) if last else result


def _ceil(
    size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], pairs: Pairs, ceil_mode: bool
) -> list[int]:
    """Return what to add behind each axis so that a last, partial window counts."""
    extras = []
    for length, window, step, pair in zip(size, kernel, stride, pairs):
        extras.append((window - length - sum(pair)) % step if ceil_mode else 0)
    return extras


def _is_plain(kernel: Sequence[int], pairs: Pairs) -> bool:
    if contains_dimension(pairs):
        return False
    return all(before == after < window for window, (before, after) in zip(kernel, pairs))


def _maximum(x: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], pairs: Pairs, return_mask: bool) -> Any:
    if return_mask:
        positions = window_positions(x, kernel, stride, pairs)
        return gather(x, positions), positions
    pad = (0,) * len(kernel)
    if _is_plain(kernel, pairs):
        pad = tuple([before for before, _ in pairs])
    else:
        x = _pad(x, pairs, float(np.finfo(np.float16 if x.dtype.size == 2 else np.float32).min))
    return apply(_maximum_pooling, x, kernel=kernel, stride=stride, pad=pad)


def _average(
    x: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], pairs: Pairs, extras: Sequence[int], exclusive: bool
) -> Tensor:
    """Average windows; ``extras`` is what a last, partial window needs behind each axis, besides the padding."""
    if all(is_known(extra, 0) for extra in extras) and _is_plain(kernel, pairs):
        pad = tuple([before for before, _ in pairs])
        return average_windows(x, kernel=kernel, stride=stride, pad=pad, exclusive=exclusive)
    size = x.shape[2:]
    whole = tuple([(before, after + extra) for (before, after), extra in zip(pairs, extras)])
    averages = average_windows(
        _pad(x, whole, 0.0), kernel=kernel, stride=stride, pad=(0,) * len(kernel), exclusive=True
    )
    weights = constant(
        _window_weights,
        x.dtype,
        size=tuple(size),
        kernel=tuple(kernel),
        stride=tuple(stride),
        pairs=tuple(pairs),
        extras=tuple(extras),
        exclusive=bool(exclusive),
    )
    return averages * weights


def _counted(
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    pairs: Pairs,
    extras: Sequence[int],
    exclusive: bool,
) -> np.ndarray:
    """Return, for each window, its area over the number of its elements that count."""
    counts = np.ones((1, 1, *[1] * len(size)))
    for axis, (length, k, s, (before, after), extra) in enumerate(zip(size, kernel, stride, pairs, extras)):
        starts = np.arange((length + before + after + extra - k) // s + 1) * s - before
        # padding counts unless it is exclusive, what only the partial window needs never does
        first, last = (0, length) if exclusive else (-before, length + after)
        along = np.minimum(starts + k, last) - np.maximum(starts, first)
        counts = counts * along.reshape([-1 if i == axis + 2 else 1 for i in range(len(size) + 2)])
    return np.asarray(np.prod(kernel) / np.maximum(counts, 1))


def _counted_form(
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    pairs: Pairs,
    extras: Sequence[int],
    exclusive: bool,
) -> tuple[Sequence[int], Any]:
    counts = [
        max((length + before + after + extra - k) // s + 1, 0)
        for length, k, s, (before, after), extra in zip(size, kernel, stride, pairs, extras)
    ]
    return [1, 1, *counts, *[1] * (len(size) - len(counts))], np.float64


_window_weights = ConstantOperator("window_weights", _counted, _counted_form)


def _pad(x: Tensor, pairs: Pairs, value: float) -> Tensor:
    return pad_exact(x, ((0, 0), (0, 0), *pairs), value=value)
