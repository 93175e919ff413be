"""PyTorch's files, written by torch 2 as an archive and as before 1.6, and what none of them may do."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.weights import file_format, read_weights
from core.weights.formats.pytorch import STREAM
from core.weights.read import read_bits

DATA = Path(__file__).parent / "data"
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
EXPECTED = {
    "weight": np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
    "bias": np.array([-1.5, 2.5], np.float32),
    "table": TABLE,
    "tied": TABLE,
    "turned": TABLE.T,
    "part": TABLE[1:3, 1:],
    "parameter": np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
    "half": np.array([0.5, -2], np.float16),
    "brain": np.array([1.5, -2], np.float32),
    "count": np.array(7),
    "flags": np.array([True, False]),
    "none": np.zeros((0, 3), np.float32),
}


@pytest.mark.parametrize("name", ["archive.bin", "stream.bin"])
def test_files_of_torch(name: str) -> None:
    assert file_format(DATA / name) == "pytorch"
    found = read_weights(DATA / name)
    assert list(found) == list(EXPECTED)
    for key, wanted in EXPECTED.items():
        np.testing.assert_array_equal(found[key], wanted)
        assert found[key].dtype == wanted.dtype and found[key].flags.writeable
    arrays, halves = read_bits(DATA / name)
    assert halves == {"brain"} and arrays["tied"] is arrays["table"]
    np.testing.assert_array_equal(core.load(str(DATA / name))["turned"].numpy(), TABLE.T)


def test_parameters_beside_other_things() -> None:
    np.testing.assert_array_equal(read_weights(DATA / "nested.pt")["w"], TABLE)


class Call:
    """Pickles as a call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.parts = function, arguments

    def __reduce__(self) -> Any:
        return self.parts


def changed(entries: dict[str, Any], tmp_path: Path) -> Path:
    """Write the archive with some entries replaced, or left out where they are None."""
    path = tmp_path / "changed.bin"
    with zipfile.ZipFile(DATA / "archive.bin") as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.namelist():
            content = entries.get(entry.partition("/")[2], source.read(entry))
            if content is not None:
                target.writestr(entry, content)
    return path


def pickled() -> bytes:
    with zipfile.ZipFile(DATA / "archive.bin") as source:
        return source.read("archive/data.pkl")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"data.pkl": None}, "a zip archive, but none of PyTorch: it has no NAME/data.pkl; nothing in it was run"),
        ({"data/1": None}, "it has no 'archive/data/1'"),
        ({"data/1": b"123"}, "the storage '1' is truncated"),
        ({"byteorder": b"big"}, "its numbers are big-endian"),
        ({"data.pkl": pickle.dumps(Call(os.system, "true"))}, "asks for posix.system, which is neither"),
        ({"data.pkl": pickled()[:200]}, "it ends too early"),
        ({"data.pkl": pickled().replace(b"FloatStorage", b"FloatStorege")}, "asks for torch.FloatStorege"),
        ({"data.pkl": pickle.dumps({"a": 3})}, "holds int under 'a'; a file of parameters holds tensors alone"),
        ({"data.pkl": pickle.dumps([1])}, "holds a list, not a dictionary of parameters"),
    ],
)
def test_what_is_refused(entries: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_weights(changed(entries, tmp_path))


def program(shape: bytes, strides: bytes, offset: int = 0, count: int = 2, more: bytes = b"") -> bytes:
    """Return the pickle of {"a": a view of the storage "1"}, with opcodes after the view's arguments."""
    storage = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x001X\x03\x00\x00\x00cpuK%ctQ" % count
    rebuild = b"ctorch._utils\n_rebuild_tensor_v2\n"
    view = b"(" + storage + b"K%c" % offset + shape + strides + b"\x89)tR"
    return b"\x80\x02}X\x01\x00\x00\x00a" + rebuild + view + more + b"s."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (program(b"K\x03\x85", b"K\x01\x85"), r"a tensor of shape \[3\] reaches beyond its storage of 2"),
        (program(b"K\x02\x85", b"K\x01\x85", offset=1), r"a tensor of shape \[2\] reaches beyond its storage of 2"),
        (program(b"J\xff\xff\xff\xff\x85", b"K\x01\x85"), "a tensor has an unknown form"),
        (program(b"K\x02", b"K\x01\x85"), "a tensor has an unknown form"),
        (program(b"K\x02K\x02\x86", b"K\x01\x85"), "reaches beyond"),
        (program(b"J\xff\xff\xff\x7f\x85", b"K\x00\x85"), "its arrays have more than 1,"),
        (program(b"K\x02\x85", b"K\x01\x85", count=9), "the storage '1' is truncated"),
        (b"\x80\x02ctorch\nFloatStorage\n(N}X\x05\x00\x00\x00dtypeX\x03\x00\x00\x00<f8stb.", "tries to change a type"),
    ],
)
def test_views_beyond_their_storage(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_weights(changed({"data.pkl": content, "data/1": bytes(8)}, tmp_path))
    np.testing.assert_array_equal(read_weights(DATA / "nested.pt")["w"], TABLE)


def test_a_view_with_strides_of_zero_repeats(tmp_path: Path) -> None:
    path = changed({"data.pkl": program(b"K\x03\x85", b"K\x00\x85"), "data/1": np.float32([2, 3]).tobytes()}, tmp_path)
    np.testing.assert_array_equal(read_weights(path)["a"], [2, 2, 2])


@pytest.mark.parametrize("cut", [20, 200, 1300, 1600])
def test_a_stream_that_ends(cut: int, tmp_path: Path) -> None:
    whole = (DATA / "stream.bin").read_bytes()
    assert whole.startswith(STREAM)
    (tmp_path / "cut.bin").write_bytes(whole[:cut])
    with pytest.raises(ValueError, match="nothing in it was run"):
        read_weights(tmp_path / "cut.bin")


def test_an_archive_that_unpacks_to_more_than_it_may(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", pickled())
        archive.writestr("archive/data/0", bytes(5_000_000))
    (tmp_path / "bomb.bin").write_bytes(out.getvalue())
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_weights(tmp_path / "bomb.bin")
