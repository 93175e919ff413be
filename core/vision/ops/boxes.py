"""Boxes as offsets from anchors, and the anchors of SSD."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.errors import OperatorError
from core.operators import cast, concat, exp, log
from core.operators.arguments import need_tensor
from core.tensor import Tensor
from core.vision.ops.arguments import boxes_argument, floating_of_rank

__all__ = ["box_coder", "prior_box"]


def box_coder(
    prior_box: Tensor,
    prior_box_var: Union[Tensor, Sequence[float], None],
    target_box: Tensor,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    name: Optional[str] = None,
) -> Tensor:
    """Write boxes as offsets from anchors, or read them from such offsets.

    Args:
        prior_box: Anchors x1, y1, x2, y2, shape (M, 4).
        prior_box_var: What the offsets are divided by: a tensor of the anchors' shape, four numbers, or None for ones.
        target_box: Boxes (N, 4) to encode; offsets (N, M, 4), or (M, N, 4) with axis=1, to decode.
        code_type: ``encode_center_size`` or ``decode_center_size``.
        box_normalized: Whether corners are not whole pixels, both of which belong to the box.
        axis: Along which axis of the offsets the anchors repeat.
        name: Unused, as in Paddle.

    Returns:
        Offsets (N, M, 4) of centers and logarithms of sizes, or boxes of target_box's shape; without a gradient.

    Raises:
        OperatorError: shapes do not fit each other, or the code type is unknown.
    """
    anchors = boxes_argument(prior_box, "box_coder", "prior_box").detach()
    plus = 0.0 if box_normalized else 1.0
    decode = code_type == "decode_center_size"
    if code_type not in ("encode_center_size", "decode_center_size"):
        raise OperatorError(f"box_coder: code_type is encode_center_size or decode_center_size, got {code_type!r}")
    if axis not in (0, 1):
        raise OperatorError(f"box_coder: axis is 0 or 1, got {axis!r}")
    if not decode:
        targets = boxes_argument(target_box, "box_coder", "target_box").detach().unsqueeze(1)
        anchors = anchors.unsqueeze(0)
    else:
        targets = floating_of_rank(target_box, 3, "box_coder", "target_box", "(N, M, 4)").detach()
        if targets.shape[1 - axis] != anchors.shape[0] or targets.shape[2] != 4:
            raise OperatorError(
                f"box_coder: offsets of shape {targets.shape} do not fit {anchors.shape[0]} anchors along axis"
                f" {1 - axis}"
            )
        anchors = anchors.unsqueeze(axis)
    spread = _spread(prior_box_var, prior_box, axis if decode else 0)
    size = anchors[..., 2:] - anchors[..., :2] + plus
    center = anchors[..., :2] + size * 0.5
    if not decode:
        middle = (targets[..., :2] + targets[..., 2:]) * 0.5
        lengths = targets[..., 2:] - targets[..., :2] + plus
        return concat([(middle - center) / size, log(abs(lengths / size))], -1) / spread
    offsets = targets * spread
    middle = offsets[..., :2] * size + center
    half = exp(offsets[..., 2:]) * size * 0.5
    return concat([middle - half, middle + half - plus], -1)


def _spread(given: Any, anchors: Tensor, axis: int) -> Tensor:
    if given is None:
        return Tensor(np.ones(4), dtype=anchors.dtype)
    if isinstance(given, Tensor):
        if given.shape != anchors.shape:
            raise OperatorError(
                f"box_coder: prior_box_var has the shape {anchors.shape} or four numbers, got {given.shape}"
            )
        return cast(given.detach(), anchors.dtype).unsqueeze(axis)
    if not isinstance(given, (list, tuple)) or len(given) != 4:
        raise OperatorError(f"box_coder: prior_box_var is a Tensor or four numbers, got {given!r}")
    return Tensor(np.asarray(given, np.float32), dtype=anchors.dtype)  # as Paddle holds such numbers


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
    halves = np.array(_half_sizes(least, most, _ratios(_numbers(aspect_ratios), flip), min_max_aspect_ratios_order))
    width, height = int(image.shape[3]), int(image.shape[2])
    columns, rows = int(input.shape[3]), int(input.shape[2])
    step_x, step_y = steps if all(steps) else (width / columns, height / rows)
    x, y = np.meshgrid((np.arange(columns) + offset) * step_x, (np.arange(rows) + offset) * step_y)
    centers = np.stack([x, y], -1)[:, :, None]
    boxes = np.concatenate([centers - halves, centers + halves], -1) / np.array([width, height, width, height])
    boxes = np.clip(boxes, 0, 1) if clip else boxes
    spread = np.broadcast_to(np.asarray(variance, np.float32), boxes.shape)
    return Tensor(boxes, dtype=input.dtype), Tensor(spread, dtype=input.dtype)


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
