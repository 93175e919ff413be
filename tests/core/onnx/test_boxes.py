"""Operators on boxes in onnxruntime: the rows, counts and classes that the layer gives, at other sizes than traced."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.kernels.dispatch.errors import OperatorError
from core.static import InputSpec
from core.vision import ops

onnxruntime = pytest.importorskip("onnxruntime")


class Computes(nn.Layer):
    """A layer out of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, first: Any, second: Any, third: Any = None) -> Any:
        """Return what the function does."""
        return self.function(first, second) if third is None else self.function(first, second, third)


def agree(function: Any, specs: list[InputSpec], arrays: list[np.ndarray], folder: Path, version: int = 18) -> Any:
    """Export a function and compare its results at given inputs."""
    core.onnx.export(Computes(function), str(folder / "boxes"), specs, opset_version=version)
    session = onnxruntime.InferenceSession(str(folder / "boxes.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(None, dict(zip([given.name for given in session.get_inputs()], arrays)))
    expected = core.jit.tree.flatten(function(*[core.to_tensor(array) for array in arrays]))[0]
    assert len(found) == len(expected)
    for got, tensor in zip(found, expected):
        wanted = tensor.numpy()
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
    return found


def spec(name: str, *shape: Any) -> InputSpec:
    return InputSpec(list(shape), "float32", name)


def some_boxes(random: np.random.Generator, *shape: int) -> np.ndarray:
    corner = random.uniform(0, 40, (*shape, 2))
    return np.concatenate([corner, corner + random.uniform(4, 30, (*shape, 2))], -1).astype(np.float32)


@pytest.mark.parametrize(
    ("options", "last"),
    [({}, 12), ({"normalized": False, "background_label": 1}, 12), ({"nms_top_k": -1}, 200)],
)
def test_suppression_within_classes(options: dict[str, Any], last: int, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    given = {"nms_top_k": 20, **options}

    def select(boxes: Any, scores: Any) -> Any:
        return ops.multiclass_nms(
            boxes, scores, 0.3, keep_top_k=last, nms_threshold=0.4, return_index=True, padded=True, **given
        )

    boxes, scores = some_boxes(random, 2, 45).round(), random.random((2, 3, 45), np.float32)
    scores[1] *= 0.32
    specs: Any = [spec("first", None, None, 4), spec("second", None, 3, None)]
    if "normalized" in options:  # of boxes with sides below a pixel, as a random example has them, others are kept
        specs = [core.to_tensor(boxes), core.to_tensor(scores)]
    rows, counts, _ = agree(select, specs, [boxes, scores], tmp_path)
    assert 0 < counts[1] < counts[0] and (rows[1, counts[1] :, 0] == -1).all()
    scores[:] = 0.1
    none = agree(select, specs, [some_boxes(random, 2, 45), scores], tmp_path)
    assert none[1].tolist() == [0, 0]


def test_suppression_of_regions_of_several_images(tmp_path: Path) -> None:
    random = np.random.default_rng(2)

    def select(boxes: Any, scores: Any) -> Any:
        counts = core.full([2], boxes.shape[0] // 2, "int32")
        return ops.multiclass_nms(
            boxes, scores, 0.1, 15, 9, 0.4, rois_num=counts, background_label=3, return_index=True, padded=True
        )

    specs = [
        InputSpec([None, 4, 4], "float32", "first", examples={0: (8, 12)}),
        InputSpec([None, 4], "float32", "second", examples={0: (8, 12)}),
    ]
    _, counts, _ = agree(select, specs, [some_boxes(random, 40, 4), random.random((40, 4), np.float32)], tmp_path)
    assert counts.tolist() == [9, 9]


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("ratio", [-1, 2])
def test_aligned_features(aligned: bool, ratio: int, tmp_path: Path) -> None:
    def pool(x: Any, boxes: Any) -> Any:
        counts = core.full([x.shape[0]], 5, "int32")
        return ops.roi_align(x, boxes.reshape([-1, 4]), counts, (3, 2), 0.25, ratio, aligned)

    random = np.random.default_rng(3)
    arrays = [random.random((2, 3, 11, 18), np.float32), some_boxes(random, 2, 5)]
    specs = [spec("first", None, 3, None, None), spec("second", None, 5, 4)]
    agree(pool, specs, arrays, tmp_path, 18 if aligned else 13)
    if aligned:
        with pytest.raises(OperatorError, match="roi_align with aligned=True needs ONNX operators of version 16"):
            agree(pool, specs, arrays, tmp_path, 13)


@pytest.mark.parametrize("ratio", [-1, 2])
def test_aligned_features_of_several_levels(ratio: int, tmp_path: Path) -> None:
    def pool(x: Any, boxes: Any) -> Any:
        rows = boxes.reshape([-1, 4])
        levels, counts = core.cast(rows[:, 0] > 20, "int64"), core.full([x.shape[0]], 5, "int32")
        maps = [x, x[:, :, ::2, ::2]]
        return ops.roi_align_levels(maps, rows, levels, counts, (3, 2), [0.25, 0.125], ratio)

    random = np.random.default_rng(3)
    arrays = [random.random((2, 3, 12, 18), np.float32), some_boxes(random, 2, 5)]
    (found,) = agree(pool, [spec("first", None, 3, None, None), spec("second", None, 5, 4)], arrays, tmp_path)
    assert {bool(left > 20) for left in arrays[1][..., 0].flat} == {True, False} and found.any((1, 2, 3)).all()


def test_anchors_of_any_size(tmp_path: Path) -> None:
    def priors(x: Any, image: Any) -> Any:
        given = [8.0, 16.0], [16.0, 24.0], [2.0]
        made = ops.prior_box(x, image, *given, flip=True, clip=True), ops.prior_box(x, image, *given, steps=[8.0, 9.0])
        return made, ops.anchor_generator(x, [32.0, 64.0], [0.5, 1.0], stride=[16.0, 8.0])

    specs = [spec("first", None, 3, None, None), spec("second", None, 3, None, None)]
    agree(priors, specs, [np.zeros(shape, np.float32) for shape in ((1, 3, 5, 7), (1, 3, 70, 90))], tmp_path)


@pytest.mark.parametrize("pixels", [False, True])
def test_proposals_and_the_features_of_their_levels(pixels: bool, tmp_path: Path) -> None:
    def features(scores: Any, deltas: Any, x: Any) -> Any:
        anchors, variances = ops.anchor_generator(scores, [16.0, 32.0], [0.5, 1.0], stride=[8.0, 8.0])
        size = core.full([scores.shape[0], 2], 90.0, "float32")
        options = {"pixel_offset": pixels, "padded": True}
        boxes, ranks, numbers = ops.generate_proposals(
            scores, deltas, size, anchors, variances, 30, 9, 0.6, 3.0, return_rois_num=True, **options
        )
        each = core.full([scores.shape[0]], 9, "int32")
        levels, restore, counts = ops.distribute_fpn_proposals(
            boxes.reshape([-1, 4]), 2, 4, 3, 20, rois_num=each, **options
        )
        made = [ops.roi_align(x, level, count, 2, 0.125) for level, count in zip(levels, counts)]
        return core.concat(made).gather(restore.flatten()), boxes, ranks, numbers, restore, counts

    random = np.random.default_rng(4)
    shapes = (2, 4, 7, 9), (2, 16, 7, 9), (2, 3, 7, 9)
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    specs = [spec(name, None, shape[1], None, None) for name, shape in zip(("first", "second", "third"), shapes)]
    agree(features, specs, arrays, tmp_path)


def test_deformable_convolution(tmp_path: Path) -> None:
    weight = core.to_tensor(np.random.default_rng(5).standard_normal((4, 2, 3, 3)).astype(np.float32))

    def convolve(x: Any, offset: Any) -> Any:
        options = {"stride": 2, "padding": 1, "groups": 2, "deformable_groups": 2}
        return ops.deform_conv2d(x, offset, weight, mask=offset[:, 18:], **options)

    random = np.random.default_rng(6)
    arrays = [random.random((2, 4, 9, 9), np.float32), random.standard_normal((2, 36, 5, 5)).astype(np.float32)]
    specs = [spec("first", None, 4, 9, 9), spec("second", None, 36, 5, 5)]
    agree(convolve, specs, arrays, tmp_path, 19)
    with pytest.raises(OperatorError, match="deform_conv2d needs ONNX operators of version 19 or newer"):
        agree(convolve, specs, arrays, tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"soft": "linear"}, "multiclass_nms with soft='linear'"), ({"nms_eta": 0.9}, "multiclass_nms with nms_eta=0.9")],
)
def test_what_has_no_form_is_refused_by_name(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    def select(boxes: Any, scores: Any) -> Any:
        return ops.multiclass_nms(boxes, scores, 0.3, 20, 9, padded=True, **options)

    with pytest.raises(OperatorError, match=f"{message} has no form in ONNX"):
        core.onnx.export(Computes(select), str(tmp_path / "x"), [spec("first", 1, 9, 4), spec("second", 1, 3, 9)])
    assert not list(tmp_path.iterdir())
