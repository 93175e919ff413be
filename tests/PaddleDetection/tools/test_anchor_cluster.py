"""Anchors against clusters that are plain to see, and what is said where anchors fit no box."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleDetection.config import TOOLKIT
from PaddleDetection.data.anchors import anchor_facts, box_sides, seen_sides
from PaddleDetection.models.anchor_fitting import by_rows, cluster_anchors, mean_overlap, overlaps, pixels, scaled
from PaddleDetection.models.base import Detector
from PaddleDetection.models.registry import NETWORKS
from PaddleDetection.tools import anchor_cluster

ROOT = Path(__file__).parents[3]
DIGITS = str(ROOT / "PaddleDetection" / "configs" / "digits_yolov3.yaml")
FEW = ["data.train.dataset.count=20", "data.valid.dataset.count=2", "data.test.dataset.count=2"]


def test_boxes_at_a_size() -> None:
    dataset = TOOLKIT.load(DIGITS, FEW).data.train.build_dataset()
    expected = np.concatenate([dataset.sample(index)["gt_bbox"] for index in range(20)]).astype(np.float64)
    sides = box_sides(dataset, (256, 64))
    np.testing.assert_allclose(sides, (expected[:, 2:] - expected[:, :2]) * [64 / 112, 256 / 112])


class Network(Detector):
    """A detector that has nothing but anchors."""

    def __init__(self, *anchors: Sequence[float]) -> None:
        super().__init__()
        self.anchors = anchors

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        raise NotImplementedError

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


def test_anchors_that_fit_no_box_are_named_with_a_proposal() -> None:
    section = TOOLKIT.load(DIGITS, FEW).data.train
    dataset = section.build_dataset()
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    assert anchor_facts(Network([23, 29]), section, dataset) == []
    (line,) = anchor_facts(Network([373, 326, 2, 90], [23, 29]), section, dataset)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    sides = seen_sides(section, dataset)
    proposal = cluster_anchors(sides, 9)
    assert line.startswith("warning: 2 of 3 anchors fit no box of the training data: 373 x 326, 2 x 90 pixels; boxes ")
    assert line.endswith(f"anchor_cluster.py proposes {pixels(proposal)} ({mean_overlap(sides, proposal):.2f})")
    assert anchor_facts(Network(), section, dataset) == []


def test_every_kind_of_anchors_is_looked_at() -> None:
    """YOLO's list, SSD's prior boxes, a region proposal network's, RetinaNet's, and squares for faces."""
    section = TOOLKIT.load(DIGITS, FEW).data.train
    dataset = section.build_dataset()
    sides = seen_sides(section, dataset)
    nine = pixels(cluster_anchors(sides, 9))
    expected = {
        "yolov3_darknet53": (9, f"-o 'network.anchors={nine}'"),
        "ssd_mobilenet_v1_300": (33, "-o 'network.min_sizes=[["),
        "faster_rcnn_r18_fpn": (15, "-o 'network.anchor_sizes=["),
        "faster_rcnn_r50": (15, "-o 'network.anchor_sizes=["),
        "cascade_mask_rcnn_r50_fpn": (15, "-o 'network.anchor_sizes=["),
        "retinanet_r50_fpn": (45, "-o 'network.octave_base_scale="),
        "blazeface": (8, "[["),
        "pyramidbox": (6, "[["),
    }
    for name, (count, proposal) in expected.items():
        with core.LazyGuard():
            network = NETWORKS.resolve(name)()
        anchors = by_rows(network.anchors)
        assert len(anchors) == count
        idle = int((overlaps(sides, anchors) < 0.25).all(axis=0).sum())
        (line,) = anchor_facts(network, section, dataset)
        assert line.startswith(f"warning: {idle} of {count} anchors fit no box of the training data: "), name
        assert f" proposes {proposal}" in line or line.endswith("finds none that fit better"), line
        if idle > 9:
            assert f" pixels and {idle - 9} more; boxes " in line
    with core.LazyGuard():
        assert anchor_facts(NETWORKS.resolve("fcos_r50_fpn")(), section, dataset) == []


def test_anchors_that_another_size_fits_no_better() -> None:
    section = TOOLKIT.load(DIGITS, FEW).data.train
    dataset = section.build_dataset()
    sides = seen_sides(section, dataset)
    with core.LazyGuard():
        network = NETWORKS.resolve("faster_rcnn_r18_fpn")()
    factor = scaled(sides, by_rows(network.anchors))
    with core.LazyGuard():
        network = NETWORKS.resolve("faster_rcnn_r18_fpn")(anchor_sizes=[factor * 2**level for level in range(5, 10)])
    (line,) = anchor_facts(network, section, dataset)
    assert line.endswith("PaddleDetection/tools/anchor_cluster.py finds none that fit better")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for override in FEW for word in ("-o", override)]
    assert anchor_cluster.main(["-c", DIGITS, *words, "-n", "2", "-s", "64,128"]) == 0
    lines = capsys.readouterr().out.splitlines()
    dataset = TOOLKIT.load(DIGITS, FEW).data.train.build_dataset()
    sides = box_sides(dataset, (128, 64))
    anchors = cluster_anchors(sides, 2)
    assert lines[0] == f"{len(sides)} boxes of data.train, in images of 64 x 128 pixels"
    assert lines[1].startswith(f"a box overlaps its best anchor by {mean_overlap(sides, anchors):.4f}")
    assert lines[3] == f"anchors: {pixels(anchors)}"
    assert lines[4].startswith("yolov3_darknet: ") and "; with -o 'network.anchors=[[" in lines[4]
    with pytest.raises(SystemExit, match="2"):
        anchor_cluster.main(["-c", DIGITS, "-s", "0"])
    assert "--size must be one or two positive numbers, not '0'" in capsys.readouterr().err


def test_it_starts_as_a_file() -> None:
    command = [sys.executable, "PaddleDetection/tools/anchor_cluster.py", "--help"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    assert "Find anchors that fit the boxes of a data set" in done.stdout
