"""The anchors of Faster R-CNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dtypes import float64
from core.kernels.errors import OperatorError
from core.operators import cast, concat
from core.operators.constants import positions
from core.operators.manipulation import reshape_exact
from core.tensor import Tensor
from core.vision.ops.arguments import floating_of_rank, numbers_argument

__all__ = ["anchor_generator"]


def anchor_generator(
    input: Tensor,  # noqa: A002 - Paddle's name
    anchor_sizes: Union[float, Sequence[float]],
    aspect_ratios: Union[float, Sequence[float]],
    variance: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    stride: Optional[Sequence[float]] = None,
    offset: float = 0.5,
) -> tuple[Tensor, Tensor]:
    """Make the anchors of Faster R-CNN (Ren et al., arXiv 1506.01497): boxes of several sizes around each position.

    Args:
        input: Feature maps (N, C, H, W), float32 or float64; only their size and type count.
        anchor_sizes: Square roots of areas in pixels, one number or a list.
        aspect_ratios: Height over width of the boxes, one number or a list.
        variance: Four numbers that are returned for each box.
        stride: Distance of positions in pixels along width and height; needed.
        offset: Where within its step a position lies.

    Returns:
        Boxes x1, y1, x2, y2 in whole pixels, both of which belong to the box, (H, W, ratios * sizes, 4), those of one
        ratio together, and variances of that shape.

    Raises:
        OperatorError: a list has not the length that is wanted, or holds a number that is not positive.
        OperatorTypeError: input is not floating-point.
    """
    input = floating_of_rank(input, 4, "anchor_generator", "input", "(N, C, H, W)")  # noqa: A001
    sizes = numbers_argument(anchor_sizes, "anchor_generator", "anchor_sizes")
    ratios = numbers_argument(aspect_ratios, "anchor_generator", "aspect_ratios")
    steps = numbers_argument([] if stride is None else stride, "anchor_generator", "stride")
    spread = [float(item) for item in variance]
    if len(steps) != 2 or len(spread) != 4:
        raise OperatorError(f"anchor_generator: stride has 2 numbers and variance 4, got {steps} and {spread}")
    if any(number <= 0 for number in (*sizes, *ratios, *steps)):
        raise OperatorError(
            f"anchor_generator: anchor_sizes {sizes}, aspect_ratios {ratios} and stride {steps} must be positive"
        )
    dtype = input.dtype
    rows, columns, count = input.shape[2], input.shape[3], len(sizes) * len(ratios)
    centers = [
        reshape_exact(cast(_centers(length, step, offset, dtype), float64), shape)
        for length, step, shape in ((columns, steps[0], [1, columns, 1, 1]), (rows, steps[1], [rows, 1, 1, 1]))
    ]
    halves = _half_sizes(sizes, ratios, steps, np.float64 if dtype is float64 else np.float32)
    across, down = (Tensor(halves[:, axis].reshape(1, 1, count, 1), dtype=float64) for axis in (0, 1))
    edges = [centers[0] - across, centers[1] - down, centers[0] + across, centers[1] + down]
    boxes = concat([edge.expand([rows, columns, count, 1]) for edge in edges], -1)
    variances = Tensor(np.array(spread, np.float32), dtype=dtype).expand([rows, columns, count, 4])
    return cast(boxes, dtype), variances


def _centers(length: Any, step: float, offset: float, dtype: Any) -> Tensor:
    """Return the places of the positions along one axis, in pixels."""
    number = np.float64 if dtype is float64 else np.float32
    shift = number(np.float32(offset)) * (number(step) - number(1))
    return cast(positions(length), dtype) * float(number(step)) + float(shift)


def _half_sizes(sizes: Sequence[float], ratios: Sequence[float], steps: Sequence[float], number: Any) -> np.ndarray:
    """Return half the width and height of each anchor, as Paddle rounds them: shape [anchors, 2]."""
    side, ratio, step = (np.array(values, np.float32).astype(number) for values in (sizes, ratios, steps))
    width = np.floor(np.sqrt(step[0] * step[1] / ratio) + number(0.5))
    bases = np.stack([width, np.floor(width * ratio + number(0.5))], -1)
    lengths = side[None, :, None] / step * bases[:, None]
    return 0.5 * (lengths - number(1)).astype(np.float64).reshape(-1, 2)
