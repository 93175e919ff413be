"""Images with labels as YOLO's text files: a line for each object, in shares of the image.

The layout is that of Darknet and of Ultralytics: for ``images/train/a.jpg`` the labels are in ``labels/train/a.txt``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Optional, Union

import numpy as np

from core.io.files import is_url, join_path, list_files
from core.train.config.yaml_file import read_yaml
from core.vision.image import IMAGE_EXTENSIONS, image_size
from PaddleDetection.data.annotations import (
    Repairs,
    bounding_box,
    boxes_of,
    class_list,
    column,
    image_name,
    number,
    outline,
    refuse_repeated,
    text_lines,
)
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform

SLACK = 0.01
"""How far a share may lie outside [0, 1] because somebody rounded it."""

PIXEL = 1e-3
"""What stands for a pixel where an image's size is not known, as a share of its side."""


class YOLODataset(DetectionDataset):
    """Images with a text file each: "class x y width height", or "class x1 y1 x2 y2 x3 y3 ..." of a polygon.

    Numbers but the class are shares of the image's width and height; x and y are the box's centre. An image whose text
    file is empty or missing has no objects. Boxes are clipped to their image, those of which nothing is left and
    objects that are there twice are left out, with one warning. Where an image is of another size than it was, nothing
    changes: labels are shares.

    Args:
        dataset_dir: the folder that the other paths are relative to.
        anno_path: a folder of images, or a text file with the path of an image in each line.
        label_list: a file with one class name in each line, or a YAML file with ``names``, as Ultralytics has it; or
            the names themselves.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: a list or an image is missing.
        ValueError: there are no images, no image has labels, or a line is no such line: an unknown class, a number
            that is no share of the image.
    """

    def __init__(
        self,
        dataset_dir: str,
        anno_path: str = "images/train",
        label_list: Union[str, list[str]] = "classes.txt",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(_class_names(dataset_dir, label_list), transform)
        path = join_path(dataset_dir, anno_path)
        if path.endswith(".txt"):
            lines = [image_name(line, f"{path}: a line") for line in text_lines(path) if line]
            self.files = [join_path(dataset_dir, line) for line in lines]
            refuse_repeated(path, self.files)
        else:
            self.files = list_files(path, IMAGE_EXTENSIONS)
        if not self.files:
            raise ValueError(f"{path}: there are no images")
        repairs = Repairs(path)
        self.found: list[Sample] = []
        labelled = 0
        for file in self.files:
            if not is_url(file) and not os.path.isfile(file):
                raise FileNotFoundError(f"{path}: no image file {file!r}")
            labels = label_file(file)
            try:
                lines = text_lines(labels)
                labelled += 1
            except FileNotFoundError:
                lines = []
            self.found.append(read_labels(labels, lines, len(self.class_names), repairs))
        if not labelled:
            raise ValueError(
                f"{path}: none of the {len(self.files)} images has a file of labels; the first one's would be "
                f"{label_file(self.files[0])!r}"
            )
        repairs.report()
        self.with_masks = any(found["parts"] for found in self.found)

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its objects, in pixels; the image's size is read from it."""
        found, file = self.found[index], self.files[index]
        height, width = image_size(file)
        scale = np.array([width, height], np.float64)
        boxes = boxes_of(found["boxes"] * np.tile(scale, 2))
        count = len(boxes)
        sample: Sample = {"im_id": np.array([index], np.int64), "im_file": file, "h": height, "w": width}
        sample.update(gt_bbox=boxes, gt_class=found["classes"])
        sample.update(is_crowd=column([0] * count), difficult=column([0] * count))
        if self.with_masks:
            parts = found["parts"] or [None] * count
            sample["gt_poly"] = [
                [outline(box) if part is None else (part * scale).reshape(-1).tolist()]
                for box, part in zip(boxes.tolist(), parts)
            ]
        return sample

    def __len__(self) -> int:
        return len(self.files)


def label_file(image: str) -> str:
    """Return where an image's labels are: in ``labels`` in place of the last folder ``images`` of its path, if any.

    Args:
        image: its path.
    """
    parts = list(PurePath(image).parts) if not is_url(image) else image.split("/")
    folders = [place for place, part in enumerate(parts[:-1]) if part == "images"]
    if folders:
        parts[folders[-1]] = "labels"
    joined = "/".join(parts) if is_url(image) else os.path.join(*parts)
    return f"{os.path.splitext(joined)[0]}.txt"


def read_labels(path: str, lines: list[str], count: int, repairs: Repairs) -> dict[str, Any]:
    """Return what an image's text file says.

    Args:
        path: the file, for messages.
        lines: its lines.
        count: how many classes there are.
        repairs: counts what is put right.

    Returns:
        "boxes" float64 (G, 4), corners in shares of the image; "classes" int32 (G, 1); "parts", of each object its
        polygon (P, 2) or None; empty where there are no polygons at all.

    Raises:
        ValueError: a line is no such line.
    """
    boxes, classes, parts = [], [], []
    seen = set()
    for place, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        text = f"line {place} of {os.path.basename(path)}"
        if line in seen:
            repairs.note("that are there twice are left out", text)
            continue
        seen.add(line)
        label = _label(f"{path}:{place}", words[0], count)
        if len(words) != 5 and (len(words) < 7 or len(words) % 2 == 0):
            raise ValueError(
                f"{path}:{place}: a line holds a class and four numbers of a box, or the points of a polygon, at "
                f"least three; this one holds {len(words) - 1} numbers after the class"
            )
        values = np.array([number(word, f"{path}:{place}: a number of {text}") for word in words[1:]])
        if not ((values >= -SLACK) & (values <= 1 + SLACK)).all():
            raise ValueError(
                f"{path}:{place}: the numbers after the class must be shares of the image, between 0 and 1, "
                f"not {' '.join(words[1:])[:80]!r}"
            )
        points = None if len(words) == 5 else values.reshape(-1, 2)
        x, y, w, h = values[:4]
        corners = (x - w / 2, y - h / 2, x + w / 2, y + h / 2) if points is None else bounding_box(points)
        box = repairs.box(corners, text, 1.0, 1.0, PIXEL)
        if box:
            boxes.append(box)
            classes.append(label)
            parts.append(points)
    drawn = any(part is not None for part in parts)
    return {
        "boxes": np.array(boxes, np.float64).reshape(-1, 4),
        "classes": column(classes),
        "parts": parts if drawn else [],
    }


def _label(where: str, word: str, count: int) -> int:
    label = number(word, f"{where}: the class")
    if label != label or not label.is_integer() or not 0 <= label < count:
        raise ValueError(
            f"{where}: class {word[:80]!r} is none of the {count} in the list of classes, 0 to {count - 1}"
        )
    return int(label)


def _class_names(folder: str, given: Union[str, Sequence[str]]) -> list[str]:
    if not isinstance(given, str) or not given.endswith((".yaml", ".yml")):
        return class_list(folder, given)
    path = join_path(folder, given)
    names: Any = read_yaml(path)[0].get("names")
    if isinstance(names, dict) and set(names) == set(range(len(names))):
        names = [names[place] for place in range(len(names))]
    listed = isinstance(names, list) and names and all(isinstance(name, (str, int)) for name in names)
    if not listed or len(set(map(str, names))) < len(names):
        raise ValueError(f"{path}: names must list the classes, each once, or map 0, 1, 2 ... to them")
    return [str(name) for name in names]
