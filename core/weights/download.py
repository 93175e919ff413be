"""Fetching weight files once: a cache on disk, a lock, a checksum, a mirror, and a plain word when there is no network.

A file from ``https://HOST/PATH`` lies at ``CORE_HOME/weights/HOST/PATH`` (``CORE_HOME`` is ``~/.cache/core`` unless the
environment variable says otherwise). A mirror has the same layout: with ``CORE_WEIGHTS_MIRROR`` set to an address or
to a directory, the file is taken from ``MIRROR/HOST/PATH``.
"""
from __future__ import annotations

import contextlib
import fcntl
import http.client
import logging
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional, Union
from urllib.parse import unquote, urlsplit

from core.weights.manifest import WeightRecord

Downloader = Callable[[str, str, Any], None]
"""What pooch calls to fetch: (address, temporary file name, pooch)."""

_logger = logging.getLogger(__name__)
TIMEOUT = 30
"""Seconds without an answer after which the network counts as out of reach."""


def weights_directory() -> Path:
    """Return the directory of the cache: ``CORE_HOME/weights``, or ``~/.cache/core/weights``."""
    home = os.environ.get("CORE_HOME")
    return (Path(home).expanduser() if home else Path.home() / ".cache" / "core") / "weights"


def cache_path(url: str) -> Path:
    """Return where the file of an address lies, or will lie, in the cache.

    Args:
        url: an address ``https://HOST/PATH``; a query (``?...``) is not part of the name.

    Raises:
        ValueError: the address has no host or path, or the path leaves the cache.
    """
    return weights_directory() / _relative(url)


def _relative(url: str) -> Path:
    address = urlsplit(url)
    relative = Path(unquote(address.path).strip("/"))
    if address.scheme not in ("http", "https") or not address.netloc or not relative.name:
        raise ValueError(f"weight address {url!r} must be https://HOST/PATH")
    if ".." in relative.parts or "\0" in unquote(address.path):
        raise ValueError(f"weight address {url!r} leaves the cache directory; remove the '..' from it")
    return Path(address.netloc.rpartition("@")[2].replace(":", "_")) / relative


def fetch(source: Union[str, WeightRecord], sha256: Optional[str] = None, progress: bool = True) -> Path:
    """Return the local path of a published file, downloading it on first use.

    The download goes to a temporary file beside the target, is checked, and is renamed. Processes that want the same
    file wait for one another. A cached file whose checksum is wrong is fetched again.

    Args:
        source: an address, or a record of the manifest (which brings its checksum).
        sha256: the expected SHA-256, 64 hexadecimal digits; None where it is not known, then nothing but the length can
            be checked.
        progress: whether to show a progress bar.

    Returns:
        The path of the complete file in the cache.

    Raises:
        ConnectionError: the server (or mirror) is out of reach or lacks the file; the message says where to
            put it by hand.
        ValueError: the downloaded file does not have the expected checksum; it is not kept.
    """
    if isinstance(source, WeightRecord):
        url, sha256 = source.url, source.sha256
    else:
        url = source
    target = cache_path(url)
    if sha256 is None and target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _lock(target.with_name(target.name + ".lock")):
        _retrieve(url, target, sha256, progress)
    return target


def _retrieve(url: str, target: Path, sha256: Optional[str], progress: bool) -> None:
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    place, downloader = _origin(url, progress)
    if sha256 is None:
        _logger.info("no checksum is known for %s; only its length is checked", url)
    try:
        pooch.retrieve(
            place,
            known_hash=None if sha256 is None else f"sha256:{sha256}",
            fname=target.name,
            path=target.parent,
            downloader=downloader,
        )
    except (OSError, http.client.HTTPException) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConnectionError(
            f"cannot download {place} ({reason[:200]}); fetch {url} elsewhere and put it at {target}, "
            "or set CORE_WEIGHTS_MIRROR"
        ) from None
    except ValueError:
        raise ValueError(
            f"the file at {place} does not have the expected SHA-256 {sha256}; it was not kept. "
            "Try again; if it persists, the file was replaced or damaged at its source"
        ) from None


def _origin(url: str, progress: bool) -> tuple[str, Downloader]:
    """Return the place to fetch from, the mirror's where one is set, and the downloader for it."""

    def stream(address: str, output: str, _pooch: Any) -> None:
        _stream(address, output, progress)

    def copy(_address: str, output: str, _pooch: Any) -> None:
        shutil.copyfile(place, output)

    mirror = os.environ.get("CORE_WEIGHTS_MIRROR", "")
    if not mirror:
        return url, stream
    if urlsplit(mirror).scheme in ("http", "https"):
        return f"{mirror.rstrip('/')}/{_relative(url).as_posix()}", stream
    place = Path(mirror).expanduser() / _relative(url)
    return str(place), copy


def _stream(url: str, output: str, progress: bool) -> None:
    """Copy an address to a file and check that it came whole; closes its connection in every case."""
    from tqdm import tqdm

    request = urllib.request.Request(url, headers={"User-Agent": "paddle-on-mxnet"})
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise ConnectionError(f"the server answers {error.code} {error.reason}") from None
    with response, open(output, "wb") as file:
        announced = response.headers.get("Content-Length")
        total = int(announced) if announced else None
        with tqdm(total=total, unit="B", unit_scale=True, desc=Path(url).name, disable=not progress) as bar:
            received = 0
            for chunk in iter(lambda: response.read(1 << 20), b""):
                file.write(chunk)
                received += len(chunk)
                bar.update(len(chunk))
    if total is not None and received != total:
        raise ConnectionError(f"{received} of {total} bytes came")


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes; the system frees it when its holder dies."""
    with open(path, "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
