"""A test in several sizes and mirrored, computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.train.config.table import Component
from PaddleDetection.config import TOOLKIT, DetectionConfig
from PaddleDetection.models.registry import NETWORKS
from PaddleDetection.multi_scale_test import Views, mirrored
from tests.PaddleDetection.small import CONFIG


class Brightest(core.nn.Layer):
    """Finds the brightest cell of 4 x 4 pixels of the first channel as a box of class 1; less sure of larger images."""

    num_classes, divisor = 2, 4

    def __init__(self, masked: bool = False) -> None:
        super().__init__()
        self.masked = masked
        self.seen: list[tuple[int, ...]] = []

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        self.seen.append(tuple(image.shape[2:]))
        means = core.nn.functional.avg_pool2d(image[:, :1], 4)
        best = means.flatten(1).argmax(1).numpy()
        high, wide = means.shape[2:]
        rows = np.full((len(best), 3, 6), 0, np.float32)
        rows[:, :, 0] = -1
        for row, place, (down, across) in zip(rows, best.tolist(), scale_factor.numpy()):
            top, left = 4 * (place // wide), 4 * (place % wide)
            row[0] = [1, 0.9 - 0.001 * wide, left / across, top / down, (left + 4) / across, (top + 4) / down]
        counts = core.to_tensor(np.ones(len(best), np.int32))
        masks = np.tile(np.arange(4, dtype=np.float32), (len(best), 3, 4, 1))
        return (core.to_tensor(rows), counts, *([core.to_tensor(masks)] if self.masked else []))


def inputs(width: int = 16) -> tuple[Any, Any, Any]:
    """Return two images of 8 x 12 pixels, half their size, on canvases of 8 x width, each with a bright cell."""
    image = np.zeros((2, 3, 8, width), np.float32)
    image[0, :, 4:8, 0:4], image[1, :, 0:4, 8:12] = 1, 1
    return tuple(
        core.to_tensor(np.array(value, np.float32)) for value in (image, [[8, 12], [8, 12]], [[0.5, 0.5], [0.5, 0.5]])
    )


def test_the_padding_of_mirror_images_stays_at_the_right() -> None:
    image = core.to_tensor(np.arange(2 * 3 * 5, dtype=np.float32).reshape(2, 1, 3, 5))
    turned = mirrored(image, core.to_tensor([[3.0, 4.0], [3.0, 5.0]])).numpy()
    rows = image.numpy()
    np.testing.assert_array_equal(turned[0, 0], rows[0, 0][:, [3, 2, 1, 0, 4]])
    np.testing.assert_array_equal(turned[1, 0], rows[1, 0][:, ::-1])


@pytest.mark.parametrize("soft", [None, "linear"])
def test_sizes_and_mirror_images_agree(soft: str) -> None:
    network = Brightest()
    rows, counts = Views(network, [1.0, 2.0], flip=True, soft=soft)(*inputs())
    assert network.seen == [(8, 16), (8, 16), (16, 32), (16, 32)]
    expected = [[0, 8, 8, 16], [16, 0, 24, 8]]  # in pixels of the original, which has twice as many
    best = rows.numpy()[:, 0]
    np.testing.assert_allclose(best[:, 2:4], np.array(expected)[:, :2], atol=1e-4)
    np.testing.assert_allclose(best[:, 0], 1)
    np.testing.assert_allclose(best[:, 1], 0.9 - 0.001 * 4, rtol=1e-6)
    assert rows.shape == [2, 3, 6]
    np.testing.assert_allclose(best[:, 2:], expected, atol=1e-4)
    for found, count, box in zip(rows.numpy(), counts.numpy().tolist(), np.array(expected)):
        assert count >= 2  # in the larger size a cell is a quarter of the box
        inside = found[1:count, 2:]
        assert (inside[:, :2] >= box[:2] - 1e-4).all() and (inside[:, 2:] <= box[2:] + 1e-4).all()
        if soft is None:
            np.testing.assert_allclose(found[1:count, 1], 0.9 - 0.001 * 8, rtol=1e-6)


def test_overlapping_boxes_of_two_views_are_lowered_or_dropped() -> None:
    views = Views(Brightest())
    one = np.array([[[1, 0.9, 0, 0, 10, 10], [-1, 0, 0, 0, 0, 0]]], np.float32)
    other = np.array([[[1, 0.8, 0, 0, 10, 6], [0, 0.7, 0, 0, 10, 10]]], np.float32)
    found = [(core.to_tensor(rows), core.to_tensor(np.array([1], np.int32))) for rows in (one, other)]
    rows, counts = views._merged(found)
    np.testing.assert_allclose(rows.numpy()[0], [other[0, 1], one[0, 0]], rtol=1e-6)  # by class; 0.6 is too much
    views.suppression.update(soft="linear")
    rows, counts = views._merged([found[1], found[0]])
    assert counts.numpy().tolist() == [2]
    views.suppression.update(nms_threshold=0.7)
    kept = views._merged(found)[0].numpy()[0]
    np.testing.assert_allclose(sorted(kept[:, 1]), [0.8, 0.9], rtol=1e-6)  # as many as of one view, the best ones


def test_masks_follow_their_boxes() -> None:
    rows, counts, masks = Views(Brightest(masked=True), flip=True)(*inputs(12))
    assert rows.shape == [2, 3, 6] and masks.shape == [2, 3, 4, 4] and counts.numpy().tolist() == [1, 1]
    ahead, back = np.arange(4.0), np.arange(4.0)[::-1]
    assert any(np.array_equal(masks.numpy()[0, 0, 0], line) for line in (ahead, back))
    alone = Views(Brightest(masked=True))(*inputs(12))
    np.testing.assert_array_equal(alone[2].numpy()[0, 0, 0], ahead)


@pytest.mark.parametrize("name", ["yolov3_mobilenet_v1", "retinanet_r50_fpn", "fcos_r50_fpn"])
def test_a_config_asks_for_soft_suppression(name: str) -> None:
    settings = {"num_classes": 2, "soft_nms": "gaussian", "soft_sigma": 0.3}
    with core.LazyGuard():
        network = NETWORKS.build(NETWORKS.check(Component(name=name, **settings)))
    assert (network.suppression["soft"], network.suppression["soft_sigma"]) == ("gaussian", 0.3)


def test_a_config_asks_for_them() -> None:
    changes = ["evaluate.scales=[1.0, 0.5]", "evaluate.flip=true", "evaluate.merge.soft=gaussian"]
    config: DetectionConfig = TOOLKIT.load(CONFIG, [*changes])
    task = TOOLKIT.build_task(config)
    assert task.detect is task.network
    task.begin_evaluation()
    assert isinstance(task.detect, Views) and task.detect.scales == [1.0, 0.5] and task.detect.flip
    assert task.detect.suppression["soft"] == "gaussian"
    with pytest.raises(ValueError, match=r"evaluate.scales"):
        TOOLKIT.load(CONFIG, ["evaluate.scales=[]"])
