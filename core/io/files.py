"""Opening files wherever they are: local paths and any URL that fsspec knows, read as a stream."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
from collections.abc import Iterator, Sequence
from typing import IO, Any, Callable, Optional, Union

from core.weights.limits import LimitError, UnpackingLimit
from core.weights.messages import one_line

PathLike = Union[str, "os.PathLike[str]"]

_DECOMPRESSORS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def is_url(path: PathLike) -> bool:
    """Tell whether a path is a URL (``https://...``, ``s3://...``, ``memory://...``) and not a local path."""
    return "://" in os.fspath(path) or "::" in os.fspath(path)


def join_path(root: str, path: str) -> str:
    """Return where a path leads that is relative to a folder; an absolute path, and a URL, stay as they are.

    Args:
        root: the folder, a local path or a URL.
        path: a local path, or a URL.
    """
    if is_url(path):
        return path
    if os.path.isabs(path) or not is_url(root):
        return os.path.normpath(os.path.join(root, path))
    relative = os.path.normpath(path)  # stores of objects know no "./"
    return root if relative == "." else f"{root}{'' if root.endswith('/') else '/'}{relative}"


def open_path(
    path: PathLike,
    mode: str = "rb",
    encoding: str = "utf-8",
    decompress: bool = True,
    maximum_bytes: Optional[int] = None,
) -> IO[Any]:
    """Open a file for reading, as a stream: nothing is downloaded beforehand.

    Args:
        path: a local path, or a URL that fsspec knows; some protocols need a package of their own, such as s3fs.
        mode: "rb" for bytes, "r" or "rt" for text.
        encoding: of the text.
        decompress: unpack ``.gz``, ``.bz2`` and ``.xz`` files while reading.
        maximum_bytes: how many bytes a compressed file may unpack to; None: 2 GB or 200 times what has been read of it,
            whichever is more.

    Returns:
        A file object, to be used in a ``with`` statement. Whatever goes wrong while it is read names the path.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it cannot be read.
        ValueError: the mode, or the URL's protocol, is unknown. While reading: more is unpacked than is allowed.
        ImportError: the URL's protocol needs a package that is not installed; the message names it.
    """
    if mode not in ("rb", "r", "rt"):
        raise ValueError(f"open_path: mode must be 'rb', 'r' or 'rt', not {mode!r}")
    name = os.fspath(path)
    raw: Any
    if is_url(name):
        system, inner = _file_system(name)
        with named(name):
            raw = system.open(inner, "rb")
    else:
        with named(name):
            raw = open(name, "rb")
    decompressor = _DECOMPRESSORS.get(os.path.splitext(name.split("::")[0].split("?")[0])[1].lower())
    if decompress and decompressor is not None:
        counted = CountedStream(raw)
        limit = UnpackingLimit(repr(name), counted.count, maximum_bytes)
        stream: Any = io.BufferedReader(_Named(decompressor(counted), raw, name, limit), 1 << 16)
    else:
        stream = io.BufferedReader(_Named(raw, raw, name), 1 << 16) if is_url(name) else raw
    return stream if mode == "rb" else io.TextIOWrapper(stream, encoding=encoding)


def read_bytes(path: PathLike) -> bytes:
    """Return a file's contents, as they are stored.

    Args:
        path: a local path or a URL, as :func:`open_path` takes it.

    Returns:
        All of it.

    Raises:
        OSError: see :func:`open_path`, for the other errors, too.
    """
    with open_path(path, decompress=False) as stream:
        content: bytes = stream.read()
    return content


def list_files(folder: PathLike, extensions: Optional[Sequence[str]] = None) -> list[str]:
    """List the files below a folder.

    Args:
        folder: a local folder or a URL that can be listed.
        extensions: only files with one of these endings, such as ".jpg"; upper and lower case are alike.

    Returns:
        Paths or URLs in alphabetical order, subfolders included.

    Raises:
        NotADirectoryError: there is no such folder.
        OSError: it cannot be listed.
    """
    name = os.fspath(folder)
    if is_url(name):
        system, path = _file_system(name)
        with named(name):
            if not system.isdir(path):
                raise NotADirectoryError(f"no folder {name!r}")
            found = [system.unstrip_protocol(entry) for entry in system.find(path)]
    else:
        if not os.path.isdir(name):
            raise NotADirectoryError(f"no folder {name!r}")
        found = [os.path.join(parent, file) for parent, _, files in os.walk(name) for file in files]
    wanted = None if extensions is None else tuple(extension.lower() for extension in extensions)
    return sorted(path for path in found if wanted is None or path.lower().endswith(wanted))


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Make every error of reading name the path, whatever library it comes from."""
    try:
        yield
    except LimitError:
        raise
    except FileNotFoundError as error:
        cause = error.__cause__  # fsspec calls a server that it cannot reach a missing file, too
        missing = isinstance(cause, FileNotFoundError) or getattr(cause, "status", None) == 404
        if cause is not None and not missing:
            raise OSError(f"cannot read {path!r}: {_first_line(cause)}") from error
        raise FileNotFoundError(f"no file {path!r}") from error
    except (IsADirectoryError, NotADirectoryError, PermissionError) as error:
        own = error.errno is None and path in str(error)
        raise type(error)(str(error) if own else f"cannot read {path!r}: {error.strerror or error}") from error
    except ImportError as error:
        raise ImportError(f"cannot read {path!r}: {error}") from error
    except Exception as error:  # aiohttp's, botocore's, zlib's, tarfile's ...: they share no base class
        raise OSError(f"cannot read {path!r}: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return one_line(str(error).splitlines()[0]) if str(error) else type(error).__name__


class CountedStream(io.RawIOBase):
    """A stream that knows how many bytes of it have been read.

    Args:
        stream: what is read.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream = stream
        self._furthest = 0

    def count(self) -> int:
        """Return how many bytes have been read."""
        return self._furthest

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return whether it can be read from elsewhere."""
        return bool(self._stream.seekable())

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return how many bytes came."""
        content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        self._furthest += len(content)
        return len(content)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a position."""
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        """Return the position."""
        return int(self._stream.tell())


class _Named(io.RawIOBase):
    """A stream whose errors name its path."""

    def __init__(self, stream: Any, below: Any, path: str, limit: Optional[UnpackingLimit] = None) -> None:
        super().__init__()
        self.limit = limit
        self.received = 0
        self.stream = stream
        self.below = below
        self.path = path

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self.stream.seekable())

    def readinto(self, buffer: Any) -> int:
        with named(self.path):
            content = self.stream.read(len(buffer))
        buffer[: len(content)] = content
        self.received += len(content)
        if self.limit is not None:
            self.limit.check(self.received)
        return len(content)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        with named(self.path):
            return int(self.stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self.stream.tell())

    def close(self) -> None:
        if not self.closed:
            self.stream.close()
            self.below.close()
        super().close()


def _file_system(url: str) -> tuple[Any, str]:
    import fsspec  # loaded with the first use

    for part in url.split("::"):
        protocol = part.split("://", 1)[0]
        if protocol not in fsspec.available_protocols():
            raise ValueError(
                f"cannot read {url!r}: the protocol {protocol!r} is unknown; "
                "fsspec.available_protocols() lists those that are known"
            )
    with named(url):
        return fsspec.core.url_to_fs(url)
