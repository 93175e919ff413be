"""Functions on readers."""

from __future__ import annotations

import random
import threading
import time

import pytest

import core
from core import reader


def count(n: int) -> reader.Reader:
    return lambda: iter(range(n))


def test_readers_are_cut_joined_and_mapped() -> None:
    assert list(core.batch(count(5), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(core.batch(count(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(core.batch(count(0), 2)()) == []
    assert list(reader.map_readers(lambda a, b: a + b, count(3), lambda: iter([10, 20, 30]))()) == [10, 21, 32]
    assert list(reader.chain(count(2), count(3))()) == [0, 1, 0, 1, 2]
    assert list(reader.firstn(count(9), 2)()) == [0, 1]
    pairs = reader.compose(count(2), lambda: iter([(3, 4), (5, 6)]))
    assert list(pairs()) == list(pairs()) == [(0, 3, 4), (1, 5, 6)]


def test_readers_of_different_lengths() -> None:
    assert list(reader.compose(count(2), count(1), check_alignment=False)()) == [(0, 0)]
    with pytest.raises(reader.ComposeNotAligned, match="the readers have different lengths: use check_alignment=False"):
        list(reader.compose(count(2), count(1))())
    with pytest.raises(TypeError, match="compose: there is no argument 'colour'"):
        reader.compose(count(2), colour=1)
    with pytest.raises(ValueError, match="batch: batch_size must be a positive integer, not 0"):
        core.batch(count(2), 0)


def test_shuffling_keeps_samples_within_the_buffer() -> None:
    random.seed(0)
    shuffled = list(reader.shuffle(count(100), 10)())
    assert shuffled != list(range(100))
    assert [sorted(shuffled[i : i + 10]) for i in range(0, 100, 10)] == [
        list(range(i, i + 10)) for i in range(0, 100, 10)
    ]


def test_a_cached_reader_reads_once() -> None:
    calls = []

    def samples():
        calls.append(1)
        return iter([1, 2])

    cached = reader.cache(samples)
    assert list(cached()) == list(cached()) == [1, 2] and len(calls) == 1


def test_a_buffered_reader_reads_ahead_in_order_and_passes_errors_on() -> None:
    assert list(reader.buffered(count(50), 4)()) == list(range(50))

    def failing():
        yield 1
        raise OSError("the disk is gone")

    samples = reader.buffered(failing, 4)()
    assert next(samples) == 1
    with pytest.raises(OSError, match="the disk is gone"):
        next(samples)


def test_a_reader_that_is_left_stops_its_thread() -> None:
    before = threading.active_count()
    samples = reader.buffered(count(10**9), 2)()
    assert next(samples) == 0
    samples.close()
    for _ in range(100):
        if threading.active_count() == before:
            break
        time.sleep(0.05)
    assert threading.active_count() == before
