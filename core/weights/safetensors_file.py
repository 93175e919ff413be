"""``.safetensors`` files, through the safetensors library."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Optional

import numpy

from core.weights.atomic import PathLike, atomic_path
from core.weights.pdparams import describe, require_file


def read_safetensors(path: PathLike) -> dict[str, numpy.ndarray]:
    """Read all arrays of a ``.safetensors`` file.

    Args:
        path: the file.

    Returns:
        Name to array, in the file's order.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated or is not a safetensors file.
    """
    return read_safetensors_with_metadata(path)[0]


def read_safetensors_with_metadata(path: PathLike) -> tuple[dict[str, numpy.ndarray], dict[str, str]]:
    """Read all arrays and the free text entries of a ``.safetensors`` file.

    Args:
        path: the file.

    Returns:
        Name to array, and the metadata (empty where the file has none).

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated or is not a safetensors file.
    """
    import safetensors

    require_file(path)
    try:
        with safetensors.safe_open(os.fspath(path), framework="numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, dict(file.metadata() or {})
    except (safetensors.SafetensorError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        name = repr(os.fspath(path))
        raise ValueError(f"cannot read {name} as a safetensors file: {reason}; fetch or write it again") from None


def write_safetensors(
    arrays: Mapping[str, numpy.ndarray], path: PathLike, metadata: Optional[Mapping[str, str]] = None
) -> None:
    """Write arrays to a ``.safetensors`` file; crash-safe.

    Args:
        arrays: name to array of numbers or booleans.
        path: where to write.
        metadata: free text entries for the file's header.

    Raises:
        TypeError: a value is not an array of numbers, or a metadata entry is not text.
    """
    from safetensors.numpy import save_file

    for key, array in arrays.items():
        if not isinstance(array, numpy.ndarray) or array.dtype.kind not in "biuf":
            raise TypeError(f"array {key!r} must be a numpy array of real numbers, not {describe(array)}")
    for key, text in (metadata or {}).items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise TypeError(f"metadata entry {key!r} must be text, not {describe(text)}")
    # The library writes the memory as it lies, so lay it out first.
    plain = {
        key: numpy.require(array.astype(array.dtype.newbyteorder("="), copy=False), requirements="C")
        for key, array in arrays.items()
    }
    with atomic_path(path) as temporary:
        save_file(plain, temporary, metadata=dict(metadata) if metadata else None)
