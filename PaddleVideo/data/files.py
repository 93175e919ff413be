"""Clips in files: videos, folders of frames and pickles that a list names, and videos in a folder for each class."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.vision.datasets.lists import class_names, listed_path, read_list
from core.vision.image import image_files
from core.vision.video import VIDEO_EXTENSIONS
from core.weights import read_pickle
from PaddleVideo.data.dataset import ClipDataset, Transform
from PaddleVideo.data.sources import EncodedFrames, FileFrames, FolderFrames, FrameSource

_SUFFIX = re.compile(r"[^{}/\\\\]*\{(:0?\d{0,2}d?)?\}[^{}/\\\\]*")
_NUMBER = re.compile(r"(\d+)\D*$")


class ListedClips(ClipDataset):
    """Clips that a list names: what the three kinds of lists have in common.

    Args:
        data_prefix: the folder that the list's paths are relative to.
        file_path: the list file: UTF-8, a line for each clip.
        class_names_path: a file with one class name per line, in the order of the numbers; None: the numbers.
        transform: what to do with a clip.

    Raises:
        FileNotFoundError: a list file is missing.
        ValueError: a line holds something else, a label has no name, or the list is empty; names file and line.
    """

    numbers: tuple[str, ...] = ("class number",)

    def __init__(
        self,
        file_path: str,
        data_prefix: str = ".",
        class_names_path: Optional[str] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        listed = read_list(file_path, self.numbers)
        self.samples = [(listed_path(data_prefix, path), numbers) for path, numbers in listed]
        labels = [(path, numbers[-1]) for path, numbers in self.samples]
        super().__init__(class_names(file_path, labels, class_names_path), transform, class_names_path is not None)

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self.samples[index][1][-1]

    def __len__(self) -> int:
        return len(self.samples)


class VideoDataset(ListedClips):
    """Video files of a list with lines "relative/path.mp4 label"; settings as of :class:`ListedClips`."""

    def source(self, index: int) -> FrameSource:
        """Return the frames of a clip."""
        return FileFrames(self.samples[index][0])


class FrameDataset(ListedClips):
    """Folders of pictures of a list with lines "relative/folder number-of-frames label".

    Args:
        file_path: as of :class:`ListedClips`.
        data_prefix: likewise.
        class_names_path: likewise.
        suffix: the name of a picture, as ``str.format`` takes it with the number of a frame, which begins with 1.
        transform: what to do with a clip.

    Raises:
        FileNotFoundError: a list file is missing.
        ValueError: ``suffix`` has no place for a number; a line holds something else, or says that there are no frames.
    """

    numbers = ("number of frames", "class number")

    def __init__(
        self,
        file_path: str,
        data_prefix: str = ".",
        class_names_path: Optional[str] = None,
        suffix: str = "img_{:05d}.jpg",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(file_path, data_prefix, class_names_path, transform)
        self.suffix = suffix
        if not _SUFFIX.fullmatch(suffix):
            raise ValueError(
                f"FrameDataset: suffix is a file's name with a number in it, as img_{{:05d}}.jpg, not {suffix!r}"
            )
        for path, (count, _) in self.samples:
            if count < 1:
                raise ValueError(f"{file_path}: {path!r} has no frames")

    def source(self, index: int) -> FrameSource:
        """Return the frames of a clip."""
        path, (count, _) = self.samples[index]
        return FolderFrames(path, count, self.suffix)


class PickledDataset(ClipDataset):
    """Kinetics as pickles, a line of a list for each: (name, class number, the bytes of each frame's JPEG file).

    The pickles are read without running what is in them.

    Args:
        file_path: the list file: a path on each line.
        data_prefix: the folder that its paths are relative to.
        class_num: how many classes there are.
        transform: what to do with a clip.

    Raises:
        FileNotFoundError: the list is missing.
        ValueError: it is empty, or ``class_num`` is not positive.
    """

    def __init__(
        self, file_path: str, class_num: int, data_prefix: str = ".", transform: Optional[Transform] = None
    ) -> None:
        if class_num < 1:
            raise ValueError(f"PickledDataset: class_num must be at least 1, not {class_num}")
        super().__init__([str(number) for number in range(class_num)], transform)
        listed = read_list(file_path, ())
        self.paths = [listed_path(data_prefix, path) for path, _ in listed]

    def _read(self, index: int) -> tuple[str, int, list[bytes]]:
        path = self.paths[index]
        if not os.path.isfile(path):
            raise FileNotFoundError(f"no pickle of frames {path!r}")
        found: Any = read_pickle(path)
        whole = isinstance(found, (tuple, list)) and len(found) == 3
        label = np.asarray(found[1]).reshape(-1) if whole and isinstance(found[1], (int, list, np.ndarray)) else None
        if not whole or label is None or label.dtype.kind != "i" or not len(label) or not isinstance(found[2], list):
            raise ValueError(f"{path!r} should hold a clip's name, its class number and a list of JPEG files")
        if not all(isinstance(frame, bytes) for frame in found[2]):
            raise ValueError(f"{path!r} should hold the bytes of a JPEG file for each frame")
        if not 0 <= label[0] < len(self.class_names):
            raise ValueError(f"{path!r} has class number {label[0]}, which is none of {len(self.class_names)}")
        return path, int(label[0]), found[2]

    def source(self, index: int) -> FrameSource:
        """Return the frames of a clip."""
        path, _, pictures = self._read(index)
        return EncodedFrames(pictures, repr(path))

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self._read(index)[1]

    def __len__(self) -> int:
        return len(self.paths)


class VideoFolder(ClipDataset):
    """Videos below root/class name/, the classes numbered in alphabetical order.

    Args:
        root: the folder of the classes' folders.
        classes: the classes' names in the order of their numbers; null: the folders there, in alphabetical order.
        folds: into how many parts the videos are divided; null: they are not. Files of a class whose numbers follow
            each other are in one part, as they may show the same scene.
        fold: the part, from 0, that is tested.
        held_out: take the part that is tested, in place of the others.
        transform: what to do with a clip.

    Raises:
        NotADirectoryError: ``root`` is no folder.
        ValueError: it holds no folders, one without videos or none of the classes, or a part would be empty.
    """

    def __init__(
        self,
        root: str,
        classes: Optional[list[str]] = None,
        folds: Optional[int] = None,
        fold: int = 0,
        held_out: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        if not os.path.isdir(root):
            raise NotADirectoryError(f"VideoFolder: no folder {root!r}")
        there = sorted(one.name for one in Path(root).iterdir() if one.is_dir() and not one.name.startswith("."))
        if not there:
            raise ValueError(f"VideoFolder: {root!r} holds no folders; it should hold one per class")
        super().__init__(there if classes is None else list(classes), transform)
        self.samples: list[tuple[str, int]] = []
        for number, name in enumerate(self.class_names):
            if name not in there:
                raise ValueError(f"VideoFolder: there is no folder {name!r} in {root!r}")
            files = image_files(os.path.join(root, name), VIDEO_EXTENSIONS)
            if not files:
                folder = os.path.join(root, name)
                raise ValueError(f"VideoFolder: there are no videos in {folder!r}; fill it or remove it")
            part = files if folds is None else _part(name, files, folds, fold, held_out)
            self.samples += [(path, number) for path in part]

    def source(self, index: int) -> FrameSource:
        """Return the frames of a clip."""
        return FileFrames(self.samples[index][0])

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self.samples[index][1]

    def __len__(self) -> int:
        return len(self.samples)


def _part(name: str, files: list[str], folds: int, fold: int, held_out: bool) -> list[str]:
    """Return the files of a class that are tested, or the others: a run of names that follow each other is tested."""
    if not 2 <= folds <= len(files) or not 0 <= fold < folds:
        raise ValueError(
            f"VideoFolder: the {len(files)} videos of class {name!r} cannot be divided into {folds} folds of which "
            f"{fold} is tested; folds is 2 to {len(files)}, fold counts from 0"
        )
    first, last = (_cut(files, edge * len(files) // folds) for edge in (fold, fold + 1))
    if first >= last:
        raise ValueError(
            f"VideoFolder: fold {fold} of class {name!r} would be empty, as files of following numbers stay together; "
            "take fewer folds"
        )
    return files[first:last] if held_out else [*files[:first], *files[last:]]


def _cut(files: list[str], place: int) -> int:
    """Return the place next to one at which no files of following numbers are torn apart."""
    free = [n for n in range(len(files) + 1) if n in (0, len(files)) or not _follow(files[n - 1], files[n])]
    return min(free, key=lambda n: (abs(n - place), n))


def _follow(first: str, second: str) -> bool:
    """Tell whether two files have numbers that follow each other."""
    found = [_NUMBER.search(Path(file).stem) for file in (first, second)]
    return all(found) and abs(int(found[1][1]) - int(found[0][1])) <= 1  # type: ignore[index]  # all of them were found
