"""Weight files from one format to another."""

from __future__ import annotations

import os
from typing import Callable, Optional

from core.weights.atomic import PathLike
from core.weights.formats.mxnet_params import write_mxnet_params
from core.weights.formats.pdparams import write_pdparams
from core.weights.formats.safetensors_file import write_safetensors
from core.weights.limits import UnpackingLimit
from core.weights.read import read_bits

WRITERS: dict[str, Callable[..., None]] = {
    ".pdparams": lambda arrays, path, bfloat16: write_pdparams(arrays, path),  # bfloat16 is uint16 there
    ".safetensors": write_safetensors,
    ".params": write_mxnet_params,
}
"""Ending of a file's name to what writes such a file."""


def convert(source: PathLike, target: PathLike, maximum_bytes: Optional[int] = None) -> int:
    """Write the arrays of one weight file into another one of any format; names and numbers stay as they are.

    Args:
        source: what :func:`core.weights.read_weights` reads, a folder of Fluid 1.x included.
        target: the new file; its ending, ``.pdparams``, ``.safetensors`` or ``.params`` (MXNet), is its format.

        maximum_bytes: how many bytes of arrays may be written; None: 2 GB, or 200 times those of the different arrays,
            whichever is more.

    Returns:
        The number of arrays.

    Raises:
        FileNotFoundError: there is no such source.
        ValueError: it cannot be read, or the target's ending is none of these.
    """
    ending = os.path.splitext(os.fspath(target))[1]
    if ending not in WRITERS:
        raise ValueError(f"the ending of {os.fspath(target)!r} must say the format: {', '.join(WRITERS)}")
    arrays, halves = read_bits(source)
    distinct = {id(array): array.nbytes for array in arrays.values()}  # in a pickle many names may share one array
    limit = UnpackingLimit(repr(os.fspath(source)), lambda: sum(distinct.values()), maximum_bytes)
    limit.check(sum(array.nbytes for array in arrays.values()))
    WRITERS[ending](arrays, target, bfloat16=halves)
    return len(arrays)
