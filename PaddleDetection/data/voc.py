"""Images with annotations as PASCAL VOC's: one XML file for each image, and a list of both."""

from __future__ import annotations

import os
from typing import Any, Optional, Union
from xml.etree import ElementTree

import numpy as np

from core.io.files import join_path, read_bytes
from PaddleDetection.data.annotations import (
    Repairs,
    boxes_of,
    class_list,
    column,
    image_name,
    image_sides,
    number,
    refuse_repeated,
    text_lines,
)
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform


class VOCDataset(DetectionDataset):
    """Images of a list with lines "image.jpg annotation.xml".

    Boxes are clipped to their image's last pixel as PaddleDetection does; those of which nothing is left are left out,
    with one warning.

    Args:
        dataset_dir: the folder that all other paths are relative to.
        anno_path: the list; a line may also be a name alone, as in VOC's own lists, of ``JPEGImages/NAME.jpg`` and
            ``Annotations/NAME.xml``.
        label_list: a file with one class name in each line, or the names themselves.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: a list, an XML file or an image is missing.
        ValueError: the list is empty or names an image twice; an XML file is not one, or names an unknown class or a
            box that is not finite.
    """

    def __init__(
        self,
        dataset_dir: str,
        anno_path: str = "trainval.txt",
        label_list: Union[str, list[str]] = "label_list.txt",
        transform: Optional[Transform] = None,
    ) -> None:
        names = class_list(dataset_dir, label_list)
        super().__init__(names, transform)
        path = join_path(dataset_dir, anno_path)
        lines = [line.split() for line in text_lines(path) if line]
        if not lines:
            raise ValueError(f"{path}: the list is empty")
        numbers = {name: place for place, name in enumerate(names)}
        repairs = Repairs(path)
        self.files: list[str] = []
        self.found: list[Sample] = []
        for parts in lines:
            image, xml = parts if len(parts) == 2 else (f"JPEGImages/{parts[0]}.jpg", f"Annotations/{parts[0]}.xml")
            self.files.append(join_path(dataset_dir, image_name(image, f"{path}: a line")))
            if "://" not in dataset_dir and not os.path.isfile(self.files[-1]):
                raise FileNotFoundError(f"{path}: no image file {self.files[-1]!r}")
            self.found.append(read_annotation(join_path(dataset_dir, xml), numbers, repairs))
        refuse_repeated(path, self.files)
        repairs.report()

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its objects."""
        return {"im_id": np.array([index], np.int64), "im_file": self.files[index], **self.found[index]}

    def __len__(self) -> int:
        return len(self.files)


def read_annotation(path: str, classes: dict[str, int], repairs: Repairs) -> Sample:
    """Read one image's annotation.

    Args:
        path: the XML file.
        classes: name to number.
        repairs: counts what is put right.

    Returns:
        "gt_bbox", "gt_class", "difficult", "is_crowd", and "h" and "w".

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such annotation.
    """
    content = read_bytes(path)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:  # entities can unfold to gigabytes
        raise ValueError(f"{path}: an annotation must not declare entities or a document type")
    try:
        tree = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(f"{path}: not an XML file: {error}") from None
    height, width = image_sides(tree.findtext("size/height"), tree.findtext("size/width"), path)
    rows: list[Any] = []
    labels, difficult = [], []
    for place, item in enumerate(tree.findall("object")):
        where = f"object {place} of {os.path.basename(path)}"
        name = (item.findtext("name") or "").strip()
        if name not in classes:
            raise ValueError(f"{path}: object {place} is of class {name[:80]!r}, which is not in the list of classes")
        corners = [
            number(item.findtext(f"bndbox/{side}"), f"{path}: bndbox/{side} of object {place}")
            for side in ("xmin", "ymin", "xmax", "ymax")
        ]
        box = repairs.box(corners, where, width - 1 if width > 0 else np.inf, height - 1 if height > 0 else np.inf)
        if box:
            rows.append(box)
            labels.append(classes[name])
            difficult.append(number(item.findtext("difficult") or 0, f"{path}: difficult of object {place}") != 0)
    found = {"gt_bbox": boxes_of(rows), "gt_class": column(labels), "difficult": column(difficult)}
    return {**found, "is_crowd": np.zeros((len(rows), 1), np.int32), "h": height, "w": width}
