"""How the engine convolves without crashing: the four operators that convolution and its derivatives are made of.

The engine has no second derivatives of them, its Deconvolution is wrong or absent for some cases, and in inference form
it rewrites the memory of the weights. What is sound, and used here: Convolution and Deconvolution in training form, and
the backward kernel of Convolution run on its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta, Plan
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float16, float32
from core.kernels.engine import engine
from core.kernels.engine.constants import zeros
from core.kernels.engine.engine import Array
from core.kernels.layers import convolution_blocks as blocks

_DECONVOLUTION = engine.operator_handle("Deconvolution")
_BACKWARD = engine.operator_handle("_backward_Convolution")
MAXIMUM_ELEMENTS = 2**31 - 1


def output_size(size: int, kernel: int, stride: int, pad: int, dilate: int) -> int:
    """Return how many positions a kernel takes along one axis that is padded by ``pad`` on both sides."""
    return (size + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1


def engine_attributes(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    """Return the engine's attributes of a convolution; ``options`` or the second input give the weight's shape."""
    weight = options.get("weight_shape") or metas[1][0]
    return {
        "kernel": weight[2:],
        "stride": options["stride"],
        "dilate": options["dilate"],
        "pad": options["pad"],
        "num_filter": weight[0],
        "num_group": options["groups"],
        "no_bias": len(metas) < 3,
    }


def check_convolution(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse what the engine would refuse late, crash on or get wrong."""
    (shape, dtype), (weight, weight_dtype) = metas[:2]
    groups = options["groups"]
    caller = f"conv{len(shape) - 2}d"
    if not dtype.is_floating:
        raise OperatorTypeError(f"{caller}: expects a floating-point input, got {dtype.name}: cast it to float32")
    for name, (_, other) in zip(("weight", "bias"), metas[1:]):
        if other is not dtype:
            raise OperatorTypeError(
                f"{caller}: the input is {dtype.name} but the {name} is {other.name}: cast one of them"
            )
    if len(weight) != len(shape):
        raise OperatorError(f"{caller}: a weight of shape {list(weight)} does not fit an input of shape {list(shape)}")
    if weight[0] % groups:
        raise OperatorError(f"{caller}: {weight[0]} output channels do not divide into groups={groups}")
    if shape[1] != weight[1] * groups:
        raise OperatorError(
            f"{caller}: the input of shape {list(shape)} has {shape[1]} channels, but the weight of shape"
            f" {list(weight)} with groups={groups} expects {weight[1] * groups}"
        )
    if len(metas) > 2 and metas[2][0] != (weight[0],):
        raise OperatorError(f"{caller}: the bias must have shape [{weight[0]}], got {list(metas[2][0])}")
    elements = shape[0] * weight[0]
    for i, (size, kernel) in enumerate(zip(shape[2:], weight[2:])):
        positions = output_size(size, kernel, options["stride"][i], options["pad"][i], options["dilate"][i])
        if positions < 1:
            raise OperatorError(
                f"{caller}: a kernel of size {kernel} with dilation {options['dilate'][i]} does not fit into axis"
                f" {i + 2} of the input {list(shape)} with padding {options['pad'][i]}"
            )
        elements *= positions
    if elements > MAXIMUM_ELEMENTS:
        raise OperatorError(
            f"{caller}: the output would have {elements} elements; the engine's limit is 2^31 - 1: split the batch"
        )


def infer_convolution(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    """Return the output's shape and type."""
    (shape, dtype), (weight, _) = metas[:2]
    window = zip(shape[2:], weight[2:], options["stride"], options["pad"], options["dilate"])
    return [((shape[0], weight[0], *[output_size(*axis) for axis in window]), dtype)]


class Convolution(Operator):
    """Forward convolution of (x, weight[, bias]).

    Eagerly it runs in training form: in inference form the engine rewrites the weights, in place and later, in a layout
    of its own, so that a zero-copy view of them shows other numbers.
    """

    def __init__(self, name: str, register: bool = True) -> None:
        super().__init__(
            name,
            "Convolution",
            check=check_convolution,
            infer=infer_convolution,
            attributes=engine_attributes,
            register=register,
        )

    def needs_float32(self, metas: Sequence[Meta]) -> bool:
        """Return whether float32 is to serve: for float16, and in bfloat16 for anything but images."""
        shape, dtype = metas[0]
        return dtype is float16 or (dtype is bfloat16 and (len(shape) != 4 or 0 in shape))

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run the engine's Convolution."""
        with engine.engine_mode(recording=False, training=True):
            if plan.metas is not None and _is_split(engine.shape_of(arrays[1]), plan.metas[0], attributes):
                return [blocks.convolve(arrays, plan.attributes)], None
            return engine.invoke(self.handle, arrays, plan.attributes), None


class ConvolutionBackward(Operator):
    """All first-order gradients in one call: from (gradient, x, weight[, bias]) to (dx, dweight[, dbias])."""

    def __init__(self, name: str, register: bool = True) -> None:
        super().__init__(
            name,
            "_backward_Convolution",
            infer=lambda metas, options: metas[1:],
            attributes=lambda metas, options: engine_attributes(metas[1:], options),
            differentiable=False,
            training=False,
            allocate=True,
            needs_custom_operator=True,
            register=register,
        )


def _check_size(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse a size that no convolution to this gradient can have had: the engine would wait for ever."""
    (gradient, _), (weight, _) = metas
    window = (options["size"], gradient[2:], weight[2:], options["stride"], options["pad"], options["dilate"])
    for size, positions, kernel, stride, pad, dilate in zip(*window):
        rest = size - ((positions - 1) * stride - 2 * pad + dilate * (kernel - 1) + 1)
        if not 0 <= rest < max(stride, dilate):
            raise OperatorError(
                f"convolution_input_gradient: an input of size {list(options['size'])} does not give {positions}"
                f" positions with kernel {kernel}, stride {stride}, padding {pad} and dilation {dilate}"
            )


class InputGradient(Operator):
    """The gradient of a convolution's input from (gradient, weight): the transposed convolution.

    Attributes of a call: stride, pad, dilate, groups, and ``size``, the spatial shape of that input.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "Deconvolution",
            check=_check_size,
            infer=self._result,
            attributes=self._deconvolution,
            needs_custom_operator=True,
            lacks=(float16, bfloat16),
        )

    @staticmethod
    def _result(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
        (gradient, dtype), (weight, _) = metas
        return [((gradient[0], weight[1] * options["groups"], *options["size"]), dtype)]

    @staticmethod
    def _deconvolution(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
        if not _deconvolution_is_sound(metas, options):
            return engine_attributes(metas, options)
        (gradient, _), (weight, _) = metas
        attributes = engine_attributes(metas, options)
        attributes["num_filter"] = weight[1] * options["groups"]
        attributes["adj"] = tuple(
            [
                size - ((positions - 1) * stride - 2 * pad + dilate * (kernel - 1) + 1)
                for size, positions, kernel, stride, pad, dilate in zip(
                    options["size"], gradient[2:], weight[2:], options["stride"], options["pad"], options["dilate"]
                )
            ]
        )
        return attributes

    def runs_custom(self, metas: Sequence[Meta], attributes: dict[str, Any], differentiated: bool) -> bool:
        """Return whether a program needs the bridge: where a gradient is asked for, or the engine's kernel is none."""
        (_, channels, *_), dtype = metas[0]
        blocky = channels % blocks.BLOCK == 0 and metas[1][0][1] % blocks.BLOCK == 0
        return differentiated or not (blocky and dtype is float32 and _deconvolution_is_sound(metas, attributes))

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run Deconvolution forward where it is sound, else the backward kernel of Convolution."""
        assert plan.metas is not None
        shape, dtype = plan.metas[0]
        gradient, weight = arrays
        metas = [(engine.shape_of(gradient), dtype), (engine.shape_of(weight), dtype)]
        if _deconvolution_is_sound(metas, attributes):
            with engine.engine_mode(recording=False, training=True):
                if _is_split(metas[1][0], metas[0], attributes):
                    return [blocks.spread(gradient, weight, plan.attributes)], None
                if _is_narrow(metas, attributes):
                    return [blocks.spread_to_few(gradient, weight, plan.attributes)], None
                return engine.invoke(_DECONVOLUTION, arrays, plan.attributes), None
        results = [engine.empty(shape, dtype), engine.empty(metas[1][0], dtype)]
        unused = zeros(shape, dtype)
        return engine.invoke(_BACKWARD, [gradient, unused, weight], plan.attributes, results)[:1], None


def _is_narrow(metas: Sequence[Meta], options: dict[str, Any]) -> bool:
    """Return whether an input gradient of few channels is computed as one of a whole block."""
    ((batch, channels, *positions), dtype), (weight, _) = metas
    swapped = (weight[1], channels, *weight[2:])
    fits = weight[1] < blocks.BLOCK
    return fits and blocks.is_split(weight[1], swapped, batch * math.prod(positions), options["groups"], dtype)


def _deconvolution_is_sound(metas: Sequence[Meta], options: dict[str, Any]) -> bool:
    """Dilated float64 comes out wrong; three axes know no dilation and, without oneDNN, do not exist."""
    dtype = metas[0][1]
    return all(step == 1 for step in options["dilate"]) and (dtype is float32 or len(metas[0][0]) < 5)


class WeightGradient(Operator):
    """The gradient of a convolution's weight from (gradient, x).

    Attributes of a call: stride, pad, dilate, groups, and ``weight_shape``.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "_backward_Convolution",
            infer=lambda metas, options: [(options["weight_shape"], metas[0][1])],
            attributes=engine_attributes,
            needs_custom_operator=True,
            lacks=(float16, bfloat16),
        )

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run the backward kernel of Convolution for the weight's part."""
        assert plan.metas is not None
        shape, dtype = plan.metas[0]
        gradient, x = arrays
        result = engine.empty(shape, dtype)
        split = _is_split(shape, (engine.shape_of(gradient), dtype), attributes)
        blocks.weight_gradient(gradient, x, result, plan.attributes, split)
        return [result], None


def _is_split(weight: Sequence[int], output: Meta, options: dict[str, Any]) -> bool:
    """Return whether a convolution of this weight and output is computed in parts."""
    (batch, _, *positions), dtype = output
    return blocks.is_split(weight[0], weight, batch * math.prod(positions), options["groups"], dtype)


__all__ = ["Convolution", "ConvolutionBackward", "InputGradient", "WeightGradient", "output_size"]
