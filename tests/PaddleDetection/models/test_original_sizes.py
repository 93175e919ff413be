"""Boxes are of the original image's size, to the pixel."""

from __future__ import annotations

import numpy as np

import core
from PaddleDetection.models.architectures.yolov3 import yolov3_darknet
from PaddleDetection.models.boxes import original_sizes


def test_every_size_comes_back_from_its_scale() -> None:
    sizes = np.arange(1, 3000, dtype=np.float32)
    for side in (320, 416, 608):
        scale = np.float32(side) / sizes
        quotient = np.float32(side) / scale
        assert (quotient.astype(np.int64) != sizes).any()  # cut off, some would lose a pixel
        found = original_sizes(core.full([len(sizes), 2], float(side)), core.to_tensor(np.stack([scale, scale], 1)))
        np.testing.assert_array_equal(found.numpy(), np.stack([sizes, sizes], 1))


def test_boxes_end_at_the_last_pixel() -> None:
    settings = {"anchors": [[300, 300]], "anchor_masks": [[0]], "conf_thresh": 0.0, "score_threshold": 0.0}
    network = yolov3_darknet(2, [1], 0.125, 4, **settings)
    network.eval()
    side = next(s for s in range(300, 400) if int(np.float32(64) / (np.float32(64) / np.float32(s))) < s)
    shape, scale = np.full((1, 2), 64, np.float32), np.full((1, 2), np.float32(64) / np.float32(side))
    rows, counts = network(core.zeros([1, 3, 64, 64]), core.to_tensor(shape), core.to_tensor(scale.astype(np.float32)))
    assert rows.numpy()[0, : int(counts.numpy()[0]), 2:].max() == side - 1
