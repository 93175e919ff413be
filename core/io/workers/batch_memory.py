"""How a batch travels from a worker to the parent: arrays in shared memory, written once and read in place.

A worker owns a few segments of anonymous shared memory. It collates a batch right into one, and sends a description:
a pickle whose arrays are places in the segment. The parent sees the same memory; when the last array of the batch is
gone, the worker may fill the segment again. Segments have no names, so nothing can stay behind on the machine, whoever
is killed. Where there is no room for one, arrays go through the pipe.
"""

from __future__ import annotations

import collections
import io
import itertools
import mmap
import os
import pickle
import socket
import weakref
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import recvfds, send_handle
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io.workers import messages

SMALLEST = 1 << 15  # bytes; less than this is sent through the pipe sooner than its place in a segment is recorded
_ALIGNMENT = 64
_PAGE = 1 << 20


class Description(NamedTuple):
    """A batch as the parent rebuilds it."""

    pickle: bytes
    segment: Optional[int]  # None: the arrays' bytes follow through the pipe
    places: list[tuple[int, int]]  # offset and length of each array, in bytes
    new_size: int = 0  # of the segment, which follows through the pipe; 0: the parent has it
    dropped: tuple[int, ...] = ()  # segments that the parent may forget


class Segment:
    """One piece of memory shared between a worker and the parent."""

    def __init__(self, number: int, memory: mmap.mmap) -> None:
        self.number = number
        self.bytes = np.frombuffer(memory, dtype=np.uint8)
        self.address = self.bytes.__array_interface__["data"][0]
        self.used = 0

    @property
    def size(self) -> int:
        """Length in bytes."""
        return self.bytes.size

    def allocate(self, count: int) -> Optional[int]:
        """Return the offset of ``count`` unused bytes, or None when they do not fit."""
        offset = -(-self.used // _ALIGNMENT) * _ALIGNMENT
        if offset + count > self.size:
            return None
        self.used = offset + count
        return offset

    def offset_of(self, array: np.ndarray) -> Optional[int]:
        """Return where in the segment a contiguous array lies, or None when it lies elsewhere."""
        offset = array.__array_interface__["data"][0] - self.address
        return offset if 0 <= offset and offset + array.nbytes <= self.size else None


class BatchWriter:
    """The worker's side.

    Args:
        limit: how many bytes of shared memory the worker may take in all; None: what the machine has; 0: none.
        spare: how many unused segments to keep.
    """

    def __init__(self, limit: Optional[int] = None, spare: int = 3) -> None:
        self.limit = limit
        self.spare = spare
        self._filling: Optional[Segment] = None
        self._free: list[Segment] = []
        self._lent: dict[int, Segment] = {}
        self._numbers = itertools.count()
        self._dropped: list[int] = []

    def begin(self, returned: Sequence[int]) -> None:
        """Start a batch, and take back the segments that the parent has read."""
        for number in returned:
            self._free.append(self._lent.pop(number))
        if self._filling is None and self._free:
            self._filling = self._free.pop()
        if self._filling is not None:
            self._filling.used = 0
        while len(self._free) > self.spare:
            self._dropped.append(self._free.pop(0).number)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return an array for the batch to be filled, in the segment where it fits."""
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        offset = None if self._filling is None or dtype.hasobject or count == 0 else self._filling.allocate(count)
        if self._filling is None or offset is None:
            return np.empty(shape, dtype)
        return self._filling.bytes[offset : offset + count].view(dtype).reshape(shape)

    def send(self, connection: Connection, header: tuple[Any, ...], batch: Any) -> None:
        """Send ``(*header, description)`` and what the description announces."""
        text, arrays = dumps(batch)
        description, handle = self._place(text, arrays)
        messages.send(connection, (*header, description))
        if description.segment is None:
            for array in arrays:
                connection.send_bytes(array.data)
        elif handle is not None:
            send_handle(connection, handle, os.getppid())
            os.close(handle)

    def _place(self, text: bytes, arrays: list[np.ndarray]) -> tuple[Description, Optional[int]]:
        lengths = [array.nbytes for array in arrays]
        places: Optional[list[tuple[int, int]]] = None
        handle: Optional[int] = None
        if sum(lengths) >= SMALLEST:
            places = None if self._filling is None else _places(self._filling, arrays)
            if places is None and (made := self._new_segment(lengths)) is not None:
                if self._filling is not None:
                    self._dropped.append(self._filling.number)
                self._filling, handle = made
                places = _places(self._filling, arrays)
        dropped, self._dropped = tuple(self._dropped), []
        if self._filling is None or places is None:
            return Description(text, None, [(0, length) for length in lengths], dropped=dropped), None
        segment, self._filling = self._filling, None
        self._lent[segment.number] = segment
        return Description(text, segment.number, places, 0 if handle is None else segment.size, dropped), handle

    def _new_segment(self, lengths: Sequence[int]) -> Optional[tuple[Segment, int]]:
        size = -(-sum(length + _ALIGNMENT for length in lengths) // _PAGE) * _PAGE
        taken = sum(segment.size for segment in (*self._lent.values(), *self._free))
        if (self.limit is not None and taken + size > self.limit) or not hasattr(os, "memfd_create"):
            return None
        handle = os.memfd_create("batch")
        try:
            os.posix_fallocate(handle, 0, size)  # now: to find the memory missing later would kill the process
            return Segment(next(self._numbers), mmap.mmap(handle, size)), handle
        except OSError:  # no room: the pipe serves as well, only slower
            os.close(handle)
            return None


class _Lent(weakref.ref):
    """A segment's bytes while somebody reads them."""

    number: int


class BatchReader:
    """The parent's side, for one worker.

    Ctrl-C may come at any moment between two lines of Python. Where such a line is called by the end of an object, the
    interruption would be lost, and a socket that was just made would be left open. So what is called when a batch is
    dropped is no Python function, and one socket serves all segments.

    Args:
        connection: to the worker; over a socket.

    Attributes:
        socket: the connection's, for what only sockets can do.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.socket = socket.socket(fileno=os.dup(connection.fileno()))
        self._memory: dict[int, mmap.mmap] = {}
        self._lent: dict[int, _Lent] = {}
        self._returned: collections.deque[Any] = collections.deque()

    def returned(self) -> list[int]:
        """Return the numbers of the segments that nobody reads any more, each once."""
        numbers = [self._returned.popleft().number for _ in range(len(self._returned))]
        for number in numbers:
            del self._lent[number]
        return numbers

    def receive(self, description: Description) -> Any:
        """Return the batch; its arrays are writable and, where they lie in a segment, keep it from being filled."""
        arrays: list[Any] = []
        number = description.segment
        if number is None:
            for _, length in description.places:
                arrays.append(bytearray(length))
                self.connection.recv_bytes_into(arrays[-1])
        else:
            if description.new_size:
                (handle,) = recvfds(self.socket, 1)
                self._memory[number] = mmap.mmap(handle, description.new_size)
                os.close(handle)
            whole = np.frombuffer(self._memory[number], dtype=np.uint8)
            self._lent[number] = _Lent(whole, self._returned.append)
            self._lent[number].number = number
            arrays = [whole[offset : offset + length] for offset, length in description.places]
        for dropped in description.dropped:
            self._memory.pop(dropped, None)
        return pickle.loads(description.pickle, buffers=arrays)  # written by our own worker

    def close(self) -> None:
        """Close the socket; the connection is closed by itself."""
        self.socket.close()


class _Pickler(pickle.Pickler):
    """A Tensor in a batch is sent as an array: only the parent has an engine."""

    def reducer_override(self, value: Any) -> Any:
        if hasattr(value, "stop_gradient") and hasattr(value, "numpy"):
            return np.asarray(value.numpy()).__reduce_ex__(5)
        return NotImplemented


def dumps(value: Any) -> tuple[bytes, list[np.ndarray]]:
    """Return the pickle of a value, and apart from it the bytes of the arrays inside it."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Pickler(stream, 5, buffer_callback=buffers.append).dump(value)
    return stream.getvalue(), [np.frombuffer(buffer.raw(), dtype=np.uint8) for buffer in buffers]


def _places(segment: Segment, arrays: list[np.ndarray]) -> Optional[list[tuple[int, int]]]:
    """Copy what is not in the segment into it, and return where everything lies; None when it does not fit."""
    places = []
    for array in arrays:
        offset = segment.offset_of(array)
        if offset is None:
            offset = segment.allocate(array.nbytes)
            if offset is None:
                return None
            segment.bytes[offset : offset + array.nbytes] = array
        places.append((offset, array.nbytes))
    return places
