"""Images with annotations as labelme writes them: one JSON file beside each image, polygons and other shapes in it.

The format is that of labelme 3 to 5, https://github.com/wkentaro/labelme.
"""

from __future__ import annotations

import base64
import binascii
import math
import ntpath
import os
import posixpath
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from core.io.files import is_url, join_path, list_files
from core.vision.decoding import decode_image
from PaddleDetection.data.annotations import (
    Repairs,
    bounding_box,
    boxes_of,
    class_list,
    column,
    image_name,
    image_sides,
    json_object,
    outline,
    polygon,
)
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform
from PaddleDetection.data.transforms.masks import decoded, encoded

NO_CLASSES = ("__ignore__", "_background_")
"""Lines of labelme's lists of labels that name no class of objects; shapes with the first label are left out."""

CIRCLE_POINTS = 36
"""Corners of the polygon that stands for a circle."""


class LabelmeDataset(DetectionDataset):
    """Images of a folder of labelme's JSON files.

    Polygons, rectangles, circles and masks are objects; those of one label and one group are one object of several
    polygons. Lines and points, and polygons of fewer than three points, are left out, boxes are clipped to their image,
    and those of which nothing is left are left out, with one warning.

    Args:
        dataset_dir: the folder that the other paths are relative to.
        anno_dir: the folder of the JSON files, with all that is below it.
        image_dir: the folder of the images; None: where the files say, relative to themselves.
        label_list: a file with one class name in each line, or the names themselves; labelme's ``__ignore__`` and
            ``_background_`` are no classes.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: the list of labels or an image is missing.
        NotADirectoryError: there is no such folder.
        ValueError: there are no JSON files, or one is not labelme's, names an unknown class, or has a point that is
            not finite or a mask of another size than its box.
    """

    def __init__(
        self,
        dataset_dir: str,
        anno_dir: str = "",
        image_dir: Optional[str] = None,
        label_list: Union[str, list[str]] = "labels.txt",
        transform: Optional[Transform] = None,
    ) -> None:
        names = [name for name in class_list(dataset_dir, label_list) if name not in NO_CLASSES]
        super().__init__(names, transform)
        folder = join_path(dataset_dir, anno_dir or ".")
        paths = list_files(folder, [".json"])
        if not paths:
            raise ValueError(f"{folder}: there are no JSON files")
        classes = {name: place for place, name in enumerate(names)}
        repairs = Repairs(folder)
        self.files: list[str] = []
        self.found: list[Sample] = []
        for path in paths:
            content = json_object(path)
            image = image_name(content.get("imagePath"), f"{path}: imagePath").replace(ntpath.sep, posixpath.sep)
            own = join_path(dataset_dir, image_dir) if image_dir is not None else os.path.dirname(path)
            self.files.append(join_path(own, image if image_dir is None else posixpath.basename(image)))
            if not is_url(self.files[-1]) and not os.path.isfile(self.files[-1]):
                raise FileNotFoundError(f"{path}: no image file {self.files[-1]!r}")
            self.found.append(read_annotation(path, content, classes, repairs))
        repairs.report()

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its objects."""
        return {"im_id": np.array([index], np.int64), "im_file": self.files[index], **self.found[index]}

    def __len__(self) -> int:
        return len(self.files)


class Shape(NamedTuple):
    """An object's box and mask.

    Attributes:
        box: corners x1, y1, x2, y2, pixels.
        parts: polygons, each x1, y1, x2, y2, ...
        pixels: a mask, uint8 (H, W), of the image's size; None where there are polygons.
    """

    box: tuple[float, ...]
    parts: list[list[float]]
    pixels: Optional[np.ndarray] = None


def read_annotation(path: str, content: dict[str, Any], classes: dict[str, int], repairs: Repairs) -> Sample:
    """Return what a labelme file says of its image.

    Args:
        path: the file, for messages.
        content: what is in it.
        classes: name to number.
        repairs: counts what is put right.

    Returns:
        "gt_bbox", "gt_class", "gt_poly", "difficult", "is_crowd", and "h" and "w", 0 where the file does not say.

    Raises:
        ValueError: it is no such file.
    """
    height, width = image_sides(content.get("imageHeight") or 0, content.get("imageWidth") or 0, path)
    shapes = content.get("shapes")
    if not isinstance(shapes, list) or not all(isinstance(shape, dict) for shape in shapes):
        raise ValueError(f"{path}: shapes must be a list of records")
    together: dict[Any, list[Shape]] = {}
    for place, record in enumerate(shapes):
        label, where = record.get("label"), f"shape {place}"
        if label == NO_CLASSES[0]:
            continue
        if not isinstance(label, str) or label not in classes:
            raise ValueError(f"{path}: {where} has the label {str(label)[:80]!r}, which is not in the list of labels")
        shape = _shape(path, record, where, (height, width), repairs)
        if shape is not None:
            group = record.get("group_id")
            together.setdefault((label, place if group is None else f"group {group}"), []).append(shape)
    rows: list[Any] = []
    labels, masks = [], []
    for (label, _), parts in together.items():
        corners = np.array([part.box for part in parts]).reshape(-1, 2)
        name = f"{label!r} of {os.path.basename(path)}"
        box = repairs.box(bounding_box(corners), name, width or math.inf, height or math.inf)
        if box:
            rows.append(box)
            labels.append(classes[label])
            masks.append(_mask(parts, height, width))
    found = {"gt_bbox": boxes_of(rows), "gt_class": column(labels), "gt_poly": masks, "h": height, "w": width}
    return {**found, "difficult": column([0] * len(rows)), "is_crowd": column([0] * len(rows))}


def _shape(
    path: str, record: dict[str, Any], where: str, size: tuple[int, int], repairs: Repairs
) -> Optional[Shape]:
    """Return a record's shape; None where it is no object."""
    kind = record.get("shape_type") or "polygon"
    given = record.get("points")
    text = f"{where} of {os.path.basename(path)}"
    if not isinstance(given, list) or not all(isinstance(point, list) and len(point) == 2 for point in given):
        raise ValueError(f"{path}: {where}: points must be a list of pairs x, y, not {str(given)[:80]!r}")
    rows = [value for point in given for value in point]
    points = np.array(polygon(rows, f"{path}: {where}", *size), np.float64).reshape(-1, 2)
    if kind not in ("polygon", "rectangle", "circle", "mask"):
        repairs.note("that are lines or points are left out", text)
        return None
    least, what = (3, "polygons of fewer than three points") if kind == "polygon" else (2, "shapes of one point")
    if len(points) < least:
        repairs.note(f"that are {what} are left out", text)
        return None
    if kind == "mask":
        return _pixels(path, record.get("mask"), where, points, size)
    if kind == "circle":
        angles = np.arange(CIRCLE_POINTS) * (2 * np.pi / CIRCLE_POINTS)
        radius = np.linalg.norm(points[1] - points[0])
        points = points[0] + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    box = bounding_box(points)
    return Shape(box, [outline(box) if kind == "rectangle" else points.reshape(-1).tolist()])


def _pixels(path: str, data: Any, where: str, points: np.ndarray, size: tuple[int, int]) -> Shape:
    """Return the shape of a mask that is a PNG file of its box, both corners of which are inside."""
    left, top, right, bottom = (int(value) for value in bounding_box(points))
    try:
        pixels = decode_image(base64.b64decode(data, validate=True), f"the mask of {where}", "gray")[:, :, 0]
    except (TypeError, binascii.Error) as error:
        raise ValueError(f"{path}: {where}: its mask must be base64 of a PNG file: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if pixels.shape != (bottom - top + 1, right - left + 1):
        sides = " x ".join(map(str, pixels.shape))
        raise ValueError(
            f"{path}: {where}: its mask has {sides} pixels, its box {bottom - top + 1} x {right - left + 1}"
        )
    if not (0 <= left <= right < size[1] and 0 <= top <= bottom < size[0]):
        raise ValueError(f"{path}: {where}: its mask reaches out of the image of {size[0]} x {size[1]} pixels")
    whole = np.zeros(size, np.uint8)
    whole[top : bottom + 1, left : right + 1] = pixels > 0
    return Shape((left, top, right + 1, bottom + 1), [], whole)


def _mask(parts: list[Shape], height: int, width: int) -> Any:
    """Return the mask of an object: polygons, or run lengths where a part of it is pixels."""
    polygons = [polygon for part in parts for polygon in part.parts]
    drawn = [part.pixels for part in parts if part.pixels is not None]
    if not drawn:
        return polygons
    return encoded(np.maximum.reduce([*drawn, *([decoded(polygons, height, width)] if polygons else [])]))
