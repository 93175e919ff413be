"""Images in folders, with and without classes."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any, Callable, Optional

from PIL import Image

from core.io.dataset import Dataset
from core.vision.image import IMAGE_EXTENSIONS, get_image_backend, read_image

Loader = Callable[[str], Any]


class DatasetFolder(Dataset):
    """Images below root/class name/, the classes numbered in alphabetical order. Sample i is (image, class number).

    Args:
        root: the folder of the classes' folders.
        loader: reads a file; None: images, as PIL images or, after ``set_image_backend("cv2")``, as uint8 arrays
            (H, W, 3), both in RGB.
        extensions: the extensions of files to take, such as ".jpg"; None: those of images.
        transform: what to do with a sample.
        is_valid_file: decides by its path whether to take a file; excludes ``extensions``.

    Attributes:
        classes: the classes' names, in order.
        class_to_idx: name to number.
        samples: (path, number) of each file.
        targets: the number of each file.

    Raises:
        NotADirectoryError: ``root`` is no folder.
        RuntimeError: it holds no class folders, or these hold no such files.
        ValueError: ``extensions`` and ``is_valid_file`` are both given.
        TypeError: ``extensions`` is not a list or tuple.
    """

    def __init__(
        self,
        root: str,
        loader: Optional[Loader] = None,
        extensions: Optional[Sequence[str]] = None,
        transform: Optional[Callable[[Any], Any]] = None,
        is_valid_file: Optional[Callable[[str], bool]] = None,
    ) -> None:
        self.root = _existing("DatasetFolder", root)
        taken = _filter("DatasetFolder", extensions, is_valid_file)
        self.extensions = tuple(extensions or IMAGE_EXTENSIONS)
        self.loader = loader or functools.partial(load_rgb, backend=get_image_backend())
        self.transform = transform
        self.classes = sorted(entry.name for entry in os.scandir(self.root) if entry.is_dir())
        if not self.classes:
            raise RuntimeError(f"DatasetFolder: {root!r} holds no folders; it should hold one per class")
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
        self.samples = [
            (path, number)
            for name, number in self.class_to_idx.items()
            for path in _files_below(os.path.join(self.root, name), taken)
        ]
        self.targets = [number for _, number in self.samples]
        if not self.samples:
            raise RuntimeError(_nothing_found("DatasetFolder", root, self.extensions, is_valid_file))

    def __getitem__(self, index: int) -> tuple[Any, int]:
        path, target = self.samples[index]
        sample = self.loader(path)
        return (sample if self.transform is None else self.transform(sample)), target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(Dataset):
    """Images below a folder, without classes. Sample i is a list of one image.

    Args:
        root: the folder.
        loader: reads a file; None: images, as PIL images or, after ``set_image_backend("cv2")``, as uint8 arrays
            (H, W, 3), both in RGB.
        extensions: the extensions of files to take, such as ".jpg"; None: those of images.
        transform: what to do with a sample.
        is_valid_file: decides by its path whether to take a file; excludes ``extensions``.

    Attributes:
        samples: the path of each file.

    Raises:
        NotADirectoryError: ``root`` is no folder.
        RuntimeError: there are no such files below it.
        ValueError: ``extensions`` and ``is_valid_file`` are both given.
        TypeError: ``extensions`` is not a list or tuple.
    """

    def __init__(
        self,
        root: str,
        loader: Optional[Loader] = None,
        extensions: Optional[Sequence[str]] = None,
        transform: Optional[Callable[[Any], Any]] = None,
        is_valid_file: Optional[Callable[[str], bool]] = None,
    ) -> None:
        self.root = _existing("ImageFolder", root)
        self.extensions = tuple(extensions or IMAGE_EXTENSIONS)
        self.loader = loader or functools.partial(load_rgb, backend=get_image_backend())
        self.transform = transform
        self.samples = _files_below(self.root, _filter("ImageFolder", extensions, is_valid_file))
        if not self.samples:
            raise RuntimeError(_nothing_found("ImageFolder", root, self.extensions, is_valid_file))

    def __getitem__(self, index: int) -> list[Any]:
        sample = self.loader(self.samples[index])
        return [sample if self.transform is None else self.transform(sample)]

    def __len__(self) -> int:
        return len(self.samples)


def load_rgb(path: str, backend: str) -> Any:
    """Read an image in RGB: as a uint8 array (H, W, 3) for the backend "cv2", else as a PIL image."""
    pixels = read_image(path)
    return pixels if backend == "cv2" else Image.fromarray(pixels)


def _existing(owner: str, root: str) -> str:
    folder = os.path.expanduser(root)
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"{owner}: no folder {root!r}")
    return folder


def _filter(
    owner: str, extensions: Optional[Sequence[str]], is_valid_file: Optional[Callable[[str], bool]]
) -> Callable[[str], bool]:
    if is_valid_file is not None:
        if extensions is not None:
            raise ValueError(f"{owner}: give extensions or is_valid_file, not both")
        return is_valid_file
    if extensions is not None and not isinstance(extensions, (list, tuple)):
        raise TypeError(f"{owner}: extensions must be a list or tuple, not {extensions!r}")
    endings = tuple(extension.lower() for extension in extensions or IMAGE_EXTENSIONS)
    return lambda path: path.lower().endswith(endings)


def _files_below(folder: str, taken: Callable[[str], bool]) -> list[str]:
    """Return the files below a folder, linked folders included, folder by folder in alphabetical order."""
    paths = []
    for parent, _, names in sorted(os.walk(folder, followlinks=True)):
        paths += [os.path.join(parent, name) for name in sorted(names)]
    return [path for path in paths if taken(path)]


def _nothing_found(owner: str, root: str, extensions: Sequence[str], is_valid_file: Optional[Any]) -> str:
    kind = (
        f"with one of the extensions {', '.join(extensions)}" if is_valid_file is None else "that is_valid_file takes"
    )
    return f"{owner}: below {root!r} there is no file {kind}"
