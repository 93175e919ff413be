"""Images with annotations as Cityscapes' fine ones: a JSON file of polygons for each image, in folders of cities.

The layout is that of https://www.cityscapes-dataset.com: ``leftImg8bit/train/CITY/NAME_leftImg8bit.png`` and
``gtFine/train/CITY/NAME_gtFine_polygons.json``.
"""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from core.io.files import is_url, join_path, list_files
from PaddleDetection.data.annotations import (
    Repairs,
    bounding_box,
    boxes_of,
    column,
    image_sides,
    json_object,
    polygon,
)
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform

CLASSES = ("person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle")
"""The classes of which Cityscapes tells one object from the next; "cargroup" and so on are groups of them."""

_IMAGE, _POLYGONS = "_leftImg8bit.png", "_gtFine_polygons.json"


class CityscapesDataset(DetectionDataset):
    """Images of a split of Cityscapes; their objects are of the eight classes of things, groups are crowds.

    Boxes are clipped to their image, those of which nothing is left and polygons of fewer than three points are left
    out, with one warning. A polygon is the whole object, also where another one hides it, as in the annotations.

    Args:
        dataset_dir: the folder that holds ``leftImg8bit`` and ``gtFine``.
        split: "train", "val" or "test".
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: an image is missing.
        NotADirectoryError: there is no such folder.
        ValueError: there are no annotations, or one is no such file.
    """

    def __init__(self, dataset_dir: str, split: str = "train", transform: Optional[Transform] = None) -> None:
        super().__init__(list(CLASSES), transform)
        folder = join_path(dataset_dir, f"gtFine/{split}")
        paths = list_files(folder, [_POLYGONS])
        if not paths:
            raise ValueError(f"{folder}: there are no files NAME{_POLYGONS}")
        repairs = Repairs(folder)
        self.files: list[str] = []
        self.found: list[Sample] = []
        for path in paths:
            name = path[len(folder) + 1 : -len(_POLYGONS)]
            self.files.append(join_path(dataset_dir, f"leftImg8bit/{split}/{name}{_IMAGE}"))
            if not is_url(self.files[-1]) and not os.path.isfile(self.files[-1]):
                raise FileNotFoundError(f"{path}: no image file {self.files[-1]!r}")
            self.found.append(read_polygons(path, repairs))
        repairs.report()

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its objects."""
        return {"im_id": np.array([index], np.int64), "im_file": self.files[index], **self.found[index]}

    def __len__(self) -> int:
        return len(self.files)


def read_polygons(path: str, repairs: Repairs) -> Sample:
    """Return what a file of polygons says of its image.

    Args:
        path: the file.
        repairs: counts what is put right.

    Returns:
        "gt_bbox", "gt_class", "gt_poly", "is_crowd", "difficult", "h" and "w".

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such file.
    """
    content = json_object(path)
    height, width = image_sides(content.get("imgHeight"), content.get("imgWidth"), path)
    objects = content.get("objects")
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise ValueError(f"{path}: objects must be a list of records")
    rows: list[Any] = []
    labels, crowds, masks = [], [], []
    for place, one in enumerate(objects):
        label = str(one.get("label"))
        group = label.endswith("group")
        kind = label[: -len("group")] if group else label
        points = one.get("polygon")
        if kind not in CLASSES or one.get("deleted"):
            continue
        if not isinstance(points, list) or not all(isinstance(point, list) and len(point) == 2 for point in points):
            raise ValueError(f"{path}: object {place}: polygon must be a list of pairs x, y, not {str(points)[:80]!r}")
        where = f"object {place} of {os.path.basename(path)}"
        if len(points) < 3:
            repairs.note("that are polygons of fewer than three points are left out", where)
            continue
        flat = [value for point in points for value in point]
        part = polygon(flat, f"{path}: object {place}", height, width)
        box = repairs.box(bounding_box(np.reshape(part, (-1, 2))), where, width, height)
        if box:
            rows.append(box)
            labels.append(CLASSES.index(kind))
            crowds.append(int(group))
            masks.append([part])
    found = {"gt_bbox": boxes_of(rows), "gt_class": column(labels), "gt_poly": masks, "h": height, "w": width}
    return {**found, "is_crowd": column(crowds), "difficult": column([0] * len(rows))}
