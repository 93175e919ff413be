"""Anchors against clusters that are plain to see, and the settings that make a network's anchors fit boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from PaddleDetection.models.anchor_fitting import (
    cluster_anchors,
    clustered,
    fitted_priors,
    mean_overlap,
    overlaps,
    pixels,
    scaled,
)
from PaddleDetection.models.architectures.ssd import MOBILENET_300
from PaddleDetection.models.registry import NETWORKS

CELLS = np.array([[19, 25]] * 4 + [[49, 63]] * 40 + [[98, 118]] * 4, np.float64)


def test_overlaps_by_hand() -> None:
    found = overlaps(np.array([[2.0, 4.0], [3.0, 3.0]]), np.array([[4.0, 2.0], [2.0, 4.0], [6.0, 6.0]]))
    np.testing.assert_allclose(found, [[4 / 12, 1, 8 / 36], [6 / 11, 6 / 11, 9 / 36]])


def test_clusters_by_hand() -> None:
    sides = np.array([[9, 20], [11, 20], [10, 18], [10, 22], [50, 48], [52, 52], [48, 50], [100, 30], [104, 34]])
    anchors = cluster_anchors(sides.astype(np.float64), 3)
    np.testing.assert_allclose(anchors, [[10, 20], [50, 50], [102, 32]])
    assert pixels(anchors) == [[10, 20], [50, 50], [102, 32]]
    shares = [9 * 20 / 200, 200 / 220, 180 / 200, 200 / 220, 48 * 50 / 2500, 2500 / 2704, 48 * 50 / 2500]
    shares += [3000 / 3264, 3264 / 3536]
    assert mean_overlap(sides.astype(np.float64), anchors) == pytest.approx(np.mean(shares))
    assert (cluster_anchors(sides.astype(np.float64), 3, seed=4) == anchors).all()


def test_fewer_boxes_than_anchors() -> None:
    with pytest.raises(ValueError, match="3 anchors need as many different boxes, but there are 2"):
        cluster_anchors(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), 3)


def test_fewer_different_boxes_than_are_wanted() -> None:
    found = clustered(CELLS, 9)
    assert not found.settings and str(found) == "[[19, 25], [49, 63], [98, 118]]"


def test_the_factor_on_all_anchors() -> None:
    sides = np.array([[10.0, 20.0], [40.0, 40.0], [70.0, 35.0]])
    assert scaled(sides, sides) == 1.0
    assert scaled(sides, sides * 4) == 0.25
    assert scaled(sides, sides / 2**0.75) == pytest.approx(2**0.75)
    assert scaled(sides, np.array([[5.0, 10.0], [20.0, 20.0], [40.0, 40.0], [10.0, 20.0], [70.0, 35.0]])) == 1.0


def test_prior_boxes_of_clusters() -> None:
    found = fitted_priors(CELLS, MOBILENET_300)
    sizes = [round((19 * 25) ** 0.5), round((49 * 63) ** 0.5), round((98 * 118) ** 0.5)]
    assert found.settings == {
        "min_sizes": [sizes[:2], sizes[2:], [150], [195], [240], [285]],
        "aspect_ratios": [[]] * 6,
    }
    squares = [[size, size] for size in (*sizes, 150, 195, 240, 285)]
    assert found.anchors.tolist() == squares
    assert str(found) == (
        "-o 'network.min_sizes=[[22, 56], [108], [150], [195], [240], [285]]' "
        "-o 'network.aspect_ratios=[[], [], [], [], [], []]'"
    )


def test_long_boxes_keep_the_networks_shapes() -> None:
    found = fitted_priors(np.array([[20.0, 60.0], [60.0, 20.0]] * 3), MOBILENET_300)
    assert found.settings == {"min_sizes": [[35], [105], [150], [195], [240], [285]]}
    assert len(found.anchors) == sum(MOBILENET_300.counts) - 5  # without the squares of max_sizes


@pytest.mark.parametrize("name", ["ssd_mobilenet_v1_300", "faster_rcnn_r18_fpn", "retinanet_r50_fpn", "ppyolo_r18vd"])
def test_a_network_with_the_settings_has_the_anchors(name: str) -> None:
    make, sides = NETWORKS.resolve(name), np.random.default_rng(0).uniform(10, 60, (30, 2))
    with core.LazyGuard():
        fitted = make().fitted_anchors(sides)
        made = np.concatenate([np.reshape(level, (-1, 2)) for level in make(**fitted.settings).anchors])
    rows = {tuple(row) for row in fitted.anchors.round().tolist()}
    assert len(made) == len(fitted.anchors)
    for side in made:
        assert min(np.abs(np.subtract(row, side)).max() / side.max() for row in rows) < 0.1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"anchors": []}, "anchor_masks has the number 6, but there are 0 anchors, from 0 on"),
        ({"anchor_masks": [[0], [1], [9]]}, "anchor_masks has the number 9, but there are 9 anchors, from 0 on"),
        ({"anchor_masks": [[0], [1]]}, "anchor_masks must be one list for each of 3 levels, not 2 lists"),
        ({"anchors": [[0, 10]] * 9}, r"anchors must be pairs of positive numbers, width and height, not \[0, 10\]"),
        ({"anchors": [[10]] * 9}, r"anchors must be pairs of positive numbers, width and height, not \[10\]"),
    ],
)
def test_anchors_that_no_level_can_take_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NETWORKS.resolve("yolov3_mobilenet_v1")(num_classes=2, scale=0.125, width=16, **settings)
