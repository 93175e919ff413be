"""Functions on readers, which are functions that return an iterator over samples (paddle.reader, paddle.batch)."""

from __future__ import annotations

import itertools
import queue
import random
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Callable

Reader = Callable[[], Iterable[Any]]


class ComposeNotAligned(ValueError):  # noqa: N818 - Paddle's name
    """Readers that are read side by side have different lengths."""


def batch(reader: Reader, batch_size: int, drop_last: bool = False) -> Reader:
    """Return a reader of lists of samples.

    Args:
        reader: the reader of samples.
        batch_size: how many samples make a list.
        drop_last: leave out the last list when it is shorter.

    Raises:
        ValueError: ``batch_size`` is not a positive integer.
    """
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size <= 0:
        raise ValueError(f"batch: batch_size must be a positive integer, not {batch_size!r}")

    def batches() -> Iterator[list[Any]]:
        samples = iter(reader())
        while True:
            found = list(itertools.islice(samples, batch_size))
            if not found or (drop_last and len(found) < batch_size):
                return
            yield found

    return batches


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """Return a reader of a function's results.

    Args:
        func: the function; it gets a sample of each reader.
        *readers: the readers.
    """
    return lambda: map(func, *[reader() for reader in readers])


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """Return a reader that gives the samples in another order, drawn by Python's ``random``.

    Args:
        reader: the reader.
        buf_size: how many samples are shuffled at once.
    """

    def shuffled() -> Iterator[Any]:
        for samples in batch(reader, buf_size)():
            random.shuffle(samples)
            yield from samples

    return shuffled


def chain(*readers: Reader) -> Reader:
    """Return a reader that gives the samples of several readers, one after the other.

    Args:
        *readers: the readers.
    """
    return lambda: itertools.chain.from_iterable(reader() for reader in readers)


def compose(*readers: Reader, **kwargs: Any) -> Reader:
    """Return a reader of tuples: a sample of each reader, where tuples become parts of the whole.

    Args:
        *readers: the readers.
        **kwargs: ``check_alignment`` (True): refuse readers of different lengths instead of stopping at the shortest.

    Raises:
        TypeError: another argument is given.
        ComposeNotAligned: while reading, when one reader ends before another.
    """
    check = kwargs.pop("check_alignment", True)
    if kwargs:
        raise TypeError(f"compose: there is no argument {next(iter(kwargs))!r}")
    missing = object()

    def composed() -> Iterator[tuple[Any, ...]]:
        for samples in itertools.zip_longest(*[reader() for reader in readers], fillvalue=missing):
            if any(sample is missing for sample in samples):
                if check:
                    raise ComposeNotAligned("compose: the readers have different lengths: use check_alignment=False")
                return
            yield tuple(itertools.chain.from_iterable(s if isinstance(s, tuple) else (s,) for s in samples))

    return composed


def firstn(reader: Reader, n: int) -> Reader:
    """Return a reader of the first samples.

    Args:
        reader: the reader.
        n: how many.
    """
    return lambda: itertools.islice(reader(), n)


def cache(reader: Reader) -> Reader:
    """Return a reader that keeps the samples in memory, read once, now.

    Args:
        reader: the reader.
    """
    samples = tuple(reader())
    return lambda: iter(samples)


def buffered(reader: Reader, size: int) -> Reader:
    """Return a reader whose samples a thread reads ahead.

    Args:
        reader: the reader; an error in it is raised where its sample is taken.
        size: how many samples are kept at most.
    """

    def ahead() -> Iterator[Any]:
        samples: queue.Queue[tuple[str, Any]] = queue.Queue(size)
        left = threading.Event()

        def put(kind: str, value: Any) -> None:
            while not left.is_set():
                try:
                    samples.put((kind, value), timeout=0.1)
                    return
                except queue.Full:
                    continue

        def read() -> None:
            try:
                for sample in reader():
                    put("sample", sample)
                    if left.is_set():
                        return
                put("end", None)
            except Exception as error:  # raised in the other thread
                put("error", error)

        threading.Thread(target=read, daemon=True).start()
        try:
            while True:
                kind, value = samples.get()
                if kind == "error":
                    raise value
                if kind == "end":
                    return
                yield value
        finally:
            left.set()

    return ahead
