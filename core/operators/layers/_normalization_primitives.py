"""The primitives of normalisation, over the batch, of rows and of images, with their statistics as outputs.

The statistics are results like any other, so that the rules can be written with them and differentiated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import ConstantOperator, Operator
from core.kernels.dtypes import DType, bfloat16, float16, float32
from core.operators._arguments import need_tensor
from core.operators.creation._constants import constant
from core.operators.creation.creation import cast, filled
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


_batch_normalization = Operator(
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
    needs_custom_operator=True,
)
_frozen_normalization = Operator(
    "frozen_normalization",
    "BatchNorm",
    infer=lambda metas, options: metas[:1],
    attributes=lambda metas, options: _batch_attributes(metas, {**options, "frozen": True}),
    visible_outputs=1,
)


def _check_rows(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: a kernel would read other memory."""
    shapes = [list(shape) for shape, _ in metas]
    if not shapes[0] or any(shape != shapes[0][-1:] for shape in shapes[1:]):
        raise OperatorError(f"layer_norm: x {shapes[0]}, scale {shapes[1]} and shift {shapes[2]} do not fit each other")


def _check_images(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: a kernel would read other memory."""
    shapes = [list(shape) for shape, _ in metas]
    if len(shapes[0]) < 3 or any(shape != shapes[0][1:2] for shape in shapes[1:]):
        raise OperatorError(f"instance_norm: x {shapes[0]}, scale {shapes[1]}, shift {shapes[2]} do not fit each other")


def _check_masked(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: a kernel would read other memory."""
    x, mask, scale, shift = (list(shape) for shape, _ in metas)
    if len(x) < 2 or mask != x[:-1] or scale != x[-1:] or shift != scale:
        raise OperatorError(
            f"masked_batch_norm: x {x}, mask {mask}, scale {scale} and shift {shift} do not fit each other"
        )


def _image_metas(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [metas[0], (shape[:2], dtype), (shape[:2], dtype)]


def _gradient_metas(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[1], metas[2], metas[2]]


_layer_normalization = Operator(
    "layer_normalization", "LayerNorm", check=_check_rows, infer=_layer_metas, attributes=_layer_attributes
)
layer_normalization_backward = Operator(
    "layer_normalization_backward",
    "_backward_LayerNorm",
    infer=_gradient_metas,
    attributes=_layer_attributes,
    differentiable=False,
    allocate=True,
    needs_custom_operator=True,
)
_instance_normalization = Operator(
    "instance_normalization", None, check=_check_images, infer=_image_metas, lacks=(bfloat16, float16)
)
instance_normalization_backward = Operator(
    "instance_normalization_backward", None, infer=_gradient_metas, differentiable=False, lacks=(bfloat16, float16)
)
_masked_batch_normalization = Operator(
    "masked_batch_normalization",
    None,
    check=_check_masked,
    infer=lambda metas, options: [metas[0], metas[2], metas[2]],
    lacks=(bfloat16, float16),
)
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
    inputs = (x, scale, shift, *unused)
    return apply(_batch_normalization, *inputs, axis=axis, epsilon=float(epsilon))


def masked_batch_normalization(
    x: Tensor, mask: Tensor, scale: Tensor, shift: Tensor, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each channel, the last axis, over all others, where each row counts as the mask (...) says.

    Returns:
        The result, and per channel the mean and 1 / sqrt(variance + epsilon).
    """
    return apply(_masked_batch_normalization, x, mask, scale, shift, epsilon=float(epsilon))


def frozen_normalization(
    x: Tensor, scale: Tensor, shift: Tensor, mean: Tensor, variance: Tensor, axis: int, epsilon: float
) -> Tensor:
    """Normalise each channel with a given mean and variance."""
    inputs = (x, scale, shift, mean, variance)
    return apply(_frozen_normalization, *inputs, axis=axis, epsilon=float(epsilon))


def layer_normalization(x: Tensor, scale: Tensor, shift: Tensor, epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each row of the last axis.

    Returns:
        The result, and per row the mean and sqrt(variance + epsilon).
    """
    return apply(_layer_normalization, x, scale, shift, epsilon=float(epsilon))


def instance_normalization(x: Tensor, scale: Tensor, shift: Tensor, epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise each channel of each element (N, C, ...) of the batch.

    Returns:
        The result, and per element and channel the mean and sqrt(variance + epsilon).
    """
    return apply(_instance_normalization, x, scale, shift, epsilon=float(epsilon))


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
