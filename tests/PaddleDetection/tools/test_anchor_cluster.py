"""Anchors against clusters that are plain to see, and what is said where anchors fit no box."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from PaddleDetection.config import TOOLKIT
from PaddleDetection.data.anchors import (
    anchor_facts,
    box_sides,
    cluster_anchors,
    mean_overlap,
    overlaps,
    seen_sides,
    written,
)
from PaddleDetection.models.architectures.ssd import MOBILENET_300
from PaddleDetection.tools import anchor_cluster

ROOT = Path(__file__).parents[3]
DIGITS = str(ROOT / "PaddleDetection" / "configs" / "digits_yolov3.yaml")
FEW = ["data.train.dataset.count=20", "data.valid.dataset.count=2", "data.test.dataset.count=2"]


def test_overlaps_by_hand() -> None:
    found = overlaps(np.array([[2.0, 4.0], [3.0, 3.0]]), np.array([[4.0, 2.0], [2.0, 4.0], [6.0, 6.0]]))
    np.testing.assert_allclose(found, [[4 / 12, 1, 8 / 36], [6 / 11, 6 / 11, 9 / 36]])


def test_clusters_by_hand() -> None:
    sides = np.array([[9, 20], [11, 20], [10, 18], [10, 22], [50, 48], [52, 52], [48, 50], [100, 30], [104, 34]])
    anchors = cluster_anchors(sides.astype(np.float64), 3)
    np.testing.assert_allclose(anchors, [[10, 20], [50, 50], [102, 32]])
    assert written(anchors) == "[[10, 20], [50, 50], [102, 32]]"
    shares = [9 * 20 / 200, 200 / 220, 180 / 200, 200 / 220, 48 * 50 / 2500, 2500 / 2704, 48 * 50 / 2500]
    shares += [3000 / 3264, 3264 / 3536]
    assert mean_overlap(sides.astype(np.float64), anchors) == pytest.approx(np.mean(shares))
    assert (cluster_anchors(sides.astype(np.float64), 3, seed=4) == anchors).all()


def test_fewer_boxes_than_anchors() -> None:
    with pytest.raises(ValueError, match="3 anchors need as many different boxes, but there are 2"):
        cluster_anchors(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), 3)


def test_boxes_at_a_size() -> None:
    dataset = TOOLKIT.load(DIGITS, FEW).data.train.build_dataset()
    expected = np.concatenate([dataset.sample(index)["gt_bbox"] for index in range(20)]).astype(np.float64)
    sides = box_sides(dataset, (256, 64))
    np.testing.assert_allclose(sides, (expected[:, 2:] - expected[:, :2]) * [64 / 112, 256 / 112])


class Network:
    def __init__(self, anchors: object) -> None:
        self.anchors = anchors


def test_anchors_that_fit_no_box_are_named_with_a_proposal() -> None:
    section = TOOLKIT.load(DIGITS, FEW).data.train
    dataset = section.build_dataset()
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    assert anchor_facts(Network([[23, 29]]), section, dataset) == []
    (line,) = anchor_facts(Network([[373, 326, 2, 90], [23, 29]]), section, dataset)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    sides = seen_sides(section, dataset)
    proposal = cluster_anchors(sides, 3)
    assert line.startswith("warning: 2 of 3 anchors fit no box of the training data: 373 x 326, 2 x 90 pixels; boxes ")
    assert line.endswith(f"anchor_cluster.py proposes {written(proposal)} ({mean_overlap(sides, proposal):.2f})")
    (line,) = anchor_facts(Network(MOBILENET_300.sides), section, dataset)
    anchors = np.concatenate([np.reshape(level, (-1, 2)) for level in MOBILENET_300.sides])
    idle = int((overlaps(sides, anchors) < 0.25).all(axis=0).sum())
    assert line.startswith(f"warning: {idle} of 33 anchors fit no box of the training data: ")
    assert f" pixels and {idle - 9} more; boxes " in line and f"proposes {written(cluster_anchors(sides, 9))}" in line
    for other in (None, lambda feature: feature, 3):
        assert anchor_facts(Network(other), section, dataset) == []


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for override in FEW for word in ("-o", override)]
    assert anchor_cluster.main(["-c", DIGITS, *words, "-n", "2", "-s", "64,128"]) == 0
    lines = capsys.readouterr().out.splitlines()
    dataset = TOOLKIT.load(DIGITS, FEW).data.train.build_dataset()
    sides = box_sides(dataset, (128, 64))
    anchors = cluster_anchors(sides, 2)
    assert lines[0] == f"{len(sides)} boxes of data.train, in images of 64 x 128 pixels"
    assert lines[1].startswith(f"a box overlaps its best anchor by {mean_overlap(sides, anchors):.4f}")
    assert lines[-1] == f"anchors: {written(anchors)}"
    with pytest.raises(SystemExit, match="2"):
        anchor_cluster.main(["-c", DIGITS, "-s", "0"])
    assert "--size must be one or two positive numbers, not '0'" in capsys.readouterr().err


def test_it_starts_as_a_file() -> None:
    command = [sys.executable, "PaddleDetection/tools/anchor_cluster.py", "--help"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    assert "Find anchors that fit the boxes of a data set" in done.stdout
