"""What is asked of the official vision operators and of core's; run in either environment.

Boxes are at least a pixel of the feature map large: for smaller ones the official gradient of ``roi_align`` is not the
derivative of its result.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from tests.core.vision.ops.tied_cases import tied_calls


class Case(NamedTuple):
    """``call(ops, *tensors)`` with these inputs; gradients of the inputs ``differentiated`` are compared too."""

    call: Callable[..., Any]
    inputs: tuple[np.ndarray, ...]
    differentiated: tuple[int, ...] = ()


def draw(name: str, *shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """Return seeded float32 numbers."""
    generator = np.random.default_rng(sum(ord(letter) * 31**i for i, letter in enumerate(name)) % 2**32)
    return generator.uniform(low, high, shape).astype(np.float32)


def boxes(name: str, count: int, size: float, largest: float, smallest: float = 4.0) -> np.ndarray:
    """Return boxes x1, y1, x2, y2 that begin within a square of a given size."""
    corners = draw(name + " corners", count, 2, low=0, high=size)
    return np.concatenate([corners, corners + draw(name + " sizes", count, 2, low=smallest, high=largest)], axis=1)


IMAGES = draw("images", 2, 12, 9, 8)
BOXES = np.concatenate([boxes("regions", 4, 12, 14), [[-5, -6, -2, 30]]]).astype(np.float32)
COUNTS = np.array([3, 2], np.int32)
OFFSETS = draw("offsets", 2, 36, 5, 4)
OFFSETS[0] = np.round(OFFSETS[0])
KERNELS, MASK, BIAS = draw("kernels", 6, 4, 3, 3), draw("mask", 2, 18, 5, 4, low=0, high=1), draw("bias", 6)

REGIONS = {
    "roi_align": Case(lambda ops, *t: ops.roi_align(*t, 3, 0.5), (IMAGES, BOXES, COUNTS), (0,)),
    "roi_align not aligned": Case(
        lambda ops, *t: ops.roi_align(*t, (2, 3), spatial_scale=0.3, sampling_ratio=2, aligned=False),
        (IMAGES, BOXES, COUNTS),
        (0,),
    ),
    "roi_pool": Case(lambda ops, *t: ops.roi_pool(*t, (2, 3), 0.37), (IMAGES, BOXES, COUNTS), (0,)),
    "psroi_pool": Case(lambda ops, *t: ops.psroi_pool(*t, (2, 3), 0.37), (IMAGES, BOXES, COUNTS), (0,)),
    "RoIAlign": Case(lambda ops, *t: ops.RoIAlign((4, 2), 0.5)(*t), (IMAGES, BOXES, COUNTS), (0,)),
    "RoIPool": Case(lambda ops, *t: ops.RoIPool(2, 0.5)(*t), (IMAGES, BOXES, COUNTS), (0,)),
    "PSRoIPool": Case(lambda ops, *t: ops.PSRoIPool(2, 0.5)(*t), (IMAGES, BOXES, COUNTS), (0,)),
}


def _layer(ops: Any, x: Any, offset: Any, mask: Any, weight: Any) -> Any:
    layer = ops.DeformConv2D(12, 6, 3, stride=2, padding=1, deformable_groups=2, groups=3, bias_attr=False)
    layer.weight.set_value(weight)
    return layer(x, offset, mask)


DEFORMABLE = {
    "deform_conv2d": Case(
        lambda ops, x, offset, weight, bias, mask: ops.deform_conv2d(x, offset, weight, bias, 2, 1, 1, 2, 3, mask),
        (IMAGES, OFFSETS, KERNELS, BIAS, MASK),
        (0, 1, 2, 3, 4),
    ),
    "deform_conv2d without mask": Case(
        lambda ops, x, offset, weight: ops.deform_conv2d(x, offset, weight, padding=[2, 1], dilation=[2, 1]),
        (draw("few", 1, 3, 7, 6), draw("its offsets", 1, 12, 9, 6), draw("its kernels", 2, 3, 2, 3)),
        (0, 1, 2),
    ),
    "DeformConv2D": Case(_layer, (IMAGES, OFFSETS, MASK, KERNELS), (0, 1, 2)),
}

MANY = boxes("many", 12, 20, 14)
SCORES = draw("scores", 12, low=0, high=1)
CATEGORIES = np.array([0, 2, 1, 0, 0, 2, 1, 1, 0, 2, 0, 1])
ANCHORS = boxes("anchors", 60, 30, 12).reshape(4, 5, 3, 4)
PROPOSED = (
    draw("likely", 2, 3, 4, 5, low=0, high=1),
    draw("moves", 2, 12, 4, 5, low=-0.4, high=0.4),
    np.array([[30.0, 40.0], [25.0, 25.0]], np.float32),
    ANCHORS,
    draw("variances", 4, 5, 3, 4, low=0.5, high=1),
)
PYRAMID = np.concatenate([MANY * factor for factor in (1, 8, 30)])
PAIRED = (np.stack([MANY, MANY[::-1] + 1]), draw("of classes", 2, 3, 12, low=0, high=1))
OFFSET_BOXES = draw("offset boxes", 3, 12, 4, low=-0.5, high=0.5)
WHERE_MAPS = (np.zeros((1, 3, 4, 5), np.float32), np.zeros((1, 3, 32, 40), np.float32))
SIZES = np.array([[64, 64], [32, 48]], np.int32)
PIXELS = [10, 13, 16, 30, 33, 23]
OBJECTS = draw("objects", 2, 5, 4, low=0.1, high=0.9)
OBJECTS[0, 3] = 0
LABELS = np.array([[0, 1, 3, 0, 2], [3, 2, 1, 1, 0]], np.int32)

SELECTING = {
    "nms": Case(lambda ops, b: ops.nms(b, 0.4), (MANY,)),
    "nms scores": Case(lambda ops, b, s: ops.nms(b, 0.2, s), (MANY, SCORES)),
    "nms categories": Case(
        lambda ops, b, s, c: [ops.nms(b, 0.2, s, c, [0, 1, 2]), ops.nms(b, 0.2, s, c, [0, 2], top_k=3)],
        (MANY, SCORES, CATEGORIES),
    ),
    "matrix_nms": Case(lambda ops, b, s: ops.matrix_nms(b, s, 0.1, 0.05, 6, 9, return_index=True), PAIRED),
    "matrix_nms gaussian": Case(
        lambda ops, b, s: ops.matrix_nms(
            b, s, 0.2, 0.1, -1, -1, True, 3.0, background_label=-1, normalized=False, return_index=True
        ),
        PAIRED,
    ),
    "matrix_nms nothing": Case(lambda ops, b, s: ops.matrix_nms(b, s, 2.0, 2.0, 6, 9, return_rois_num=False), PAIRED),
    "distribute_fpn_proposals": Case(
        lambda ops, b, n: ops.distribute_fpn_proposals(b, 2, 5, 4, 224, rois_num=n),
        (PYRAMID, np.array([20, 1, 15], np.int32)),
    ),
    "distribute_fpn_proposals pixels": Case(
        lambda ops, b, n: ops.distribute_fpn_proposals(b, 2, 4, 3, 50, pixel_offset=True, rois_num=n),
        (PYRAMID, np.array([36], np.int32)),
    ),
    "generate_proposals": Case(
        lambda ops, *t: ops.generate_proposals(*t, 30, 8, 0.5, 0.1, 1.0, return_rois_num=True), PROPOSED
    ),
    "generate_proposals pixels": Case(
        lambda ops, *t: ops.generate_proposals(*t, 0, 20, 0.7, 6.0, 0.9, pixel_offset=True, return_rois_num=True),
        PROPOSED,
    ),
    "generate_proposals nothing": Case(
        lambda ops, *t: ops.generate_proposals(*t, 30, 8, 0.5, 99.0, 1.0, return_rois_num=True), PROPOSED
    ),
}

REGION_BOXES = boxes("region boxes", 24, 20, 14).reshape(12, 2, 4)
REGION_SCORES = draw("region scores", 12, 2, low=0, high=1)
REGION_COUNTS = np.array([5, 7], np.int32)


def polygons(name: str, corners: int) -> np.ndarray:
    """Return twelve polygons around random points, shape [1, 12, 2 * corners]."""
    angles = np.sort(draw(name + " angles", 1, 12, corners, low=0, high=2 * np.pi), axis=-1)
    radius = draw(name + " radius", 1, 12, corners, low=1, high=8)
    center = draw(name + " center", 1, 12, 1, 2, low=0, high=8)
    around = center + np.stack([np.cos(angles) * radius, np.sin(angles) * radius], -1)
    return around.reshape(1, 12, 2 * corners).astype(np.float32)


SELECTING.update(
    {
        "multiclass_nms": Case(
            lambda ops, b, s: ops.multiclass_nms(b, s, 0.1, 8, 9, 0.2, return_index=True),
            PAIRED,
        ),
        "multiclass_nms pixels": Case(
            lambda ops, b, s: ops.multiclass_nms(
                b, s, 0.2, -1, -1, 0.7, False, 0.9, background_label=1, return_index=True
            ),
            PAIRED,
        ),
        "multiclass_nms nothing": Case(
            lambda ops, b, s: ops.multiclass_nms(b, s, 2.0, 8, 9, return_index=True), PAIRED
        ),
        "multiclass_nms regions": Case(
            lambda ops, b, s, n: ops.multiclass_nms(b, s, 0.1, -1, 7, 0.3, rois_num=n, return_index=True),
            (REGION_BOXES, REGION_SCORES, REGION_COUNTS),
        ),
        "multiclass_nms all regions": Case(
            lambda ops, b, s, n: ops.multiclass_nms(b, s, 0.1, 8, -1, 0.3, rois_num=n, return_index=True),
            (REGION_BOXES.astype(np.float64), REGION_SCORES.astype(np.float64), REGION_COUNTS),
        ),
        "generate_proposals flat": Case(
            lambda ops, s, d, i, a, v: ops.generate_proposals(
                s, d, i, a.reshape([-1, 4]), v.reshape([-1, 4]), 30, 8, return_rois_num=True
            ),
            PROPOSED,
        ),
    }
)
for _corners in (4, 8, 12, 16):
    SELECTING[f"multiclass_nms polygons of {_corners} corners"] = Case(
        lambda ops, b, s: ops.multiclass_nms(b, s, 0.1, -1, -1, 0.2, return_index=True),
        (polygons(f"of {_corners}", _corners), PAIRED[1][:1]),
    )


for _number in range(8):
    for _name, _call in tied_calls(_number, PROPOSED).items():
        SELECTING[f"{_name} tied {_number}"] = Case(*_call)

COMPUTING = {
    "anchor_generator": Case(
        lambda ops, x: ops.anchor_generator(x, [32.0, 64.5], [0.5, 1.0, 2.0], [0.1, 0.1, 0.2, 0.2], [16.0, 8.0]),
        (np.zeros((1, 3, 4, 5), np.float32),),
    ),
    "anchor_generator of one": Case(
        lambda ops, x: ops.anchor_generator(x, 20.0, 0.333, [0.1, 0.2, 0.3, 0.4], [7.5, 4.0], 0.3),
        (np.zeros((2, 1, 3, 2), np.float64),),
    ),
    "box_coder": Case(lambda ops, p, v, t: ops.box_coder(p, v, t), (MANY, MANY * 0 + 0.3, MANY[:3] + 2)),
    "box_coder pixels": Case(
        lambda ops, p, t: ops.box_coder(p, [0.1, 0.1, 0.2, 0.2], t, box_normalized=False), (MANY, MANY[:3] + 2)
    ),
    "box_coder decode": Case(
        lambda ops, p, v, t: ops.box_coder(p, v, t, "decode_center_size"), (MANY, MANY * 0.01, OFFSET_BOXES)
    ),
    "box_coder decode along": Case(
        lambda ops, p, t: ops.box_coder(p, [0.1, 0.1, 0.2, 0.2], t, "decode_center_size", False, 1),
        (MANY[:3], OFFSET_BOXES),
    ),
    "prior_box": Case(
        lambda ops, i, m: ops.prior_box(i, m, [4.0, 8.0], [8.0, 12.0], [1.0, 2.0], flip=True, clip=True), WHERE_MAPS
    ),
    "prior_box ordered": Case(
        lambda ops, i, m: ops.prior_box(
            i,
            m,
            [4.0],
            [9.0],
            [1.0, 2.0, 3.0],
            [0.1] * 4,
            steps=[7.0, 6.0],
            offset=0.3,
            min_max_aspect_ratios_order=True,
        ),
        WHERE_MAPS,
    ),
    "yolo_box": Case(lambda ops, x, s: ops.yolo_box(x, s, PIXELS, 2, 0.4, 32), (draw("yolo", 2, 21, 4, 5), SIZES)),
    "yolo_box aware": Case(
        lambda ops, x, s: ops.yolo_box(
            x, s, PIXELS, 2, 0.1, 16, clip_bbox=False, scale_x_y=1.2, iou_aware=True, iou_aware_factor=0.4
        ),
        (draw("yolo aware", 2, 24, 4, 4), SIZES),
    ),
    "yolo_loss": Case(
        lambda ops, x, b, c: ops.yolo_loss(x, b, c, PIXELS, [0, 1, 2], 4, 0.5, 8),
        (draw("yolo loss", 2, 27, 5, 5), OBJECTS, LABELS),
        (0,),
    ),
    "yolo_loss weighted": Case(
        lambda ops, x, b, c, s: ops.yolo_loss(
            x, b, c, PIXELS, [2, 1], 4, 0.4, 8, s, use_label_smooth=False, scale_x_y=1.1
        ),
        (draw("yolo loss", 2, 18, 5, 5), OBJECTS, LABELS, draw("weights of objects", 2, 5, low=0.3, high=1)),
        (0,),
    ),
}

CASES: dict[str, Case] = {**REGIONS, **DEFORMABLE, **SELECTING, **COMPUTING}


def run(ops: Any, case: Case, tensor: Callable[..., Any]) -> list[np.ndarray]:
    """Return a case's outputs, then the gradients of a weighted sum of the first.

    Args:
        ops: The module of operators.
        case: What is asked.
        tensor: Makes a Tensor of an array, with ``stop_gradient``.
    """
    tensors = [tensor(array, stop_gradient=i not in case.differentiated) for i, array in enumerate(case.inputs)]
    result = case.call(ops, *tensors)
    outputs = [output for output in flat(result) if output is not None]
    arrays = [output.numpy() for output in outputs]
    if case.differentiated:
        weights = np.linspace(0.5, 1.5, arrays[0].size, dtype=np.float32).reshape(arrays[0].shape)
        (outputs[0] * tensor(weights, stop_gradient=True)).sum().backward()
        arrays += [tensors[i].grad.numpy() for i in case.differentiated]
    return arrays


def flat(result: Any) -> list[Any]:
    """Return the tensors of nested lists."""
    if isinstance(result, (list, tuple)):
        return [tensor for item in result for tensor in flat(item)]
    return [result]
