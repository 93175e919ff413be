"""Normalisation: over the batch, a layer, an instance, a group of channels, neighbouring channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DType, bfloat16, float16, float32
from core.operators._arguments import optional_tensor
from core.operators.creation.creation import assign, cast, narrowed
from core.operators.layers._activation_primitives import floating_tensor, through_float32
from core.operators.layers._normalization_primitives import (
    affine,
    batch_normalization,
    frozen_normalization,
    instance_normalization,
    layer_normalization,
    masked_batch_normalization,
)
from core.operators.layers._windows import channel_first, channel_last
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor


def batch_norm(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    data_format: str = "NCHW",
    use_global_stats: Optional[bool] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Normalise each channel over the batch and all positions (https://arxiv.org/abs/1502.03167).

    Args:
        x: Shape (N, C, ...), or (N, ..., C) for a layout that ends in C; floating-point.
        running_mean: Shape (C,); in training moved to momentum * running_mean + (1 - momentum) * batch mean.
        running_var: Shape (C,); moved likewise with the batch's biased variance.
        weight: Scale, shape (C,); 1 when None.
        bias: Shift, shape (C,); 0 when None.
        training: Use the batch's statistics and move the running ones.
        momentum: How much of the running statistics is kept.
        epsilon: Added to the variance.
        data_format: A layout with the channel second (``NC``, ``NCL``, ``NCHW``, ``NCDHW``) or last.
        use_global_stats: Use the running statistics even in training; not ``training`` when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: types do not fit each other.
    """
    floating_tensor(x, "batch_norm")
    if x.ndim < 2:
        raise OperatorError(f"batch_norm: x must have at least 2 dimensions, got shape {x.shape}")
    axis = 1 if data_format.startswith("NC") else x.ndim - 1
    dtype = parameter_dtype(x.dtype)
    running = (running_mean, running_var)
    scale, shift = affine("batch_norm", x.shape[axis], dtype, weight, bias, running)
    if x.size == 0:
        return assign(x)
    if not training if use_global_stats is None else use_global_stats:
        mean, variance = cast(running_mean, dtype), cast(running_var, dtype)
        return narrowed(frozen_normalization(x, scale, shift, mean, variance, axis, epsilon), x.dtype)
    result, mean, inverse = batch_normalization(x, scale, shift, axis, epsilon)
    _move_running(running_mean, running_var, mean, inverse, momentum, epsilon)
    return narrowed(result, x.dtype)


def masked_batch_norm(
    x: Tensor,
    mask: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor,
    bias: Tensor,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
) -> Tensor:
    """Normalise each channel by the statistics of the rows that count, such as the frames that videos have.

    What :func:`batch_norm` does in training, for channels that are the last axis; Paddle has no such function.

    Args:
        x: Shape (..., C), floating-point.
        mask: 1 for rows that count and 0 for padding, which is normalised too, of x's type, shape (...); one row counts
            at least. It gets no gradient.
        running_mean, running_var: As of :func:`batch_norm`.
        weight, bias: Scale and shift, shape (C,).
        momentum: How much of the running statistics is kept.
        epsilon: Added to the variance.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: types do not fit each other.
    """
    floating_tensor(x, "masked_batch_norm")
    scale, shift = affine("masked_batch_norm", x.shape[-1], x.dtype, weight, bias, (running_mean, running_var))
    result, mean, inverse = masked_batch_normalization(x, mask.detach(), scale, shift, epsilon)
    _move_running(running_mean, running_var, mean, inverse, momentum, epsilon)
    return result


def _move_running(
    running_mean: Tensor, running_var: Tensor, mean: Tensor, inverse: Tensor, momentum: float, epsilon: float
) -> None:
    with dispatcher.gradient_mode(False):
        rest = 1.0 - momentum
        for running, new in ((running_mean, mean), (running_var, inverse**-2.0 - epsilon)):
            running.update(cast(running * momentum + new * rest, running.dtype))


def parameter_dtype(dtype: DType) -> DType:
    """Return the type of scales, shifts and statistics for an input type: 16-bit inputs have float32 ones."""
    return float32 if dtype in (float16, bfloat16) else dtype


def layer_norm(
    x: Tensor,
    normalized_shape: Union[int, Sequence[int]],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    epsilon: float = 1e-05,
    name: Optional[str] = None,
) -> Tensor:
    """Normalise each element of the batch over its last axes (https://arxiv.org/abs/1607.06450).

    Args:
        x: Shape (..., *normalized_shape), floating-point.
        normalized_shape: The last axes, an int for one.
        weight: Scale, shape normalized_shape or flattened; 1 when None.
        bias: Shift, likewise; 0 when None.
        epsilon: Added to the variance.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: x does not end in normalized_shape, or a parameter has another size.
        OperatorTypeError: types do not fit each other.
    """
    floating_tensor(x, "layer_norm")
    wanted = [normalized_shape] if isinstance(normalized_shape, int) else [int(size) for size in normalized_shape]
    shape = x.shape
    if not wanted or shape[-len(wanted) :] != wanted:
        raise OperatorError(f"layer_norm: an input of shape {shape} does not end in normalized_shape {wanted}")
    size = 1
    for length in wanted:
        size *= length
    optional_tensor(weight, "layer_norm", "weight")
    optional_tensor(bias, "layer_norm", "bias")
    parameters = [None if p is None or p.shape == [size] else _flattened(p) for p in (weight, bias)]
    weight, bias = [flat if flat is not None else p for flat, p in zip(parameters, (weight, bias))]
    given = {parameter.dtype for parameter in (weight, bias) if parameter is not None}
    dtype = float32 if x.dtype.size == 2 and given == {float32} else x.dtype
    scale, shift = affine("layer_norm", size, dtype, weight, bias)
    if x.size == 0:
        return assign(x)
    if x.dtype.size == 2:

        def wide(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
            return layer_norm(x, wanted, scale, shift, epsilon)

        return through_float32(wide, x, scale, shift)
    if len(wanted) == 1:
        return layer_normalization(x, scale, shift, epsilon)[0]
    rows = reshape_exact(x, [*shape[: len(shape) - len(wanted)], size])
    return reshape_exact(layer_normalization(rows, scale, shift, epsilon)[0], shape)


def _flattened(parameter: Tensor) -> Tensor:
    return reshape_exact(parameter, [parameter.size])


def instance_norm(
    x: Tensor,
    running_mean: Optional[Tensor] = None,
    running_var: Optional[Tensor] = None,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-05,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    """Normalise each channel of each element of the batch over its positions (https://arxiv.org/abs/1607.08022).

    Args:
        x: Shape (N, C, ...), floating-point, with at least one spatial axis.
        running_mean: Unused, as in Paddle: the statistics are always the input's.
        running_var: Unused.
        weight: Scale, shape (C,); 1 when None.
        bias: Shift, shape (C,); 0 when None.
        use_input_stats: Unused, as in Paddle.
        momentum: Unused.
        eps: Added to the variance.
        data_format: A layout with the channel second or last.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: types do not fit each other.
    """
    floating_tensor(x, "instance_norm")
    if x.ndim < 3:
        raise OperatorError(f"instance_norm: x must have at least 3 dimensions, got shape {x.shape}")
    last, given = not data_format.startswith("NC"), x.dtype
    if last:
        x = channel_first(x)
    scale, shift = affine("instance_norm", x.shape[1], parameter_dtype(x.dtype), weight, bias)
    if x.size:
        x = instance_normalization(x, scale, shift, eps)[0]
    x = narrowed(x, given)  # the parameters may be float32
    return channel_last(x) if last else x


def group_norm(
    x: Tensor,
    num_groups: int,
    epsilon: float = 1e-05,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    """Normalise groups of channels of each element of the batch (https://arxiv.org/abs/1803.08494).

    Args:
        x: Shape (N, C, ...), floating-point.
        num_groups: Groups; divides C.
        epsilon: Added to the variance.
        weight: Scale, shape (C,); 1 when None.
        bias: Shift, shape (C,); 0 when None.
        data_format: A layout with the channel second or last.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: the channels do not divide into groups, or shapes do not fit.
        OperatorTypeError: types do not fit each other.
    """
    floating_tensor(x, "group_norm")
    if x.ndim < 2:
        raise OperatorError(f"group_norm: x must have at least 2 dimensions, got shape {x.shape}")
    last, given = not data_format.startswith("NC"), x.dtype
    if last:
        x = channel_first(x)
    batch, channels, *spatial = x.shape
    if num_groups < 1 or channels % num_groups:
        raise OperatorError(f"group_norm: {channels} channels do not divide into {num_groups} groups")
    affine("group_norm", channels, parameter_dtype(x.dtype), weight, bias)
    if x.size:
        groups, shape = batch * num_groups, x.shape
        scale, shift = affine("group_norm", groups, parameter_dtype(x.dtype), None, None)
        rows = reshape_exact(x, [1, groups, x.size // groups])
        x = reshape_exact(instance_normalization(rows, scale, shift, epsilon)[0], shape)
        per_channel = [channels] + [1] * len(spatial)
        if weight is not None:
            x = x * reshape_exact(weight, per_channel)
        if bias is not None:
            x = x + reshape_exact(bias, per_channel)
    x = narrowed(x, given)  # the parameters may be float32
    return channel_last(x) if last else x


__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "masked_batch_norm"]
