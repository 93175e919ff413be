"""PASCAL VOC's average precision: against PaddleDetection's own numbers, and by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from PaddleDetection.metrics.voc import VOCMetric, pixel_overlaps
from tests.parity.PaddleDetection.metric_cases import CLASSES, images

REFERENCES = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references"
OFFICIAL = json.loads((REFERENCES / "metrics.json").read_text())
BOX = [10.0, 10.0, 19.0, 19.0]
ELSEWHERE = [50.0, 50.0, 59.0, 59.0]


def of_one_class(*images: tuple[list[list[float]], list[list[float]]], **arguments: object) -> VOCMetric:
    """Return a metric of images, each scores with corners, and the corners of objects."""
    metric = VOCMetric(["thing"], **arguments)  # type: ignore[arg-type]
    for rows, boxes in images:
        metric.update(np.array([[0, *row] for row in rows]), np.array(boxes), np.zeros(len(boxes)))
    return metric


@pytest.mark.parametrize("case", OFFICIAL)
def test_as_the_official_metric(case: str) -> None:
    _, seed, kind, difficult = case.split()
    metric = VOCMetric(CLASSES, kind, evaluate_difficult=difficult == "True")
    for image in images(int(seed)):
        metric.update(*image)
    assert metric.result()["mAP"] == pytest.approx(OFFICIAL[case], abs=1e-12)


@pytest.mark.parametrize(("kind", "expected"), [("11point", (6 * 1 + 5 * 2 / 3) / 11), ("integral", 0.5 + 0.5 * 2 / 3)])
def test_one_right_one_wrong_one_right(kind: str, expected: float) -> None:
    metric = of_one_class(([[0.9, *BOX]], [BOX]), ([[0.8, *ELSEWHERE], [0.7, *BOX]], [BOX]), kind=kind)
    assert metric.result()["mAP"] == pytest.approx(expected)
    curve = metric.curves()["thing"]
    np.testing.assert_allclose(curve.precision, [1, 1 / 2, 2 / 3])
    np.testing.assert_allclose(curve.recall, [0.5, 0.5, 1])
    np.testing.assert_array_equal(curve.scores, [0.9, 0.8, 0.7])
    assert curve.objects == 2


def test_truth_as_detections_is_perfect() -> None:
    for kind in ("11point", "integral"):
        metric = VOCMetric(CLASSES, kind, evaluate_difficult=True)
        for image in images(0):
            rows = np.column_stack([image.classes, np.full(len(image.classes), 0.5), image.boxes])
            metric.update(rows.reshape(-1, 6), image.boxes, image.classes, image.difficult)
        assert metric.result()["mAP"] == pytest.approx(1.0)


def test_a_second_detection_of_an_object_is_wrong_in_any_order() -> None:
    for rows in ([[0.9, *BOX], [0.8, *BOX]], [[0.8, *BOX], [0.9, *BOX]]):
        curve = of_one_class((rows, [BOX])).curves()["thing"]
        np.testing.assert_array_equal(curve.precision, [1, 0.5])


def test_a_difficult_object_counts_in_no_way() -> None:
    metric = VOCMetric(["thing"])
    metric.update(np.array([[0, 0.9, *BOX], [0, 0.8, *BOX]]), np.array([BOX]), np.zeros(1), np.ones(1))
    curve = metric.curves()["thing"]
    assert curve.objects == 0 and len(curve.precision) == 0
    assert math.isnan(metric.result()["mAP"])


def test_an_overlap_of_exactly_the_threshold_is_too_little() -> None:
    half = [10.0, 10.0, 19.0, 14.0]
    assert pixel_overlaps(np.array([half]), np.array([BOX]))[0, 0] == 0.5
    assert of_one_class(([[0.9, *half]], [BOX])).result()["mAP"] == 0
    assert of_one_class(([[0.9, *half]], [BOX]), overlap=0.49).result()["mAP"] == pytest.approx(1)


def test_overlaps_count_both_border_pixels() -> None:
    boxes = np.array([BOX, [15, 15, 24, 24], [19, 10, 28, 19], [30, 30, 20, 20]])
    np.testing.assert_allclose(pixel_overlaps(boxes[:1], boxes), [[1, 25 / 175, 0, 0]])


def test_images_without_objects_or_detections() -> None:
    nothing: list[list[float]] = []
    metric = of_one_class((nothing, nothing), ([[0.9, *BOX]], nothing), (nothing, [BOX]))
    assert metric.result()["mAP"] == 0
    assert metric.curves()["thing"].precision.tolist() == [0]
    assert math.isnan(VOCMetric(["thing"]).result()["mAP"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "12point"}, "VOCMetric: kind must be one of 11point, integral, not '12point'"),
        ({"overlap": 1.0}, "VOCMetric: overlap must be at least 0 and below 1, not 1.0"),
    ],
)
def test_arguments_out_of_range(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VOCMetric(["thing"], **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("detections", "boxes", "classes", "message"),
    [
        ([[0, 0.9, 1, 2, 3]], [BOX], [0], r"detections must have shape \(N, 6\), not \[1, 5\]"),
        ([[0, 0.9, *BOX]], [BOX], [0, 0], "1 boxes, 2 classes and 2 marks do not fit"),
        ([[3, 0.9, *BOX]], [BOX], [0], "detection class 3 is out of range: there are 1 classes"),
        ([[0, 0.9, *BOX]], [BOX], [-1], "object class -1 is out of range: there are 1 classes"),
        ([[0, math.nan, *BOX]], [BOX], [0], "a detection's score is not a number"),
    ],
)
def test_what_does_not_fit_is_named(
    detections: list[list[float]], boxes: list[list[float]], classes: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        VOCMetric(["thing"]).update(np.array(detections), np.array(boxes), np.array(classes))
