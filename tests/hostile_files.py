"""Files that would take memory, disk or time out of all proportion to their size, one function for each.

Every function writes one file, of a few kilobytes where nothing else is said, and returns its path. None of them names
code to be run; those stand in the tests of the unpickler.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Callable

import numpy as np

SPARSE_BYTES = 6_900_000_000
MEGABYTE = 1 << 20

_ARRAY = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
_UINT8 = b"cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R"


def _file(folder: Path, name: str, *parts: bytes) -> Path:
    path = folder / name
    path.write_bytes(b"".join(parts))
    return path


# Pickles


def _long(value: int) -> bytes:
    """The opcode of an integer of any length."""
    content = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8b" + struct.pack("<i", len(content)) + content


def _array(shape: bytes, content: bytes) -> bytes:
    """The opcodes of an array of bytes: those of its shape and those of its content."""
    return _ARRAY + b"(K\x01" + shape + _UINT8 + b"\x89" + content + b"tb"


def _pickled(folder: Path, *parts: bytes) -> Path:
    return _file(folder, "bomb.pdparams", b"\x80\x02", *parts, b".")


def huge_extents(folder: Path) -> Path:
    """An array of 32 axes, each of an integer of 32 KB (1 MB)."""
    shape = b"(" + _long(1 << 8 * 32_000) * 32 + b"t"
    return _pickled(folder, b"}U\x01w", _array(shape, b"U\x00"), b"s")


def empty_array_of_huge_extents(folder: Path) -> Path:
    """An array without elements whose other extents are beyond 64 bits."""
    return _pickled(folder, b"}U\x01w", _array(b"(" + _long(1 << 62) * 31 + b"K\x00t", b"U\x00"), b"s")


def shared_buffer(folder: Path) -> Path:
    """3,000 arrays of one megabyte that share their bytes (1.3 MB to 3 GB)."""
    entries = b"".join(
        b"U\x05" + b"%05d" % number + _array(b"h\x02", b"h\x01") for number in range(3000)
    )
    extents = b"J" + struct.pack("<i", MEGABYTE) + b"\x85q\x02"
    text = b"T" + struct.pack("<i", MEGABYTE) + bytes(MEGABYTE) + b"q\x010"
    return _pickled(folder, text, extents, b"0}(", entries, b"u")


def shared_slices(folder: Path) -> Path:
    """A parameter of 3,000 slices that are one array of a megabyte."""
    array = np.zeros(MEGABYTE, np.uint8)
    names = [f"w@@.{number}" for number in range(3000)]
    table = {"w": {"OriginShape": (3000 * MEGABYTE,), "slices": names}}
    value = {**dict.fromkeys(names, array), "UnpackBigParamInfor@@": table}
    return _file(folder, "slices.pdparams", pickle.dumps(value, 2))


def shared_pairs(folder: Path) -> Path:
    """3,000 tensors of different names that share one array of a megabyte."""
    array = np.zeros(MEGABYTE, np.uint8)
    return _file(folder, "pairs.pd", pickle.dumps([(f"t_{number}", array) for number in range(3000)], 4))


def copied_text(folder: Path) -> Path:
    """A text of one megabyte that is encoded 3,000 times."""
    text = b"X" + struct.pack("<I", MEGABYTE) + b"a" * MEGABYTE + b"q\x010"
    call = b"h\x02h\x01U\x06latin1\x86R"
    return _pickled(folder, text, b"c_codecs\nencode\nq\x020](", call * 3000, b"e")


def laughs_in_tuples(folder: Path) -> Path:
    """Tuples that hold the one before twice, sixty deep: 2^60 values when they are gone through."""
    return _pickled(folder, b")" + b"2\x86" * 60)


def laughs_in_dictionaries(folder: Path) -> Path:
    """Dictionaries that hold the one before twice, twenty-three deep: eight million entries when they are listed."""
    levels = b"".join(b"}(K\x00h%cK\x01h%cuq%c" % (level, level, level + 1) for level in range(23))
    return _pickled(folder, b"}q\x00" + levels)


def laughs_in_a_key(folder: Path) -> Path:
    """The tuples as the key of a dictionary, which is hashed."""
    return _pickled(folder, b"})" + b"2\x86" * 60 + b"K\x01s")


def deep_lists(folder: Path) -> Path:
    """Twenty thousand lists in one another."""
    return _pickled(folder, b"]" * 20_000 + b"a" * 19_999)


def deep_dictionaries_of_a_long_key(folder: Path) -> Path:
    """Four hundred dictionaries in one another under one name of a megabyte: their paths together have 80 GB."""
    key = b"X" + struct.pack("<I", MEGABYTE) + b"k" * MEGABYTE + b"q\x010"
    return _pickled(folder, key, b"}", b"h\x01}" * 400, b"s" * 400)


def many_sets(folder: Path) -> Path:
    """Ten million empty sets of one byte each (10 MB to 2 GB)."""
    return _file(folder, "sets.pdparams", b"\x80\x04(", b"\x8f" * 10_000_000, b"l.")


def long_integer(folder: Path) -> Path:
    """An integer of a megabyte, whose decimal digits take minutes."""
    return _pickled(folder, _long(1 << 8 * 1_000_000))


def long_decimal(folder: Path) -> Path:
    """An integer of a million decimal digits."""
    return _file(folder, "decimal.pdparams", b"L" + b"7" * 1_000_000 + b"L\n.")


def colliding_keys(folder: Path) -> Path:
    """Eighty thousand integers of one hash as keys (1 MB): a hundred seconds."""
    pairs = (b"\x8a\x0b" + (number * (2**61 - 1)).to_bytes(11, "little") + b"N" for number in range(9, 80_009))
    return _pickled(folder, b"}(", *pairs, b"u")


def memo_index(folder: Path) -> Path:
    """A value kept under number 2^32 - 1."""
    return _pickled(folder, b"]r\xff\xff\xff\xff")


PICKLES: tuple[Callable[[Path], Path], ...] = (
    huge_extents, empty_array_of_huge_extents, shared_buffer, shared_slices, shared_pairs, copied_text,
    laughs_in_tuples, laughs_in_dictionaries, laughs_in_a_key, deep_lists, deep_dictionaries_of_a_long_key, many_sets,
    long_integer, long_decimal, colliding_keys, memo_index,
)  # fmt: skip


# Other weight files


def _safetensors(folder: Path, header: bytes, content: bytes = b"") -> Path:
    return _file(folder, "bomb.safetensors", struct.pack("<Q", len(header)), header, content)


def repeated_tensor(folder: Path) -> Path:
    """A native file whose description names one array of a megabyte 3,000 times."""
    value = {"list": [{"tensor": "w", "name": f"t_{number}"} for number in range(3000)]}
    header = {
        "__metadata__": {"core": json.dumps({"version": 1, "value": value})},
        "w": {"dtype": "F32", "shape": [MEGABYTE // 4], "data_offsets": [0, MEGABYTE]},
    }
    return _safetensors(folder, json.dumps(header).encode(), bytes(MEGABYTE))


def long_number_in_a_header(folder: Path) -> Path:
    """A native file whose description is an integer of a million digits."""
    header = {"__metadata__": {"core": '{"version": 1, "value": ' + "7" * 1_000_000 + "}"}}
    return _safetensors(folder, json.dumps(header).encode())


def huge_header(folder: Path) -> Path:
    """A header that is announced with 90 MB, of blanks on the disk that take no room."""
    path = _file(folder, "header.safetensors", struct.pack("<Q", 90_000_000), b"{")
    with open(path, "r+b") as stream:
        stream.truncate(8 + 90_000_000)
    return path


def empty_mxnet_array(folder: Path) -> Path:
    """An array of MXNet's without elements whose other extents are beyond 64 bits."""
    array = struct.pack("<Iii3q", 0xF993FACA, 0, 3, 1 << 62, 1 << 62, 0) + struct.pack("<iii", 1, 0, 0)
    return _file(folder, "bomb.params", struct.pack("<QQQ", 0x112, 0, 1), array, struct.pack("<Q", 0))


def counted_mxnet_arrays(folder: Path) -> Path:
    """A file of MXNet's that announces 2^64 - 1 arrays."""
    return _file(folder, "count.params", struct.pack("<QQQ", 0x112, 0, (1 << 64) - 1))


def _fluid(extents: Iterable[int]) -> bytes:
    description = b"\x08\x05" + b"".join(b"\x10" + _varint(extent) for extent in extents)
    return struct.pack("<IQIi", 0, 0, 0, len(description)) + description


def _varint(value: int) -> bytes:
    content = b""
    while value > 127:
        content, value = content + bytes([value & 127 | 128]), value >> 7
    return content + bytes([value])


def huge_fluid_tensor(folder: Path) -> Path:
    """A tensor of Fluid's that announces 2^60 numbers."""
    return _file(folder, "huge_w", _fluid([1 << 30, 1 << 30]))


def empty_fluid_tensor(folder: Path) -> Path:
    """A tensor of Fluid's without elements whose other extents are beyond 64 bits."""
    return _file(folder, "empty_w", _fluid([1 << 62, 1 << 62, 0]))


def sparse_fluid_archive(folder: Path) -> Path:
    """A tar file of a Fluid tensor that is a hole of 6.9 GB (10 KB)."""
    extent = SPARSE_BYTES // 4
    start = _fluid([extent])
    return _sparse_tar(folder / "fluid.tar", "net/w", start, len(start) + 4 * extent)


WEIGHTS: tuple[Callable[[Path], Path], ...] = (
    repeated_tensor, long_number_in_a_header, huge_header, empty_mxnet_array, counted_mxnet_arrays, huge_fluid_tensor,
    empty_fluid_tensor, sparse_fluid_archive,
)  # fmt: skip


# Archives


def _sparse_tar(path: Path, name: str, start: bytes, size: int) -> Path:
    """A tar file in GNU's format with one member: its first bytes, and then a hole."""
    member = tarfile.TarInfo(name)
    member.type, member.size = tarfile.GNUTYPE_SPARSE, len(start)
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[345:500] = bytes(155)
    header[386:410] = b"%011o\0%011o\0" % (0, len(start))  # where its bytes belong, and how many they are
    header[483:495] = _octal(size)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    content = start + bytes(-len(start) % 512)
    path.write_bytes(bytes(header) + content + bytes(1024))
    return path


def _octal(size: int) -> bytes:
    return b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")


def _zeros(count: int) -> Iterator[bytes]:
    block = bytes(16 * MEGABYTE)
    while count:
        yield block[: min(count, len(block))]
        count -= min(count, len(block))


def _announced(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size = size
    return member.tobuf(tarfile.GNU_FORMAT)


def sparse_archive(folder: Path, name: str = "cifar-10-batches-py/data_batch_1") -> Path:
    """A tar file whose one member is a hole of 6.9 GB (10 KB)."""
    return _sparse_tar(folder / "sparse.tar", name, b"\x80", SPARSE_BYTES)


def bzip2_archive(folder: Path, name: str = "cifar-10-batches-py/data_batch_1") -> Path:
    """A tar file under bzip2 that announces a member of 6.9 GB and holds the first 8 MB of it."""
    return _file(folder, "bomb.tar.bz2", bz2.compress(_announced(name, SPARSE_BYTES) + bytes(8 * MEGABYTE)))


def long_header_archive(folder: Path) -> Path:
    """A tar file under gzip whose extended header has 16 MB."""
    member = tarfile.TarInfo("header")
    member.type, member.size = tarfile.XHDTYPE, 16 * MEGABYTE
    return _file(folder, "header.tar.gz", gzip.compress(member.tobuf() + bytes(16 * MEGABYTE)))


def nested_headers_archive(folder: Path) -> Path:
    """A tar file of five thousand long names, each for the one that follows."""
    member = tarfile.TarInfo("name")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 1
    return _file(folder, "names.tar.gz", gzip.compress((member.tobuf() + bytes(512)) * 5000))


def backward_archive(folder: Path) -> Path:
    """A tar file with a member of negative size, after which the same one follows for ever."""
    header = bytearray(_announced("again", 0))
    header[124:136] = b"\xff" * 10 + (-1024 & 0xFFFF).to_bytes(2, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return _file(folder, "backward.tar", _announced("first", 0), bytes(header), bytes(1024))


def many_entries_archive(folder: Path, count: int = 1_000_001) -> Path:
    """A zip file of a million and one entries, which share one name and one empty content (47 MB)."""
    entry = struct.pack("<I6H3I5H2I", 0x02014B50, 20, 20, 0, 0, 0, 0x21, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"x"
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0x21, 0, 0, 0, 1, 0) + b"x"
    place, size = len(local), len(entry) * count
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, place)
    locator = struct.pack("<IIQI", 0x07064B50, 0, place + size, 1)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return _file(folder, "entries.zip", local, entry * count, end64, locator, end)


def announced_zip(folder: Path, name: str = "data/a.bin") -> Path:
    """A zip file whose directory announces a member of 3 GB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(1000))
    content = stream.getvalue().replace(struct.pack("<I", 1000), struct.pack("<I", 3_000_000_000))
    return _file(folder, "announced.zip", content)


def gzip_idx(folder: Path, size: int = SPARSE_BYTES) -> Path:
    """An IDX file under gzip whose header promises 6.9 GB, in three axes."""
    header = struct.pack(">I3I", 0x803, size // 1_000_000, 1000, 1000)
    return _file(folder, "images-idx3-ubyte.gz", gzip.compress(header + bytes(MEGABYTE)))


def gzip_lines(folder: Path, size: int = SPARSE_BYTES) -> Path:
    """Text under gzip that unpacks to 6.9 GB; by default it takes 7 MB and half a minute to write."""
    path = folder / "edges.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for block in _zeros(size):
            stream.write(block)
    return path


def xz_archive(folder: Path, name: str = "cifar-10-batches-py/data_batch_1") -> Path:
    """As :func:`bzip2_archive`, under xz."""
    return _file(folder, "bomb.tar.xz", lzma.compress(_announced(name, SPARSE_BYTES) + bytes(8 * MEGABYTE), preset=0))


def matlab_file(folder: Path, size: int = 64 * MEGABYTE) -> Path:
    """A Matlab file whose one compressed element unpacks to zeros."""
    content = zlib.compress(bytes(size))
    start = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<HH", 0x0100, 0x4D49)
    return _file(folder, "labels.mat", start, struct.pack("<II", 15, len(content)), content)


def empty_tar(folder: Path) -> Path:
    """A tar file without members."""
    return _file(folder, "empty.tar", bytes(10240))


def empty_zip(folder: Path) -> Path:
    """A zip file without members."""
    return _file(folder, "empty.zip", struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0, 0, 0, 0, 0))


ARCHIVES: tuple[Callable[[Path], Path], ...] = (
    sparse_archive, bzip2_archive, xz_archive, long_header_archive, nested_headers_archive, backward_archive,
    announced_zip,
)  # fmt: skip
"""Those that every reader of archives refuses by itself; written in well under a second each."""
