"""Reading ahead: an iterator's items are made in a thread while the caller works on earlier ones."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from typing import Generic, TypeVar, Union

Item = TypeVar("Item")


class _Failure:
    def __init__(self, error: BaseException) -> None:
        self.error = error


class _End:
    pass


class _Reader(Generic[Item]):
    """The thread and the bounded queue between it and the caller."""

    def __init__(self, source: Iterator[Item], depth: int) -> None:
        self.source = source
        self.stopped = threading.Event()
        self.queue: queue.Queue[Union[Item, _Failure, _End]] = queue.Queue(maxsize=depth)
        self.thread = threading.Thread(target=self._read, name="DataLoader reader", daemon=True)
        self.thread.start()

    def _read(self) -> None:
        try:
            for item in self.source:
                if not self._put(item):
                    return
            self._put(_End())
        except BaseException as error:  # noqa: B036  # handed to the caller, which raises it
            self._put(_Failure(error))

    def _put(self, item: Union[Item, _Failure, _End]) -> bool:
        if not self.stopped.is_set():
            self.queue.put(item)
        return not self.stopped.is_set()

    def close(self) -> None:
        self.stopped.set()
        while not self.queue.empty():  # room for the one item that may be on its way
            self.queue.get_nowait()
        self.thread.join()


def prefetched(source: Iterator[Item], depth: int) -> Generator[Item, None, None]:
    """Iterate over ``source``, which a thread reads at most ``depth`` items ahead.

    Args:
        source: any iterator; an exception that it raises is raised here, at the same item.
        depth: how many items may wait.

    Returns:
        A generator; closing it stops the thread.
    """
    reader = _Reader(source, depth)
    try:
        while True:
            item = reader.queue.get()
            if isinstance(item, _End):
                return
            if isinstance(item, _Failure):
                raise item.error
            yield item
    finally:
        reader.close()
