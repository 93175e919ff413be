"""``paddle._legacy_C_ops``: operators by their older inner names, attributes as names and values in turn.

While a function is compiled, official files append these operators by name instead (``LayerHelper.append_op``), so they
are entered there too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

from core import distributed
from core.internals import _C_ops
from core.nn import layer_helper
from core.tensor import Tensor
from core.vision import ops

__all__ = [
    "anchor_generator", "box_coder", "c_allreduce_sum", "distribute_fpn_proposals", "generate_proposals_v2",
    "matrix_nms", "multiclass_nms3", "prior_box",
]  # fmt: skip


def _options(caller: str, given: Sequence[Any], known: str, renamed: Mapping[str, str] = {}) -> dict[str, Any]:
    """Return attributes as keywords.

    Args:
        caller: The operator's name, for messages.
        given: Names and values in turn.
        known: The names that there are.
        renamed: What some of them are called by the function that is called with them.

    Raises:
        ValueError: a value is missing, or there is no such attribute.
    """
    if len(given) % 2:
        raise ValueError(f"{caller}: attributes are names and values in turn, but {given[-1]!r} has no value")
    for name in given[::2]:
        if name not in known.split():
            raise ValueError(f"{caller}: there is no attribute {name!r}, only {', '.join(known.split())}")
    return {renamed.get(name, name): value for name, value in zip(given[::2], given[1::2])}


def anchor_generator(input: Tensor, *attributes: Any) -> tuple[Tensor, Tensor]:  # noqa: A002 - Paddle's name
    """Make the anchors of Faster R-CNN: :func:`core.vision.ops.anchor_generator`.

    Args:
        input: Feature maps (N, C, H, W).
        *attributes: anchor_sizes, aspect_ratios, variances, stride, offset.
    """
    known = "anchor_sizes aspect_ratios variances stride offset"
    return ops.anchor_generator(input, **_options("anchor_generator", attributes, known, {"variances": "variance"}))


def box_coder(prior_box: Tensor, prior_box_var: Optional[Tensor], target_box: Tensor, *attributes: Any) -> Tensor:
    """Write boxes as offsets from anchors, or read them: :func:`core.vision.ops.box_coder`.

    Args:
        prior_box, prior_box_var, target_box: As there.
        *attributes: code_type, box_normalized, axis, variance (four numbers in the place of prior_box_var).
    """
    options = _options("box_coder", attributes, "code_type box_normalized axis variance")
    return _C_ops.box_coder(prior_box, prior_box_var, target_box, **options)


def c_allreduce_sum(x: Tensor, *attributes: Any) -> Tensor:
    """Return the sum of a tensor over all processes, through which gradients flow: :func:`core.distributed.all_reduce`.

    Args:
        x: Any tensor.
        *attributes: ring_id (0, the group of all processes), use_calc_stream and use_model_parallel (without meaning).

    Raises:
        ValueError: it is another group.
    """
    options = _options("c_allreduce_sum", attributes, "ring_id use_calc_stream use_model_parallel")
    if options.get("ring_id", 0) != 0:
        raise ValueError(f"c_allreduce_sum: ring_id is 0, the group of all processes, not {options['ring_id']!r}")
    total = x.clone()
    distributed.all_reduce(total)
    return total


def distribute_fpn_proposals(
    fpn_rois: Tensor, rois_num: Optional[Tensor], roi_levels: int, number_levels: int, *attributes: Any
) -> tuple[list[Tensor], Tensor, Optional[list[Tensor]]]:
    """Share boxes out among the levels of a feature pyramid: :func:`core.vision.ops.distribute_fpn_proposals`.

    Args:
        fpn_rois, rois_num: As there.
        roi_levels, number_levels: How many levels there are, which max_level and min_level say too.
        *attributes: min_level, max_level, refer_level, refer_scale, pixel_offset.
    """
    known = "min_level max_level refer_level refer_scale pixel_offset"
    options = {"pixel_offset": True, **_options("distribute_fpn_proposals", attributes, known)}
    return ops.distribute_fpn_proposals(fpn_rois, rois_num=rois_num, **options)


def generate_proposals_v2(
    scores: Tensor, bbox_deltas: Tensor, im_shape: Tensor, anchors: Tensor, variances: Tensor, *attributes: Any
) -> _C_ops.Three:
    """Make region proposals: :func:`core.vision.ops.generate_proposals`.

    Args:
        scores, bbox_deltas, im_shape, anchors, variances: As there.
        *attributes: pre_nms_topN, post_nms_topN, nms_thresh, min_size, eta, pixel_offset.

    Returns:
        Boxes, their scores, and their number per image.
    """
    known = "pre_nms_topN post_nms_topN nms_thresh min_size eta pixel_offset"
    renamed = {"pre_nms_topN": "pre_nms_top_n", "post_nms_topN": "post_nms_top_n"}
    options = {"pixel_offset": True, **_options("generate_proposals_v2", attributes, known, renamed)}
    given = (scores, bbox_deltas, im_shape, anchors, variances)
    return ops.generate_proposals(*given, return_rois_num=True, **options)


def matrix_nms(bboxes: Tensor, scores: Tensor, *attributes: Any) -> _C_ops.Three:
    """Lower the scores of boxes that overlap better ones: :func:`core.vision.ops.matrix_nms`.

    Args:
        bboxes, scores: As there.
        *attributes: score_threshold, post_threshold, nms_top_k, keep_top_k, use_gaussian, gaussian_sigma,
            background_label, normalized.

    Returns:
        Rows of label, score and corners, the place of each, and their number per image.
    """
    known = (
        "score_threshold post_threshold nms_top_k keep_top_k use_gaussian gaussian_sigma background_label normalized"
    )
    return _C_ops.matrix_nms(bboxes, scores, **_options("matrix_nms", attributes, known))


def multiclass_nms3(bboxes: Tensor, scores: Tensor, rois_num: Optional[Tensor], *attributes: Any) -> _C_ops.Three:
    """Keep, for each class, the boxes that overlap no better one too much: :func:`core.vision.ops.multiclass_nms`.

    Args:
        bboxes, scores, rois_num: As there.
        *attributes: score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label.

    Returns:
        Rows of label, score and corners, the place of each, and their number per image.
    """
    known = "score_threshold nms_top_k keep_top_k nms_threshold normalized nms_eta background_label"
    return _C_ops.multiclass_nms3(bboxes, scores, rois_num, **_options("multiclass_nms3", attributes, known))


def prior_box(input: Tensor, image: Tensor, *attributes: Any) -> tuple[Tensor, Tensor]:  # noqa: A002 - Paddle's name
    """Make the anchors of SSD: :func:`core.vision.ops.prior_box`.

    Args:
        input, image: As there.
        *attributes: min_sizes, max_sizes, aspect_ratios, variances, flip, clip, step_w, step_h, offset,
            min_max_aspect_ratios_order.

    Returns:
        Boxes, and their variances.
    """
    known = "min_sizes max_sizes aspect_ratios variances flip clip step_w step_h offset min_max_aspect_ratios_order"
    return _C_ops.prior_box(input, image, **_options("prior_box", attributes, known))


def _by_name(operator: Callable[..., Any], inputs: str, outputs: str) -> None:
    """Let ``append_op`` apply an operator.

    Args:
        operator: A function of this module.
        inputs: What its tensors are called there, in order; those that are not given are None.
        outputs: What its results are called.
    """

    def applied(given: Mapping[str, Any], attrs: Mapping[str, Any]) -> dict[str, Any]:
        found = [given.get(name) for name in inputs.split()]
        tensors = [item[0] if isinstance(item, (list, tuple)) else item for item in found]
        results = operator(*tensors, *(part for pair in attrs.items() for part in pair))
        return dict(zip(outputs.split(), results if isinstance(results, tuple) else (results,)))

    layer_helper.OPERATORS[operator.__name__] = applied


_by_name(anchor_generator, "Input", "Anchors Variances")
_by_name(box_coder, "PriorBox PriorBoxVar TargetBox", "OutputBox")
_by_name(
    generate_proposals_v2, "Scores BboxDeltas ImShape Anchors Variances", "RpnRois RpnRoiProbs RpnRoisNum"
)
_by_name(matrix_nms, "BBoxes Scores", "Out Index RoisNum")
_by_name(multiclass_nms3, "BBoxes Scores RoisNum", "Out Index NmsRoisNum")
_by_name(prior_box, "Input Image", "Boxes Variances")
