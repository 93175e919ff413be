"""C's error stream, caught while an image or a video is decoded."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator
from typing import Optional


class _ErrorStream:
    """C's ``stderr`` during decoding: a small buffer. Python's own error stream is not touched.

    libjpeg and libtiff write their complaints there, and have no other way to make them known through their callers.
    """

    size = 1 << 16

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._variable = ctypes.c_void_p.in_dll(library, "stderr")
        self._tell, self._rewind = library.ftell, library.rewind
        library.fmemopen.restype = ctypes.c_void_p
        library.fmemopen.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
        library.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
        self._tell.restype, self._tell.argtypes = ctypes.c_long, [ctypes.c_void_p]
        self._rewind.restype, self._rewind.argtypes = None, [ctypes.c_void_p]
        self._content = ctypes.create_string_buffer(self.size)
        self._buffer = library.fmemopen(self._content, self.size, b"w")
        library.setvbuf(self._buffer, None, 2, 0)  # unbuffered, so that its position shows what was written
        self._original: Optional[int] = None
        self._users = 0
        self._lock = threading.Lock()

    def enter(self) -> int:
        """Catch what is written from now on; return how much was before."""
        with self._lock:
            if self._users == 0:
                self._rewind(self._buffer)
                self._original = self._variable.value
                self._variable.value = self._buffer
            self._users += 1
            return self.written()

    def leave(self) -> None:
        """Give the stream back when the last thread leaves."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._variable.value = self._original

    def abandon(self) -> None:
        """Give the stream back whoever uses it: in a forked process, where only one thread lives on."""
        if self._users > 0:
            self._variable.value = self._original

    def written(self) -> int:
        """Return how many bytes have been caught."""
        return int(self._tell(self._buffer))

    def text(self, begin: int) -> str:
        """Return what has been caught from a place on."""
        return self._content.raw[begin : self.written()].decode("utf-8", "replace")


class Caught:
    """What this thread, or one beside it, wrote since a place."""

    def __init__(self, stream: _ErrorStream, begin: int) -> None:
        self._stream, self._begin = stream, begin

    def anything(self) -> bool:
        """Tell whether there was anything."""
        return self._stream.written() != self._begin or self._begin > self._stream.size // 2

    def text(self) -> str:
        """Return it, up to the size of the buffer."""
        return self._stream.text(self._begin)


_stream: Optional[_ErrorStream] = None
_stream_lock = threading.Lock()


def _after_fork() -> None:
    """Start afresh: a thread that decoded while the process was forked does not come back to free what it held."""
    global _stream, _stream_lock
    if _stream is not None:
        _stream.abandon()
    _stream, _stream_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def error_stream() -> Iterator[Caught]:
    """Catch C's error stream; yields what returns what was written."""
    global _stream
    with _stream_lock:
        if _stream is None:
            _stream = _ErrorStream()
    stream = _stream
    before = stream.enter()
    try:
        yield Caught(stream, before)
    finally:
        stream.leave()
