"""Normalisation: rows and images by custom kernels, the rest by the engine, which is given images."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Meta, Value, invoke
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import REGISTRY, Kernel, Operator
from core.kernels.dtypes import float32
from core.kernels.engine import engine, graph
from core.kernels.engine.custom_kernels import kernel

FEWEST_ELEMENTS = 2**16
"""Below it, calling our kernel for rows costs more than the engine's gradient."""


def _kernels(name: str, module: str, forward: str, infer: Any) -> tuple[Kernel, Kernel]:
    """Declare our kernels of a normalisation and of its gradients, which are those of the result alone."""
    gradients = kernel(module, f"{forward}_gradients")

    def backward(*arrays: np.ndarray, epsilon: float, out: Any) -> None:
        gradients(*arrays, out=out)  # the deviations contain epsilon

    def into(
        given: Sequence[np.ndarray],
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray],
        out: Sequence[Optional[np.ndarray]],
        epsilon: float,
    ) -> None:
        targets = [np.empty_like(array) if target is None else target for target, array in zip(out, inputs)]
        gradients(given[0], *inputs[:2], *outputs[1:], out=tuple(targets))

    return (
        Kernel(f"{name}.numba", kernel(module, forward), infer=infer, gradients=into),
        Kernel(
            f"{name}_backward.numba",
            backward,
            infer=lambda metas, options: [metas[1], metas[2], metas[2]],
            differentiable=False,
        ),
    )


def _with_statistics(of: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Any:
    """Return an inference of the result, and of mean and deviation, whose shape follows from the input's."""
    return lambda metas, options: [metas[0], *[(of(metas[0][0]), metas[0][1])] * 2]


_ROWS, _ROWS_BACKWARD = _kernels(
    "layer_normalization", "layers.normalization", "normalize_rows", _with_statistics(lambda shape: (*shape[:-1], 1))
)
_IMAGES, _IMAGES_BACKWARD = _kernels(
    "instance_normalization",
    "layers.instance_normalization",
    "normalize_images",
    _with_statistics(lambda shape: shape[:2]),
)


_masked_gradients = kernel("layers.batch_normalization", "normalize_batch_gradients")


def _gradients_of_masked(
    given: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
    epsilon: float,
) -> None:
    x, mask, scale, shift = inputs
    wanted = [(out[0], x), (out[2], scale), (out[3], shift)]
    targets = tuple(np.empty_like(array) if target is None else target for target, array in wanted)
    _masked_gradients(given[0], x, mask, scale, *outputs[1:], out=targets)  # the statistics contain epsilon


_MASKED = Kernel(
    "masked_batch_normalization.numba",
    kernel("layers.batch_normalization", "normalize_batch"),
    infer=lambda metas, options: [metas[0], metas[2], metas[2]],
    gradients=_gradients_of_masked,
)


@Composition
def _masked_by_products(x: Value, mask: Value, scale: Value, shift: Value, epsilon: float) -> list[Value]:
    """Add up by products with the mask, and spread by products with ones, whose gradients add up by products."""
    shape, dtype = x.meta
    count, channels = math.prod(shape[:-1]), shape[-1]
    flat = apply("reshape", x, newshape=(count, channels))
    weights = apply("reshape", mask, newshape=(1, count))
    total = apply("sum", weights, axis=(1,), keepdims=True)
    weights = apply("divide", weights, apply("broadcast_to", total, shape=(1, count)))
    each = apply("full", shape=(count, 1), value=1.0, dtype=dtype)
    mean = _product(weights, flat)
    centred = apply("subtract", flat, _product(each, mean))
    variance = _product(weights, apply("multiply", centred, centred))
    inverse = apply("rsqrt", apply("add_scalar", variance, scalar=epsilon))
    factor = apply("multiply", inverse, apply("reshape", scale, newshape=(1, channels)))
    scaled = apply("multiply", centred, _product(each, factor))
    result = apply("add", scaled, _product(each, apply("reshape", shift, newshape=(1, channels))))
    statistics = [apply("reshape", value, newshape=(channels,)) for value in (mean, inverse)]
    return [apply("reshape", result, newshape=shape), *statistics]


def _product(first: Value, second: Value) -> Value:
    return apply("matrix_product", first, second, transpose_a=False, transpose_b=False)


@lowers("masked_batch_normalization")
def _masked(call: Call) -> Operator:
    return _MASKED if call.is_for_numba and call.size() else _masked_by_products


@lowers("layer_normalization")
def _layer(call: Call) -> Optional[Operator]:
    learns = any(call.needs(index) for index in range(3))
    return _ROWS if learns and call.is_for_numba and call.size() >= FEWEST_ELEMENTS else None


@lowers("layer_normalization_backward")
def _layer_backward(call: Call) -> Optional[Operator]:
    return _ROWS_BACKWARD if call.is_for_numba and call.size() >= FEWEST_ELEMENTS else None


def _is_for_our_images(call: Call) -> bool:
    """Return whether our kernel takes it: in an exported program too, where it is quicker than the engine's parts."""
    return engine.on_cpu() and all(dtype is float32 for _, dtype in call.metas)


@lowers("instance_normalization")
def _instance(call: Call) -> Optional[Operator]:
    if _is_for_our_images(call):
        return _IMAGES
    return _as_batch if call.eager else _as_rows


@lowers("instance_normalization_backward")
def _instance_backward(call: Call) -> Optional[Operator]:
    return _IMAGES_BACKWARD if _is_for_our_images(call) else _backward_as_batch


@Composition
def _as_batch(x: Value, scale: Value, shift: Value, epsilon: float) -> list[Value]:
    """Normalise a batch of one element, with a channel for each element's channel."""
    shape, count = x.meta[0], math.prod(x.meta[0][:2])
    rows = apply("reshape", x, newshape=(1, count, *shape[2:]))
    given = [rows, _for_each(scale, shape), _for_each(shift, shape), *_unused(x, count)]
    normal, mean, inverse = invoke(REGISTRY["batch_normalization"], given, {"axis": 1, "epsilon": epsilon})
    statistics = [apply("reshape", value, newshape=shape[:2]) for value in (mean, apply("reciprocal", inverse))]
    return [apply("reshape", normal, newshape=shape), *statistics]


@Composition
def _backward_as_batch(
    gradient: Value, x: Value, scale: Value, mean: Value, deviation: Value, epsilon: float
) -> list[Value]:
    shape, count = x.meta[0], math.prod(x.meta[0][:2])
    gradient, x = (apply("reshape", value, newshape=(1, count, *shape[2:])) for value in (gradient, x))
    mean, inverse = (apply("reshape", v, newshape=(count,)) for v in (mean, apply("reciprocal", deviation)))
    unused = _unused(x, count)
    given = [gradient, mean, inverse, x, _for_each(scale, shape), unused[0], *unused]
    of_x, *others = invoke(REGISTRY["batch_normalization_backward"], given, {"axis": 1, "epsilon": epsilon})
    sums = [apply("sum", apply("reshape", v, newshape=shape[:2]), axis=(0,), keepdims=False) for v in others]
    return [apply("reshape", of_x, newshape=shape), *sums]


def _for_each(parameter: Value, shape: tuple[int, ...]) -> Value:
    """Return a parameter (C,) for the channels of each element, (N * C,)."""
    spread = apply("broadcast_to", parameter, shape=shape[:2])
    return apply("reshape", spread, newshape=(math.prod(shape[:2]),))


def _unused(x: Value, count: int) -> list[Value]:
    """Return what the engine takes for running statistics, which it may write."""
    return [apply("full", shape=(count,), value=0.0, dtype=x.meta[1]) for _ in range(2)]


@Composition
def _as_rows(x: Value, scale: Value, shift: Value, epsilon: float) -> list[Value]:
    """Normalise rows by layer normalisation, as programs do.

    There the engine's batch normalisation, between reshapes and those between convolutions, writes beside its memory
    in the backward pass: the layout that oneDNN gave the feature maps is not one of their new shape. It also takes
    nothing but inputs of the graph for running statistics.
    """
    shape, dtype = x.meta
    length = math.prod(shape[2:])
    rows = apply("reshape", x, newshape=(math.prod(shape[:2]), length))
    one, zero = (apply("full", shape=(length,), value=number, dtype=dtype) for number in (1.0, 0.0))
    normal, *statistics = invoke(REGISTRY["layer_normalization"], [rows, one, zero], {"epsilon": epsilon})
    around = (1, shape[1], *[1] * len(shape[2:]))
    scaled = apply("multiply", apply("reshape", normal, newshape=shape), apply("reshape", scale, newshape=around))
    result = apply("add", scaled, apply("reshape", shift, newshape=around))
    return [result, *[apply("reshape", statistic, newshape=shape[:2]) for statistic in statistics]]


class _NormalizationInGraph(Operator):
    """Batch normalisation, which a graph gives images: the engine's operator makes such of anything else itself.

    It does so by a view of memory, its result's or, in the backward pass, that of its input and gradient. Where another
    operator left that memory in blocks, as convolutions of vectors and volumes do, the engine refuses, or the process
    ends: around anything but images there are copies in the plain order.

    Args:
        name: The declared operator, frozen or not.
    """

    def __init__(self, name: str) -> None:
        declared = REGISTRY[name]
        super().__init__(
            name,
            declared.engine_name,
            attributes=declared.engine_attributes,
            training=declared.training,
            visible_outputs=declared.visible_outputs,
            register=False,
        )

    def in_graph(
        self,
        handle: ctypes.c_void_p,
        symbols: Sequence[Any],
        encoded: engine.Attributes,
        metas: Sequence[Meta],
        attributes: dict[str, Any],
    ) -> list[Any]:
        """Return the outputs of this operator applied to symbols of a graph."""
        shape, axis = metas[0][0], attributes["axis"] % len(metas[0][0])
        in_blocks = len(shape) not in (2, 4)
        if in_blocks:
            symbols = [graph.to_plain_layout(symbols[0]), *symbols[1:]]
        # in training the engine must not be given reshaped feature maps: its gradient writes beside their memory
        if self.training and len(shape) != 2:
            outputs = super().in_graph(handle, symbols, encoded, metas, attributes)
            return [graph.to_plain_layout(outputs[0]) if in_blocks else outputs[0], *outputs[1:]]
        encoded = engine.Attributes(self.engine_attributes(metas, {**attributes, "axis": 1}))
        image = graph.reshaped(symbols[0], _image(shape, axis))
        outputs = graph.apply_operator(self.name, handle, [image, *symbols[1:]], encoded)
        return [graph.reshaped(outputs[0], shape), *outputs[1:]]


_in_graph = functools.lru_cache(maxsize=None)(_NormalizationInGraph)


def _image(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Return the shape of an image with the same channels, for which the order in memory stays."""
    return (math.prod(shape[:axis]), shape[axis], 1, math.prod(shape[axis + 1 :]))


def _axis(call: Call, place: int = 0) -> Optional[int]:
    """Return the axis of the channels where an input is no image with the channels second; None for one, or nothing."""
    shape = call.shape(place)
    axis: int = call.attributes["axis"] % len(shape)
    return None if (len(shape) == 4 and axis == 1) or 0 in shape else axis


@lowers("batch_normalization")
def _batch(call: Call) -> Optional[Operator]:
    axis = _axis(call)
    if axis is None or (call.eager and axis != 1):  # whose gradient must not be given reshaped feature maps
        return None
    return _batch_as_image if call.eager else _in_graph("batch_normalization")


@lowers("batch_normalization_backward")
def _batch_backward(call: Call) -> Optional[Operator]:
    return _batch_backward_as_image if _axis(call) == 1 else None


@lowers("frozen_normalization")
def _frozen(call: Call) -> Optional[Operator]:
    if not (call.is_given(3) and call.is_given(4)):
        return _frozen_in_parts
    if _axis(call) is None:
        return None
    return _frozen_as_image if call.eager else _in_graph("frozen_normalization")


# The engine's own view of vectors and volumes is unsound: where their memory is in blocks, the process ends, and its
# gradient refuses them.


@Composition
def _batch_as_image(x: Value, *parameters: Value, axis: int, epsilon: float) -> list[Value]:
    return _through_image("batch_normalization", [x, *parameters], axis, epsilon)


@Composition
def _frozen_as_image(x: Value, *parameters: Value, axis: int, epsilon: float) -> list[Value]:
    return _through_image("frozen_normalization", [x, *parameters], axis, epsilon)


def _through_image(name: str, given: Sequence[Value], axis: int, epsilon: float) -> list[Value]:
    shape = given[0].meta[0]
    image = apply("reshape", given[0], newshape=_image(shape, axis % len(shape)))
    result, *statistics = invoke(REGISTRY[name], [image, *given[1:]], {"axis": 1, "epsilon": epsilon})
    return [apply("reshape", result, newshape=shape), *statistics]


@Composition
def _batch_backward_as_image(
    gradient: Value, mean: Value, inverse: Value, x: Value, *parameters: Value, axis: int, epsilon: float
) -> list[Value]:
    shape = x.meta[0]
    gradient, image = (apply("reshape", value, newshape=_image(shape, 1)) for value in (gradient, x))
    given = [gradient, mean, inverse, image, *parameters]
    of_x, *others = invoke(REGISTRY["batch_normalization_backward"], given, {"axis": 1, "epsilon": epsilon})
    return [apply("reshape", of_x, newshape=shape), *others]


@Composition
def _frozen_in_parts(
    x: Value, scale: Value, shift: Value, mean: Value, variance: Value, axis: int, epsilon: float
) -> Value:
    """Normalise with statistics that were computed in the graph: the engine's operator takes only a graph's inputs."""
    if x.meta[1].size == 2:
        given = [x, scale, shift, mean, variance]
        return dispatcher.in_float32(REGISTRY["frozen_normalization"], given, {"axis": axis, "epsilon": epsilon})[0]
    around = [1] * len(x.meta[0])
    around[axis] = x.meta[0][axis]
    factor = apply("multiply", scale, apply("rsqrt", apply("add_scalar", variance, scalar=epsilon)))
    mean, factor, shift = (apply("reshape", value, newshape=tuple(around)) for value in (mean, factor, shift))
    return apply("add", apply("multiply", apply("subtract", x, mean), factor), shift)
