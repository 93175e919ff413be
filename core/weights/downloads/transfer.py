"""Bringing the bytes of one address into one local file: resumed where they broke off, hashed while they stream."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional
from urllib.parse import unquote, urlsplit

from core.weights.atomic import PathLike
from core.weights.downloads import connection
from core.weights.downloads.connection import Refused, TooLate, opener
from core.weights.downloads.deadline import PACE, Deadline
from core.weights.messages import one_line

SLOWEST = 10_000
"""A connection that brings fewer bytes in the time that it may be silent counts as broken."""
ATTEMPTS = 4
"""How often in a row a connection may break before MEANINGFUL bytes have come."""
MEANINGFUL = 1 << 20
PAUSE = 1.0
"""Seconds before the second attempt; twice as many before each further one."""


class ChecksumError(Exception):
    """All bytes came, but they are not the expected ones."""


class _Broken(Exception):
    """The connection broke: worth another attempt."""


class Checksum(NamedTuple):
    """The digest that a published file is known by.

    Args:
        algorithm: ``"sha256"`` or ``"md5"``; an MD5 finds damaged files, not forged ones.
        digits: hexadecimal digits, lower case.
    """

    algorithm: str
    digits: str

    def __str__(self) -> str:
        return f"{'SHA-256' if self.algorithm == 'sha256' else 'MD5'} {self.digits}"


class _Wanted(NamedTuple):
    """What :func:`transfer` was asked for, and its deadline."""

    place: str
    part: Path
    checksum: Optional[Checksum]
    progress: bool
    announce: Callable[[int], None]
    deadline: Deadline


class _Answer(NamedTuple):
    """An open source of bytes.

    Args:
        start: where in the file its first byte belongs; 0 if the source began again.
        total: length of the whole file; None where it is not announced.
        validator: what names this version of the file (an ETag or a date), or "".
        read: gives the next bytes, none at the end.
    """

    start: int
    total: Optional[int]
    validator: str
    read: Callable[[], bytes]


def transfer(
    place: str,
    part: Path,
    checksum: Optional[Checksum],
    progress: bool,
    announce: Callable[[int], None] = lambda size: None,
) -> None:
    """Bring the bytes of an address, or of a local file, into a file; continues it if it exists already.

    Args:
        place: ``https://...``, or the path of a file.
        part: where the bytes go; kept when the connection breaks, so that a later call resumes it.
        checksum: what the file is known by, or None.
        progress: whether to show a progress bar.
        announce: gets the file's size, once it is known.

    Raises:
        ConnectionError: the source is out of reach, lacks the file, breaks off again and again, or is so slow that the
            file has not come within 60 seconds and one more for every 50 kB of it.
        ChecksumError: the bytes are not the expected ones; nothing is kept.
        OSError: ``part`` cannot be written.
    """
    began_anew = _size(part) == 0
    broken = 0
    deadline = Deadline()
    while True:
        before = _size(part)
        try:
            digest = _attempt(_Wanted(place, part, checksum, progress, announce, deadline))
        except Refused as error:
            raise ConnectionError(str(error)) from None
        except TooLate:
            raise ConnectionError(_too_late(part, deadline)) from None
        except _Broken as error:
            broken = 1 if _size(part) - before >= MEANINGFUL else broken + 1
            if broken >= ATTEMPTS:
                raise ConnectionError(f"{error}; tried {ATTEMPTS} times") from None
            pause = PAUSE * 2 ** (broken - 1)
            if deadline.left() <= pause:
                raise ConnectionError(f"{error}; {_too_late(part, deadline)}") from None
            time.sleep(pause)
            continue
        if checksum is None or digest == checksum.digits:
            _tag(part).unlink(missing_ok=True)
            return
        _discard(part)
        if began_anew:
            raise ChecksumError
        began_anew = True  # the piece that lay there may have been of another file: once more from the start


def _too_late(part: Path, deadline: Deadline) -> str:
    return f"{_size(part)} bytes came within {deadline.seconds():g} s, at least {PACE:,} a second are needed"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _tag(part: Path) -> Path:
    """Return the file that keeps which version of the source a partial file belongs to."""
    return part.with_name(part.name + ".version")


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _tag(part).unlink(missing_ok=True)


def digest_of(path: PathLike, algorithm: str = "sha256") -> Any:
    """Return the digest object of a file: of SHA-256, or of another algorithm that hashlib knows."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with open(path, "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest


def _attempt(wanted: _Wanted) -> str:
    """Bring what is missing; return the hexadecimal digest of the whole, of SHA-256 unless another one is wanted."""
    from tqdm import tqdm  # loaded with the first use

    place, part, checksum, progress, announce, deadline = wanted
    algorithm = "sha256" if checksum is None else checksum.algorithm
    have = _size(part)
    validator = _tag(part).read_text(encoding="latin-1") if _tag(part).exists() else ""
    if have and not validator and checksum is None:
        have = 0  # nothing could show whether the rest belongs to the same file
    is_address = urlsplit(place).scheme in ("http", "https")
    with _open_address(place, have, validator, deadline) if is_address else _open_file(place) as answer:
        if answer.start not in (0, have) or (answer.start and validator not in ("", answer.validator)):
            _discard(part)
            raise _Broken("the server continues another version of the file")
        digest = digest_of(part, algorithm) if answer.start else hashlib.new(algorithm, usedforsecurity=False)
        _tag(part).write_text(answer.validator, encoding="latin-1")
        if answer.total is not None:
            deadline.size = answer.total
            announce(answer.total)
        name = one_line(unquote(Path(urlsplit(place).path).name), 80)
        bar = tqdm(
            total=answer.total, initial=answer.start, unit="B", unit_scale=True, desc=name, disable=not progress
        )
        with bar, open(part, "r+b" if answer.start else "wb") as stream:
            stream.seek(answer.start)
            stream.truncate()
            for block in _watched(answer.read):
                stream.write(block)
                digest.update(block)
                bar.update(len(block))
                if answer.total is None:
                    deadline.size = stream.tell()
                if is_address and deadline.left() <= 0:
                    raise TooLate
            received = stream.tell()
            stream.flush()
            os.fsync(stream.fileno())
    if answer.total is not None and received != answer.total:
        if received > answer.total:  # what lay there was longer than the file is
            _discard(part)
        raise _Broken(f"{received} of {answer.total} bytes came")
    return str(digest.hexdigest())


def _watched(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Yield the blocks of a source; one that drips without end is a broken one."""
    marked, received = time.monotonic(), 0
    while True:
        block = read()
        if not block:
            return
        yield block
        received += len(block)
        if time.monotonic() - marked > connection.TIMEOUT:
            if received < SLOWEST:
                raise _Broken(f"only {received} bytes in {connection.TIMEOUT:g} s")
            marked, received = time.monotonic(), 0


@contextlib.contextmanager
def _open_file(path: str) -> Iterator[_Answer]:
    """Open a file of a mirror that is a directory."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise Refused("it is not a file")
    try:
        stream = open(path, "rb")
    except OSError as error:
        raise Refused(error.strerror or str(error)) from None
    with stream:
        yield _Answer(0, os.fstat(stream.fileno()).st_size, "", lambda: stream.read(1 << 20))


@contextlib.contextmanager
def _open_address(url: str, have: int, validator: str, deadline: Deadline) -> Iterator[_Answer]:
    """Ask a server for the file from byte ``have`` on; it may answer with the whole."""
    headers = {"User-Agent": "paddle-on-mxnet", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if validator:
            headers["If-Range"] = validator
    try:
        response = opener(deadline).open(urllib.request.Request(url, headers=headers), timeout=connection.TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and have:  # there is nothing after what we have: it may be whole, or of another file
            with _open_address(url, 0, "", deadline) as answer:
                yield answer
            return
        kind = _Broken if error.code >= 500 or error.code in (408, 429) else Refused
        raise kind(f"the server answers {error.code} {_reason(error.reason)}") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        kind = Refused if isinstance(reason, (socket.gaierror, ConnectionRefusedError, ssl.SSLError)) else _Broken
        raise kind(_reason(reason)) from None
    with response:
        if response.headers.get_content_type() == "text/html" and not url.endswith((".html", ".htm")):
            raise Refused("the server answers with a web page instead of the file")

        def read() -> bytes:
            try:
                return bytes(response.read1(1 << 18))
            except http.client.IncompleteRead:
                raise _Broken("the connection was closed early") from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise _Broken(_reason(error)) from None

        validator = response.headers.get("ETag") or response.headers.get("Last-Modified") or ""
        yield _Answer(*_extent(response), "" if validator.startswith("W/") else validator, read)


def _extent(response: Any) -> tuple[int, Optional[int]]:
    """Return where an answer's first byte belongs, and the length of the whole file where it is announced."""
    if response.status == 206:
        found = re.fullmatch(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", response.headers.get("Content-Range", ""))
        if found is None:
            raise Refused("the server answers with a part of the file that it does not name")
        return int(found[1]), None if found[2] == "*" else int(found[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if re.fullmatch(r"\d{1,18}", length) else None


def _reason(error: object) -> str:
    """Return a reason as one short line."""
    return one_line(error, 200) or type(error).__name__
