"""Fetching weight files once: a cache on disk, a lock, a checksum, a mirror, and a plain word when there is no network.

A file from ``https://HOST/PATH`` lies at ``CORE_HOME/weights/HOST/PATH`` (``CORE_HOME`` is ``~/.cache/core`` unless the
environment variable says otherwise). A mirror has the same layout: with ``CORE_WEIGHTS_MIRROR`` set to an address or
to a directory, the file is taken from ``MIRROR/HOST/PATH``.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Callable, Optional, Union
from urllib.parse import unquote, urlsplit

from core.weights.atomic import synchronise_directory
from core.weights.downloads.transfer import Checksum, ChecksumError, digest_of, transfer
from core.weights.locks import lock
from core.weights.manifest import WeightRecord

_logger = logging.getLogger(__name__)


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
    host = address.netloc.rpartition("@")[2].replace(":", "_")
    if address.scheme not in ("http", "https") or not host or not relative.name:
        raise ValueError(f"weight address {url!r} must be https://HOST/PATH")
    if host in (".", "..") or ".." in relative.parts or "\0" in unquote(address.path):
        raise ValueError(f"weight address {url!r} leaves the cache directory; remove the '..' from it")
    return Path(host) / relative


def fetch(
    source: Union[str, WeightRecord],
    sha256: Optional[str] = None,
    progress: bool = True,
    md5: Optional[str] = None,
) -> Path:
    """Return the local path of a published file, downloading it on first use.

    The download goes to a temporary file beside the target; its checksum is taken while it streams; it is renamed when
    it is whole and right. A broken connection is tried again from where it broke, a download that was cut off is
    resumed by the next call. Processes that want the same file wait for one another. A cached file whose checksum is
    wrong is fetched again. A connection is made within 10 seconds and may be silent for 30; the whole download takes at
    most 60 seconds and one more for every 50 kB of the file, and so does the wait for another process.

    Args:
        source: an address, or a record of the manifest (which brings its checksum).
        sha256: the expected SHA-256, 64 hexadecimal digits; None where it is not known, then nothing but the length can
            be checked.
        progress: whether to show a progress bar.
        md5: the expected MD5, 32 hexadecimal digits, of a file whose publisher gives no SHA-256.

    Returns:
        The path of the complete file in the cache.

    Raises:
        ConnectionError: the server (or mirror) is out of reach, too slow or lacks the file; the message says where to
            put it by hand. Or another process has been fetching it for too long; it is named.
        ValueError: the downloaded file does not have the expected checksum; it is not kept.
        OSError: the cache directory cannot be written.
    """
    if isinstance(source, WeightRecord):
        url, sha256 = source.url, source.sha256
    else:
        url = source
    known = {"sha256": sha256, "md5": md5}
    checksum = next((Checksum(kind, digits.lower()) for kind, digits in known.items() if digits is not None), None)
    target = cache_path(url)
    if checksum is None and target.is_file():
        return target
    with _local_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with lock(target.with_name(target.name + ".lock"), f"fetches {target}") as announce:
            if not _is_right(target, checksum):
                _retrieve(url, target, checksum, progress, announce)
    return target


def _is_right(target: Path, checksum: Optional[Checksum]) -> bool:
    """Return whether the cache has the file already, perhaps since another process has let go of the lock."""
    if not target.is_file():
        return False
    if checksum is None or digest_of(target, checksum.algorithm).hexdigest() == checksum.digits:
        return True
    _logger.warning("the file %s does not have the expected %s; it is fetched again", target, checksum)
    return False


def _retrieve(
    url: str, target: Path, checksum: Optional[Checksum], progress: bool, announce: Callable[[int], None]
) -> None:
    place = _origin(url)
    part = target.with_name(f".{target.name}.part")
    if checksum is None:
        _logger.info("no checksum is known for %s; only its length is checked", url)
    try:
        transfer(place, part, checksum, progress, announce)
    except ConnectionError as error:
        raise ConnectionError(
            f"cannot download {place} ({error}); fetch {url} elsewhere and put it at {target}, or set "
            "CORE_WEIGHTS_MIRROR to the address or directory of a mirror"
        ) from None
    except ChecksumError:
        target.unlink(missing_ok=True)  # an earlier file, which did not have it either
        raise ValueError(
            f"the file at {place} does not have the expected {checksum}; it was not kept. "
            "Try again; if it persists, the file was replaced or damaged at its source"
        ) from None
    os.replace(part, target)
    synchronise_directory(target.parent)


def _origin(url: str) -> str:
    """Return the place to fetch from: the address, or the mirror's address or file where a mirror is set."""
    mirror = os.environ.get("CORE_WEIGHTS_MIRROR", "")
    if not mirror:
        return url
    if urlsplit(mirror).scheme in ("http", "https"):
        return f"{mirror.rstrip('/')}/{_relative(url).as_posix()}"
    return str(Path(mirror).expanduser() / _relative(url))


@contextlib.contextmanager
def _local_errors(target: Path) -> Iterator[None]:
    """Say of an error of the own disk that it is one."""
    try:
        yield
    except (ConnectionError, ValueError):
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise type(error)(
            error.errno, f"cannot write {target} ({reason}); free space there or set CORE_HOME to another directory"
        ) from None
