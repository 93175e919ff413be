"""Reading a weight file of any known format as named arrays; the format is told by the file's first bytes."""
from __future__ import annotations

import os
import struct

import numpy

from core.weights.atomic import PathLike
from core.weights.bfloat16 import widen
from core.weights.mxnet_params import MAGIC, read_mxnet_params
from core.weights.pdparams import read_pdparams, require_file
from core.weights.safetensors_file import read_safetensors


def file_format(path: PathLike) -> str:
    """Tell the format of a weight file.

    Args:
        path: the file.

    Returns:
        ``"mxnet"``, ``"safetensors"`` or ``"paddle"`` (also where the file is none of them: its reader will say so).

    Raises:
        FileNotFoundError: there is no such file.
    """
    require_file(path)
    with open(path, "rb") as stream:
        start = stream.read(9)
    if len(start) >= 8 and struct.unpack("<Q", start[:8])[0] == MAGIC:
        return "mxnet"
    if start[8:9] == b"{" or os.fspath(path).endswith(".safetensors"):
        return "safetensors"
    return "paddle"


def read_weights(path: PathLike) -> dict[str, numpy.ndarray]:
    """Read a ``.pdparams``, ``.safetensors`` or MXNet ``.params`` file.

    Args:
        path: the file; its format is told by its content, not by its name.

    Returns:
        Parameter name to array; bfloat16 values become float32, which holds them exactly.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, of an unknown format, or holds something other than named arrays.
    """
    kind = file_format(path)
    if kind == "paddle":  # Paddle has no type uint16: it is how bfloat16 is written
        arrays = read_pdparams(path)
        return {name: widen(array) if array.dtype == numpy.uint16 else array for name, array in arrays.items()}
    return read_mxnet_params(path) if kind == "mxnet" else read_safetensors(path)
