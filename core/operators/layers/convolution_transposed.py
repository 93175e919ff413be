"""Transposed convolution over one, two and three axes: what maps a convolution's output back to its input's shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dtypes import float32
from core.kernels.layers.convolution import MAXIMUM_ELEMENTS
from core.kernels.sizes.dimension import larger
from core.operators._arguments import optional_tensor
from core.operators.creation.creation import cast, filled
from core.operators.layers._convolution_primitives import check_weight, convolution_input_gradient, dilation_argument
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
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.padding import pad_exact
from core.tensor import Tensor

_DOC = """Spread each element of x over a window with a kernel's weights and sum: the transpose of :func:`conv{rank}d`.

    Args:
        x: Shape (N, C, {axes}), or channel last for ``{last}``; floating-point.
        weight: Shape (C, M / groups, {kernel}).
        bias: Shape (M,).
        stride: Distance of neighbouring windows in the output.
        padding: What is cut from the output's borders, in the forms of :func:`conv{rank}d`.
        output_padding: Added to one side of the output, below the stride (or the dilation).
        groups: Channels are handled in this many separate groups.
        dilation: Distance between the kernel's elements; 1 under ``SAME``, as in Paddle.
        output_size: Spatial shape of the output, instead of output_padding.
        data_format: ``{first}`` or ``{last}``.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, M, ...) in x's layout, each size (L - 1) * stride - padding + dilation * (K - 1) + 1 + output_padding.

    Raises:
        OperatorError: shapes do not fit each other, or output_size cannot be reached with this stride.
        OperatorTypeError: types are not floating-point or differ.
    """


def conv1d_transpose(  # noqa: D103 - below
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: PaddingLike = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
    output_size: Optional[Sizes] = None,
    data_format: str = "NCL",
    name: Optional[str] = None,
) -> Tensor:
    return _transposed(1, x, weight, bias, stride, padding, output_padding, groups, dilation, output_size, data_format)


def conv2d_transpose(  # noqa: D103 - below
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: PaddingLike = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    output_size: Optional[Sizes] = None,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    return _transposed(2, x, weight, bias, stride, padding, output_padding, groups, dilation, output_size, data_format)


def conv3d_transpose(  # noqa: D103 - below
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: PaddingLike = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
    output_size: Optional[Sizes] = None,
    data_format: str = "NCDHW",
    name: Optional[str] = None,
) -> Tensor:
    return _transposed(3, x, weight, bias, stride, padding, output_padding, groups, dilation, output_size, data_format)


conv1d_transpose.__doc__ = _DOC.format(rank=1, axes="L", kernel="K", first="NCL", last="NLC")
conv2d_transpose.__doc__ = _DOC.format(rank=2, axes="H, W", kernel="KH, KW", first="NCHW", last="NHWC")
conv3d_transpose.__doc__ = _DOC.format(rank=3, axes="D, H, W", kernel="KD, KH, KW", first="NCDHW", last="NDHWC")


def _transposed(
    rank: int,
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: Sizes,
    padding: PaddingLike,
    output_padding: Sizes,
    groups: int,
    dilation: Sizes,
    output_size: Optional[Sizes],
    data_format: str,
) -> Tensor:
    caller = f"conv{rank}d_transpose"
    check_rank(x, rank, caller)
    check_weight(weight, rank, groups, caller)
    optional_tensor(bias, caller, "bias")
    if dispatcher.is_mixed():
        x, weight = [cast(t, float32) if t.dtype.size == 2 else t for t in (x, weight)]
        bias = cast(bias, float32) if bias is not None and bias.dtype.size == 2 else bias
    last = is_channel_last(data_format, rank, caller)
    if last:
        x = channel_first(x)
    _check_types(x, weight, bias, groups, caller)
    stride = sizes_argument(stride, rank, caller, "stride")
    dilation = dilation_argument(dilation, padding, rank, caller)
    kernel = weight.shape[2:]
    pairs = padding_argument(padding, x.shape[2:], kernel, stride, last, caller)
    smallest = [
        (size - 1) * step - before - after + spread * (window - 1) + 1
        for size, step, (before, after), spread, window in zip(x.shape[2:], stride, pairs, dilation, kernel)
    ]
    size = _result_size(smallest, output_padding, output_size, stride, dilation, caller)
    if x.shape[0] * weight.shape[1] * groups * _product(size) > MAXIMUM_ELEMENTS:
        raise OperatorError(f"{caller}: an output of spatial shape {size} has 2^31 or more elements: split the batch")
    result = _spread(x, weight, stride, pairs, dilation, groups, smallest, size)
    if bias is not None:
        result = result + reshape_exact(bias, [bias.shape[0]] + [1] * rank)
    return channel_last(result) if last else result


def _check_types(x: Tensor, weight: Tensor, bias: Optional[Tensor], groups: int, caller: str) -> None:
    if not x.dtype.is_floating:
        raise OperatorTypeError(f"{caller}: expects a floating-point input, got {x.dtype.name}: cast it to float32")
    for name, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype is not x.dtype:
            raise OperatorTypeError(
                f"{caller}: the input is {x.dtype.name} but the {name} is {other.dtype.name}: cast one of them"
            )
    if x.shape[1] != weight.shape[0]:
        raise OperatorError(
            f"{caller}: the input has {x.shape[1]} channels, the weight of shape {weight.shape} needs {weight.shape[0]}"
        )
    if x.shape[1] % groups:
        raise OperatorError(f"{caller}: {x.shape[1]} input channels do not divide into groups={groups}")
    if bias is not None and bias.shape != [weight.shape[1] * groups]:
        raise OperatorError(f"{caller}: the bias must have shape [{weight.shape[1] * groups}], got {bias.shape}")


def _result_size(
    smallest: Sequence[int],
    output_padding: Sizes,
    output_size: Optional[Sizes],
    stride: Sequence[int],
    dilation: Sequence[int],
    caller: str,
) -> list[int]:
    rank = len(smallest)
    extra = sizes_argument(output_padding, rank, caller, "output_padding", minimum=0)
    if output_size is None:
        for i, more in enumerate(extra):
            if more and more >= max(stride[i], dilation[i]):
                raise OperatorError(
                    f"{caller}: output_padding {list(extra)} must be below the stride {list(stride)} or the dilation"
                    f" {list(dilation)}"
                )
        size = [least + more for least, more in zip(smallest, extra)]
    else:
        if any(extra):
            raise OperatorError(f"{caller}: give output_padding or output_size, not both")
        size = list(sizes_argument(output_size, rank, caller, "output_size"))
        for wanted, least, step in zip(size, smallest, stride):
            if not least <= wanted < least + step:
                raise OperatorError(
                    f"{caller}: output_size {size} cannot be reached: with this stride the sizes start at"
                    f" {list(smallest)} and end below {[a + b for a, b in zip(smallest, stride)]}"
                )
    if any(length < 1 for length in size):
        raise OperatorError(f"{caller}: the padding leaves an output of spatial shape {size}")
    return size


def _spread(
    x: Tensor,
    weight: Tensor,
    stride: tuple[int, ...],
    pairs: Any,
    dilation: tuple[int, ...],
    groups: int,
    smallest: Sequence[int],
    size: Sequence[int],
) -> Tensor:
    """Compute the transposed convolution; what symmetric padding cannot say is computed larger and cut."""
    pad = tuple([before for before, _ in pairs])
    window = {"stride": stride, "dilate": dilation, "groups": groups}
    if x.size == 0:
        channels = weight.shape[1] * groups
        return filled((x.shape[0], channels, *size), 0, x.dtype) + (x.sum() + weight.sum()) * 0
    # with padding ``before`` on both sides the engine reaches sizes in [default, default + stride)
    defaults = [least - before + after for least, (before, after) in zip(smallest, pairs)]
    if all(least <= wanted < least + step for least, wanted, step in zip(defaults, size, stride)):
        return convolution_input_gradient(x, weight, size, pad=pad, **window)
    whole = [least + before + after for least, (before, after) in zip(smallest, pairs)]
    full = convolution_input_gradient(x, weight, whole, pad=(0,) * len(size), **window)
    borders = [(0, 0), (0, 0)]
    starts = []
    for length, wanted, (before, _) in zip(whole, size, pairs):
        borders.append((0, larger(before + wanted - length, 0)))
        starts.append(before)
    full = pad_exact(full, borders)
    index = tuple([slice(None)] * 2 + [slice(start, start + wanted) for start, wanted in zip(starts, size)])
    return full[index]


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


__all__ = ["conv1d_transpose", "conv2d_transpose", "conv3d_transpose"]
