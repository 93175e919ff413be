"""The anchors of SSD and of Faster R-CNN: boxes of several sizes and shapes around each position of a feature map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import ConstantOperator
from core.kernels.dtypes import float32, float64
from core.operators._arguments import need_tensor
from core.operators.creation._constants import constant
from core.tensor import Tensor
from core.vision.ops.arguments import floating_of_rank, numbers_argument

__all__ = ["anchor_generator", "prior_box"]

Pairs = Sequence[Sequence[float]]


def _priors(
    rows: int, columns: int, height: int, width: int, halves: Pairs, steps: Sequence[float], offset: float, clip: bool
) -> np.ndarray:
    """Return boxes as shares of an image, [rows, columns, boxes, 4], from half their widths and heights."""
    step_x, step_y = steps if all(steps) else (width / max(columns, 1), height / max(rows, 1))
    x, y = np.meshgrid((np.arange(columns) + offset) * step_x, (np.arange(rows) + offset) * step_y)
    centers, extents = np.stack([x, y], -1)[:, :, None], np.array(halves)
    boxes = np.concatenate([centers - extents, centers + extents], -1) / np.array([width, height, width, height])
    return np.clip(boxes, 0, 1) if clip else boxes


def _priors_form(rows: int, columns: int, halves: Pairs, **options: Any) -> tuple[Sequence[int], Any]:
    return [rows, columns, len(halves), 4], np.float64


def _anchors(
    rows: int, columns: int, halves: Pairs, steps: Sequence[float], offset: float, double: bool
) -> np.ndarray:
    """Return boxes in pixels, [rows, columns, boxes, 4], from half their widths and heights."""
    number: Any = np.float64 if double else np.float32
    x, y = (
        np.arange(size, dtype=number) * number(step) + number(np.float32(offset)) * (number(step) - number(1))
        for size, step in ((columns, steps[0]), (rows, steps[1]))
    )
    centers = np.stack(np.meshgrid(x, y), -1)[:, :, None].astype(np.float64)
    return np.concatenate([centers - np.array(halves), centers + np.array(halves)], -1).astype(number)


def _anchors_form(rows: int, columns: int, halves: Pairs, double: bool, **options: Any) -> tuple[Sequence[int], Any]:
    return [rows, columns, len(halves), 4], np.float64 if double else np.float32


_prior_box = ConstantOperator("prior_boxes", _priors, _priors_form)
_anchor_generator = ConstantOperator("anchors", _anchors, _anchors_form)


def _spread(variance: Sequence[float], boxes: Tensor) -> Tensor:
    """Return four numbers, which Paddle holds as float32, for each box."""
    return Tensor(np.asarray(variance, np.float32), dtype=boxes.dtype).expand(boxes.shape)


def prior_box(
    input: Tensor,  # noqa: A002 - Paddle's name
    image: Tensor,
    min_sizes: Any,
    max_sizes: Any = None,
    aspect_ratios: Any = (1.0,),
    variance: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    flip: bool = False,
    clip: bool = False,
    steps: Sequence[float] = (0.0, 0.0),
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
    name: Optional[str] = None,
) -> tuple[Tensor, Tensor]:
    """Make the anchors of SSD (Liu et al., arXiv 1512.02325): boxes of several sizes and shapes around each position.

    Args:
        input: Feature maps (N, C, H, W); only their size counts.
        image: Images (N, C, height, width); only their size counts.
        min_sizes: Sides of boxes in pixels, one number or a list.
        max_sizes: For each of them a larger one; a square between the two is added.
        aspect_ratios: Width over height of further boxes.
        variance: Four numbers that are returned for each box.
        flip: Add the inverse of each aspect ratio.
        clip: Cut boxes at the image's border.
        steps: Distance of positions in pixels along width and height; image over feature map when 0.
        offset: Where within its step a position lies.
        min_max_aspect_ratios_order: Put the square between two sizes before the other shapes.
        name: Unused, as in Paddle.

    Returns:
        Boxes x1, y1, x2, y2 as shares of the image (H, W, boxes, 4), and variances of that shape.

    Raises:
        OperatorError: shapes or sizes do not fit.
    """
    for label, tensor in (("input", input), ("image", image)):
        if need_tensor(tensor, "prior_box", label).ndim != 4:
            raise OperatorError(f"prior_box: {label} has the shape (N, C, H, W), but got {tensor.shape}")
    least, most = _numbers(min_sizes), _numbers(max_sizes)
    if most and len(most) != len(least) or any(high <= low for low, high in zip(least, most)):
        raise OperatorError(f"prior_box: max_sizes {most} must hold a larger number for each of min_sizes {least}")
    if len(variance) != 4 or len(steps) != 2:
        raise OperatorError(f"prior_box: variance has 4 numbers and steps 2, got {list(variance)} and {list(steps)}")
    shapes = _half_sizes(least, most, _ratios(_numbers(aspect_ratios), flip), min_max_aspect_ratios_order)
    boxes = constant(
        _prior_box,
        input.dtype,
        rows=input.shape[2],
        columns=input.shape[3],
        height=image.shape[2],
        width=image.shape[3],
        halves=tuple(tuple(pair) for pair in shapes),
        steps=tuple(float(step) for step in steps),
        offset=float(offset),
        clip=bool(clip),
    )
    return boxes, _spread(variance, boxes)


def _numbers(given: Any) -> list[float]:
    return [] if given is None else [float(item) for item in (given if isinstance(given, (list, tuple)) else [given])]


def _ratios(given: Sequence[float], flip: bool) -> list[float]:
    ratios = [1.0]
    for ratio in given:
        if all(abs(ratio - known) >= 1e-6 for known in ratios):
            ratios += [ratio, 1.0 / ratio] if flip else [ratio]
    return ratios


def _half_sizes(
    least: Sequence[float], most: Sequence[float], ratios: Sequence[float], squares_first: bool
) -> list[list[float]]:
    halves = []
    for i, side in enumerate(least):
        shaped = [[side * ratio**0.5 / 2, side / ratio**0.5 / 2] for ratio in ratios]
        between = [[(side * most[i]) ** 0.5 / 2] * 2] if most else []
        halves += [shaped[0], *between, *shaped[1:]] if squares_first else [*shaped, *between]
    return halves


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
        input: Feature maps (N, C, H, W), floating-point; only their size and type count.
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
    if len(steps) != 2 or len(variance) != 4:
        raise OperatorError(f"anchor_generator: stride has 2 numbers and variance 4, got {steps} and {list(variance)}")
    if any(number <= 0 for number in (*sizes, *ratios, *steps)):
        raise OperatorError(
            f"anchor_generator: anchor_sizes {sizes}, aspect_ratios {ratios} and stride {steps} must be positive"
        )
    double = input.dtype is float64
    boxes = constant(
        _anchor_generator,
        float64 if double else float32,
        rows=input.shape[2],
        columns=input.shape[3],
        halves=_anchor_halves(sizes, ratios, steps, np.float64 if double else np.float32),
        steps=tuple(steps),
        offset=float(offset),
        double=double,
    ).astype(input.dtype)
    return boxes, _spread(variance, boxes)


def _anchor_halves(
    sizes: Sequence[float], ratios: Sequence[float], steps: Sequence[float], number: Any
) -> tuple[tuple[float, ...], ...]:
    """Return half the width and height of each anchor, as Paddle rounds them."""
    side, ratio, step = (np.array(values, np.float32).astype(number) for values in (sizes, ratios, steps))
    width = np.floor(np.sqrt(step[0] * step[1] / ratio) + number(0.5))
    bases = np.stack([width, np.floor(width * ratio + number(0.5))], -1)
    lengths = side[None, :, None] / step * bases[:, None]
    return tuple(tuple(pair) for pair in (0.5 * (lengths - number(1)).astype(np.float64)).reshape(-1, 2).tolist())
