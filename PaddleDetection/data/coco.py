"""Images with annotations as COCO's: one JSON file for all.

The file is read in pieces, and its annotations are kept as a few long arrays: those of 118,000 images with 860,000
polygons are one or two hundred megabytes, which worker processes share.
"""

from __future__ import annotations

from array import array
from typing import Any, Optional

import numpy as np

from core.io.files import join_path
from PaddleDetection.data.annotations import (
    Repairs,
    boxes_of,
    column,
    image_name,
    image_sides,
    number,
    outline,
    polygon,
    whole,
)
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform
from PaddleDetection.data.json_stream import records
from PaddleDetection.data.transforms.masks import checked_lengths


class COCODataset(DetectionDataset):
    """Images of a COCO JSON file.

    Boxes are clipped to their image; those of which nothing is left are left out, with one warning. Polygons of fewer
    than three points are left out, too; an object of which no mask is left has its box as one. Objects that are marked
    "ignore" are left out.

    Args:
        dataset_dir: the folder that the other paths are relative to.
        anno_path: the JSON file.
        image_dir: the folder of the images.
        load_crowd: keep groups of objects, "is_crowd" 1.
        allow_empty: keep images without objects.
        sample_num: take the first so many images; -1: all of them.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such JSON file.
        ValueError: it is no such file, ids are there twice, or unknown, a box is not finite, a mask's run lengths are
            of another size than the image, or there are no images.
    """

    def __init__(
        self,
        dataset_dir: str,
        anno_path: str,
        image_dir: str = "",
        load_crowd: bool = True,
        allow_empty: bool = False,
        sample_num: int = -1,
        transform: Optional[Transform] = None,
    ) -> None:
        if sample_num < -1 or sample_num == 0:
            raise ValueError(f"COCODataset: sample_num must be positive, or -1 for all images, not {sample_num}")
        path = self.path = join_path(dataset_dir, anno_path)
        self.image_dir = join_path(dataset_dir, image_dir) if image_dir else dataset_dir
        images, names, categories = self._heads(path)
        super().__init__(names, transform)
        self.category_ids = list(categories)
        self.polygons, self.parts, self.part_ends = array("f"), array("q", [0]), array("q", [0])
        self.lengths: dict[int, Any] = {}
        ids, owners, labels, crowds, boxes = array("q"), array("q"), array("i"), array("i"), array("f")
        areas = array("d")
        repairs = Repairs(path)
        for _, record in records(path, ("annotations",)):
            crowd = int(bool(record.get("iscrowd", 0)))
            if record.get("ignore") or "bbox" not in record or (crowd and not load_crowd):
                continue
            where = f"annotation {_shown(record.get('id'))}"
            place = _known(images, record.get("image_id"))
            if place is None:
                raise ValueError(f"{path}: {where} is of image {_shown(record.get('image_id'))}, which is not there")
            label = _known(categories, record.get("category_id"))
            if label is None:
                category = _shown(record.get("category_id"))
                raise ValueError(f"{path}: {where} is of category {category}, which is not there")
            x, y, w, h = self._four(record["bbox"], where)
            height, width = int(self.sizes[place][0]), int(self.sizes[place][1])
            box = repairs.box((x, y, x + w, y + h), where, width, height)
            if not box:
                continue
            self._add_mask(record.get("segmentation"), box, (height, width), len(ids), where)
            ids.append(whole(record.get("id", len(ids)), f"{path}: the id of an annotation"))
            owners.append(place)
            labels.append(label)
            crowds.append(crowd)
            boxes.extend(box)
            areas.append(number(record.get("area", "nan"), f"{path}: {where}: its area"))
        repairs.report()
        _refuse_twice(path, "annotation", np.array(ids))
        owner = np.array(owners, np.int64)
        self.order = np.argsort(owner, kind="stable")
        self.ends = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(images)))])
        self.labels, self.crowds = np.array(labels, np.int32), np.array(crowds, np.int32)
        self.areas = np.array(areas, np.float64)
        self.boxes = boxes_of(np.frombuffer(boxes, np.float32) if len(boxes) else [])
        self.coordinates = np.array(self.polygons, np.float32)
        self.parts, self.part_ends = np.array(self.parts), np.array(self.part_ends)  # type: ignore[assignment]  # complete
        del self.polygons
        counts = np.diff(self.ends)
        self.kept = np.arange(len(images)) if allow_empty else np.flatnonzero(counts)
        if sample_num > 0:
            self.kept = self.kept[:sample_num]
        if not len(self.kept):
            raise ValueError(f"{path}: there are no images{'' if allow_empty else ' with objects'}")

    def _heads(self, path: str) -> tuple[dict[Any, int], list[str], dict[Any, int]]:
        """Read images and categories; return the place of each image's id, the classes, and each category's number."""
        ids: list[Any] = []
        names: list[str] = []
        sizes, files = array("i"), []
        categories: dict[Any, int] = {}
        for part, record in records(path, ("images", "categories")):
            try:
                key = whole(record["id"], f"{path}: the id of one of the {part}")
                if part == "categories":
                    if key in categories:
                        raise ValueError(f"{path}: category {key} is there twice")
                    categories[key] = len(names)
                    names.append(str(record["name"]))
                else:
                    ids.append(key)
                    files.append(image_name(record["file_name"], f"{path}: file_name of image {key}"))
                    sizes.extend(image_sides(record["height"], record["width"], f"{path}: image {key}"))
            except KeyError as error:
                raise ValueError(f"{path}: one of the {part} has no {error}") from None
        self.ids, self.files = np.array(ids, np.int64), files
        self.sizes = np.array(sizes, np.int32).reshape(-1, 2)
        _refuse_twice(path, "image", self.ids)
        if not ids:
            raise ValueError(f"{path}: there are no images")
        return {key: place for place, key in enumerate(ids)}, names, categories

    def _four(self, box: Any, where: str) -> list[float]:
        if not isinstance(box, list) or len(box) != 4:
            raise ValueError(f"{self.path}: {where}: bbox must be four numbers, not {str(box)[:80]}")
        try:
            return [float(value) for value in box]
        except (TypeError, ValueError, OverflowError):  # which one, and why
            return [number(value, f"{self.path}: {where}: a number of bbox") for value in box]

    def _add_mask(self, mask: Any, box: tuple[float, ...], size: tuple[int, int], place: int, where: str) -> None:
        if isinstance(mask, dict):
            try:
                self.lengths[place] = checked_lengths(mask, *size)
            except ValueError as error:
                raise ValueError(f"{self.path}: {where}: {error}") from None
        elif isinstance(mask, (list, type(None))):
            found = [polygon(part, f"{self.path}: {where}", *size) for part in mask or []]
            parts = [part for part in found if len(part) >= 6 and len(part) % 2 == 0]
            for part in parts or [outline(box)]:
                self.polygons.extend(part)
                self.parts.append(len(self.polygons))
        else:
            message = f"segmentation must be polygons or run lengths, not {str(mask)[:80]!r}"
            raise ValueError(f"{self.path}: {where}: {message}")
        self.part_ends.append(len(self.parts) - 1)

    def _mask(self, place: int) -> Any:
        if place in self.lengths:
            return self.lengths[place]
        parts = range(self.part_ends[place], self.part_ends[place + 1])
        points = [self.coordinates[self.parts[part] : self.parts[part + 1]] for part in parts]
        return [np.round(part.astype(np.float64), 3).tolist() for part in points]  # as written, before float32

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its objects."""
        image = self.kept[index]
        places = self.order[self.ends[image] : self.ends[image + 1]]
        return {
            "im_id": self.ids[image : image + 1],
            "im_file": join_path(self.image_dir, self.files[image]),
            "h": int(self.sizes[image, 0]),
            "w": int(self.sizes[image, 1]),
            "gt_bbox": self.boxes[places],
            "gt_class": column(self.labels[places]),
            "is_crowd": column(self.crowds[places]),
            "difficult": np.zeros((len(places), 1), np.int32),
            "gt_poly": [self._mask(int(place)) for place in places],
        }

    def objects(self, index: int) -> Sample:
        """Return a sample without its pixels, and "area", in pixels; NaN where the file has none."""
        image = self.kept[index]
        return {**self.sample(index), "area": self.areas[self.order[self.ends[image] : self.ends[image + 1]]]}

    def __len__(self) -> int:
        return len(self.kept)


def _refuse_twice(path: str, what: str, ids: np.ndarray) -> None:
    found, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"{path}: {what} id {found[counts > 1][0]} is there twice")


def _known(numbers: dict[Any, int], key: Any) -> Optional[int]:
    """Return what an id stands for; None if there is no such id."""
    return numbers.get(key) if isinstance(key, (int, float)) else None


def _shown(key: Any) -> str:
    return str(key) if isinstance(key, (int, float, type(None))) else repr(str(key)[:80])
