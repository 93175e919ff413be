"""COCO's average precision: against pycocotools on files written by hand, and with the truth as detections."""

from __future__ import annotations

import contextlib
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools import mask as coco
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from PaddleDetection.data.coco import COCODataset
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.metrics.base import Found
from PaddleDetection.metrics.coco import COCOMetric, run_lengths

TINY = Path(__file__).parents[4] / "shared" / "data" / "coco-tiny"
NAMES = ["AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large"]
NAMES += ["AR1", "AR10", "AR100", "AR_small", "AR_medium", "AR_large"]


def write_files(folder: Path, seed: int) -> tuple[Path, Path, Path]:
    """Write annotations with crowds, areas and unusual ids, and results of boxes and masks that are partly right."""
    random = np.random.RandomState(seed)
    images = [{"id": 10 * i + 3, "file_name": f"{i}.png", "height": 200, "width": 220} for i in range(8)]
    truth: list[dict[str, Any]] = []
    boxes, masks = [], []

    def region(x: float, y: float, w: float, h: float) -> list[float]:
        return [x, y, x + w, y, x + w, y + 0.7 * h, x + 0.5 * w, y + h, x, y + h]

    for image in images:
        for _ in range(random.randint(0, 5)):
            x, y = random.randint(0, 80, 2).tolist()
            w, h = random.randint(8 if random.rand() < 0.7 else 106, 118, 2).tolist()
            category, crowd = int(random.choice([2, 7, 90])), int(random.rand() < 0.15)
            outline = region(x, y, w, h)
            lengths = coco.merge(coco.frPyObjects([outline], 200, 220))
            runs = {"size": [200, 220], "counts": lengths["counts"].decode()}
            entry = {"id": len(truth) + 50, "image_id": image["id"], "category_id": category, "iscrowd": crowd}
            entry.update(bbox=[x, y, w, h], area=0.85 * w * h, segmentation=runs if crowd else [outline])
            truth.append(entry)
            for _ in range(random.randint(0, 3)):
                a, b, c, d = (np.array([x, y, w, h]) + random.randint(-6, 7, 4)).clip(1).tolist()
                c, d = min(c, 219 - a), min(d, 199 - b)
                kind = category if random.rand() < 0.8 else 7
                found = {"image_id": image["id"], "category_id": kind, "score": round(float(random.rand()), 4)}
                lengths = coco.merge(coco.frPyObjects([region(a, b, c, d)], 200, 220))
                lengths["counts"] = lengths["counts"].decode()
                boxes.append({**found, "bbox": [a, b, c, d]})
                masks.append({**found, "segmentation": lengths})
    categories = [{"id": 90, "name": "cup"}, {"id": 2, "name": "dog"}, {"id": 7, "name": "cat"}]
    paths = folder / "truth.json", folder / "bbox.json", folder / "mask.json"
    contents = {"images": images, "annotations": truth, "categories": categories}, boxes, masks
    for path, content in zip(paths, contents):
        path.write_text(json.dumps(content))
    return paths


def official(truth: Path, results: Path, kind: str) -> list[float]:
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO(str(truth))
        judged = COCOeval(known, known.loadRes(str(results)), kind)
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    return [float(value) for value in judged.stats]


@pytest.mark.parametrize("seed", [0, 1])
def test_as_pycocotools_on_files(seed: int, tmp_path: Path) -> None:
    truth, boxes, masks = write_files(tmp_path, seed)
    dataset = COCODataset(str(tmp_path), "truth.json", allow_empty=True)
    assert dataset.category_ids == [90, 2, 7] and dataset.class_names == ["cup", "dog", "cat"]
    metric = COCOMetric(dataset.class_names)
    found = list(zip(json.loads(boxes.read_text()), json.loads(masks.read_text())))
    for index in range(len(dataset)):
        objects = dataset.objects(index)
        mine = [pair for pair in found if pair[0]["image_id"] == objects["im_id"][0]]
        rows = [
            [dataset.category_ids.index(box["category_id"]), box["score"], x, y, x + w, y + h]
            for box, _ in mine
            for x, y, w, h in [box["bbox"]]
        ]
        lengths = [{**mask["segmentation"], "counts": mask["segmentation"]["counts"].encode()} for _, mask in mine]
        metric.add(Found(np.array(rows).reshape(-1, 6), lengths), objects)
    numbers = metric.result()
    for prefix, path, kind in (("", boxes, "bbox"), ("mask_", masks, "segm")):
        expected = official(truth, path, kind)
        assert 0.2 < expected[0] < 0.9 and min(expected) >= 0
        assert [numbers[prefix + name] for name in NAMES] == pytest.approx(expected, abs=1e-12)
    assert len(numbers) == 24


def as_detections(dataset: DetectionDataset) -> dict[str, float]:
    metric = COCOMetric(dataset.class_names)
    for index in range(len(dataset)):
        truth = dataset.objects(index)
        classes = truth["gt_class"].reshape(-1, 1)
        rows = np.concatenate([classes, np.full(classes.shape, 0.5), truth["gt_bbox"]], axis=1)
        metric.add(Found(rows, run_lengths(truth)), truth)
    return metric.result()


@pytest.mark.parametrize("kind", ["drawn", "coco-tiny"])
def test_truth_as_detections_is_perfect(kind: str) -> None:
    if kind == "coco-tiny" and not TINY.is_dir():
        pytest.skip(f"{TINY} is not here")
    tiny = {"dataset_dir": str(TINY), "anno_path": "annotations/instances_train2017.json", "image_dir": "images"}
    numbers = as_detections(DigitScenes("test", 10) if kind == "drawn" else COCODataset(**tiny))
    for prefix in ("", "mask_"):
        assert [numbers[prefix + name] for name in NAMES[:5]] == pytest.approx([1.0] * 5)
    assert numbers["AR100"] == pytest.approx(1.0) and 0 < numbers["AR1"] < 1


def thing(boxes: list[list[float]], **fields: Any) -> dict[str, Any]:
    count = len(boxes)
    truth = {"im_id": np.array([5]), "gt_bbox": np.array(boxes, np.float32).reshape(-1, 4)}
    return {**truth, "gt_class": np.zeros((count, 1), int), "is_crowd": np.zeros((count, 1), int), **fields}


def test_one_object_and_a_duplicate() -> None:
    metric = COCOMetric(["thing", "other"])
    box = [10.0, 10.0, 30.0, 30.0]
    metric.add(Found(np.array([[0, 0.9, *box], [0, 0.8, *box]])), thing([box]))
    numbers = metric.result()
    assert numbers["AP"] == pytest.approx(1) and numbers["AR1"] == 1  # what follows the last object costs nothing
    assert set(numbers) == {"AP", "AP50", "AP75", "AP_small", "AR1", "AR10", "AR100", "AR_small"}
    curves = metric.curves()
    assert curves["thing"].objects == 1 and curves["thing"].average_precision == pytest.approx(1)
    np.testing.assert_array_equal(curves["thing"].recall[[0, -1]], [0, 1])
    assert curves["thing"].scores[-1] == 0.9 and len(curves["other"].recall) == 0
    assert math.isnan(curves["other"].average_precision) and metric.mask_curves() == {}


def test_what_lies_in_a_group_is_neither_right_nor_wrong() -> None:
    box, group = [10.0, 10.0, 30.0, 30.0], [40.0, 40.0, 90.0, 90.0]
    metric = COCOMetric(["thing"])
    truth = thing([box, group], is_crowd=np.array([[0], [1]]))
    metric.add(Found(np.array([[0, 0.9, 45, 45, 55, 55], [0, 0.8, 60, 60, 70, 70], [0, 0.7, *box]])), truth)
    assert metric.result()["AP"] == pytest.approx(1.0) and metric.curves()["thing"].objects == 1


def test_sizes_are_those_of_masks() -> None:
    box = [0.0, 0.0, 40.0, 40.0]
    mask = np.zeros((1, 50, 50), np.uint8)
    mask[0, :20, :40] = 1
    for fields, size in (({}, "medium"), ({"gt_segm": mask}, "small"), ({"area": np.array([9999.0])}, "large")):
        metric = COCOMetric(["thing"])
        metric.add(Found(np.array([[0, 0.9, *box]])), thing([box], **fields))
        assert [name for name in metric.result() if name.startswith("AP_")] == [f"AP_{size}"]


def test_nothing_found_and_nothing_there() -> None:
    metric = COCOMetric(["thing"])
    metric.add(Found(np.zeros((0, 6)), []), thing([[0, 0, 9, 9]], gt_segm=np.ones((1, 9, 9), np.uint8)))
    assert metric.result()["AP"] == 0 and metric.result()["mask_AP"] == 0
    empty = COCOMetric(["thing"])
    empty.add(Found(np.array([[0, 0.9, 0, 0, 4, 4]])), thing([]))
    assert math.isnan(empty.result()["AP"]) and empty.curves()["thing"].objects == 0


def test_what_does_not_fit_is_refused() -> None:
    metric = COCOMetric(["thing"])
    with pytest.raises(ValueError, match="COCOMetric: detection class 3 is out of range: there are 1 classes"):
        metric.add(Found(np.array([[3, 0.9, 0, 0, 4, 4]])), thing([]))
    with pytest.raises(ValueError, match="COCOMetric: 1 boxes and 0 masks do not fit"):
        metric.add(Found(np.array([[0, 0.9, 0, 0, 4, 4]]), []), thing([]))
