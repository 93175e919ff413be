"""Programs with operators on boxes, saved with open batch and image sizes: loaded, they give the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np
import pytest

import core
from core.static import InputSpec
from core.vision import ops
from tests.sampling import sampled


def proposals(scores: Any, deltas: Any, size: Any) -> Any:
    anchors, variances = ops.anchor_generator(scores, [16.0, 32.0], [0.5, 1.0], stride=[8.0, 8.0])
    return ops.generate_proposals(scores, deltas, size, anchors, variances, 30, 9, return_rois_num=True, padded=True)


def levels(boxes: Any, numbers: Any) -> Any:
    return ops.distribute_fpn_proposals(boxes, 2, 4, 3, 30, rois_num=numbers, padded=True)


def features(scores: Any, deltas: Any, size: Any, x: Any) -> Any:
    """Everything between a feature map and the features of boxes, as Faster R-CNN chains it."""
    boxes, _, numbers = proposals(scores, deltas, size)
    each = core.full([scores.shape[0]], 9, "int32")
    shared, restore, counts = levels(boxes.reshape([-1, 4]), each)
    made = [ops.roi_align(x, level, count, 2, 0.125) for level, count in zip(shared, counts)]
    return core.concat(made).gather(restore.flatten()), numbers


def priors(x: Any, image: Any) -> Any:
    return ops.prior_box(x, image, [8.0, 16.0], [16.0, 24.0], [2.0], flip=True)


class Program(NamedTuple):
    """A function, its inputs' open shapes, and how big those are at a batch of n and a map of h x w."""

    function: Callable[..., Any]
    specs: list[InputSpec]
    shapes: Callable[[int, int, int], list[tuple[int, ...]]]


def spec(name: str, *shape: Any, dtype: str = "float32") -> InputSpec:
    return InputSpec(list(shape), dtype, name)


SCORES, DELTAS = spec("scores", None, 4, None, None), spec("deltas", None, 16, None, None)
BOXES, RANKS, MAPS = spec("boxes", None, None, 4), spec("ranks", None, 3, None), spec("x", None, 3, None, None)
REGIONS, NUMBERS = spec("regions", None, 4), spec("numbers", None, dtype="int32")

PROGRAMS = {
    "generate_proposals": Program(
        proposals, [SCORES, DELTAS, spec("size", None, 2)],
        lambda n, h, w: [(n, 4, h, w), (n, 16, h, w), (n, 2)],
    ),
    "distribute_fpn_proposals": Program(levels, [REGIONS, NUMBERS], lambda n, h, w: [(n * h, 4), (n,)]),
    "features of proposals": Program(
        features, [SCORES, DELTAS, spec("size", None, 2), MAPS],
        lambda n, h, w: [(n, 4, h, w), (n, 16, h, w), (n, 2), (n, 3, h, w)],
    ),
    "roi_align": Program(
        lambda x, boxes, numbers: ops.roi_align(x, boxes, numbers, 3, 0.05), [MAPS, REGIONS, NUMBERS],
        lambda n, h, w: [(n, 3, h, w), (n * h, 4), (n,)],
    ),
    "roi_align_levels": Program(
        lambda x, boxes, numbers: ops.roi_align_levels(
            [x, core.nn.functional.max_pool2d(x, 2)], boxes, core.cast(boxes[:, 0] > 30, "int64"), numbers, 3,
            [0.05, 0.025],
        ),
        [MAPS, REGIONS, NUMBERS], lambda n, h, w: [(n, 3, h, w), (n * h, 4), (n,)],
    ),
    "multiclass_nms": Program(
        lambda boxes, ranks: ops.multiclass_nms(boxes, ranks, 0.2, 20, 12, 0.4, return_index=True, padded=True),
        [BOXES, RANKS], lambda n, h, w: [(n, h * w, 4), (n, 3, h * w)],
    ),
    "matrix_nms": Program(
        lambda boxes, ranks: ops.matrix_nms(boxes, ranks, 0.2, 0.1, 20, 12, return_index=True, padded=True),
        [BOXES, RANKS], lambda n, h, w: [(n, h * w, 4), (n, 3, h * w)],
    ),
    "nms": Program(
        lambda boxes, ranks: ops.nms(boxes, 0.4, ranks, top_k=40, padded=True), [REGIONS, spec("ranks", None)],
        lambda n, h, w: [(h * w, 4), (h * w,)],
    ),
    "yolo_box": Program(
        lambda x, size: ops.yolo_box(x, size, [10, 13, 16, 30], 3, 0.3, 8, scale_x_y=1.1),
        [spec("x", None, 16, None, None), spec("size", None, 2, dtype="int32")],
        lambda n, h, w: [(n, 16, h, w), (n, 2)],
    ),
    "prior_box": Program(
        priors, [MAPS, spec("image", None, 3, None, None)],
        lambda n, h, w: [(n, 3, h, w), (n, 3, 9 * h, 8 * w)],
    ),
    "anchor_generator": Program(
        lambda x: ops.anchor_generator(x, [32.0, 64.0], [0.5, 1.0], stride=[16.0, 8.0]), [MAPS],
        lambda n, h, w: [(n, 3, h, w)],
    ),
}  # fmt: skip


def drawn(specs: list[InputSpec], shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    """Return boxes, counts that add up to them, sizes of images, and numbers from 0 to 1 for everything else."""
    generator = np.random.default_rng(sum(shapes[0]))
    arrays = []
    for given, shape in zip(specs, shapes):
        array = generator.random(shape, np.float32)
        if given.name in ("boxes", "regions"):
            corner = array[..., :2] * 60
            array = np.concatenate([corner, corner + 1 + array[..., 2:] * 40], -1)
        elif given.name == "numbers":
            rows = shapes[[part.name for part in specs].index("regions")][0]
            array = np.full(shape, rows // shape[0])
            array[0] += 1
            array[-1] -= 1
        elif given.name == "size":
            array = np.floor(60 + array * 30)
        arrays.append(array.astype(given.dtype.numpy))
    return arrays


def flat(results: Any) -> list[np.ndarray]:
    if isinstance(results, (list, tuple)):
        return [array for result in results for array in flat(result)]
    return [] if results is None else [np.asarray(results)]


@pytest.mark.parametrize("name", sampled(PROGRAMS, group=lambda name: None))
def test_loaded_programs_give_the_same_rows_at_any_size(name: str, tmp_path: Path) -> None:
    function, specs, shapes = PROGRAMS[name]
    core.jit.save(function, str(tmp_path / "program"), specs)
    loaded, predictor = core.jit.load(str(tmp_path / "program")), core.jit.Predictor(str(tmp_path / "program"))
    for n, h, w in ((1, 9, 12), (3, 6, 5)):
        arrays = drawn(specs, shapes(n, h, w))
        tensors = [core.to_tensor(array) for array in arrays]
        expected = flat(function(*tensors))
        assert expected[0].size and np.abs(expected[0]).max() > 0
        for found in (flat(loaded(*tensors)), flat(predictor.run(arrays))):
            assert [array.shape for array in found] == [array.shape for array in expected]
            for got, wanted in zip(found, expected):
                np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
