"""TFRecord files: check sums with known values, files of bytes written by hand, and damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io.crc32c import crc32c, masked_crc32c
from core.io.tfrecord import LARGEST, find_records, parse_example, read_record, write_records


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0), (b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E), (bytes(reversed(range(32))), 0x113FDB5C),
    ],
)  # fmt: skip
def test_check_sums_of_rfc_3720(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected


@pytest.mark.parametrize("size", [127, 128, 129, 255, 256, 257, 1000, 4096, 5000])
def test_long_check_sums_are_those_of_bit_after_bit(size: int) -> None:
    data = np.random.RandomState(size).bytes(size)
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (0x82F63B78 if remainder & 1 else 0)
    assert crc32c(data) == remainder ^ 0xFFFFFFFF


def test_masked_check_sum_of_a_length() -> None:
    """TensorFlow's first bytes of a record of 5 bytes."""
    turned = (crc32c(struct.pack("<Q", 5)) >> 15 | crc32c(struct.pack("<Q", 5)) << 17) & 0xFFFFFFFF
    assert masked_crc32c(struct.pack("<Q", 5)) == (turned + 0xA282EAD8) % 2**32


HUGE = struct.pack("<Q", LARGEST + 1)


def number(value: int) -> bytes:
    """Return a varint."""
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def field(key: int, data: bytes) -> bytes:
    return number(key << 3 | 2) + number(len(data)) + data


def mapped(values: dict[str, bytes]) -> bytes:
    return b"".join(field(1, field(1, name.encode()) + field(2, value)) for name, value in values.items())


def of_bytes(*values: bytes) -> bytes:
    return field(1, b"".join(field(1, value) for value in values))


def of_floats(*values: float) -> bytes:
    return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))


def of_numbers(*values: int) -> bytes:
    return field(3, field(1, b"".join(number(value % 2**64) for value in values)))


CONTEXT = field(1, mapped({"id": of_bytes(b"abcd"), "labels": of_numbers(3, 300, -1), "mean": of_floats(0.5, -2.0)}))
FRAMES = field(2, mapped({"rgb": field(1, of_bytes(b"\x00\x01")) + field(1, of_bytes(b"\x02\x03"))}))


def test_examples_and_sequences() -> None:
    found = parse_example(CONTEXT + FRAMES)
    assert found.context["id"] == [b"abcd"]
    np.testing.assert_array_equal(found.context["labels"], [3, 300, -1])
    np.testing.assert_array_equal(found.context["mean"], np.float32([0.5, -2.0]))
    assert found.sequences == {"rgb": [[b"\x00\x01"], [b"\x02\x03"]]}
    single = field(1, mapped({"one": field(3, number(1 << 3) + number(7))}))  # a list that is not packed
    np.testing.assert_array_equal(parse_example(single).context["one"], [7])
    assert parse_example(b"").context == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0a\xff", "r holds no Example: it ends within a number"),
        (b"\x0a\x7f", "r holds no Example: it ends within a field"),
        (b"\x0b", "r holds no Example: it has a field of the unknown kind 3"),
        (number(8) + b"\x01", "r holds no Example: there is a number in place of a message"),
        (field(1, mapped({"a": field(4, b"")})), "r holds no Example: a feature is a list of bytes, floats or whole"),
        (field(1, mapped({"a": field(2, field(1, b"123"))})), "r holds no Example: a list of floats ends within one"),
        (field(1, field(1, field(1, b"\xff"))), "r holds no Example: 'utf-8' codec"),
    ],
)
def test_what_is_no_example(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_example(data, "r")


def test_records_are_found_and_read(tmp_path: Path) -> None:
    path = str(tmp_path / "a.tfrecord")
    data = [b"", b"first", np.random.RandomState(0).bytes(3000)]
    write_records(path, data)
    records = list(find_records(path))
    assert [read_record(record) for record in records] == data
    assert [(record.number, record.length) for record in records] == [(0, 0), (1, 5), (2, 3000)]


@pytest.mark.parametrize(
    ("change", "found", "message"),
    [
        (lambda whole: whole[:-1], 1, "record 1 of '.*' is damaged: the file ends within it"),
        (lambda whole: whole[:30], 1, "record 1 of '.*' is damaged: the file ends within its length"),
        (lambda whole: whole[:21] + b"\x09" + whole[22:], 1, "record 1 of '.*' is damaged: its length does not fit"),
        (
            lambda whole: HUGE + struct.pack("<I", masked_crc32c(HUGE)),
            0,
            "record 0 of '.*' is damaged: it would have 268435457 bytes, more than 268435456",
        ),
    ],
)
def test_lengths_that_cannot_be(tmp_path: Path, change: Any, found: int, message: str) -> None:
    path = tmp_path / "a.tfrecord"
    write_records(str(path), [b"first", b"second"])
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=message):
        list(find_records(str(path)))
    assert len(list(find_records(str(path), skip_damaged=True))) == found


def test_data_that_does_not_fit_its_check_sum(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    write_records(str(path), [b"first", b"second"])
    spoilt = bytearray(path.read_bytes())
    spoilt[13] ^= 1
    path.write_bytes(spoilt)
    first, second = find_records(str(path))
    with pytest.raises(ValueError, match="record 0 of '.*' is damaged: its data does not fit its check sum"):
        read_record(first)
    assert read_record(second) == b"second"
    with pytest.raises(FileNotFoundError, match="no TFRecord file '.*none'"):
        list(find_records(str(tmp_path / "none")))
