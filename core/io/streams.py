"""Data sets that are read from front to back, from files anywhere."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional, Union

from core.io.dataset import StreamDataset
from core.io.files import CountedStream, PathLike, is_url, named, open_path
from core.io.randomness import integer
from core.weights.archives import tar_members
from core.weights.limits import UnpackingLimit

_LONGEST_LINE = 64_000_000


class LineDataset(StreamDataset):
    """The lines of text files, one after another.

    Args:
        paths: one or more local paths or URLs, as :func:`core.io.open_path` takes them, compressed or not.
        transform: makes a sample of a line, a ``str`` without its line end; None: lines are the samples.
        encoding: of the text.

    Raises:
        ValueError: there are no paths. While iterating: a line is not text in that encoding, or longer than 64 MB; file
            and line are named. Or a compressed file unpacks to more than :func:`core.io.open_path` allows.
        OSError: while iterating: a file is missing or cannot be read.
    """

    def __init__(
        self,
        paths: Union[PathLike, Sequence[PathLike]],
        transform: Optional[Callable[[str], Any]] = None,
        encoding: str = "utf-8",
    ) -> None:
        super().__init__(transform)
        self.paths = _path_list("LineDataset", paths)
        self.encoding = encoding

    def records(self) -> Iterator[str]:
        """Iterate over the lines."""
        for path in self.paths:
            with open_path(path) as stream:
                for number in itertools.count(1):
                    line = stream.readline(_LONGEST_LINE + 1)
                    if not line:
                        break
                    if len(line) > _LONGEST_LINE:
                        raise ValueError(f"line {number} of {path!r} is longer than {_LONGEST_LINE:,} bytes")
                    try:
                        yield line.rstrip(b"\r\n").decode(self.encoding)
                    except UnicodeDecodeError as error:
                        raise ValueError(f"line {number} of {path!r} is not {self.encoding} text: {error}") from None


class TarDataset(StreamDataset):
    """The samples of tar files, as WebDataset writes them: consecutive files with one name make a sample.

    The files ``a/7.jpg`` and ``a/7.cls`` make the record ``{"__key__": "a/7", "jpg": b"...", "cls": b"..."}``.

    Args:
        paths: one or more local paths or URLs, as :func:`core.io.open_path` takes them, compressed or not.
        transform: makes a sample of a record; None: records are the samples.
        maximum_bytes: how many bytes a file may unpack to; None: 2 GB or 200 times its size (of a URL: of what has
            been read), whichever is more.

    Raises:
        ValueError: there are no paths. While iterating: a file unpacks to more.
        OSError: while iterating: a file is missing, cannot be read, or is no tar file.
    """

    def __init__(
        self,
        paths: Union[PathLike, Sequence[PathLike]],
        transform: Optional[Callable[[dict[str, Any]], Any]] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        super().__init__(transform)
        self.paths = _path_list("TarDataset", paths)
        self.maximum_bytes = maximum_bytes

    def records(self) -> Iterator[dict[str, Any]]:
        """Iterate over the records."""
        for path in self.paths:
            record: dict[str, Any] = {}
            for name, content in _members(path, self.maximum_bytes):
                folder, base = os.path.split(name)
                stem, _, extension = base.partition(".")
                key = os.path.join(folder, stem)
                if record and record["__key__"] != key:
                    yield record
                    record = {}
                record["__key__"] = key
                record[extension] = content
            if record:
                yield record


class ShuffledStream(StreamDataset):
    """A stream in an order that chance changes over a short distance, as a stream cannot be shuffled as a whole.

    Args:
        dataset: the stream.
        buffer_size: how many records are at hand, of which one at a time is drawn.

    Raises:
        TypeError: ``dataset`` is not a StreamDataset.
        ValueError: ``buffer_size`` is not a positive integer.
    """

    def __init__(self, dataset: StreamDataset, buffer_size: int) -> None:
        if not isinstance(dataset, StreamDataset):
            raise TypeError(f"ShuffledStream: dataset must be a StreamDataset, not {type(dataset).__name__}")
        if not isinstance(buffer_size, int) or isinstance(buffer_size, bool) or buffer_size < 1:
            raise ValueError(f"ShuffledStream: buffer_size must be a positive integer, not {buffer_size!r}")
        super().__init__(dataset.transform)
        self.dataset = dataset
        self.buffer_size = buffer_size

    def records(self) -> Iterator[Any]:
        """Iterate over the records in their new order."""
        buffer: list[Any] = []
        for record in self.dataset.records():
            if len(buffer) < self.buffer_size:
                buffer.append(record)
                continue
            position = integer(0, len(buffer))
            drawn, buffer[position] = buffer[position], record
            yield drawn
        while buffer:
            yield buffer.pop(integer(0, len(buffer)))


def _members(path: str, maximum_bytes: Optional[int]) -> Iterator[tuple[str, bytes]]:
    with open_path(path, decompress=False) as stream:  # it is unpacked here
        counted = CountedStream(stream)
        known = 0 if is_url(path) else os.path.getsize(path)
        limit = UnpackingLimit(repr(path), lambda: max(known, counted.count()), maximum_bytes)
        members = tar_members(counted, limit)
        while True:
            with named(path):
                member = next(members, None)
                found = None if member is None or member.kind != "file" else member.read()
            if member is None:
                return
            if found is not None:
                yield member.name, found


def _path_list(owner: str, paths: Union[PathLike, Sequence[PathLike]]) -> list[str]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not several:
        raise ValueError(f"{owner}: there are no paths to read")
    return [os.fspath(path) for path in several]
