"""Unpooling: put the maxima back where they were found, zeros elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.operators.creation.creation import cast
from core.operators.layers._pooling_primitives import scatter
from core.operators.layers._windows import Sizes, check_rank, sizes_argument
from core.tensor import Tensor, numbers_now

_DOC = """Put the results of :func:`max_pool{rank}d` back where they were found, zeros elsewhere.

    Args:
        x: Shape {shape}, floating-point.
        indices: What max_pool{rank}d(return_mask=True) returned, of x's shape.
        kernel_size: Size of a window.
        stride: Step between windows; the kernel size when None.
        padding: The padding of the pooling.
        data_format: ``{layout}`` only, as in Paddle.
        output_size: Shape of the result, whole or spatial; when None, (size - 1) * stride - 2 * padding + kernel_size.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, C, *output_size).

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorIndexError: an index lies outside the result.
    """


def max_unpool1d(  # noqa: D103
    x: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: Sizes = 0,
    data_format: str = "NCL",
    output_size: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
) -> Tensor:
    return _unpool(1, x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool2d(  # noqa: D103
    x: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: Sizes = 0,
    data_format: str = "NCHW",
    output_size: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
) -> Tensor:
    return _unpool(2, x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool3d(  # noqa: D103
    x: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: Sizes = 0,
    data_format: str = "NCDHW",
    output_size: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
) -> Tensor:
    return _unpool(3, x, indices, kernel_size, stride, padding, data_format, output_size)


max_unpool1d.__doc__ = _DOC.format(rank=1, shape="(N, C, L)", layout="NCL")
max_unpool2d.__doc__ = _DOC.format(rank=2, shape="(N, C, H, W)", layout="NCHW")
max_unpool3d.__doc__ = _DOC.format(rank=3, shape="(N, C, D, H, W)", layout="NCDHW")


def _unpool(
    rank: int,
    x: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes],
    padding: Sizes,
    data_format: str,
    output_size: Optional[Sequence[int]],
) -> Tensor:
    caller = f"max_unpool{rank}d"
    check_rank(x, rank, caller)
    if not data_format.startswith("NC"):
        raise OperatorError(f"{caller}: expects channels first, got data_format={data_format!r}")
    if not isinstance(indices, Tensor) or not indices.dtype.is_integer:
        raise OperatorTypeError(f"{caller}: indices must be a Tensor of integers, as max_pool{rank}d returns them")
    if indices.shape != x.shape:
        raise OperatorError(f"{caller}: indices of shape {indices.shape} do not fit x of shape {x.shape}")
    kernel = sizes_argument(kernel_size, rank, caller, "kernel_size")
    step = kernel if stride is None else sizes_argument(stride, rank, caller, "stride")
    pad = sizes_argument(padding, rank, caller, "padding", minimum=0)
    size = [(length - 1) * s - 2 * p + k for length, s, p, k in zip(x.shape[2:], step, pad, kernel)]
    if output_size is not None:
        wanted = [int(length) for length in output_size][-rank:]
        for given, default, s in zip(wanted, size, step):
            if not default - s < given < default + s:
                raise OperatorError(f"{caller}: output_size {wanted} is a stride or more away from {size}")
        size = wanted
    _check_indices(indices, size, caller)
    return scatter(x, cast(indices, "int32"), size, accumulate=False)


def _check_indices(indices: Tensor, size: Sequence[int], caller: str) -> None:
    found = numbers_now(indices)
    if found is None or not found.size:
        return
    total = 1
    for length in size:
        total *= length
    if found.min() < 0 or found.max() >= total:
        raise OperatorIndexError(f"{caller}: index {found.max()} lies outside a result of spatial shape {list(size)}")


__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]
