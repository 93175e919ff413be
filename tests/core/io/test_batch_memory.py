"""The way of a batch through shared memory, both ends in this process."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from core.io.collate import collate
from core.io.workers.batch_memory import SMALLEST, BatchReader, BatchWriter

Pipe = tuple[Connection, Connection]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = multiprocessing.Pipe()
    yield ends
    for end in ends:
        end.close()


@pytest.fixture
def reader(pipe: Pipe) -> Iterator[BatchReader]:
    reader = BatchReader(pipe[1])
    yield reader
    reader.close()


def passed(batch: Any, writer: BatchWriter, reader: BatchReader, pipe: Pipe, returned: Any = ()) -> tuple[Any, Any]:
    """Send a batch and return it with its description."""
    writer.begin([*reader.returned(), *returned])
    writer.send(pipe[0], ("batch",), batch)
    _, description = pipe[1].recv()
    return reader.receive(description), description


def large(value: int, rows: int = 1) -> np.ndarray:
    return np.full((rows, SMALLEST), value, np.uint8)


def test_memory_is_used_again_only_when_nobody_reads_it(reader: BatchReader, pipe: Pipe) -> None:
    writer = BatchWriter()
    first, seen = passed({"x": large(1)}, writer, reader, pipe)
    second, other = passed({"x": large(2)}, writer, reader, pipe)
    assert (seen.segment, other.segment) == (0, 1)
    part = first["x"][:, 5:9]
    del first
    third, again = passed({"x": large(3)}, writer, reader, pipe)
    assert again.segment == 2 and part.tolist() == [[1, 1, 1, 1]]
    del part
    fourth, again = passed({"x": large(4)}, writer, reader, pipe)
    assert (again.segment, again.new_size) == (0, 0)
    assert [batch["x"][0, 0] for batch in (second, third, fourth)] == [2, 3, 4]
    fourth["x"][:] = 9
    assert fourth["x"].flags.writeable and second["x"].max() == 2


def test_no_line_of_python_runs_when_a_batch_is_dropped(reader: BatchReader, pipe: Pipe) -> None:
    """Ctrl-C in such a line would be lost: Python only prints what is raised while an object ends."""
    batch, _ = passed(large(1), BatchWriter(), reader, pipe)
    called: list[str] = []
    sys.setprofile(lambda frame, event, argument: called.append(f"{event} {frame.f_code.co_name}"))
    del batch
    sys.setprofile(None)
    assert [line for line in called if line.startswith("call")] == [] and reader.returned() == [0]


def test_default_collation_writes_in_place(reader: BatchReader, pipe: Pipe) -> None:
    writer = BatchWriter()
    samples = [(large(number), number) for number in range(3)]
    batch, _ = passed(collate(samples, writer.empty), writer, reader, pipe)
    del batch
    writer.begin(reader.returned())
    image, label = collate(samples, writer.empty)
    assert writer._filling is not None and writer._filling.offset_of(image) == 0
    assert writer._filling.offset_of(np.zeros(3)) is None
    writer.send(pipe[0], ("batch",), [image, label])
    received = reader.receive(pipe[1].recv()[1])
    assert received[0].tolist() == np.stack([sample[0] for sample in samples]).tolist()
    assert received[1].tolist() == [0, 1, 2]


def test_a_larger_batch_gets_a_larger_segment_and_the_old_one_is_forgotten(reader: BatchReader, pipe: Pipe) -> None:
    writer = BatchWriter()
    batch, _ = passed(large(1), writer, reader, pipe)
    del batch
    batch, description = passed(large(2, rows=50), writer, reader, pipe)
    assert (description.segment, description.dropped) == (1, (0,)) and description.new_size >= 50 * SMALLEST
    assert list(reader._memory) == [1] and batch.min() == 2


def test_spare_segments_are_given_up(reader: BatchReader, pipe: Pipe) -> None:
    writer = BatchWriter(spare=1)
    held = [passed(large(number), writer, reader, pipe)[0] for number in range(5)]
    held.clear()
    _, description = passed(large(7), writer, reader, pipe)
    assert len(description.dropped) == 3 and len(reader._memory) == 2


@pytest.mark.parametrize("limit", [0, 1 << 20])
def test_without_room_arrays_go_through_the_pipe(limit: int, reader: BatchReader, pipe: Pipe) -> None:
    writer = BatchWriter(limit)
    held = []
    for number in range(3):
        batch, description = passed([large(number), "text"], writer, reader, pipe)
        assert description.segment == (0 if limit and number == 0 else None)
        held.append(batch)
    assert [batch[0].max() for batch in held] == [0, 1, 2]
    held[2][0][:] = 5


def test_small_batches_need_no_memory(reader: BatchReader, pipe: Pipe) -> None:
    batch, description = passed([np.arange(3), b"x"], BatchWriter(), reader, pipe)
    assert description.segment is None and batch[0].tolist() == [0, 1, 2] and batch[1] == b"x"


def test_nothing_is_left_where_the_system_has_no_room(
    reader: BatchReader, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    handles = len(os.listdir("/proc/self/fd"))
    batch, description = passed(large(1), BatchWriter(), reader, pipe)
    assert description.segment is None and batch.max() == 1
    assert len(os.listdir("/proc/self/fd")) == handles


def test_a_tensor_travels_as_an_array(reader: BatchReader, pipe: Pipe) -> None:
    import core

    batch, _ = passed([core.to_tensor([1.0, 2.0])], BatchWriter(), reader, pipe)
    assert isinstance(batch[0], np.ndarray) and batch[0].tolist() == [1.0, 2.0]
