"""Fetching published files (paddle.utils.download), through the cache of :mod:`core.weights`."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Optional
from urllib.parse import urlsplit

from core.weights import atomic_path, fetch
from core.weights.downloads.transfer import digest_of
from core.weights.unpacking import unpack

__all__ = ["get_path_from_url", "get_weights_path_from_url", "is_url"]


def is_url(path: str) -> bool:
    """Return whether a path is an address.

    Args:
        path: a path or an address.
    """
    return path.startswith(("http://", "https://"))


def _get_unique_endpoints(trainer_endpoints: Iterable[str]) -> set[str]:
    """Return one trainer's address of each machine; the official toolkits let only those fetch files.

    Args:
        trainer_endpoints: addresses of the form ``machine:port``.
    """
    return set({endpoint.rpartition(":")[0]: endpoint for endpoint in sorted(trainer_endpoints, reverse=True)}.values())


def get_weights_path_from_url(url: str, md5sum: Optional[str] = None) -> str:
    """Return the path of a published weight file, fetched on first use.

    Args:
        url: its address.
        md5sum: its MD5, 32 hexadecimal digits; not checked when it is None.

    Returns:
        The path in the cache (``CORE_HOME/weights``).

    Raises:
        ConnectionError: the server cannot be reached; the message says where to put the file by hand.
        ValueError: the file has another MD5; it is not kept.
    """
    return str(fetch(url, md5=md5sum))


def get_path_from_url(
    url: str,
    root_dir: str,
    md5sum: Optional[str] = None,
    check_exist: bool = True,
    decompress: bool = True,
    method: str = "get",
    maximum_bytes: Optional[int] = None,
) -> str:
    """Put a published file into a directory, and unpack it if it is an archive.

    What is unpacked appears when it is whole, belongs to the archive's digest, and is replaced when that changes; see
    :func:`core.weights.unpacking.unpack`.

    Args:
        url: its address.
        root_dir: the directory, which is made where it is missing.
        md5sum: its MD5; not checked when it is None.
        check_exist: whether a file that is there already, with that MD5, serves.
        decompress: whether to unpack a ``.tar``, ``.tar.gz``, ``.tgz`` or ``.zip`` file.
        method: accepted for Paddle's signature; files are fetched by one method.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the archive's size, whichever is more.

    Returns:
        The path of the file, or of what was in the archive: its one file or directory, or a directory of the archive's
        name.

    Raises:
        ConnectionError: the server cannot be reached.
        ValueError: the file has another MD5, is a damaged or empty archive, unpacks to too much or somewhere else, or
            something else lies where its content shall be.
    """
    target = Path(root_dir) / PurePosixPath(urlsplit(url).path).name
    right = check_exist and target.is_file()
    if right and md5sum is not None:
        right = digest_of(target, "md5").hexdigest() == md5sum.lower()
    if not right:
        found = fetch(url, md5=md5sum)
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(target) as part:
            shutil.copyfile(found, part)
    if decompress and target.name.endswith((".tar", ".tar.gz", ".tgz", ".zip")):
        return str(unpack(target, maximum_bytes=maximum_bytes))
    return str(target)
