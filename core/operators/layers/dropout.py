"""Dropout: elements, channels, or whole axes are dropped by chance in training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bfloat16, float32, int32
from core.operators._arguments import axes_argument
from core.operators.creation.creation import cast, filled
from core.operators.layers._activation_primitives import floating_tensor
from core.tensor import Tensor, apply

# the mask is a result of its own: what was dropped is known to derivatives of every order
_dropout_mask = Operator(
    "dropout_mask",
    "Dropout",
    infer=lambda metas, options: metas[:1],
    attributes=lambda metas, options: {"p": options["p"], "mode": "always"},
    differentiable=False,
    visible_outputs=1,
    random=True,
)
# what decides which elements of a shape are dropped: a mask of them, or a key that they follow from
_dropout_draw = Operator(
    "dropout_draw",
    None,
    check=lambda metas, options: _check_probability(options["p"], "dropout_draw"),
    infer=lambda metas, options: [(options["shape"], options["dtype"])],
    differentiable=False,
    random=True,
    opaque=True,
)


def _check_drop(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse keys of another size or type: the kernel would read other memory."""
    _check_probability(options["p"], "drop_elements")
    if metas[1] not in (((2,), int32), metas[0]):
        raise OperatorError(f"drop_elements: a key has two int32, not {metas[1][1].name}{list(metas[1][0])}")


drop_elements = Operator("drop_elements", None, check=_check_drop, infer=lambda metas, options: metas[:1])


def keep_mask(shape: Sequence[int], p: float, like: Tensor) -> Tensor:
    """Return 1 / (1 - p) with probability 1 - p, else 0, for each element of a shape."""
    ones = filled(tuple(shape), 1, float32 if like.dtype is bfloat16 else like.dtype)
    return cast(ones if ones.size == 0 else apply(_dropout_mask, ones, p=float(p)), like.dtype)


def dropout(
    x: Tensor,
    p: float = 0.5,
    axis: Union[int, Sequence[int], None] = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: Optional[str] = None,
) -> Tensor:
    """Replace elements by 0 with probability p in training.

    Args:
        x: A floating-point tensor.
        p: Probability of dropping, within [0, 1].
        axis: The axes along which elements are dropped independently; all when None.
        training: Whether to drop anything.
        mode: ``upscale_in_train`` divides what is kept by 1 - p; ``downscale_in_infer`` multiplies by 1 - p outside
            training instead.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: p lies outside [0, 1], or the mode is unknown.
    """
    floating_tensor(x, "dropout")
    _check_probability(p, "dropout")
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise OperatorError(f"dropout: mode must be 'upscale_in_train' or 'downscale_in_infer', got {mode!r}")
    if p == 0:
        return x
    if not training:
        return x if mode == "upscale_in_train" else x * (1.0 - p)
    if p == 1:
        return x * 0.0
    if axis is None and x.size != 0:
        drawn = apply(_dropout_draw, shape=tuple(x.shape), p=float(p), dtype=x.dtype)
        scale = 1.0 / (1.0 - p) if mode == "upscale_in_train" else 1.0
        return apply(drop_elements, x, drawn, p=float(p), scale=scale)
    axes = axes_argument(axis, x.ndim, "dropout") if axis is not None else range(x.ndim)
    mask = keep_mask([size if i in axes else 1 for i, size in enumerate(x.shape)], p, x)
    if mode == "downscale_in_infer":
        mask = mask * (1.0 - p)
    return x * mask


def dropout2d(
    x: Tensor, p: float = 0.5, training: bool = True, data_format: str = "NCHW", name: Optional[str] = None
) -> Tensor:
    """Drop whole channels of images with probability p (https://arxiv.org/abs/1411.4280).

    Args:
        x: Shape (N, C, H, W), or (N, H, W, C) for ``NHWC``; floating-point.
        p: Probability of dropping a channel.
        training: Whether to drop anything.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: x is not 4-D, the layout is unknown, or p lies outside [0, 1].
    """
    return _drop_channels(x, p, training, data_format, ("NCHW", "NHWC"), "dropout2d")


def dropout3d(
    x: Tensor, p: float = 0.5, training: bool = True, data_format: str = "NCDHW", name: Optional[str] = None
) -> Tensor:
    """Drop whole channels of volumes, (N, C, D, H, W) or ``NDHWC``, with probability p; see :func:`dropout2d`."""
    return _drop_channels(x, p, training, data_format, ("NCDHW", "NDHWC"), "dropout3d")


def _drop_channels(
    x: Tensor, p: float, training: bool, data_format: str, formats: tuple[str, str], caller: str
) -> Tensor:
    floating_tensor(x, caller)
    if x.ndim != len(formats[0]):
        raise OperatorError(f"{caller}: x must have {len(formats[0])} dimensions, got shape {x.shape}")
    if data_format not in formats:
        raise OperatorError(f"{caller}: data_format must be {formats[0]!r} or {formats[1]!r}, got {data_format!r}")
    return dropout(x, p, axis=[0, 1 if data_format == formats[0] else x.ndim - 1], training=training)


def alpha_dropout(x: Tensor, p: float = 0.5, training: bool = True, name: Optional[str] = None) -> Tensor:
    """Drop elements so that mean and variance stay, for networks with SELU (https://arxiv.org/abs/1706.02515).

    Args:
        x: A floating-point tensor.
        p: Probability of dropping, within [0, 1].
        training: Whether to drop anything.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: p lies outside [0, 1].
    """
    floating_tensor(x, "alpha_dropout")
    _check_probability(p, "alpha_dropout")
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0.0
    dropped = -1.7580993408473766  # -scale * alpha of SELU: what it gives for very negative inputs
    factor = ((1.0 - p) * (1.0 + p * dropped**2)) ** -0.5
    kept = keep_mask(x.shape, p, x) * (1.0 - p)
    return (x * kept + (1.0 - kept) * dropped) * factor - factor * dropped * p


def _check_probability(p: float, caller: str) -> None:
    if isinstance(p, bool) or not isinstance(p, (int, float)) or not 0 <= p <= 1:
        raise OperatorError(f"{caller}: p must be a number within [0, 1], got {p!r}")


__all__ = ["alpha_dropout", "dropout", "dropout2d", "dropout3d"]
