"""Adaptive pooling: a given number of nearly equal regions per axis, whatever the input's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float16
from core.kernels.sizes.dimension import contains_dimension
from core.operators._arguments import shape_argument
from core.operators.creation.creation import filled
from core.operators.layers._pooling_primitives import adaptive_positions, gather, pool
from core.operators.layers._windows import channel_first, channel_last, check_rank, is_channel_last
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

OutputSize = Union[int, Sequence[Optional[int]], None]

_adaptive_average = Operator(
    "adaptive_average_pooling",
    "_contrib_AdaptiveAvgPooling2D",
    infer=lambda metas, options: [((*metas[0][0][:2], *options["output_size"]), metas[0][1])],
    lacks=(float16, bfloat16),
)
adaptive_average_backward = Operator(
    "adaptive_average_pooling_backward",
    "_backward_contrib_AdaptiveAvgPooling2D",
    infer=lambda metas, options: [((*metas[0][0][:2], *options["size"]), metas[0][1])],
    attributes=lambda metas, options: {"output_size": options["output_size"]},
    allocate=True,
    needs_custom_operator=True,
)

_DOC = """{summary} of each of a given number of nearly equal regions per axis.

    Region i of an axis of size L with output size O covers floor(i * L / O) to ceil((i + 1) * L / O).

    Args:
        x: Shape {shape}, floating-point.
        output_size: Regions per axis, one int or one per axis; None keeps an axis.
        {extra}
        name: Unused, as in Paddle.

    Returns:
        {returns}

    Raises:
        OperatorError: the output size is not positive or has the wrong length.
        OperatorTypeError: x is no floating-point Tensor.
    """
_LAYOUT = "data_format: ``{0}``, or ``{1}`` with channels last."
_MASK = "return_mask: Also return the int32 positions of the largest elements in the flattened spatial axes."


def adaptive_average(x: Tensor, output_size: tuple[int, int]) -> Tensor:
    """Average ``output_size`` regions of images (N, C, H, W)."""
    return apply(_adaptive_average, x, output_size=output_size)


def adaptive_avg_pool1d(x: Tensor, output_size: OutputSize, name: Optional[str] = None) -> Tensor:  # noqa: D103
    return _average(1, x, output_size, "NCL")


def adaptive_avg_pool2d(  # noqa: D103
    x: Tensor, output_size: OutputSize, data_format: str = "NCHW", name: Optional[str] = None
) -> Tensor:
    return _average(2, x, output_size, data_format)


def adaptive_avg_pool3d(  # noqa: D103
    x: Tensor, output_size: OutputSize, data_format: str = "NCDHW", name: Optional[str] = None
) -> Tensor:
    return _average(3, x, output_size, data_format)


def adaptive_max_pool1d(  # noqa: D103
    x: Tensor, output_size: OutputSize, return_mask: bool = False, name: Optional[str] = None
) -> Any:
    return _maximum(1, x, output_size, return_mask)


def adaptive_max_pool2d(  # noqa: D103
    x: Tensor, output_size: OutputSize, return_mask: bool = False, name: Optional[str] = None
) -> Any:
    return _maximum(2, x, output_size, return_mask)


def adaptive_max_pool3d(  # noqa: D103
    x: Tensor, output_size: OutputSize, return_mask: bool = False, name: Optional[str] = None
) -> Any:
    return _maximum(3, x, output_size, return_mask)


def _document() -> None:
    layouts = {1: ("(N, C, L)", ""), 2: ("(N, C, H, W)", "NCHW NHWC"), 3: ("(N, C, D, H, W)", "NCDHW NDHWC")}
    for rank, (shape, formats) in layouts.items():
        average, maximum = globals()[f"adaptive_avg_pool{rank}d"], globals()[f"adaptive_max_pool{rank}d"]
        layout = _LAYOUT.format(*formats.split()) if formats else ""
        returns = "Shape (N, C, *output_size) in x's layout."
        text = _DOC.format(summary="Take the average", shape=shape, extra=layout, returns=returns)
        average.__doc__ = text.replace("        \n", "")
        returns = "Shape (N, C, *output_size); with return_mask also positions of that shape."
        maximum.__doc__ = _DOC.format(summary="Take the largest", shape=shape, extra=_MASK, returns=returns)


_document()


def _checked_size(
    rank: int, x: Tensor, spatial: Sequence[int], output_size: OutputSize, caller: str
) -> tuple[int, ...]:
    given: Sequence[Any] = output_size if isinstance(output_size, (list, tuple)) else [output_size] * rank
    if len(given) != rank:
        raise OperatorError(f"{caller}: output_size must be an int or {rank} ints, got {list(given)}")
    sizes = shape_argument([length if wanted is None else wanted for length, wanted in zip(spatial, given)], caller)
    if any(size < 1 for size in sizes):
        raise OperatorError(f"{caller}: output_size must be at least 1, got {list(given)}")
    if any(size < 1 for size in spatial):
        raise OperatorError(f"{caller}: the spatial axes of {x.shape} have no elements")
    return sizes


def _checked_input(rank: int, x: Tensor, caller: str) -> None:
    check_rank(x, rank, caller)
    if not x.dtype.is_floating:
        raise OperatorTypeError(f"{caller}: expects a floating-point input, got {x.dtype.name}: cast it to float32")


def _average(rank: int, x: Tensor, output_size: OutputSize, data_format: str) -> Tensor:
    caller = f"adaptive_avg_pool{rank}d"
    _checked_input(rank, x, caller)
    last = is_channel_last(data_format, rank, caller)
    if last:
        x = channel_first(x)
    sizes = _checked_size(rank, x, x.shape[2:], output_size, caller)
    batch, channels, *spatial = x.shape
    if x.size == 0:
        result: Tensor = filled((batch, channels, *sizes), 0, x.dtype) + x.sum() * 0
    elif rank == 1:
        result = adaptive_average(reshape_exact(x, [batch, channels, 1, *spatial]), (1, sizes[0]))
    elif rank == 2:
        result = adaptive_average(x, (sizes[0], sizes[1]))
    else:
        # a box's average is the average along one axis of the averages over the two others
        planes = reshape_exact(x, [batch, channels * spatial[0], *spatial[1:]])
        planes = adaptive_average(planes, (sizes[1], sizes[2]))
        result = adaptive_average(
            reshape_exact(planes, [batch, channels, spatial[0], sizes[1] * sizes[2]]), (sizes[0], sizes[1] * sizes[2])
        )
    result = reshape_exact(result, [batch, channels, *sizes])
    return channel_last(result) if last else result


def _maximum(rank: int, x: Tensor, output_size: OutputSize, return_mask: bool) -> Any:
    caller = f"adaptive_max_pool{rank}d"
    _checked_input(rank, x, caller)
    spatial = x.shape[2:]
    sizes = _checked_size(rank, x, spatial, output_size, caller)
    known = not contains_dimension([spatial, sizes])
    if known and not return_mask and all(length % wanted == 0 for length, wanted in zip(spatial, sizes)):
        kernel = [length // wanted for length, wanted in zip(spatial, sizes)]
        return pool("max", rank, x, kernel, kernel, 0, False, {1: "NCL", 2: "NCHW", 3: "NCDHW"}[rank])
    positions = adaptive_positions(x, sizes)
    result = gather(x, positions)
    return (result, positions) if return_mask else result


__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d",
]  # fmt: skip
