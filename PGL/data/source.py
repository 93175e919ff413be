"""Where the files of a published data set are: in a folder, or at an address from which they are fetched once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Optional, Union

PathLike = Union[str, "os.PathLike[str]"]


class Source(NamedTuple):
    """A published file.

    Args:
        url: its address.
        sha256: its checksum, 64 hexadecimal digits.
    """

    url: str
    sha256: str


def local_files(
    owner: str, root: Optional[PathLike], sources: Mapping[str, Optional[Source]], home: str
) -> dict[str, Path]:
    """Return where the files of a data set are, fetched once where no folder is given.

    Args:
        owner: the data set, for messages.
        root: the folder that holds them; None: they are fetched into core's cache.
        sources: each file's source by its name; None for a file that has no address.
        home: where the data set is published, for messages.

    Returns:
        Each file's path by its name.

    Raises:
        FileNotFoundError: files are missing; names them, and where they come from.
        ConnectionError: a file cannot be fetched; says where to put it by hand.
        ValueError: a fetched file has another checksum.
    """
    if root is not None:
        paths = {name: Path(root) / name for name in sources}
        missing = sorted(name for name, path in paths.items() if not path.is_file())
        if missing:
            raise FileNotFoundError(
                f"{owner}: the folder {os.fspath(root)!r} lacks {', '.join(missing)}; the files come from {home}"
            )
        return paths
    without = sorted(name for name, source in sources.items() if source is None)
    if without:
        raise FileNotFoundError(f"{owner}: give root, the folder of {', '.join(without)}; the files come from {home}")
    from core.weights.downloads.download import fetch

    return {name: fetch(source.url, source.sha256) for name, source in sources.items() if source is not None}


def unpickled(path: Path) -> object:
    """Return what a pickle of arrays, sparse matrices and lists holds, without running it.

    Raises:
        ValueError: it holds anything else, or is damaged.
    """
    import pickle

    from core.weights.formats.unpickler import load_plain

    with open(path, "rb") as stream:
        try:
            return load_plain(stream, sparse=True)
        except pickle.UnpicklingError as error:
            raise ValueError(f"{os.fspath(path)!r} cannot be read: {error}") from None
