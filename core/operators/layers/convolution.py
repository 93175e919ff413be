"""Convolution and transposed convolution over one, two and three axes."""

from __future__ import annotations

from typing import Optional

from core.kernels.sizes.dimension import same
from core.operators._arguments import optional_tensor
from core.operators.layers._convolution_primitives import (
    check_weight,
    convolve,
    convolve_nothing,
    dilation_argument,
    pad_pairs,
)
from core.operators.layers._windows import (
    PaddingLike,
    Sizes,
    channel_first,
    channel_last,
    check_rank,
    is_channel_last,
    padding_argument,
    sizes_argument,
)
from core.tensor import Tensor


def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: PaddingLike = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: Optional[str] = None,
) -> Tensor:
    """Slide kernels along one axis and sum the products (cross-correlation).

    Args:
        x: Shape (N, C, L), or (N, L, C) for ``NLC``; floating-point.
        weight: Shape (M, C / groups, K).
        bias: Shape (M,), added to every position.
        stride: Step of the kernel.
        padding: Zeros around x: an int, (before, after), a list of pairs with batch and channel, ``SAME`` or ``VALID``.
        dilation: Distance between the kernel's elements; 1 under ``SAME``, as in Paddle.
        groups: Channels are convolved in this many separate groups.
        data_format: ``NCL`` or ``NLC``.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, M, (L + padding - dilation * (K - 1) - 1) // stride + 1), in x's layout.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: types are not floating-point or differ.
    """
    return _conv(1, x, weight, bias, stride, padding, dilation, groups, data_format)


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: PaddingLike = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    """Slide kernels over images and sum the products (cross-correlation).

    Args:
        x: Shape (N, C, H, W), or (N, H, W, C) for ``NHWC``; floating-point.
        weight: Shape (M, C / groups, KH, KW).
        bias: Shape (M,).
        stride: Step of the kernel, one int or one per axis.
        padding: Zeros around x: an int, one per axis, (top, bottom, left, right), pairs with batch and channel,
            ``SAME`` or ``VALID``.
        dilation: Distance between the kernel's elements; 1 under ``SAME``, as in Paddle.
        groups: Channels are convolved in this many separate groups; C groups make a depthwise convolution.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, M, H', W') in x's layout; see :func:`conv1d` for the sizes.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: types are not floating-point or differ.
    """
    return _conv(2, x, weight, bias, stride, padding, dilation, groups, data_format)


def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: PaddingLike = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: Optional[str] = None,
) -> Tensor:
    """Slide kernels over volumes and sum the products (cross-correlation).

    Args:
        x: Shape (N, C, D, H, W), or (N, D, H, W, C) for ``NDHWC``; floating-point.
        weight: Shape (M, C / groups, KD, KH, KW).
        bias: Shape (M,).
        stride: Step of the kernel.
        padding: As for :func:`conv2d`, for three axes.
        dilation: Distance between the kernel's elements; 1 under ``SAME``, as in Paddle.
        groups: Channels are convolved in this many separate groups.
        data_format: ``NCDHW`` or ``NDHWC``.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, M, D', H', W') in x's layout; see :func:`conv1d` for the sizes.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: types are not floating-point or differ.
    """
    return _conv(3, x, weight, bias, stride, padding, dilation, groups, data_format)


def _conv(
    rank: int,
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: Sizes,
    padding: PaddingLike,
    dilation: Sizes,
    groups: int,
    data_format: str,
) -> Tensor:
    caller = f"conv{rank}d"
    check_rank(x, rank, caller)
    check_weight(weight, rank, groups, caller)
    optional_tensor(bias, caller, "bias")
    last = is_channel_last(data_format, rank, caller)
    if last:
        x = channel_first(x)
    stride = sizes_argument(stride, rank, caller, "stride")
    dilation = dilation_argument(dilation, padding, rank, caller)
    pairs = padding_argument(padding, x.shape[2:], weight.shape[2:], stride, last, caller)
    if any(not same(before, after) for before, after in pairs):
        x = pad_pairs(x, pairs)
        pairs = ((0, 0),) * rank
    window = {"stride": stride, "pad": tuple([before for before, _ in pairs]), "dilate": dilation, "groups": groups}
    if x.size == 0 and weight.size:
        result = convolve_nothing(x, weight, bias, window)
    else:
        result = convolve(x, weight, bias, **window)
    return channel_last(result) if last else result


__all__ = ["conv1d", "conv2d", "conv3d"]
