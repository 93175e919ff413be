"""What an evaluation gathers of a detector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator
from core.weights.messages import counted
from PaddleDetection.config import EvaluateSection
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.metrics.base import Found, Metric
from PaddleDetection.metrics.coco import NAMES, COCOMetric
from PaddleDetection.metrics.voc import VOCMetric
from PaddleDetection.metrics.wider_face import WIDERFaceMetric
from PaddleDetection.results import FACES, box_rows, mask_rows, write_faces

MOST_LISTED = 20
"""Classes of which the evaluation command has a line each without being asked."""


NUMBERS = {
    "VOC": ["mAP"],
    "COCO": [*NAMES, *(f"mask_{name}" for name in NAMES)],
    "WIDER": ["AP", "AP_easy", "AP_medium", "AP_hard"],
}
"""Names of all numbers that each metric may give."""


class DetectionEvaluator(Evaluator):
    """Compares what is found with the objects of the data set.

    Args:
        dataset: the data set whose images are looked at.
        options: by which metric, and how it is reported.

    Attributes:
        found: what is found in each image that was looked at, by its number in the data set.
    """

    def __init__(self, dataset: DetectionDataset, options: EvaluateSection) -> None:
        self.dataset = dataset
        self.options = options
        self.metric = metric_of(dataset.class_names, options)
        self.found: dict[int, Found] = {}

    def update(self, outputs: Sequence[Found], batch: Any) -> None:
        """Take in what is found in a batch's images; the batch's "index" says which these are."""
        for found, index in zip(outputs, batch["index"]):
            self.add(int(index), found)

    def add(self, index: int, found: Found) -> None:
        """Take in what is found in the image of a number."""
        self.metric.add(found, self.dataset.objects(index))
        self.found[index] = found

    def result(self) -> dict[str, float]:
        """Return the metric's numbers."""
        return self.metric.result()

    def details(self) -> dict[str, Any]:
        """Return the average precision of each class that has objects: "AP_of_classes", "mask_AP_of_classes"."""
        return {
            f"{prefix}AP_of_classes": {name: curve.average_precision for name, curve in curves.items() if curve.objects}
            for prefix, curves in self._all_curves().items()
        }

    def lines(self) -> list[str]:
        """Say the average precision of each class, where they are few or it is asked for."""
        boxes, *masks = self._all_curves().values()
        shown = [name for name, curve in boxes.items() if curve.objects]
        if len(shown) > MOST_LISTED and not self.options.classwise:
            return []
        texts = [f", of masks {masks[0][name].average_precision:.3f}" if masks else "" for name in shown]
        return [
            f"{name}: AP {boxes[name].average_precision:.3f}{more} of {counted(boxes[name].objects, 'object')}"
            for name, more in zip(shown, texts)
        ]

    def write(self, folder: Path) -> list[str]:
        """Write bbox.json, and mask.json where masks are found, as COCO's servers take them.

        Where WIDER FACE's metric is asked for, the folder wider_face, too, as its evaluation tools take it.
        """
        files = {"bbox.json": box_rows}
        if any(found.masks is not None for found in self.found.values()):
            files["mask.json"] = mask_rows
        written = []
        for name, rows in files.items():
            file = ResultFile(name)
            for index, found in self.found.items():
                image = int(self.dataset.objects(index)["im_id"][0])
                for row in rows(found, image, self.dataset.category_ids):
                    file.append(row)
            written.append(file.write(folder))
        return [*written, *self._write_faces(folder)] if self.options.metric == "WIDER" else written

    def _write_faces(self, folder: Path) -> list[str]:
        files = {index: str(self.dataset.objects(index).get("im_file", index)) for index in self.found}
        return [write_faces(folder / FACES, {files[index]: found for index, found in self.found.items()})]

    def _all_curves(self) -> dict[str, Any]:
        masks = self.metric.mask_curves() if isinstance(self.metric, COCOMetric) else {}
        return {"": self.metric.curves(), **({"mask_": masks} if masks else {})}


def metric_of(class_names: Sequence[str], options: EvaluateSection) -> Metric:
    """Return the empty metric that a config asks for.

    Args:
        class_names: of the data set.
        options: the config's section.

    Raises:
        ValueError: WIDER FACE's metric is to judge other classes than faces.
    """
    if options.metric == "WIDER":
        if len(class_names) > 1:
            raise ValueError(f"evaluate.metric WIDER judges faces alone, but the data has {len(class_names)} classes")
        return WIDERFaceMetric()
    return COCOMetric(class_names) if options.metric == "COCO" else VOCMetric(class_names, options.map_type)
