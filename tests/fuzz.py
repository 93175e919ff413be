"""Damaged files for the fuzz tests: seeded mutations of good ones, read within bounds of time and memory.

Every damaged file is a function of its number alone, so a failure is repeated by its number. ``CORE_FUZZ=10`` in the
environment makes ten times as many of each.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import random
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

_INTERESTING = (0, 1, 2, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)


class TooSlow(BaseException):
    """A reader did not end in its time; no ``except Exception`` hides it."""


def cases(count: int) -> range:
    """Return the numbers of the damaged files: ``count`` of them, times CORE_FUZZ."""
    return range(count * max(1, int(os.environ.get("CORE_FUZZ", "1"))))


def mutated(number: int, seeds: Sequence[bytes]) -> bytes:
    """Return a damaged file.

    Args:
        number: which one; the same number gives the same file.
        seeds: good files; number ``n`` begins with ``seeds[n % len(seeds)]``, others give pieces.
    """
    source = random.Random(number)
    data = bytearray(seeds[number % len(seeds)])
    for _ in range(source.choice((1, 1, 1, 2, 3, 6))):
        source.choice(_MUTATIONS)(source, data, seeds)
    return bytes(data)


@contextlib.contextmanager
def bounds(seconds: float = 5.0, megabytes: int = 512) -> Iterator[None]:
    """Bound a block: past its time TooSlow is raised (a reader deaf to that ends the process), more memory is denied.

    Args:
        seconds: of the processor, which do not depend on what else the machine does; on the clock four times as many.
        megabytes: address space beyond what the process has now.

    Raises:
        TooSlow: the time is over.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as stream:
        now = int(stream.read().split()[0]) * resource.getpagesize()

    def ring(*_: Any) -> None:
        raise TooSlow(f"still reading after {seconds} s")

    timers = {signal.ITIMER_PROF: (signal.SIGPROF, seconds), signal.ITIMER_REAL: (signal.SIGALRM, 4 * seconds)}
    previous = {number: signal.signal(number, ring) for number, _ in timers.values()}
    faulthandler.dump_traceback_later(4 * seconds + 30, exit=True, file=sys.__stderr__)
    for timer, (_, limit) in timers.items():
        signal.setitimer(timer, limit)
    resource.setrlimit(resource.RLIMIT_AS, (now + (megabytes << 20), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        for timer in timers:
            signal.setitimer(timer, 0)
        faulthandler.cancel_dump_traceback_later()
        for number, handler in previous.items():
            signal.signal(number, handler)


def outcome(read: Callable[[], Any], *kinds: type[Exception], name: str = "") -> tuple[Any, Optional[str]]:
    """Read a damaged file: its content, or the message of an error that must be one clear line.

    Args:
        read: the reader.
        kinds: the errors that it may raise; any other is a failure of the test.
        name: what the line must name, such as the file.

    Returns:
        (content, None) or (None, message).
    """
    with bounds():
        try:
            return read(), None
        except kinds as error:
            message = str(error)
    assert message and len(message.splitlines()) == 1, f"not one line: {message!r}"
    assert len(message) <= 2000, f"{len(message)} characters: {message[:200]!r}"
    assert name in message, f"{name} is not named: {message!r}"
    return None, message


# The mutations: each changes ``data`` in place.


def _flip_bits(source: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    for _ in range(source.choice((1, 1, 2, 8)) if data else 0):
        data[_near_the_front(source, len(data))] ^= 1 << source.randrange(8)


def _set_bytes(source: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    for _ in range(source.choice((1, 1, 2, 4)) if data else 0):
        data[_near_the_front(source, len(data))] = source.choice((0, 1, 255, source.randrange(256)))


def _truncate(source: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    del data[source.randrange(len(data) + 1) :]


def _remove(source: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    start = _near_the_front(source, len(data))
    del data[start : start + source.randint(1, 40)]


def _repeat(source: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    start = _near_the_front(source, len(data))
    piece = data[start : start + source.randint(1, 40)]
    data[start:start] = piece * source.choice((1, 2, 50))


def _splice(source: random.Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    other = source.choice(seeds)
    start = source.randrange(len(other) + 1)
    piece = other[start : start + source.choice((4, 16, 64, len(other)))]
    place = _near_the_front(source, len(data))
    if source.random() < 0.5:
        data[place : place + len(piece)] = piece
    else:
        data[place:] = piece


def _set_length(source: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    """Write an interesting number where a length may stand."""
    width = source.choice((1, 2, 4, 8))
    place = _near_the_front(source, len(data))
    value = (source.choice(_INTERESTING) + source.choice((-1, 0, 0, 1))) % (1 << 8 * width)
    data[place : place + width] = value.to_bytes(width, source.choice(("little", "little", "big")))


_MUTATIONS = (_flip_bits, _flip_bits, _set_bytes, _truncate, _remove, _repeat, _splice, _set_length, _set_length)


def _near_the_front(source: random.Random, length: int) -> int:
    """Return a position; half of the time among the first 128, where headers stand."""
    return source.randrange(max(1, min(length, 128) if source.random() < 0.5 else length))
