"""safetensors files: values, layout, metadata and damaged files."""
from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from core.weights import read_safetensors, read_safetensors_with_metadata, write_safetensors
from core.weights.formats.safetensors_file import read_safetensors_bits


def test_round_trip(tmp_path):
    arrays = {
        "w": np.arange(6, dtype=np.float32).reshape(2, 3).T,
        "scalar": np.array(2.5),
        "big endian": np.array([1, 2], dtype=">i4"),
        "flag": np.array([True]),
        "strided": np.arange(10, dtype=np.int64)[::3],
    }
    path = tmp_path / "x.safetensors"
    write_safetensors(arrays, path, {"format": "1"})
    loaded, metadata = read_safetensors_with_metadata(path)
    assert metadata == {"format": "1"} and set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert loaded[name].shape == array.shape and loaded[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(loaded[name], array)


def test_hand_written_file(tmp_path):
    header = json.dumps({"v": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    path = tmp_path / "hand.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack("<ff", 1.5, -2))
    np.testing.assert_array_equal(read_safetensors(path)["v"], np.array([1.5, -2], np.float32))
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"hand.safetensors' as a safetensors file: .*; fetch or write it again"):
        read_safetensors(path)


def test_the_library_reads_what_is_written_here(tmp_path):
    from safetensors.numpy import load_file

    rng = np.random.default_rng(0)
    arrays = {
        "flag": np.array([True, False, True]),
        "empty": np.zeros((0, 3), np.float16),
        "scalar": np.array(-2.5),
        **{kind: rng.integers(0, 100, (2, 3)).astype(kind) for kind in "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split()},
    }
    path = tmp_path / "x.safetensors"
    write_safetensors(arrays, path, {"note": "é"})
    loaded = load_file(path)
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype and loaded[name].shape == array.shape
        np.testing.assert_array_equal(loaded[name], array)
    assert list(read_safetensors(path)) == list(arrays)
    header = path.read_bytes()
    begins = [entry["data_offsets"][0] for name, entry in _header(header).items() if name in ("u8", "f8", "scalar")]
    assert all((8 + struct.unpack("<Q", header[:8])[0] + begin) % 8 == 0 for begin in begins)


def _header(content: bytes) -> dict:
    return json.loads(content[8 : 8 + struct.unpack("<Q", content[:8])[0]])


def test_bfloat16_is_widened_or_kept_as_bits(tmp_path):
    bits = np.array([[0x3FC0, 0xC000]], np.uint16)  # 1.5 and -2
    path = tmp_path / "x.safetensors"
    write_safetensors({"half": bits, "whole": bits}, path, bfloat16={"half"})
    header = _header(path.read_bytes())
    assert {name: entry["dtype"] for name, entry in header.items()} == {"half": "BF16", "whole": "U16"}
    loaded = read_safetensors(path)
    assert loaded["half"].dtype == np.float32 and loaded["half"].tolist() == [[1.5, -2.0]]
    assert loaded["whole"].dtype == np.uint16
    arrays, _, halves = read_safetensors_bits(path)
    np.testing.assert_array_equal(arrays["half"], bits)
    assert halves == {"half"}


def test_a_type_that_numpy_lacks_is_named(tmp_path):
    header = json.dumps({"v": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}).encode()
    path = tmp_path / "eight.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"xx")
    with pytest.raises(ValueError, match="array 'v' holds F8_E4M3 numbers, which numpy does not have"):
        read_safetensors(path)


def test_refusals(tmp_path):
    path = tmp_path / "x.safetensors"
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_safetensors(path)
    with pytest.raises(TypeError, match="array 'w' must be a numpy array of real numbers, not a float"):
        write_safetensors({"w": 1.0}, path)
    with pytest.raises(TypeError, match="the name of an array must be text, not a int"):
        write_safetensors({1: np.ones(2)}, path)
    with pytest.raises(TypeError, match="metadata entry 'epoch' must be text, not a int"):
        write_safetensors({}, path, {"epoch": 3})
    assert not path.exists()
