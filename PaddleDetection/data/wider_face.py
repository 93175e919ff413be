"""Images with faces as WIDER FACE lists them: a file name, the number of faces, and a line for each.

Yang et al., "WIDER FACE: A Face Detection Benchmark", arXiv 1511.06523.
"""

from __future__ import annotations

import math
import os
from typing import Optional

import numpy as np

from core.io.files import join_path
from core.vision.matlab import read_matlab
from PaddleDetection.data.annotations import (
    Repairs,
    boxes_of,
    column,
    image_name,
    number,
    refuse_repeated,
    text_lines,
)
from PaddleDetection.data.dataset import DetectionDataset, Sample, Transform

DIFFICULTIES = ("easy", "medium", "hard")
"""WIDER FACE's three sets of faces that an evaluation looks for, each within the next one."""

_INVALID = 7
"""Which number of a line says that it is uncertain whether this is a face."""


class WIDERFaceDataset(DetectionDataset):
    """Images of a WIDER FACE list; the one class is "face". Faces that are marked as invalid are difficult ones.

    Args:
        dataset_dir: the folder that the other paths are relative to.
        anno_path: the list.
        image_dir: the folder of the images.
        ground_truth: the folder with wider_easy_val.mat, wider_medium_val.mat and wider_hard_val.mat of WIDER FACE's
            evaluation; "": it is not said which faces belong to these sets.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such list or file.
        ValueError: it is no such list or file, a box is not finite, or the list is empty.
    """

    def __init__(
        self,
        dataset_dir: str,
        anno_path: str,
        image_dir: str = "",
        ground_truth: str = "",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(["face"], transform)
        path = join_path(dataset_dir, anno_path)
        folder = join_path(dataset_dir, image_dir) if image_dir else dataset_dir
        self.files: list[str] = []
        boxes: list[list[tuple[float, ...]]] = []
        invalid: list[list[int]] = []
        places: list[list[int]] = []
        lines = 0
        repairs = Repairs(path)
        for place, line in enumerate(text_lines(path), start=1):
            parts = line.split()
            if len(parts) >= 4 and boxes:
                x, y, w, h = (number(part, f"{path}:{place}: a number of a box") for part in parts[:4])
                box = repairs.box((x, y, x + w, y + h), f"line {place}", math.inf, math.inf)
                if box:
                    boxes[-1].append(box)
                    invalid[-1].append(int(parts[_INVALID : _INVALID + 1] == ["1"]))
                    places[-1].append(lines)
                lines += 1
            elif "." in line:
                self.files.append(join_path(folder, image_name(line, f"{path}:{place}: a line")))
                boxes.append([])
                invalid.append([])
                places.append([])
                lines = 0
            elif not line.isdigit():
                raise ValueError(f"{path}:{place}: a line holds a file, a number or a box, not {line[:80]!r}")
        if not boxes:
            raise ValueError(f"{path}: the list is empty")
        refuse_repeated(path, self.files)
        repairs.report()
        self.boxes = [boxes_of(found) for found in boxes]
        self.invalid = [column(found) for found in invalid]
        self.places = places
        self.subsets = self._subsets(join_path(dataset_dir, ground_truth)) if ground_truth else {}

    def sample(self, index: int) -> Sample:
        """Return the file of an image and its faces."""
        flags = np.zeros((len(self.boxes[index]), 1), np.int32)
        found = {"gt_bbox": self.boxes[index], "gt_class": flags, "is_crowd": flags, "difficult": self.invalid[index]}
        return {"im_id": np.array([index], np.int64), "im_file": self.files[index], **found}

    def objects(self, index: int) -> Sample:
        """Return a sample; with the ground truth also "easy", "medium" and "hard", whether each face is, bool (G,)."""
        return {**self.sample(index), **{name: found[index] for name, found in self.subsets.items()}}

    def __len__(self) -> int:
        return len(self.files)

    def _subsets(self, folder: str) -> dict[str, list[np.ndarray]]:
        """Return of each of WIDER FACE's sets which faces of each image are in it."""
        subsets = {}
        for name in DIFFICULTIES:
            path = join_path(folder, f"wider_{name}_val.mat")
            known = read_subset(path)
            for file in self.files:
                if face_list_name(file) not in known:
                    raise ValueError(f"{path} says nothing of {file!r}; give the ground truth of the images' own split")
            subsets[name] = [
                np.isin(np.array(places, np.int64), known[face_list_name(file)])
                for file, places in zip(self.files, self.places)
            ]
        return subsets


def face_list_name(file: str) -> str:
    """Return what WIDER FACE calls an image: its folder, if it has one, and its name without the ending."""
    folder, name = os.path.split(file)
    return os.path.join(os.path.basename(folder), os.path.splitext(name)[0])


def read_subset(path: str) -> dict[str, np.ndarray]:
    """Return, by :func:`face_list_name` of an image, the numbers from 0 of the faces that belong to a set.

    Args:
        path: wider_easy_val.mat, or that of another set.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such file.
    """
    content = read_matlab(path, "WIDERFaceDataset")
    found = {}
    try:
        for event, files, faces in zip(*(content[key].ravel() for key in ("event_list", "file_list", "gt_list"))):
            for file, numbers in zip(files.ravel(), faces.ravel()):
                found[f"{_text(event)}/{_text(file)}"] = np.asarray(numbers, np.int64).ravel() - 1
    except (KeyError, AttributeError, TypeError, ValueError, IndexError):
        raise ValueError(
            f"WIDERFaceDataset: {path!r} is not of WIDER FACE's ground truth: it has event_list, file_list and gt_list"
        ) from None
    return found


def _text(cell: np.ndarray) -> str:
    return str(cell.ravel()[0])
