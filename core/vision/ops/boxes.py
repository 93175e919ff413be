"""Boxes as offsets from anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.operators import cast, concat, exp, log
from core.tensor import Tensor
from core.vision.ops.arguments import boxes_argument, floating_of_rank

__all__ = ["box_coder"]


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
    plus = 0 if box_normalized else 1
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
    size = _lengths(anchors, plus)
    center = anchors[..., :2] + size * 0.5
    if not decode:
        middle = (targets[..., :2] + targets[..., 2:]) * 0.5
        lengths = _lengths(targets, plus)
        return concat([(middle - center) / size, log(abs(lengths / size))], -1) / spread
    offsets = targets * spread
    middle = offsets[..., :2] * size + center
    half = exp(offsets[..., 2:]) * size * 0.5
    last = middle + half - plus if plus else middle + half
    return concat([middle - half, last], -1)


def _lengths(corners: Tensor, plus: int) -> Tensor:
    """Return width and height of boxes (..., 4)."""
    found = corners[..., 2:] - corners[..., :2]
    return found + plus if plus else found


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
