"""The primitives of normalisation: the engine's batch and layer normalisation with their statistics as outputs.

The statistics are results like any other, so that the rules can be written with them and differentiated again.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels import door, engine, graph
from core.kernels.dimension import example
from core.kernels.door import Meta
from core.kernels.dtypes import DType, float32
from core.kernels.errors import OperatorError, OperatorTypeError
from core.kernels.operator import ConstantOperator, HostOperator, Operator
from core.operators.arguments import need_tensor
from core.operators.constants import constant
from core.operators.creation import cast, filled
from core.operators.manipulation import reshape, reshape_exact
from core.operators.math import rsqrt
from core.operators.own_kernels import kernel
from core.tensor import Tensor, apply


def _batch_attributes(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {
        "eps": options["epsilon"],
        "axis": options["axis"],
        "fix_gamma": False,
        "use_global_stats": options.get("frozen", False),
        "output_mean_var": not options.get("frozen", False),
    }


def _batch_metas(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[0], metas[1], metas[1]]


def _layer_attributes(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    return {"axis": -1, "eps": options["epsilon"], "output_mean_var": True}


def _layer_metas(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [metas[0], ((*shape[:-1], 1), dtype), ((*shape[:-1], 1), dtype)]


class _Normalization(Operator):
    """Batch normalisation, which a graph gives images: the engine's operator makes such of anything else itself.

    It does so by a view of memory, its result's or, in the backward pass, that of its input and gradient. Where another
    operator left that memory in blocks, as convolutions of vectors and volumes do, the engine refuses, or the process
    ends: around anything but images there are copies in the plain order.
    """

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
        if (len(shape) == 4 and axis == 1) or 0 in shape:
            return super().in_graph(handle, symbols, encoded, metas, attributes)
        in_blocks = len(shape) not in (2, 4)
        if in_blocks:
            symbols = [graph.in_plain_order(symbols[0]), *symbols[1:]]
        # in training the engine must not be given reshaped feature maps: its gradient writes beside their memory
        if self.training and len(shape) != 2:
            outputs = super().in_graph(handle, symbols, encoded, metas, attributes)
            return [graph.in_plain_order(outputs[0]) if in_blocks else outputs[0], *outputs[1:]]
        image = (math.prod(shape[:axis]), shape[axis], 1, math.prod(shape[axis + 1 :]))
        encoded = engine.Attributes(self.engine_attributes(metas, {**attributes, "axis": 1}))
        outputs = graph.apply_operator(self.name, handle, [graph.reshaped(symbols[0], image), *symbols[1:]], encoded)
        return [graph.reshaped(outputs[0], shape), *outputs[1:]]


_batch_normalization = _Normalization(
    "batch_normalization", "BatchNorm", infer=_batch_metas, attributes=_batch_attributes, training=True
)
batch_normalization_backward = Operator(
    "batch_normalization_backward",
    "_backward_BatchNorm",
    infer=lambda metas, options: metas[3:6],
    attributes=_batch_attributes,
    differentiable=False,
    training=True,
    allocate=True,
    trap=True,
)
_frozen_normalization = _Normalization(
    "frozen_normalization",
    "BatchNorm",
    infer=lambda metas, options: metas[:1],
    attributes=lambda metas, options: _batch_attributes(metas, {**options, "frozen": True}),
    visible_outputs=1,
)
_layer_normalization = Operator("layer_normalization", "LayerNorm", infer=_layer_metas, attributes=_layer_attributes)
layer_normalization_backward = Operator(
    "layer_normalization_backward",
    "_backward_LayerNorm",
    infer=lambda metas, options: [metas[1], metas[2], metas[2]],
    attributes=_layer_attributes,
    differentiable=False,
    allocate=True,
    trap=True,
)


def _check_rows(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    shapes = [list(shape) for shape, _ in metas]
    if not shapes[0] or any(shape != shapes[0][-1:] for shape in shapes[1:]):
        raise OperatorError(f"layer_norm: x {shapes[0]}, scale {shapes[1]} and shift {shapes[2]} do not fit each other")


_row_normalization = HostOperator(
    "row_normalization", kernel("normalization", "normalize_rows"), check=_check_rows, infer=_layer_metas, fills=True
)
row_normalization_gradients = HostOperator(
    "row_normalization_gradients",
    kernel("normalization", "normalize_rows_gradients"),
    infer=lambda metas, options: [metas[1], metas[2], metas[2]],
    differentiable=False,
    fills=True,
)


def _check_images(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    shapes = [list(shape) for shape, _ in metas]
    if len(shapes[0]) < 3 or any(shape != shapes[0][1:2] for shape in shapes[1:]):
        raise OperatorError(f"instance_norm: x {shapes[0]}, scale {shapes[1]}, shift {shapes[2]} do not fit each other")


def _image_metas(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [metas[0], (shape[:2], dtype), (shape[:2], dtype)]


_images_gradients = kernel("instance_normalization", "normalize_images_gradients")


def _into_images(
    gradients: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
    **options: Any,
) -> None:
    (x, scale, _), (_, mean, deviation) = inputs, outputs
    targets = [np.empty_like(given) if target is None else target for target, given in zip(out, inputs)]
    _images_gradients(gradients[0], x, scale, mean, deviation, out=tuple(targets))


_image_normalization = HostOperator(
    "instance_normalization",
    kernel("instance_normalization", "normalize_images"),
    check=_check_images,
    infer=_image_metas,
    fills=True,
    gradients=_into_images,
)
image_normalization_gradients = HostOperator(
    "instance_normalization_gradients",
    _images_gradients,
    infer=lambda metas, options: [metas[1], metas[2], metas[2]],
    differentiable=False,
    fills=True,
)
FEWEST_ELEMENTS = 2**16  # below it, calling our kernel inside a program costs more than the engine's gradient


_unused_statistics = ConstantOperator(
    "unused_statistics", lambda size: np.zeros(size), lambda size: ([size], np.float64)
)


def batch_normalization(
    x: Tensor, scale: Tensor, shift: Tensor, axis: int, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each channel over all other axes.

    Returns:
        The result, and per channel the mean and 1 / sqrt(variance + epsilon).
    """
    # what the engine takes for running statistics (it writes them during backward) is never ours; inside a graph they
    # must be inputs of it, which data from outside becomes
    unused = [constant(_unused_statistics, scale.dtype, size=scale.shape[0]) for _ in range(2)]
    shape = x.shape
    is_image = door.state.trace is not None or axis != 1 or len(shape) == 4
    if not is_image:  # the engine's own view of it is unsound, and its gradient refuses memory in blocks
        x = reshape_exact(x, [shape[0], shape[1], 1, math.prod(shape[2:])])
    result, mean, inverse = apply(_batch_normalization, x, scale, shift, *unused, axis=axis, epsilon=float(epsilon))
    return result if is_image else reshape_exact(result, shape), mean, inverse


def frozen_normalization(
    x: Tensor, scale: Tensor, shift: Tensor, mean: Tensor, variance: Tensor, axis: int, epsilon: float
) -> Tensor:
    """Normalise each channel with a given mean and variance."""
    trace = door.state.trace
    if trace is not None and not (trace.is_input(mean._value) and trace.is_input(variance._value)):
        # the engine's operator takes statistics only from a graph's inputs, and these were computed in the graph
        around = [1] * x.ndim
        around[axis] = -1
        factor = scale * rsqrt(variance + epsilon)
        return (x - reshape(mean, around)) * reshape(factor, around) + reshape(shift, around)
    shape = x.shape
    is_image = trace is not None or (axis == 1 and len(shape) == 4)
    if not is_image:  # the engine's own view of it is unsound: where memory was in blocks, the process ends
        x = reshape_exact(x, [math.prod(shape[:axis]), shape[axis], 1, math.prod(shape[axis + 1 :])])
    result: Tensor = apply(
        _frozen_normalization, x, scale, shift, mean, variance, axis=axis if is_image else 1, epsilon=float(epsilon)
    )
    return result if is_image else reshape_exact(result, shape)


def layer_normalization(x: Tensor, scale: Tensor, shift: Tensor, epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each row of the last axis.

    Returns:
        The result, and per row the mean and sqrt(variance + epsilon).
    """
    operator: Operator = _layer_normalization
    learns = door.state.gradients and not (x.stop_gradient and scale.stop_gradient and shift.stop_gradient)
    if learns and x.dtype is float32 and scale.dtype is float32 and engine.device_text().startswith("cpu"):
        operator = _row_normalization if example(x.size) >= FEWEST_ELEMENTS else operator
    return apply(operator, x, scale, shift, epsilon=float(epsilon))  # type: ignore[no-any-return]


def image_normalization(x: Tensor, scale: Tensor, shift: Tensor, epsilon: float) -> Tensor:
    """Normalise each channel of each image (N, C, ...) by a kernel of ours, float32 on the CPU."""
    return apply(_image_normalization, x, scale, shift, epsilon=float(epsilon))[0]  # type: ignore[no-any-return]


def affine(
    caller: str, channels: int, dtype: DType, weight: Any, bias: Any, running: Sequence[Any] = ()
) -> tuple[Tensor, Tensor]:
    """Return scale and shift of the right size and type, ones and zeros where none is given.

    16-bit ones are computed with in float32.

    Raises:
        OperatorError: a size differs from the number of channels.
        OperatorTypeError: a type differs from the input's.
    """
    names = ("weight", "bias", "running_mean", "running_var")
    for name, parameter in zip(names, (weight, bias, *running)):
        if parameter is None and not name.startswith("running"):
            continue
        need_tensor(parameter, caller, name)
        if parameter.shape != [channels]:
            raise OperatorError(f"{caller}: {name} must have shape [{channels}], got {parameter.shape}")
        if parameter.dtype is not dtype and not (parameter.dtype.size == 2 and dtype is float32):
            raise OperatorTypeError(
                f"{caller}: {name} must be {dtype.name} for this input, got {parameter.dtype.name}: cast one of them"
            )
    scale = filled((channels,), 1, dtype) if weight is None else cast(weight, dtype)
    shift = filled((channels,), 0, dtype) if bias is None else cast(bias, dtype)
    return scale, shift
