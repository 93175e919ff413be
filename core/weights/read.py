"""Reading a weight file of any known format as named arrays; the format is recognised by the file's first bytes."""
from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import Optional

import numpy

from core.weights.atomic import PathLike
from core.weights.formats.bfloat16 import upcast_named
from core.weights.formats.fluid import is_fluid, read_fluid
from core.weights.formats.mxnet_params import MAGIC, read_mxnet_params
from core.weights.formats.pdparams import read_pdparams, require_file
from core.weights.formats.pytorch import is_pytorch, read_pytorch
from core.weights.formats.safetensors_file import read_safetensors_bits


def file_format(path: PathLike) -> str:
    """Tell the format of a weight file.

    Args:
        path: the file; or a folder, which is of the format ``"fluid"``.

    Returns:
        ``"mxnet"``, ``"safetensors"``, ``"pytorch"``, ``"fluid"`` (of Paddle's static programs) or ``"paddle"`` (also
        where the file is none of them: its reader will say so).

    Raises:
        FileNotFoundError: there is no such file.
    """
    if not os.path.isdir(path):
        require_file(path)
        with open(path, "rb") as stream:
            start = stream.read(9)
        if len(start) >= 8 and struct.unpack("<Q", start[:8])[0] == MAGIC:
            return "mxnet"
        if start[8:9] == b"{" or os.fspath(path).endswith(".safetensors"):
            return "safetensors"
        if is_pytorch(path):
            return "pytorch"
    return "fluid" if is_fluid(path) else "paddle"


def read_weights(path: PathLike, names: Optional[Sequence[str]] = None) -> dict[str, numpy.ndarray]:
    """Read a weight file: ``.pdparams``, ``.safetensors``, PyTorch's, MXNet's ``.params``, or a static program's.

    Args:
        path: the file, or a folder of one file for each variable; the content shows the format, not the name.
        names: the names in a file of a static program that has no program beside it, in any order.

    Returns:
        Parameter name to array; bfloat16 values become float32, which holds them exactly.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, of an unknown format, or holds something other than named arrays.
    """
    arrays, halves = read_bits(path, names)
    return upcast_named(arrays, halves)


def read_bits(path: PathLike, names: Optional[Sequence[str]] = None) -> tuple[dict[str, numpy.ndarray], set[str]]:
    """Read what :func:`read_weights` reads with bfloat16 arrays as their bits.

    Returns:
        Parameter name to array, and the names of the uint16 arrays that hold the bits of bfloat16.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: as there.
    """
    kind = file_format(path)
    if kind == "mxnet":
        return read_mxnet_params(path), set()
    if kind == "safetensors":
        arrays, _, halves = read_safetensors_bits(path)
        return arrays, halves
    if kind == "fluid":
        return read_fluid(path, names)
    if kind == "pytorch":
        return read_pytorch(path)
    arrays = read_pdparams(path)  # Paddle has no type uint16: it is how bfloat16 is written
    return arrays, {name for name, array in arrays.items() if array.dtype == numpy.uint16}
