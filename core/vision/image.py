"""Reading and writing image files; a broken one is named, not half decoded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

import cv2
import numpy as np

from core.weights.atomic import atomic_path

PathLike = Union[str, "os.PathLike[str]"]

IMAGE_EXTENSIONS = (".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def read_image(path: PathLike, color: str = "rgb") -> np.ndarray:
    """Read an image file.

    Args:
        path: the file. Its EXIF orientation is applied; transparency is dropped; 16-bit values become 8-bit ones.
        color: "rgb", "bgr" or "gray".

    Returns:
        uint8, shape (H, W, 3), or (H, W, 1) for "gray".

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is empty, truncated or no image; or ``color`` is unknown.
    """
    if color not in ("rgb", "bgr", "gray"):
        raise ValueError(f"read_image: color must be 'rgb', 'bgr' or 'gray', not {color!r}")
    name = os.fspath(path)
    if not os.path.isfile(name):
        raise FileNotFoundError(f"no image file {name!r}")
    data = Path(name).read_bytes()
    _refuse_truncated(name, data)
    flag = cv2.IMREAD_GRAYSCALE if color == "gray" else cv2.IMREAD_COLOR
    image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), flag)
    if image is None:
        raise ValueError(f"{name!r} is not an image file that can be read (JPEG, PNG, BMP, WebP, TIFF, PGM, PPM)")
    if color == "gray":
        return image[:, :, None]
    return image if color == "bgr" else cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


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
    ordered = cv2.cvtColor(image, cv2.COLOR_RGB2BGR) if image.ndim == 3 and image.shape[2] == 3 else image
    _, encoded = cv2.imencode(extension, ordered)
    with atomic_path(name) as temporary:
        Path(temporary).write_bytes(encoded.tobytes())


def image_files(folder: PathLike) -> list[str]:
    """List the image files below a folder, in alphabetical order.

    Args:
        folder: where to look, subfolders included.

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
        if name.lower().endswith(IMAGE_EXTENSIONS)
    )


def _refuse_truncated(name: str, data: bytes) -> None:
    """Decoders fill the missing part of a cut file with grey and say nothing; the formats' end marks tell."""
    if not data:
        raise ValueError(f"image file {name!r} is empty")
    jpeg_cut = data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-4096:]
    png_cut = data[:8] == b"\x89PNG\r\n\x1a\n" and b"IEND" not in data[-4096:]
    webp_cut = data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) < int.from_bytes(data[4:8], "little") + 8
    if jpeg_cut or png_cut or webp_cut:
        raise ValueError(f"image file {name!r} is truncated: it ends after {len(data)} bytes, before its end mark")
