"""Deformable convolution, with and without modulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.errors import OperatorError
from core.nn import Layer
from core.nn.initializer import Normal
from core.nn.layer.checks import not_false, per_axis, positive
from core.nn.param_attr import ParamAttr, ParamAttrLike, PresentAttrLike
from core.operators import cast
from core.operators._arguments import optional_tensor
from core.operators.layers._windows import sizes_argument
from core.operators.linear_algebra.linalg import matmul
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import transpose
from core.operators.vision.deformable import deformable_columns, whole_mask
from core.tensor import Tensor, apply
from core.vision.ops.arguments import floating_of_rank, upcast

__all__ = ["DeformConv2D", "deform_conv2d"]

Sizes = Union[int, Sequence[int]]


def deform_conv2d(
    x: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    deformable_groups: int = 1,
    groups: int = 1,
    mask: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Convolve images with kernels whose taps are moved, and with a mask weighted, at each position.

    Papers: Deformable ConvNets (Dai et al., arXiv 1703.06211); v2 with a mask (Zhu et al., arXiv 1811.11168).

    Args:
        x: Images (N, C, H, W), floating-point.
        offset: (N, 2 * deformable_groups * KH * KW, OH, OW): for each tap how far it is moved down, then to the right,
            in pixels.
        weight: Kernels (M, C / groups, KH, KW).
        bias: Shape (M,).
        stride: Step of the kernel.
        padding: Zeros around x, one int or [height, width].
        dilation: Distance between the kernel's taps.
        deformable_groups: The channels fall into this many groups with offsets of their own.
        groups: Channels are convolved in this many separate groups.
        mask: (N, deformable_groups * KH * KW, OH, OW): a weight for each tap.
        name: Unused, as in Paddle.

    Returns:
        (N, M, OH, OW).

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: a tensor is not floating-point.
    """
    caller = "deform_conv2d"
    x = floating_of_rank(x, 4, caller, "x", "(N, C, H, W)")
    weight = floating_of_rank(weight, 4, caller, "weight", "(M, C / groups, KH, KW)")
    kernel = (weight.shape[2], weight.shape[3])
    window = {
        "kernel": kernel,
        "stride": sizes_argument(stride, 2, caller, "stride"),
        "padding": sizes_argument(padding, 2, caller, "padding", 0),
        "dilation": sizes_argument(dilation, 2, caller, "dilation"),
    }
    outputs, channels = weight.shape[0], x.shape[1]
    if groups < 1 or weight.shape[1] * groups != channels or outputs % groups or channels % max(deformable_groups, 1):
        raise OperatorError(
            f"{caller}: weight {weight.shape} with groups={groups} and deformable_groups={deformable_groups} does not"
            f" fit {channels} channels"
        )
    rows, columns = (
        (x.shape[2 + a] + 2 * window["padding"][a] - window["dilation"][a] * (kernel[a] - 1) - 1) // window["stride"][a]
        + 1
        for a in (0, 1)
    )
    taps = kernel[0] * kernel[1]
    places = [x.shape[0], deformable_groups, taps, rows, columns]
    offset = _split(offset, "offset", [*places[:3], 2, *places[3:]])
    shifts = upcast(offset)
    if optional_tensor(mask, caller, "mask") is None:
        weights = whole_mask(shifts)
    else:
        weights = cast(_split(mask, "mask", places), shifts.dtype)
    taken = apply(deformable_columns, cast(x, shifts.dtype), shifts, weights, **window)
    each, pixels, lines = channels // groups, rows * columns, cast(taken, x.dtype)
    kernels = reshape_exact(weight, [groups, outputs // groups, each, taps])
    kernels = reshape_exact(transpose(kernels, [0, 1, 3, 2]), [groups, outputs // groups, taps * each])
    if groups > 1:
        lines = transpose(reshape_exact(lines, [x.shape[0], pixels, taps, groups, each]), [0, 3, 1, 2, 4])
        lines = reshape_exact(lines, [x.shape[0], groups, pixels, taps * each])
    result = reshape_exact(matmul(kernels, lines, transpose_y=True), [x.shape[0], outputs, rows, columns])
    return result if bias is None else result + reshape_exact(bias, [outputs, 1, 1])


def _split(tensor: Any, name: str, wanted: Sequence[int]) -> Tensor:
    """Return offsets or a mask with the groups, taps and directions as axes of their own."""
    batch, *inner, rows, columns = wanted
    total = 1
    for size in inner:
        total *= size
    tensor = floating_of_rank(tensor, 4, "deform_conv2d", name, str([batch, total, rows, columns]))
    if tensor.shape != [batch, total, rows, columns] or 0 in tensor.shape:
        raise OperatorError(
            f"deform_conv2d: {name} has the shape {[batch, total, rows, columns]}, none of them 0, but got"
            f" {tensor.shape}"
        )
    return reshape_exact(tensor, wanted)


class DeformConv2D(Layer):
    """Convolution whose taps are moved at each position; see :func:`deform_conv2d`.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel.
        stride: Step of the kernel.
        padding: Zeros around the input.
        dilation: Distance between the kernel's taps.
        deformable_groups: The channels fall into this many groups with offsets of their own.
        groups: Channels are convolved in this many separate groups.
        weight_attr: ParamAttr of the kernel; Normal(0, sqrt(2 / (in_channels · kernel area))) by default.
        bias_attr: ParamAttr of the bias, or False for none.

    Shapes:
        x (N, C, H, W), offset (N, 2 * deformable_groups * KH * KW, OH, OW), mask without the factor 2,
        output (N, out_channels, OH, OW).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        deformable_groups: int = 1,
        groups: int = 1,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
    ) -> None:
        super().__init__()
        not_false("DeformConv2D", weight_attr, "a convolution without a kernel computes nothing")
        self._in_channels = positive("DeformConv2D", "in_channels", in_channels)
        self._out_channels = positive("DeformConv2D", "out_channels", out_channels)
        self._groups = positive("DeformConv2D", "groups", groups)
        self._deformable_groups = positive("DeformConv2D", "deformable_groups", deformable_groups)
        if in_channels % groups or out_channels % groups or in_channels % deformable_groups:
            raise ValueError(
                f"DeformConv2D: in_channels={in_channels} and out_channels={out_channels} must be divisible by"
                f" groups={groups}, in_channels by deformable_groups={deformable_groups}"
            )
        self._kernel_size = per_axis("DeformConv2D", "kernel_size", kernel_size, 2)
        self._stride = per_axis("DeformConv2D", "stride", stride, 2)
        self._padding = sizes_argument(padding, 2, "DeformConv2D", "padding", 0)
        self._dilation = per_axis("DeformConv2D", "dilation", dilation, 2)
        deviation = (2.0 / (in_channels * self._kernel_size[0] * self._kernel_size[1])) ** 0.5
        given = isinstance(weight_attr, ParamAttr) and weight_attr.initializer is not None
        self.weight = self.create_parameter(
            [out_channels, in_channels // groups, *self._kernel_size],
            weight_attr,
            default_initializer=None if given else Normal(0.0, deviation),
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Tensor, offset: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """Return the convolved images."""
        return deform_conv2d(
            x,
            offset,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._deformable_groups,
            self._groups,
            mask,
        )

    def extra_repr(self) -> str:
        """Return the channels and the kernel's size."""
        return f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
