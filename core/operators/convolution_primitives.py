"""The primitives of convolution, closed under differentiation, and what the public functions share.

Convolution is linear in the input, in the weight and, seen from its gradient, in the output: the derivative of each of
the three primitives is made of the two others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Optional

from core.kernels import door, engine
from core.kernels.convolution import Convolution, ConvolutionBackward, InputGradient, WeightGradient
from core.kernels.convolution_blocks import BLOCK, FEWEST_PRODUCTS
from core.kernels.dimension import example
from core.kernels.dtypes import bfloat16, float16, float32
from core.kernels.errors import OperatorError, OperatorTypeError
from core.operators.activation_primitives import through_float32
from core.operators.creation import filled
from core.operators.joining import concat, cut
from core.operators.manipulation import in_order, relayed
from core.operators.padding import pad_exact
from core.operators.windows import PaddingLike, Pairs, Sizes, sizes_argument
from core.tensor import Tensor, apply

_convolution = Convolution("convolution")
_convolution_input_gradient = InputGradient("convolution_input_gradient")
_convolution_weight_gradient = WeightGradient("convolution_weight_gradient")
convolution_backward = ConvolutionBackward("convolution_backward")


def convolve(x: Tensor, weight: Tensor, bias: Optional[Tensor], **window: Any) -> Tensor:
    """Convolve with symmetric padding; ``window`` is stride, pad, dilate (tuples) and groups."""
    if x.dtype is float16 or (x.dtype is bfloat16 and x.ndim != 4):
        return through_float32(partial(convolve, **window), x, weight, bias)  # type: ignore[no-any-return]
    channels = weight.shape[0]
    if _fills_less_than_a_block(x, weight, window):
        weight, bias = [None if p is None else _filled_up(p) for p in (weight, bias)]  # type: ignore[assignment]
        return cut(convolve(x, weight, bias, **window), 1, 0, channels)
    exported = door.state.trace is not None and door.state.trace.symbolic
    learns = x.dtype in (float32, bfloat16) and x.ndim == 4 and door.state.gradients
    if learns and not exported and _gradient_has_other_blocks(x, weight, window):
        x = relayed(x)
    inputs = (x, weight) if bias is None else (x, weight, bias)
    result: Tensor = apply(_convolution, *inputs, **window)
    if not learns or weight.stop_gradient or window["groups"] == 1:
        return result
    in_blocks = result.dtype is bfloat16 or _is_split_finely(weight, window["groups"])
    return in_order(result) if in_blocks else result


def _fills_less_than_a_block(x: Tensor, weight: Tensor, window: dict[str, Any]) -> bool:
    """Return whether more channels, whose weights are zeros, are computed faster than the few that are wanted."""
    if x.dtype is not float32 or x.ndim != 4 or window["groups"] > 1 or not engine.on_cpu():
        return False
    few = weight.shape[0] < BLOCK and weight.shape[1] % BLOCK == 0
    return few and example(x.size) * math.prod(weight.shape[2:]) > FEWEST_PRODUCTS * math.prod(window["stride"])


def _filled_up(parameter: Tensor) -> Tensor:
    """Append zeros along the first axis of a weight or bias, up to a whole block."""
    missing = (BLOCK - parameter.shape[0], *parameter.shape[1:])
    return concat([parameter, filled(missing, 0, parameter.dtype)])


def _is_split_finely(weight: Tensor, groups: int) -> bool:
    """Return whether the engine leaves the result in blocks of 4 or 8 channels.

    Batch normalisation in training is many times slower on them than on what a reshape puts in order.
    """
    per_group = weight.shape[1]
    return groups > 1 and per_group > 1 and per_group % 16 != 0


def _gradient_has_other_blocks(x: Tensor, weight: Tensor, window: dict[str, Any]) -> bool:
    """Return whether the engine has ``x`` in blocks of 16 channels, and would give its gradient in blocks of 4 or 8.

    In bfloat16 it has ``x`` with channels last, and gradients of strides and of groups of channels in blocks. Batch
    normalisation and ReLU keep the order. Where those of its data and of its gradient differ, oneDNN has no fast kernel
    for batch normalisation, and the one that it takes is some 20 times as slow.
    """
    groups, node = window["groups"], x._value.node
    if node is None or node.operator.name not in ("batch_normalization", "relu"):
        return False
    if x.dtype is bfloat16:
        return groups > 1 or max(window["stride"]) > 1
    whole = weight.shape[1] * groups % BLOCK == 0
    return whole and (_is_split_finely(weight, groups) or (groups == 1 and weight.shape[0] % BLOCK != 0))


def convolution_input_gradient(gradient: Tensor, weight: Tensor, size: Sequence[int], **window: Any) -> Tensor:
    """Return the gradient of a convolution's input of spatial shape ``size``: the transposed convolution."""
    if gradient.dtype.size == 2:
        return through_float32(partial(convolution_input_gradient, **window), gradient, weight, size)  # type: ignore[no-any-return]
    return apply(_convolution_input_gradient, gradient, weight, size=tuple(size), **window)


def convolution_weight_gradient(gradient: Tensor, x: Tensor, weight_shape: Sequence[int], **window: Any) -> Tensor:
    """Return the gradient of a convolution's weight."""
    if gradient.dtype.size == 2:
        return through_float32(partial(convolution_weight_gradient, **window), gradient, x, weight_shape)  # type: ignore[no-any-return]
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
    total = weight.sum() if bias is None else weight.sum() + bias.sum()  # type: ignore[attr-defined]
    return filled(shape, 0, x.dtype) + (total + x.sum()) * 0  # type: ignore[attr-defined, operator]
