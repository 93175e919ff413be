"""safetensors files: values, layout, metadata and damaged files."""
from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from core.weights import read_safetensors, read_safetensors_with_metadata, write_safetensors


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


def test_refusals(tmp_path):
    path = tmp_path / "x.safetensors"
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_safetensors(path)
    with pytest.raises(TypeError, match="array 'w' must be a numpy array of real numbers, not a float"):
        write_safetensors({"w": 1.0}, path)
    with pytest.raises(TypeError, match="metadata entry 'epoch' must be text, not a int"):
        write_safetensors({}, path, {"epoch": 3})
    assert not path.exists()
