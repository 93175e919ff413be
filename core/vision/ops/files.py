"""Image files as tensors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import uint8
from core.operators._arguments import need_tensor
from core.tensor import Tensor
from core.vision.decoding import decode_image, open_with_pillow
from core.vision.image import file_bytes

__all__ = ["decode_jpeg", "read_file"]


def read_file(filename: Any, name: Optional[str] = None) -> Tensor:
    """Read the bytes of a file.

    Args:
        filename: Its path.
        name: Unused, as in Paddle.

    Returns:
        uint8 of shape (bytes,).

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a directory.
    """
    return Tensor(np.frombuffer(file_bytes(filename), np.uint8).copy(), dtype=uint8)


def decode_jpeg(x: Tensor, mode: str = "unchanged", name: Optional[str] = None) -> Tensor:
    """Decode an image from its bytes; other formats than JPEG are read, too.

    Args:
        x: uint8 of shape (bytes,), as :func:`read_file` returns.
        mode: ``unchanged``, ``gray`` or ``rgb``.
        name: Unused, as in Paddle.

    Returns:
        uint8 of shape (1, H, W) or (3, H, W).

    Raises:
        OperatorError: x is something else, or the mode is unknown.
        ValueError: it is no whole image.
    """
    if need_tensor(x, "decode_jpeg").dtype is not uint8 or x.ndim != 1:
        raise OperatorError(f"decode_jpeg: expects the bytes of a file, uint8 (bytes,), got {x.dtype.name} {x.shape}")
    if mode not in ("unchanged", "gray", "rgb"):
        raise OperatorError(f"decode_jpeg: mode is unchanged, gray or rgb, got {mode!r}")
    data = x.numpy().tobytes()
    if mode == "unchanged":
        mode = "gray" if open_with_pillow(data, "decode_jpeg").mode == "L" else "rgb"
    return Tensor(np.ascontiguousarray(decode_image(data, "decode_jpeg", mode).transpose(2, 0, 1)), dtype=uint8)
