"""What the mask head of Mask R-CNN learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import bool_, float32, float64, int32, int64, uint8
from core.operators import cast
from core.operators._arguments import need_tensor
from core.tensor import Tensor, apply
from core.vision.ops.arguments import floating_of_rank

__all__ = ["generate_mask_target"]


def _rasterized(
    objects: np.ndarray, boxes: np.ndarray, places: np.ndarray, labels: np.ndarray, classes: int, size: int
) -> np.ndarray:
    from core.kernels.boxes.rasters import rasterize  # numba loads with the first use

    chosen = (labels >= 0) & (labels != classes)
    if ((places < 0) | (places >= objects.shape[1]))[chosen].any():
        raise OperatorError(
            f"generate_mask_target: sampled_gt_inds go to {int(places[chosen].max())}, but there are"
            f" {objects.shape[1]} objects in gt_segms"
        )
    out = np.empty((*boxes.shape[:2], size, size), np.int32)
    rasterize(np.ascontiguousarray(objects), boxes, places, chosen, out)
    return out


def _rasterized_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (objects, kind), (boxes, box_kind), *rest = metas
    fits = len(objects) == 4 and len(boxes) == 3 and boxes[2] == 4 and objects[0] == boxes[0]
    fits = fits and kind in (uint8, float32, float64) and (kind is uint8 or objects[3] == 3)
    fits = fits and box_kind is float32 and all(meta == (boxes[:2], int64) for meta in rest) and options["size"] > 0
    if not fits:
        given = ", ".join(f"{dtype.name}{list(shape)}" for shape, dtype in metas)
        raise OperatorError(f"generate_mask_target: inputs do not fit each other: {given}")


def _rasterized_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [((*metas[1][0][:2], options["size"], options["size"]), int32)]


_rasterize = HostOperator(
    "rasterize_objects", _rasterized, check=_rasterized_check, infer=_rasterized_meta, differentiable=False
)


def generate_mask_target(
    gt_segms: Tensor, rois: Tensor, labels: Tensor, sampled_gt_inds: Tensor, num_classes: int, resolution: int
) -> tuple[Tensor, Tensor]:
    """Return the masks of objects inside sampled proposals (Mask R-CNN, He et al., arXiv 1703.06870).

    Args:
        gt_segms: Outlines of objects, floating-point (N, G, V, 3): rows x, y in pixels and the number of the polygon
            that the corner belongs to, -1 behind the last corner; filled as COCO's tools do, and PaddleDetection. Or
            bitmaps, uint8 or bool (N, G, H, W), which are interpolated.
        rois: Proposals (N, B, 4), corners x1, y1, x2, y2.
        labels: Their classes (N, B), num_classes for background, -1 for rows that were not taken.
        sampled_gt_inds: The object of each, int64 (N, B).
        num_classes: Number of classes.
        resolution: Side M of the masks.

    Returns:
        int32 masks (N, B, M, M), and float32 weights (N, B): 1 for proposals that show an object. Others have zeros.

    Raises:
        OperatorError: shapes do not fit each other, or an object does not exist.
        OperatorTypeError: rois are not floating-point.
    """
    caller = "generate_mask_target"
    objects = need_tensor(gt_segms, caller, "gt_segms").detach()
    objects = cast(objects, uint8) if objects.dtype is bool_ else objects
    boxes = cast(floating_of_rank(rois, 3, caller, "rois", "(N, B, 4)").detach(), float32)
    given = cast(need_tensor(labels, caller, "labels").detach(), int64)
    places = cast(need_tensor(sampled_gt_inds, caller, "sampled_gt_inds").detach(), int64)
    masks = apply(_rasterize, objects, boxes, places, given, classes=int(num_classes), size=int(resolution))
    return masks, cast((given >= 0).logical_and(given != num_classes), float32)
