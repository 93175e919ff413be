"""The primitives of convolution, closed under differentiation, and what the public functions share.

Convolution is linear in the input, in the weight and, seen from its gradient, in the output: the derivative of each of
the three primitives is made of the two others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.layers.convolution import Convolution, ConvolutionBackward, InputGradient, WeightGradient
from core.operators.creation.creation import filled
from core.operators.layers._windows import PaddingLike, Pairs, Sizes, sizes_argument
from core.operators.shape.padding import pad_exact
from core.tensor import Tensor, apply

_convolution = Convolution("convolution")
_convolution_input_gradient = InputGradient("convolution_input_gradient")
_convolution_weight_gradient = WeightGradient("convolution_weight_gradient")
convolution_backward = ConvolutionBackward("convolution_backward")


def convolve(x: Tensor, weight: Tensor, bias: Optional[Tensor], **window: Any) -> Tensor:
    """Convolve with symmetric padding; ``window`` is stride, pad, dilate (tuples) and groups."""
    inputs = (x, weight) if bias is None else (x, weight, bias)
    return apply(_convolution, *inputs, **window)


def convolution_input_gradient(gradient: Tensor, weight: Tensor, size: Sequence[int], **window: Any) -> Tensor:
    """Return the gradient of a convolution's input of spatial shape ``size``: the transposed convolution."""
    return apply(_convolution_input_gradient, gradient, weight, size=tuple(size), **window)


def convolution_weight_gradient(gradient: Tensor, x: Tensor, weight_shape: Sequence[int], **window: Any) -> Tensor:
    """Return the gradient of a convolution's weight."""
    return apply(_convolution_weight_gradient, gradient, x, weight_shape=tuple(weight_shape), **window)


def check_weight(weight: Any, rank: int, groups: Any, caller: str) -> None:
    """Refuse a weight that is no Tensor or has the wrong number of axes, and groups below 1."""
    if not isinstance(weight, Tensor):
        raise OperatorTypeError(f"{caller}: weight must be a Tensor, got {type(weight).__name__}: use to_tensor()")
    if weight.ndim != rank + 2:
        raise OperatorError(f"{caller}: weight must have {rank + 2} dimensions, got shape {weight.shape}")
    if not isinstance(groups, int) or groups < 1:
        raise OperatorError(f"{caller}: groups must be a positive int, got {groups!r}")


def dilation_argument(dilation: Sizes, padding: PaddingLike, rank: int, caller: str) -> tuple[int, ...]:
    """Return the dilation per axis; Paddle sets it to 1 where the padding is ``SAME``."""
    dilation = sizes_argument(dilation, rank, caller, "dilation")
    return (1,) * rank if isinstance(padding, str) and padding.upper() == "SAME" else dilation


def pad_pairs(x: Tensor, pairs: Pairs) -> Tensor:
    """Put zeros around the spatial axes of a channel-first tensor."""
    return pad_exact(x, ((0, 0), (0, 0), *pairs))


def convolve_nothing(x: Tensor, weight: Tensor, bias: Optional[Tensor], window: dict[str, Any]) -> Tensor:
    """Convolve a batch of no elements: the result is empty, and every gradient is zero."""
    metas = [x._value.meta, weight._value.meta] + ([] if bias is None else [bias._value.meta])
    if _convolution.check is not None:
        _convolution.check(metas, window)
    assert _convolution.infer is not None
    shape = _convolution.infer(metas, window)[0][0]
    total = weight.sum() if bias is None else weight.sum() + bias.sum()
    return filled(shape, 0, x.dtype) + (total + x.sum()) * 0
