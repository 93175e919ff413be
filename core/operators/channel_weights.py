"""The operator of images times a weight for each of their channels, in a kernel of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.door import Meta
from core.kernels.errors import OperatorError
from core.kernels.operator import HostOperator
from core.operators.own_kernels import is_exported_or_mixed, is_for_our_kernel, kernel
from core.tensor import Tensor, apply

FEWEST_ELEMENTS = 2**13
"""Below it, calling our kernel costs more than the engine's product."""


_gradients = kernel("channel_weights", "weigh_channels_gradients")


def _into(
    gradients: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
) -> None:
    _gradients(gradients[0], *inputs, out=tuple(out))


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    (images, _), (weights, _) = metas
    if 0 in images or weights != (*images[:2], *[1] * (len(images) - 2)):
        raise OperatorError(f"weighed_channels: images {list(images)} and weights {list(weights)} do not fit")


weighed_channels = HostOperator(
    "weighed_channels",
    kernel("channel_weights", "weigh_channels"),
    check=_check,
    infer=lambda metas, options: metas[:1],
    fills=True,
    gradients=_into,
)
weighed_channels_gradients = HostOperator(
    "weighed_channels_gradients",
    _gradients,
    infer=lambda metas, options: metas[1:],
    fills=True,
    differentiable=False,
)


def weigh_channels(x: Tensor, y: Tensor) -> Optional[Tensor]:
    """Return the product where one is images and the other a weight for each of their channels; None elsewhere.

    The engine's gradient of a product that broadcasts makes one as large as the images, and then adds it up.
    """
    if x.ndim != 4 or y.ndim != 4 or is_exported_or_mixed() or not is_for_our_kernel(x, y):
        return None
    weights, images = (x, y) if x.shape[2:] == [1, 1] else (y, x)
    if images.size < FEWEST_ELEMENTS or weights.shape != [*images.shape[:2], 1, 1] or weights.shape == images.shape:
        return None
    return apply(weighed_channels, images, weights)  # type: ignore[no-any-return]


__all__: list[str] = []
