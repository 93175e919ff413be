"""Arrays in .npy and .npz files, of which nothing is executed and no more memory is taken than they hold."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import numpy as np

from core.io.array_file import read_array
from core.weights.archives import check_zip
from core.weights.limits import LimitError
from PGL.data.source import PathLike

_DAMAGE = (  # what zipfile, zlib and numpy raise for a file that is cut off, changed or of another kind
    *(AttributeError, EOFError, KeyError, MemoryError, NotImplementedError, OSError, OverflowError, RuntimeError),
    *(SyntaxError, TypeError, ValueError, zipfile.BadZipFile, zlib.error),
)


def read_arrays(
    path: PathLike, needed: Sequence[str] = (), maximum_bytes: Optional[int] = None
) -> dict[str, np.ndarray]:
    """Return the arrays of an .npz file by name.

    Args:
        path: the file.
        needed: names that must be there.
        maximum_bytes: how many bytes it may unpack to; None: 2 GB or 200 times its size, whichever is more.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: it is damaged, holds pickled objects, unpacks to too much, or lacks an array.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"no file {os.fspath(path)!r}")
    try:
        with zipfile.ZipFile(path) as archive:
            check_zip(archive, path, maximum_bytes)
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files if name not in ("format", "data")}
    except LimitError:
        raise
    except _DAMAGE as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{os.fspath(path)!r} is no .npz file of plain arrays, or damaged ({reason})") from None
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise ValueError(f"{os.fspath(path)!r} lacks {', '.join(missing)}")
    return arrays


def read_one_array(path: PathLike, names: Sequence[str], maximum_bytes: Optional[int] = None) -> np.ndarray:
    """Return the array of an .npy file, or one of an .npz file.

    Args:
        path: the file.
        names: what the array of an .npz file may be called; where it holds a single one, that may have any name.
        maximum_bytes: as of :func:`read_arrays`.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: it is damaged, holds pickled objects, or no such array.
    """
    if os.fspath(path).endswith(".npz"):
        arrays = read_arrays(path, (), maximum_bytes)
        found = next((name for name in names if name in arrays), next(iter(arrays)) if len(arrays) == 1 else None)
        if found is None:
            held = ", ".join(sorted(arrays)) or "nothing"
            raise ValueError(f"{os.fspath(path)!r} lacks {' or '.join(names)}; it holds {held[:200]}")
        return arrays[found]
    return read_array(path)
