"""Convolutions of channels that fill no whole block, and memory that batch normalisation finds in the order it expects.

oneDNN computes blocks of 16 channels. Few results are computed as a whole block and cut. Where the data and the
gradient of a batch normalisation come in different orders, oneDNN has no fast kernel for it, and the one that it takes
is some 20 times as slow; so what would come in blocks of 4 or 8 channels is put in the plain order. Gradients of very
large weights it gives to a reference kernel, as others would want too much scratch memory; of windows as wide as the
images they are products.
"""

from __future__ import annotations

import math
from typing import Any, Optional

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value, invoke
from core.kernels.dispatch.lowering import BY_NORMALIZATION, Call, lowers
from core.kernels.dispatch.operator import KERNELS, Operator
from core.kernels.dtypes import bfloat16, float32
from core.kernels.engine import engine
from core.kernels.layers.convolution import Convolution, ConvolutionBackward
from core.kernels.layers.convolution_blocks import BLOCK, FEWEST_PRODUCTS

_CONVOLUTION = Convolution("convolution.engine", register=False)
_BACKWARD = ConvolutionBackward("convolution_backward.engine", register=False)
_COPY = Operator(  # of an operator that oneDNN knows nothing of; the engine's transpose overruns memory in bfloat16
    "copy_to_plain_layout",
    "slice_axis",
    infer=lambda metas, options: metas,
    attributes=lambda metas, options: {"axis": 0, "begin": 0, "end": "None"},
    register=False,
)
_TENSOR_PRODUCT = Operator(
    "tensor_product",
    "_npi_tensordot_int_axes",
    infer=lambda metas, options: [(metas[0][0][: -options["axes"]] + metas[1][0][options["axes"] :], metas[0][1])],
    register=False,
)
KERNELS[_BACKWARD.name] = _BACKWARD  # in the engine's graph it runs through a custom operator


LARGE_WEIGHT = 2**24
"""Numbers of a weight from which on kernels for its gradient may want more scratch memory than oneDNN gives them."""


@lowers("convolution")
def _convolution(call: Call) -> Optional[Operator]:
    if call.learns and _is_product(call, x=0, weight=1):
        return _product
    if _fills_less_than_a_block(call, x=0, weight=1):
        return None if call.eager else _of_a_whole_block  # eagerly the engine's call is made in parts
    from_plain = not call.eager and call.learns and _gradient_has_other_order(call, x=0, weight=1)
    ordered = call.learns and call.needs(1) and _is_left_in_small_blocks(call)
    if from_plain:
        return _from_and_to_plain_layout if ordered else _from_plain_layout
    return _ordered if ordered else None


@lowers("convolution_backward")
def _convolution_backward(call: Call) -> Optional[Operator]:
    if _is_product(call, x=1, weight=2):
        return _backward_of_product
    if _fills_less_than_a_block(call, x=1, weight=2):
        return _backward_of_a_whole_block
    return _backward_to_plain_layout if _gradient_has_other_order(call, x=1, weight=2) else None


def _fills_less_than_a_block(call: Call, x: int, weight: int) -> bool:
    """Return whether more channels, whose weights are zeros, are computed faster than the few that are wanted."""
    channels, per_group, *kernel = call.shape(weight)
    if call.dtype(x) is not float32 or len(kernel) != 2 or call.attributes["groups"] > 1 or not engine.on_cpu():
        return False
    few = channels < BLOCK and per_group % BLOCK == 0
    return few and call.size(x) * math.prod(kernel) > FEWEST_PRODUCTS * math.prod(call.attributes["stride"])


def _is_product(call: Call, x: int, weight: int) -> bool:
    """Return whether each result sees one row of pixels, whole, by a large weight."""
    images, window, kernel = call.shape(x), call.attributes, call.shape(weight)
    if call.dtype(x) is not float32 or len(images) != 4 or 0 in images or call.size(weight) < LARGE_WEIGHT:
        return False
    by_rows = kernel[2] == window["stride"][0] == window["groups"] == 1 and kernel[3] == images[3]
    return by_rows and not any(window["pad"]) and window["dilate"][1] == 1 and engine.on_cpu()


def _is_split_finely(call: Call, weight: int) -> bool:
    """Return whether the engine computes a convolution of several groups in blocks of 4 or 8 channels."""
    per_group = call.shape(weight)[1]
    return call.attributes["groups"] > 1 and per_group > 1 and per_group % BLOCK != 0


def _is_left_in_small_blocks(call: Call) -> bool:
    """Return whether batch normalisation in training is many times slower on the result than on one in plain order."""
    if len(call.shape()) != 4 or call.attributes["groups"] == 1:
        return False
    return call.dtype() is bfloat16 or (call.dtype() is float32 and _is_split_finely(call, 1))


def _gradient_has_other_order(call: Call, x: int, weight: int) -> bool:
    """Return whether the engine would give the gradient of what batch normalisation made in other blocks than that.

    In bfloat16 that is made with channels last, and gradients of strides and of groups of channels come in blocks.
    """
    if call.formats[x] != BY_NORMALIZATION or len(call.shape(x)) != 4:
        return False
    groups, shape = call.attributes["groups"], call.shape(weight)
    if call.dtype(x) is bfloat16:
        return groups > 1 or max(call.attributes["stride"]) > 1
    if call.dtype(x) is not float32:
        return False
    whole = shape[1] * groups % BLOCK == 0
    return whole and (_is_split_finely(call, weight) or (groups == 1 and shape[0] % BLOCK != 0))


@Composition
def _product(x: Value, weight: Value, *bias: Value, **window: Any) -> Value:
    """Multiply the weight of each result with rows of pixels; a weight that is reshaped would be copied."""
    count, features, height, width = x.meta[0]
    channels = weight.meta[0][0]
    columns = apply("reshape", apply("transpose", x, axes=(1, 3, 0, 2)), newshape=(features, 1, width, count * height))
    found = apply("reshape", _tensor_product(weight, columns, 3), newshape=(channels, count, height, 1))
    found = apply("transpose", found, axes=(1, 0, 2, 3))
    return apply("add", found, apply("reshape", bias[0], newshape=(1, channels, 1, 1))) if bias else found


@Composition
def _backward_of_product(gradient: Value, x: Value, weight: Value, *bias: Value, **window: Any) -> list[Value]:
    count, features, height, width = x.meta[0]
    channels = weight.meta[0][0]
    rows = apply("reshape", apply("transpose", x, axes=(0, 2, 1, 3)), newshape=(count * height, features, 1, width))
    by_channel = apply("reshape", apply("transpose", gradient, axes=(1, 0, 2, 3)), newshape=(channels, count * height))
    of_x = _tensor_product(apply("transpose", by_channel, axes=(1, 0)), weight, 1)
    of_x = apply("transpose", apply("reshape", of_x, newshape=(count, height, features, width)), axes=(0, 2, 1, 3))
    of_bias = [apply("sum", by_channel, axis=(1,), keepdims=False)] if bias else []
    return [of_x, _tensor_product(by_channel, rows, 1), *of_bias]


def _tensor_product(first: Value, second: Value, axes: int) -> Value:
    """Return the sum of products along the last axes of one and the first of the other."""
    return invoke(_TENSOR_PRODUCT, [first, second], {"axes": axes})[0]


@Composition
def _of_a_whole_block(x: Value, *parameters: Value, **window: Any) -> Value:
    """Convolve with zeros appended to the weight and bias, and cut their channels off."""
    channels = parameters[0].meta[0][0]
    found = invoke(_CONVOLUTION, [x, *[_filled_up(parameter) for parameter in parameters]], window)[0]
    return apply("split", found, sizes=(channels, BLOCK - channels), axis=1)


@Composition
def _backward_of_a_whole_block(gradient: Value, x: Value, *parameters: Value, **window: Any) -> list[Value]:
    channels = parameters[0].meta[0][0]
    given = [_filled_up(gradient, axis=1), x, *[_filled_up(parameter) for parameter in parameters]]
    of_x, *others = invoke(_BACKWARD, given, window)
    return [of_x, *[apply("split", other, sizes=(channels, BLOCK - channels), axis=0) for other in others]]


def _filled_up(array: Value, axis: int = 0) -> Value:
    """Append zeros along an axis, up to a whole block."""
    shape, dtype = array.meta
    missing = (*shape[:axis], BLOCK - shape[axis], *shape[axis + 1 :])
    return apply("concat", array, apply("full", shape=missing, value=0.0, dtype=dtype), axis=axis)


@Composition
def _ordered(*inputs: Value, **window: Any) -> Value:
    return _to_plain_layout(invoke(_CONVOLUTION, inputs, window)[0])


@Composition
def _from_plain_layout(x: Value, *parameters: Value, **window: Any) -> Value:
    return invoke(_CONVOLUTION, [_copied_to_plain_layout(x), *parameters], window)[0]


@Composition
def _from_and_to_plain_layout(x: Value, *parameters: Value, **window: Any) -> Value:
    return _to_plain_layout(invoke(_CONVOLUTION, [_copied_to_plain_layout(x), *parameters], window)[0])


@Composition
def _backward_to_plain_layout(*inputs: Value, **window: Any) -> list[Value]:
    of_x, *others = invoke(_BACKWARD, inputs, window)
    return [_copied_to_plain_layout(of_x), *others]


def _to_plain_layout(images: Value) -> Value:
    """Return the same images, in the order of their axes if a convolution left them in blocks of channels."""
    return apply("reshape", images, newshape=images.meta[0]) if 0 not in images.meta[0] else images


def _copied_to_plain_layout(images: Value) -> Value:
    """Return the same images in memory of their own, in the order of their axes, and so for their gradient.

    The result and the gradient of a reshape may share memory with others, and are put back into their blocks.
    """
    if images.meta[1] is bfloat16:
        return invoke(_COPY, [images], {})[0]
    return apply("transpose", images, axes=tuple(range(len(images.meta[0]))))
