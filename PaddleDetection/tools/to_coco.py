"""Write the annotations of a data set as one COCO JSON file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Callable, Optional

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../../..")

import numpy as np
from pycocotools import mask as coco

from core.train import command_line
from core.vision.image import image_size
from core.weights.atomic import atomic_write
from PaddleDetection.data.cityscapes import CityscapesDataset
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.labelme import LabelmeDataset
from PaddleDetection.data.transforms.masks import is_polygons
from PaddleDetection.data.voc import VOCDataset
from PaddleDetection.data.yolo_text import YOLODataset

EXAMPLES = """\
  python PaddleDetection/tools/to_coco.py voc VOCdevkit/VOC2007 --list trainval.txt --output trainval.json
      PASCAL VOC's layout, with label_list.txt in the folder
  python PaddleDetection/tools/to_coco.py labelme photos --labels labels.txt --output photos/all.json
      labelme's JSON files
  python PaddleDetection/tools/to_coco.py cityscapes cityscapes --list val --output val.json
      Cityscapes' fine annotations of a split: eight classes, groups as crowds
  python PaddleDetection/tools/to_coco.py yolo mine --list images/train --labels data.yaml --output mine/train.json
      YOLO's text files

Paths of images in the file are relative to the folder, which is a config's dataset_dir.
"""

Reader = Callable[[argparse.Namespace], DetectionDataset]
READERS: dict[str, Reader] = {
    "voc": lambda options: VOCDataset(
        options.folder, options.list or "trainval.txt", options.labels or "label_list.txt"
    ),
    "labelme": lambda options: LabelmeDataset(
        options.folder, options.list or "", label_list=options.labels or "labels.txt"
    ),
    "cityscapes": lambda options: CityscapesDataset(options.folder, options.list or "train"),
    "yolo": lambda options: YOLODataset(
        options.folder, options.list or "images/train", options.labels or "classes.txt"
    ),
}
"""Format to what reads it."""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Convert a data set.

    Args:
        arguments: the words of the command line; None: those of the process.
    """
    parser = command_line.parser("Write the annotations of a data set as one COCO JSON file.", EXAMPLES)
    parser.add_argument("format", metavar="FORMAT", choices=READERS, help=f"one of {', '.join(READERS)}")
    parser.add_argument("folder", metavar="FOLDER", help="the data set's")
    help_text = "the list of images; of labelme the folder of annotations, of cityscapes the split, of yolo images, too"
    parser.add_argument("--list", metavar="PATH", help=help_text)
    parser.add_argument("--labels", metavar="FILE", help="the classes, one in each line; in the folder")
    parser.add_argument("--output", metavar="FILE", required=True, help="the JSON file to write")
    options = parser.parse_args(arguments)
    content = as_coco(READERS[options.format](options), options.folder)
    with atomic_write(options.output) as stream:
        stream.write(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogateescape"))
    counts = {name: len(content[name]) for name in ("images", "annotations", "categories")}
    print(f"wrote {options.output}: " + ", ".join(f"{count:,} {name}" for name, count in counts.items()))
    return 0


def as_coco(dataset: DetectionDataset, folder: str) -> dict[str, Any]:
    """Return a data set's annotations in COCO's form.

    Categories, images and annotations are numbered from 1; the sizes of images that annotations lack are read from
    their files. An object's mask is kept, its area is that of the mask, or of the box where there is none. Difficult
    objects have "difficult" 1.

    Args:
        dataset: the data set.
        folder: what the paths of images are made relative to.
    """
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for index in range(len(dataset)):
        sample = dataset.sample(index)
        height, width = sample.get("h"), sample.get("w")
        if not height or not width:
            height, width = image_size(sample["im_file"])
        name = os.path.relpath(sample["im_file"], folder).replace(os.sep, "/")
        images.append({"id": index + 1, "file_name": name, "height": height, "width": width})
        masks = sample.get("gt_poly") or [None] * len(sample["gt_bbox"])
        columns = (np.reshape(sample[field], -1).tolist() for field in ("gt_class", "is_crowd", "difficult"))
        for box, mask, label, crowd, difficult in zip(sample["gt_bbox"].astype(float).tolist(), masks, *columns):
            left, top, right, bottom = (round(value, 3) for value in box)
            sides = [round(right - left, 3), round(bottom - top, 3)]
            record = {
                "id": len(annotations) + 1,
                "image_id": index + 1,
                "category_id": dataset.category_ids[label],
                "bbox": [left, top, *sides],
                "area": round(sides[0] * sides[1], 3),
                "iscrowd": crowd,
                **_mask(mask, height, width),
            }
            annotations.append({**record, "difficult": 1} if difficult else record)
    names = zip(dataset.category_ids, dataset.class_names)
    categories = [{"id": number, "name": name, "supercategory": "none"} for number, name in names]
    return {"images": images, "annotations": annotations, "categories": categories}


def _mask(mask: Any, height: int, width: int) -> dict[str, Any]:
    """Return the mask of an object as an annotation has it, and its area; nothing where there is none."""
    if mask is None:
        return {}
    if is_polygons(mask):
        parts = [[round(float(value), 3) for value in part] for part in mask]
        drawn = coco.merge(coco.frPyObjects(parts, height, width))
        return {"segmentation": parts, "area": float(coco.area(drawn))}
    counts = mask["counts"]
    written = {"size": [height, width], "counts": counts.decode() if isinstance(counts, bytes) else counts}
    return {"segmentation": written, "area": float(coco.area(mask))}


if __name__ == "__main__":
    command_line.run(main)
