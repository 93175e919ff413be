"""Where the files of a published data set are, and which part of it is wanted."""

from __future__ import annotations

import os
from typing import NamedTuple, Optional

from core.weights.downloads.download import cache_path, fetch
from core.weights.downloads.transfer import digest_of


class Source(NamedTuple):
    """A published file: its address and its MD5 checksum, 32 hexadecimal digits."""

    url: str
    md5: str


def local_file(owner: str, argument: str, given: Optional[str], source: Source, download: bool) -> str:
    """Return the path of a data set's file, downloaded once if none is given.

    Args:
        owner: the data set, for messages.
        argument: the name of its argument for this file, for messages.
        given: the path that the user gave; None: none.
        source: where the file is published.
        download: whether it may be downloaded.

    Returns:
        The path.

    Raises:
        FileNotFoundError: there is no file at ``given``.
        ValueError: none is given and none may be downloaded; or the downloaded one has another checksum.
        ConnectionError: the server is out of reach; the message says where to put the file by hand.
    """
    if given is not None:
        if not os.path.isfile(given):
            raise FileNotFoundError(f"{owner}: no file {given!r} ({argument}); it is published at {source.url}")
        return os.fspath(given)

    if not download:
        place = cache_path(source.url)
        if not place.is_file():
            raise ValueError(
                f"{owner}: {argument} is not given and download=False; fetch {source.url} and put it at {place}, "
                f"or give its path as {argument}"
            )
    else:
        place = fetch(source.url)
    if digest_of(place, "md5").hexdigest() != source.md5:
        raise ValueError(f"{owner}: {str(place)!r} is not the file of {source.url}: its MD5 differs; remove it")
    return str(place)


def choose_mode(owner: str, mode: str, known: tuple[str, ...]) -> str:
    """Return a mode in lower case.

    Args:
        owner: the data set, for messages.
        mode: which part of it.
        known: the parts that there are.

    Returns:
        One of ``known``.

    Raises:
        ValueError: it is none of them.
    """
    if not isinstance(mode, str) or mode.lower() not in known:
        raise ValueError(f"{owner}: mode must be one of {', '.join(map(repr, known))}, not {mode!r}")
    return mode.lower()
