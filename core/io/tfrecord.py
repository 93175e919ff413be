"""TFRecord files, read without TensorFlow: records with check sums, and the Examples in them.

A record is the length of its data (8 bytes), that number's check sum, the data, the data's check sum. An Example, or a
SequenceExample, is a message of protocol buffers: names, each with a list of byte strings, floats or whole numbers.
https://www.tensorflow.org/tutorials/load_data/tfrecord
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple, Union

import numpy as np

from core.io.crc32c import masked_crc32c

Values = Union[list[bytes], np.ndarray]
"""Of one name: byte strings; or float32 or int64 numbers."""

_HEAD, _SUM = 12, 4
"""Bytes of a length with its check sum, and of the data's check sum."""

LARGEST = 1 << 28
"""Bytes of a record, at most."""


class Record(NamedTuple):
    """Where a record is.

    Attributes:
        path: of the file.
        number: of the record in it, from 0.
        start: of its data, bytes.
        length: of its data, bytes.
    """

    path: str
    number: int
    start: int
    length: int

    @property
    def name(self) -> str:
        """The record, for messages."""
        return f"record {self.number} of {self.path!r}"


def find_records(path: str, skip_damaged: bool = False) -> Iterator[Record]:
    """Find the records of a file; their data is not read.

    Args:
        path: the file.
        skip_damaged: whether the file ends, without an error, before a record whose length cannot be right, as nothing
            behind that can be found.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a record's length does not fit its check sum or the file; the message names the record.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no TFRecord file {path!r}")
    size, place, number = os.path.getsize(path), 0, 0
    with open(path, "rb") as stream:
        while place < size:
            stream.seek(place)
            head = stream.read(_HEAD)
            problem, length = "", 0
            if len(head) < _HEAD:
                problem = "the file ends within its length"
            else:
                length, checksum = struct.unpack("<QI", head)
                if masked_crc32c(head[:8]) != checksum:
                    problem = "its length does not fit its check sum"
                elif length > LARGEST:
                    problem = f"it would have {length} bytes, more than {LARGEST}"
                elif place + _HEAD + length + _SUM > size:
                    problem = "the file ends within it"
            if problem:
                if skip_damaged:
                    return
                raise ValueError(f"record {number} of {path!r} is damaged: {problem}")
            yield Record(path, number, place + _HEAD, length)
            place += _HEAD + length + _SUM
            number += 1


def read_record(record: Record) -> bytes:
    """Return the data of a record.

    Raises:
        ValueError: it does not fit its check sum.
        OSError: the file cannot be read.
    """
    with open(record.path, "rb") as stream:
        stream.seek(record.start)
        data, checksum = stream.read(record.length), stream.read(_SUM)
    if len(data) < record.length or checksum != struct.pack("<I", masked_crc32c(data)):
        raise ValueError(f"{record.name} is damaged: its data does not fit its check sum")
    return data


def write_records(path: str, records: Any) -> None:
    """Write a file of records.

    Args:
        path: the file.
        records: the data of each, bytes.
    """
    with open(path, "wb") as stream:
        for data in records:
            length = struct.pack("<Q", len(data))
            stream.write(length + struct.pack("<I", masked_crc32c(length)))
            stream.write(data + struct.pack("<I", masked_crc32c(data)))


class Example(NamedTuple):
    """What a record holds.

    Attributes:
        context: the values of each name.
        sequences: of each name the values of each step; empty for an Example.
    """

    context: dict[str, Values]
    sequences: dict[str, list[Values]]


def parse_example(data: bytes, name: str = "the record") -> Example:
    """Read an Example or a SequenceExample.

    Args:
        data: of a record.
        name: of it, for messages.

    Raises:
        ValueError: it is neither.
    """
    try:
        context: dict[str, Values] = {}
        sequences: dict[str, list[Values]] = {}
        for field, value in _fields(data):
            if field == 1:
                context.update({key: _feature(inner) for key, inner in _entries(value)})
            elif field == 2:
                for key, inner in _entries(value):
                    sequences[key] = [_feature(step) for number, step in _fields(inner) if number == 1]
        return Example(context, sequences)
    except (IndexError, UnicodeDecodeError, ValueError, struct.error) as error:
        raise ValueError(f"{name} holds no Example: {error}") from None


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the number and value of each field of a message: bytes, or a whole number."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _varint(data, place)
            yield key >> 3, value
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            if place + size > len(data):
                raise ValueError("it ends within a number")
            yield key >> 3, data[place : place + size]
            place += size
        elif kind == 2:
            length, place = _varint(data, place)
            if place + length > len(data):
                raise ValueError("it ends within a field")
            yield key >> 3, data[place : place + length]
            place += length
        else:
            raise ValueError(f"it has a field of the unknown kind {kind}")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise ValueError("it ends within a number")
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def _entries(data: Any) -> Iterator[tuple[str, bytes]]:
    """Yield key and value of each entry of a map."""
    if not isinstance(data, bytes):
        raise ValueError("there is a number in place of a message")
    for field, entry in _fields(data):
        if field == 1:
            parts = dict(_fields(entry))
            key, value = parts.get(1, b""), parts.get(2, b"")
            if not isinstance(key, bytes) or not isinstance(value, bytes):
                raise ValueError("there is a number in place of a message")
            yield key.decode("utf-8"), value


def _feature(data: bytes) -> Values:
    """Return a list of byte strings, float32 or int64."""
    for field, value in _fields(data):
        if field not in (1, 2, 3) or not isinstance(value, bytes):
            raise ValueError("a feature is a list of bytes, floats or whole numbers")
        entries = [inner for number, inner in _fields(value) if number == 1]
        if field == 1:
            if not all(isinstance(entry, bytes) for entry in entries):
                raise ValueError("a list of bytes holds a number")
            return entries
        if field == 2:
            packed = b"".join(entry for entry in entries if isinstance(entry, bytes))
            if len(packed) % 4:
                raise ValueError("a list of floats ends within one")
            return np.frombuffer(packed, "<f4")
        return np.array([number for entry in entries for number in _whole_numbers(entry)], np.int64)
    return []


def _whole_numbers(entry: Any) -> list[int]:
    """Return the numbers of a packed list, or the one that is alone."""
    if isinstance(entry, int):
        found = [entry]
    else:
        found, place = [], 0
        while place < len(entry):
            number, place = _varint(entry, place)
            found.append(number)
    return [number - (1 << 64) if number >= 1 << 63 else number for number in found]
