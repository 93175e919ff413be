"""COCO's average precision of boxes and masks, by its own implementation.

Lin et al., "Microsoft COCO: Common Objects in Context", arXiv 1405.0312; https://cocodataset.org/#detection-eval. The
truth becomes a COCO object in memory, so that any data set can be judged so.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.masks import decoded, encoded, is_polygons
from PaddleDetection.metrics.base import Found, Metric, PrecisionRecall

SIZES = ("small", "medium", "large")
"""Below 32² pixels, below 96², and from there on."""

NAMES = ("AP", "AP50", "AP75", *(f"AP_{size}" for size in SIZES))
NAMES += ("AR1", "AR10", "AR100", *(f"AR_{size}" for size in SIZES))
"""The numbers in COCO's order: over overlaps from 0.5 to 0.95 unless one is named, of 1, 10 or 100 detections."""


class COCOMetric(Metric):
    """Average precision and recall over ten overlaps, by the sizes of objects, of boxes and of masks.

    Groups of objects are ignored regions, as COCO has it: what is found in one is neither right nor wrong. Objects that
    PASCAL VOC calls difficult count like all others.

    Args:
        class_names: the classes, in the order of their numbers.
    """

    monitor = "AP"

    def __init__(self, class_names: Sequence[str]) -> None:
        self.class_names = list(class_names)
        self.masked = False
        self._images: list[dict[str, Any]] = []
        self._truth: list[dict[str, Any]] = []
        self._boxes: list[dict[str, Any]] = []
        self._masks: list[dict[str, Any]] = []
        self._judged: dict[str, COCOeval] = {}

    def add(self, found: Found, truth: Sample) -> None:
        """Take in one image.

        Args:
            found: what is found.
            truth: "im_id", "gt_bbox", "gt_class", "is_crowd", and where masks are to be judged "gt_segm" or "gt_poly"
                with "h" and "w".

        Raises:
            ValueError: a detection's class has no name, or the number of masks is not that of boxes.
        """
        rows, image = np.asarray(found.rows, np.float64).reshape(-1, 6), len(self._images) + 1
        classes = rows[:, 0].astype(int).tolist()
        wrong = [number for number in classes if not 0 <= number < len(self.class_names)]
        if wrong:
            raise ValueError(
                f"COCOMetric: detection class {wrong[0]} is out of range: there are {len(self.class_names)} classes"
            )
        if found.masks is not None and len(found.masks) != len(rows):
            raise ValueError(f"COCOMetric: {len(rows)} boxes and {len(found.masks)} masks do not fit")
        self._judged.clear()
        self._images.append({"id": image, "height": 0, "width": 0})  # masks are run lengths, which know their size
        self.masked |= found.masks is not None and ("gt_segm" in truth or "gt_poly" in truth)
        self._add_truth(truth, image)
        for place, (number, score, left, top, right, bottom) in enumerate(rows.tolist()):
            entry = {"image_id": image, "category_id": int(number) + 1, "score": score, "iscrowd": 0}
            box = [left, top, right - left, bottom - top]
            self._boxes.append({**entry, "bbox": box, "area": box[2] * box[3], "id": len(self._boxes) + 1})
            if found.masks is not None:
                mask = found.masks[place]
                area = float(coco_mask.area(mask))
                self._masks.append({**entry, "segmentation": mask, "area": area, "id": len(self._masks) + 1})

    def _add_truth(self, truth: Sample, image: int) -> None:
        boxes = np.asarray(truth["gt_bbox"], np.float64).reshape(-1, 4)
        areas = np.asarray(truth.get("area", np.full(len(boxes), np.nan)))
        crowds = np.asarray(truth.get("is_crowd", np.zeros(len(boxes)))).reshape(-1).tolist()
        masks = run_lengths(truth) if self.masked or np.isnan(areas).any() else None
        classes = np.asarray(truth["gt_class"]).reshape(-1).tolist()
        for place, (left, top, right, bottom) in enumerate(boxes.tolist()):
            area = float(areas[place])
            if np.isnan(area):
                area = (right - left) * (bottom - top) if masks is None else float(coco_mask.area(masks[place]))
            entry: dict[str, Any] = {
                "image_id": image,
                "category_id": int(classes[place]) + 1,
                "iscrowd": int(crowds[place]),
                "bbox": [left, top, right - left, bottom - top],
                "area": area,
                "id": len(self._truth) + 1,
            }
            if masks is not None:
                entry["segmentation"] = masks[place]
            self._truth.append(entry)

    def result(self) -> dict[str, float]:
        """Return AP, AP50, AP75, AP_small, … and AR1, …; of masks the same with "mask_" before them.

        Those of a size that no object has are left out; NaN where there are no objects at all.
        """
        numbers = self._numbers("bbox", "")
        return {**numbers, **(self._numbers("segm", "mask_") if self.masked else {})}

    def curves(self) -> dict[str, PrecisionRecall]:
        """Return the curves of each class's boxes at an overlap of 0.5, and the precision averaged over overlaps."""
        return self._curves("bbox")

    def mask_curves(self) -> dict[str, PrecisionRecall]:
        """Return the same of masks; none where only boxes are found."""
        return self._curves("segm") if self.masked else {}

    def _numbers(self, kind: str, prefix: str) -> dict[str, float]:
        stats = self._evaluation(kind).stats.tolist()
        numbers = {f"{prefix}{name}": value if value >= 0 else np.nan for name, value in zip(NAMES, stats)}
        return {name: value for name, value in numbers.items() if not (name.endswith(SIZES) and np.isnan(value))}

    def _curves(self, kind: str) -> dict[str, PrecisionRecall]:
        judged = self._evaluation(kind)
        precision, scores = (judged.eval[name][:, :, :, 0, -1] for name in ("precision", "scores"))
        counts = np.bincount([one["category_id"] - 1 for one in self._truth if not one["iscrowd"]] or [0])
        curves = {}
        for number, name in enumerate(self.class_names):
            objects = int(counts[number]) if self._truth and number < len(counts) else 0
            known = precision[:, :, number]
            average = float(known[known > -1].mean()) if objects else float("nan")
            found = slice(0, int((precision[0, :, number] > 0).sum()))
            curves[name] = PrecisionRecall(
                precision[0, found, number], judged.params.recThrs[found], scores[0, found, number], objects, average
            )
        return curves

    def _evaluation(self, kind: str) -> COCOeval:
        if kind not in self._judged:
            with contextlib.redirect_stdout(io.StringIO()):  # it prints its progress and a table
                judged = COCOeval(self._coco(self._truth), self._coco(self._results(kind)), kind)
                judged.evaluate()
                judged.accumulate()
                judged.summarize()
            self._judged[kind] = judged
        return self._judged[kind]

    def _results(self, kind: str) -> list[dict[str, Any]]:
        return self._boxes if kind == "bbox" else self._masks

    def _coco(self, annotations: list[dict[str, Any]]) -> COCO:
        coco = COCO()
        names = [{"id": number + 1, "name": name} for number, name in enumerate(self.class_names)]
        coco.dataset = {"images": self._images, "annotations": annotations, "categories": names}
        coco.createIndex()
        return coco


def run_lengths(truth: Sample) -> Any:
    """Return the run lengths of each object of an image; None where it has no masks.

    Args:
        truth: "gt_segm" uint8 (G, H, W), or "gt_poly" with "h" and "w".
    """
    if "gt_segm" in truth:
        return [encoded(mask) for mask in truth["gt_segm"]]
    if "gt_poly" not in truth:
        return None
    size = int(truth["h"]), int(truth["w"])
    return [
        coco_mask.merge(coco_mask.frPyObjects(list(mask), *size))
        if is_polygons(mask)
        else mask
        if isinstance(mask["counts"], (bytes, str))
        else encoded(decoded(mask, *size))
        for mask in truth["gt_poly"]
    ]
