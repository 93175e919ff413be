"""Reading and writing image files; a broken one is named, not half decoded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

import cv2
import numpy as np

from core.vision.decoding import decode_image, open_with_pillow, size_of
from core.vision.formats import pixel_limit
from core.weights.atomic import atomic_path

PathLike = Union[str, "os.PathLike[str]"]

IMAGE_EXTENSIONS = (".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")
BACKENDS = ("pil", "cv2", "tensor")

_backend = "pil"


def read_image(path: PathLike, color: str = "rgb", maximum_pixels: Optional[int] = None) -> np.ndarray:
    """Read an image file; its contents say what it is, not its extension.

    Args:
        path: the file. The first picture of an animation is taken. Its EXIF orientation is applied; transparency is
            dropped; of 16-bit values the upper 8 bits are kept.
        color: "rgb", "bgr" or "gray".
        maximum_pixels: how many pixels it may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120 million.

    Returns:
        uint8, shape (H, W, 3), or (H, W, 1) for "gray".

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a directory.
        ValueError: the file is empty, truncated, damaged or no image, or the image is too large; or ``color`` is
            unknown.
    """
    if color not in ("rgb", "bgr", "gray"):
        raise ValueError(f"read_image: color must be 'rgb', 'bgr' or 'gray', not {color!r}")
    return decode_image(_image_bytes(path, maximum_pixels), os.fspath(path), color, maximum_pixels)


def image_size(path: PathLike, maximum_pixels: Optional[int] = None) -> tuple[int, int]:
    """Return an image file's height and width, as :func:`read_image` turns it, mostly without decoding it.

    Args:
        path: the file.
        maximum_pixels: how many pixels it may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120 million.

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a directory.
        ValueError: the file is empty or no image, or the image is too large.
    """
    return size_of(_image_bytes(path, maximum_pixels), os.fspath(path), maximum_pixels)


def image_load(path: PathLike, backend: Optional[str] = None, maximum_pixels: Optional[int] = None) -> Any:
    """Read an image file into what a backend calls an image.

    Args:
        path: the file.
        backend: "pil", "cv2" or "tensor"; None: the one of :func:`set_image_backend`.
        maximum_pixels: how many pixels it may have; None: CORE_MAXIMUM_PIXELS of the environment, or else 120 million.

    Returns:
        A PIL image, in its own mode and orientation, for "pil"; an array, uint8 of shape (H, W, 3) in the order blue,
        green, red, for "cv2"; a Tensor, uint8 of shape (3, H, W) in RGB order, for "tensor".

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a directory.
        ValueError: it is no whole image, or ``backend`` is unknown.
    """
    chosen = _backend if backend is None else _check_backend(backend)
    if chosen == "pil":
        return open_with_pillow(_image_bytes(path, maximum_pixels), os.fspath(path), maximum_pixels)
    if chosen == "cv2":
        return read_image(path, "bgr", maximum_pixels)
    pixels = read_image(path, maximum_pixels=maximum_pixels)
    import core  # loads the engine, which a Tensor needs

    return core.to_tensor(np.ascontiguousarray(pixels.transpose(2, 0, 1)))


def set_image_backend(backend: str) -> None:
    """Choose what :func:`image_load` and the data sets of :mod:`core.vision.datasets` give.

    Args:
        backend: "pil", "cv2" or "tensor".

    Raises:
        ValueError: it is none of these.
    """
    global _backend
    _backend = _check_backend(backend)


def get_image_backend() -> str:
    """Return what :func:`set_image_backend` chose; "pil" at first."""
    return _backend


def write_image(path: PathLike, image: np.ndarray) -> None:
    """Write an image file; the extension says in which format.

    Args:
        path: the file; it appears whole or not at all.
        image: uint8, shape (H, W, 3) in RGB order, or (H, W) or (H, W, 1) in grey.

    Raises:
        ValueError: the array is no image, or the extension names no image format.
    """
    name = os.fspath(path)
    extension = os.path.splitext(name)[1].lower()
    if extension not in IMAGE_EXTENSIONS:
        raise ValueError(f"cannot write {name!r}: its extension is none of {', '.join(IMAGE_EXTENSIONS)}")
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] not in (1, 3)):
        raise ValueError(f"cannot write {name!r}: an image is uint8 of shape (H, W), (H, W, 1) or (H, W, 3)")
    if image.size == 0:
        raise ValueError(f"cannot write {name!r}: an image of shape {image.shape} has no pixels")
    ordered = cv2.cvtColor(image, cv2.COLOR_RGB2BGR) if image.ndim == 3 and image.shape[2] == 3 else image
    _, encoded = cv2.imencode(extension, ordered)
    with atomic_path(name) as temporary:
        Path(temporary).write_bytes(encoded.tobytes())


def image_files(folder: PathLike, extensions: Sequence[str] = (*IMAGE_EXTENSIONS, ".gif")) -> list[str]:
    """List the image files below a folder, in alphabetical order; GIF files too, which can be read but not written.

    Args:
        folder: where to look, subfolders included.
        extensions: how the files' names end, in small letters.

    Returns:
        Paths that start with ``folder``.

    Raises:
        NotADirectoryError: ``folder`` is no folder.
    """
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"no folder {os.fspath(folder)!r}")
    return sorted(
        os.path.join(parent, name)
        for parent, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith(tuple(extensions))
    )


def file_bytes(path: PathLike, maximum: Optional[int] = None) -> bytes:
    """Return the contents of a file.

    Args:
        path: the file.
        maximum: how many bytes it may have; None: any number.

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a directory.
        ValueError: it has more bytes.
    """
    name = os.fspath(path)
    if not os.path.isfile(name):
        if os.path.isdir(name):
            raise IsADirectoryError(f"{name!r} is a directory, not an image file")
        raise FileNotFoundError(f"no image file {name!r}")
    with open(name, "rb") as stream:
        length = os.fstat(stream.fileno()).st_size
        if maximum is not None and length > maximum:
            raise ValueError(
                f"image file {name!r} has {length} bytes, more than any image within the limit; it is not read "
                "(CORE_MAXIMUM_PIXELS sets the limit)"
            )
        return stream.read()


def _image_bytes(path: PathLike, maximum_pixels: Optional[int]) -> bytes:
    """Return the contents of a file, which may be as long as 16 bits of four channels, and 64 MB beside them, are."""
    return file_bytes(path, 8 * pixel_limit(maximum_pixels) + (64 << 20))


def _check_backend(backend: str) -> str:
    if backend not in BACKENDS:
        raise ValueError(f"the image backend must be one of {', '.join(map(repr, BACKENDS))}, not {backend!r}")
    return backend
