"""Images with faces as WIDER FACE lists them: a file name, the number of faces, and a line for each."""

from __future__ import annotations

import math
from typing import Optional

import numpy as np

from core.io.files import join_path
from PaddleDetection.data.annotations import Repairs, boxes_of, number, refuse_repeated, text_lines
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform


class WIDERFaceDataset(DetectionDataset):
    """Images of a WIDER FACE list; the one class is "face".

    Args:
        dataset_dir: the folder that the other paths are relative to.
        anno_path: the list.
        image_dir: the folder of the images.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such list.
        ValueError: it is no such list, a box is not finite, or the list is empty or names an image twice.
    """

    def __init__(
        self, dataset_dir: str, anno_path: str, image_dir: str = "", transform: Optional[Transform] = None
    ) -> None:
        super().__init__(["face"], transform)
        path = join_path(dataset_dir, anno_path)
        folder = join_path(dataset_dir, image_dir) if image_dir else dataset_dir
        self.files: list[str] = []
        boxes: list[list[tuple[float, ...]]] = []
        repairs = Repairs(path)
        for place, line in enumerate(text_lines(path), start=1):
            parts = line.split()
            if len(parts) >= 4 and boxes:
                x, y, w, h = (number(part, f"{path}:{place}: a number of a box") for part in parts[:4])
                box = repairs.box((x, y, x + w, y + h), f"line {place}", math.inf, math.inf)
                boxes[-1] += [box] if box else []
            elif "." in line:
                self.files.append(join_path(folder, line))
                boxes.append([])
            elif not line.isdigit():
                raise ValueError(f"{path}:{place}: a line holds a file, a number or a box, not {line[:80]!r}")
        if not boxes:
            raise ValueError(f"{path}: the list is empty")
        refuse_repeated(path, self.files)
        repairs.report()
        self.boxes = [boxes_of(found) for found in boxes]

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its faces."""
        flags = np.zeros((len(self.boxes[index]), 1), np.int32)
        found = {"gt_bbox": self.boxes[index], "gt_class": flags, "is_crowd": flags, "difficult": flags}
        return {"im_id": np.array([index], np.int64), "im_file": self.files[index], **found}

    def __len__(self) -> int:
        return len(self.files)
