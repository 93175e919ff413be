"""MXNet's .params layout, against files that MXNet 1.9.1 wrote and files written here byte by byte."""
from __future__ import annotations

import base64
import struct

import numpy as np
import pytest

from core.weights import read_mxnet_params

# mx.nd.save(path, {"arg:w": mx.nd.arange(6).reshape((2, 3)), "aux:m": mx.nd.array([1, 2], dtype="int64"),
#                   "h": mx.nd.array([1.5], dtype="float16")})
WITHOUT_NUMPY_SHAPES = base64.b64decode(
    "EgEAAAAAAAAAAAAAAAAAAAMAAAAAAAAAyfqT+QAAAAACAAAAAgAAAAAAAAADAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAIA/AAAAQAAAQEAAAIBAAACg"
    "QMn6k/kAAAAAAQAAAAIAAAAAAAAAAQAAAAAAAAAGAAAAAQAAAAAAAAACAAAAAAAAAMn6k/kAAAAAAQAAAAEAAAAAAAAAAQAAAAAAAAACAAAAAD4DAAAA"
    "AAAAAAUAAAAAAAAAYXJnOncFAAAAAAAAAGF1eDptAQAAAAAAAABo"
)
# after mx.util.set_np(): mx.npx.save(path, {"s": mx.np.array(3.0), "e": mx.np.zeros((0, 2))})
WITH_NUMPY_SHAPES = base64.b64decode(
    "EgEAAAAAAAAAAAAAAAAAAAIAAAAAAAAAyvqT+QAAAAAAAAAAAQAAAAAAAAAAAAAAAABAQMr6k/kAAAAAAgAAAAAAAAAAAAAAAgAAAAAAAAABAAAAAAAA"
    "AAAAAAACAAAAAAAAAAEAAAAAAAAAcwEAAAAAAAAAZQ=="
)


def file_of(tmp_path, content: bytes):
    path = tmp_path / "x.params"
    path.write_bytes(content)
    return path


def container(*arrays: bytes, names=()) -> bytes:
    content = struct.pack("<QQQ", 0x112, 0, len(arrays)) + b"".join(arrays) + struct.pack("<Q", len(names))
    return content + b"".join(struct.pack("<Q", len(name)) + name for name in names)


def test_files_of_mxnet(tmp_path):
    loaded = read_mxnet_params(file_of(tmp_path, WITHOUT_NUMPY_SHAPES))
    assert list(loaded) == ["arg:w", "aux:m", "h"]
    np.testing.assert_array_equal(loaded["arg:w"], np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(loaded["aux:m"], [1, 2])
    assert [loaded[name].dtype for name in loaded] == [np.float32, np.int64, np.float16]
    loaded = read_mxnet_params(file_of(tmp_path, WITH_NUMPY_SHAPES))
    assert loaded["s"].shape == () and loaded["s"] == 3.0 and loaded["e"].shape == (0, 2)


def test_version_1_version_0_and_bfloat16(tmp_path):
    version_1 = struct.pack("<Iiq", 0xF993FAC8, 1, 2) + struct.pack("<iii", 1, 0, 4) + struct.pack("<ii", 5, -6)
    version_0 = struct.pack("<III", 2, 1, 2) + struct.pack("<iii", 1, 0, 0) + struct.pack("<ff", 0.5, 2)
    brain = struct.pack("<Iiiq", 0xF993FACA, 0, 1, 1) + struct.pack("<iii", 1, 0, 12) + b"\xc0\xbf"
    loaded = read_mxnet_params(file_of(tmp_path, container(version_1, version_0, brain)))
    np.testing.assert_array_equal(loaded["0"], np.array([5, -6], np.int32))
    np.testing.assert_array_equal(loaded["1"], np.array([[0.5, 2]], np.float32))
    np.testing.assert_array_equal(loaded["2"], np.array([-1.5], np.float32))


DENSE = struct.pack("<Iiiq", 0xF993FACA, 0, 1, 1) + struct.pack("<iii", 1, 0, 0) + struct.pack("<f", 1)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "it is truncated"),
        (b"\x80\x04" + b"x" * 30, "it does not begin with MXNet's magic number"),
        (WITHOUT_NUMPY_SHAPES[:100], "it is truncated"),
        (container(struct.pack("<Ii", 0xF993FAC9, 1)), "it holds a row-sparse array; only dense ones can be read"),
        (container(struct.pack("<I", 77)), "unknown version 0x4d"),
        (container(struct.pack("<Iii", 0xF993FACA, 0, -1)), "never given a value"),
        (container(struct.pack("<Iii", 0xF993FACA, 0, 99)), "an array of 99 axes"),
        (container(struct.pack("<Iiiq", 0xF993FACA, 0, 1, -4)), r"an array of shape \(-4,\)"),
        (container(struct.pack("<Iiiqiii", 0xF993FACA, 0, 1, 1, 1, 0, 50)), "unknown data type 50"),
        (container(struct.pack("<Iiiqqiii", 0xF993FACA, 0, 2, 1 << 40, 1 << 40, 1, 0, 0)), "it is truncated"),
        (container(DENSE, names=(b"a", b"b")), "it has 1 arrays but 2 different names"),
        (container(DENSE, DENSE, names=(b"a", b"a")), "it has 2 arrays but 1 different names"),
        (container(DENSE, names=(b"\xff",)), "codec can't decode"),
    ],
)
def test_damaged_file_gives_one_line(content, message, tmp_path):
    with pytest.raises(ValueError, match=message) as caught:
        read_mxnet_params(file_of(tmp_path, content))
    assert "x.params' as an MXNet .params file" in str(caught.value) and "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_mxnet_params(tmp_path / "none.params")
