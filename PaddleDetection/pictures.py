"""Pictures of an evaluation: curves of precision over recall, and the images with the worst mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
from pycocotools import mask as coco_mask

from core.drawing import WRONG, Caption, draw_boxes, draw_masks, precision_recall_curves, sheet
from core.vision.image import write_image
from PaddleDetection.data.dataset import DetectionDataset, Sample
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.evaluator import DetectionEvaluator
from PaddleDetection.metrics.base import Found
from PaddleDetection.metrics.coco import run_lengths

CONFIDENT = 0.5
"""From this score on a detection is drawn, finds an object, or is a mistake."""

OVERLAP = 0.5
"""The least intersection over union of a detection with the object that it finds."""

MOST = 12
"""Images on the sheet."""

LARGEST = 400
"""Pixels of a picture's longer side on the sheet, at most."""


class Mistakes(NamedTuple):
    """What is wrong about an image.

    Attributes:
        missed: places of objects that no confident detection finds.
        false: places of confident detections that find no object.
        weight: the number of missed objects and the scores of false detections, added up.
    """

    missed: list[int]
    false: list[int]
    weight: float


def mistakes(rows: np.ndarray, truth: Sample) -> Mistakes:
    """Compare the confident detections of an image with its objects, the best first, each with the best that is left.

    Objects that are groups, or difficult, may be missed, and any number of detections may lie in them.

    Args:
        rows: class, score and corners, (D, 6).
        truth: "gt_bbox", "gt_class", "is_crowd" and "difficult".
    """
    boxes, classes = truth["gt_bbox"].reshape(-1, 4), truth["gt_class"].reshape(-1)
    lenient = np.zeros(len(boxes), bool)
    for name in ("is_crowd", "difficult"):
        lenient |= np.asarray(truth.get(name, lenient)).reshape(-1) != 0
    left, false = ~lenient, []
    for place in np.argsort(-rows[:, 1], kind="stable").tolist():
        if rows[place, 1] < CONFIDENT:
            break
        shared, area = _shared(rows[place, 2:], boxes)
        sizes = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0), axis=1)
        overlaps = np.where(lenient, shared / max(area, 1e-9), shared / np.maximum(area + sizes - shared, 1e-9))
        overlaps[classes != rows[place, 0]] = 0
        best = int(np.argmax(np.where(left, overlaps, 0))) if len(boxes) else 0
        if len(boxes) and left[best] and overlaps[best] >= OVERLAP:
            left[best] = False
        elif not (lenient & (overlaps >= OVERLAP)).any():
            false.append(place)
    missed = np.flatnonzero(left).tolist()
    return Mistakes(missed, false, len(missed) + float(rows[false, 1].sum()))


def _shared(box: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the areas that a box shares with others, and its own."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    return np.prod(np.maximum(sides, 0), axis=1), float(np.prod(np.maximum(box[2:] - box[:2], 0)))


def draw_found(
    image: np.ndarray,
    rows: np.ndarray,
    class_names: Sequence[str],
    masks: Optional[Sequence[Any]] = None,
    scored: bool = True,
    least: int = 0,
) -> np.ndarray:
    """Return an image with masks, and boxes above them.

    Args:
        image: uint8 (H, W, 3).
        rows: class, score and corners, (D, 6).
        class_names: the classes.
        masks: run lengths of each, decoded one by one; None: there are none.
        scored: whether scores are written.
        least: an image whose shorter side has fewer pixels is enlarged by a whole factor, to leave room for the names;
            its longer side to no more than four times as many.
    """
    classes = rows[:, 0].astype(int).tolist()
    if masks is not None:
        image = draw_masks(image, map(coco_mask.decode, masks), classes)
    height, width = image.shape[:2]
    factor = max(min(-(-least // min(height, width)), 4 * least // max(height, width)), 1)
    image = image.repeat(factor, axis=0).repeat(factor, axis=1)
    return draw_boxes(image, factor * rows[:, 2:], classes, rows[:, 1].tolist() if scored else None, class_names)


def write_pictures(evaluator: DetectionEvaluator, model: str, split: str, folder: Path) -> list[str]:
    """Write precision_recall.png and detections.png; return their names.

    Args:
        evaluator: a filled evaluator.
        model: the network's name.
        split: what was evaluated.
        folder: where to write.
    """
    curves = {name: curve for name, curve in evaluator.metric.curves().items() if curve.objects}
    named = [f"{name}, AP {curve.average_precision:.3f}" for name, curve in curves.items()]
    numbers = evaluator.result()
    monitored = f"{evaluator.metric.monitor} {numbers[evaluator.metric.monitor]:.3f}"
    drawn = [(curve.recall, curve.precision) for curve in curves.values()]
    title = f"{model}, {split}: {monitored}, overlap 0.5"
    write_image(folder / "precision_recall.png", precision_recall_curves(drawn, named, title))
    write_image(folder / "detections.png", _mistakes_sheet(evaluator, f"{model}, {split}: {monitored}"))
    return ["precision_recall.png", "detections.png"]


def _mistakes_sheet(evaluator: DetectionEvaluator, title: str) -> np.ndarray:
    """Return the images with the worst mistakes, the truth beside what was found, two images in a row."""
    judged = {i: mistakes(found.rows, evaluator.dataset.objects(i)) for i, found in evaluator.found.items()}
    chosen = sorted(judged, key=lambda index: -judged[index].weight)[:MOST]
    pairs = [_pair(evaluator.dataset, index, evaluator.found[index], judged[index]) for index in chosen]
    rows = [pairs[place] + (pairs[place + 1] if place + 1 < len(pairs) else []) for place in range(0, len(pairs), 2)]
    columns = ["truth", "found"] * min(len(pairs), 2)
    captions = [[caption for _, caption in row] for row in rows]
    pictures = [[picture for picture, _ in row] for row in rows]
    return sheet(pictures, columns, title=f"{title} (worst first)", captions=captions, largest=LARGEST)


def _pair(dataset: DetectionDataset, index: int, found: Found, wrong: Mistakes) -> list[tuple[np.ndarray, Caption]]:
    """Return pictures of an image's objects and of what was found, with captions that name the mistakes."""
    truth = dataset.objects(index)
    image = Decode()(dataset.sample(index))["image"]
    boxes, classes = truth["gt_bbox"].reshape(-1, 4), truth["gt_class"].reshape(-1, 1)
    objects = np.concatenate([classes, np.ones_like(classes), boxes], axis=1)
    names = dataset.class_names
    masks = run_lengths(truth) if found.masks is not None else None
    shown = np.flatnonzero(found.rows[:, 1] >= CONFIDENT)
    own = None if found.masks is None else [found.masks[place] for place in shown.tolist()]
    missed = [f"{names[int(number)]}" for number in classes[wrong.missed, 0]]
    false = [f"{score:.0%} {names[int(number)]}" for number, score in found.rows[wrong.false, :2]]
    return [
        (draw_found(image, objects, names, masks, scored=False), _caption("missed", missed)),
        (draw_found(image, found.rows[shown], names, own), _caption("wrong", false)),
    ]


def _caption(kind: str, named: Sequence[str]) -> Caption:
    return Caption([f"{kind}: {', '.join(named)}"], WRONG) if named else Caption([f"none {kind}"])
