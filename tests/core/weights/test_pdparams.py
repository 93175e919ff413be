"""Paddle's pickled parameter files, read and written with numpy alone."""
from __future__ import annotations

import io
import os
import pickle

import numpy as np
import pytest

from core.weights import read_pdparams, read_pickle, write_pdparams, write_pickle
from core.weights.formats import pdparams
from core.weights.formats.pdparams import NAME_TABLE


def test_round_trip_keeps_names_values_and_data_types(tmp_path):
    arrays = {
        "conv.weight": np.arange(12, dtype=np.float32).reshape(3, 4),
        "bn._mean": np.zeros((0,), np.float32),
        "step": np.array(7, dtype=np.int64),
        "mask": np.array([True, False]),
    }
    path = tmp_path / "new" / "model.pdparams"
    write_pdparams(arrays, path, names={"conv.weight": "conv2d_0.w_0"})
    loaded = read_pdparams(path)
    assert list(loaded) == list(arrays)
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype and loaded[name].shape == array.shape
        np.testing.assert_array_equal(loaded[name], array)
    # what an ordinary unpickler, Paddle's, sees in the same file
    with open(path, "rb") as stream:
        seen = pickle.load(stream)
    assert seen[NAME_TABLE] == {"conv.weight": "conv2d_0.w_0", "bn._mean": "bn._mean", "step": "step", "mask": "mask"}
    np.testing.assert_array_equal(seen["conv.weight"], arrays["conv.weight"])


def test_tensors_written_as_name_and_array(tmp_path):
    path = tmp_path / "nested.pdparams"
    path.write_bytes(pickle.dumps({"w": ("linear_0.w_0", np.ones(2, np.float32))}, protocol=4))
    np.testing.assert_array_equal(read_pdparams(path)["w"], [1, 1])


def test_slices_of_big_parameters_are_joined():
    value = {
        "w@@.0": np.arange(4.0),
        "w@@.1": np.arange(4.0, 6.0),
        "b": np.ones(1),
        "UnpackBigParamInfor@@": {"w": {"OriginShape": (2, 3), "slices": ["w@@.0", "w@@.1"]}},
    }
    loaded = read_pdparams(io.BytesIO(pickle.dumps(value, protocol=2)))
    assert sorted(loaded) == ["b", "w"]
    np.testing.assert_array_equal(loaded["w"], [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_big_parameters_are_cut_as_paddle_cuts_them(protocol, tmp_path, monkeypatch):
    monkeypatch.setattr(pdparams, "SLICE_BYTES", 10)  # two numbers of four bytes
    value = {"w": np.arange(5, dtype=np.float32).reshape(5, 1), "b": np.ones(2, np.float32), "epoch": 3}
    write_pickle(value, tmp_path / "x", protocol)
    seen = pickle.loads((tmp_path / "x").read_bytes())
    if protocol == 4:
        assert list(seen) == ["w", "b", "epoch"]
    else:
        names = ["w@@.0", "w@@.1", "w@@.2"]
        assert seen["UnpackBigParamInfor@@"] == {"w": {"OriginShape": (5, 1), "slices": names}}
        assert [seen[name].tolist() for name in names] == [[0, 1], [2, 3], [4]] and "w" not in seen
    loaded = read_pickle(tmp_path / "x")
    assert set(loaded) == set(value) and loaded["epoch"] == 3
    np.testing.assert_array_equal(loaded["w"], value["w"])


def test_slices_that_do_not_fit_are_refused():
    value = {"w@@.0": np.arange(4.0), "UnpackBigParamInfor@@": {"w": {"OriginShape": (2, 3), "slices": ["w@@.0"]}}}
    with pytest.raises(ValueError, match="the slices of parameter 'w' do not fit together"):
        read_pickle(io.BytesIO(pickle.dumps(value, protocol=2)))


class Call:
    def __reduce__(self):
        return os.system, ("touch executed",)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "model.pdparams': it is empty"),
        (b"PK\x03\x04 rest", "it is a zip archive"),
        (b"\x1f\x8b rest", "it is a gzip archive"),
        (b"<!DOCTYPE html>", "it is a web page"),
        (pickle.dumps({"w": np.arange(100.0)})[:-300], "it is truncated, or not a Paddle file; fetch or"),
        (pickle.dumps({"w": Call()}), r"it asks for posix.system, .*; nothing in it was run"),
        (pickle.dumps([1, 2]), "holds a list, not a dictionary of parameters"),
        (pickle.dumps({"n" * 5000: 3}), r"holds int under 'n{90,97}\.\.\.; a file of parameters"),
        (pickle.dumps({"epoch": 3}), "holds int under 'epoch'; a file of parameters holds arrays alone"),
    ],
)
def test_unreadable_file_gives_one_line(content, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.pdparams"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_pdparams(path)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["model.pdparams"]


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_pdparams(tmp_path / "none.pdparams")
    with pytest.raises(FileNotFoundError, match="it is a directory"):
        read_pdparams(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe': it is a pipe or a device; copy its content to a file first"):
        read_pdparams(tmp_path / "pipe")
    with pytest.raises(ValueError, match="it is a pipe or a device"):
        read_pickle("/dev/zero")


def test_only_numbers_are_written(tmp_path):
    with pytest.raises(TypeError, match="parameter 'w' must be a numpy array of numbers, not a list"):
        write_pdparams({"w": [1, 2]}, tmp_path / "w.pdparams")
    with pytest.raises(TypeError, match="not an array of data type object"):
        write_pdparams({"w": np.array([None])}, tmp_path / "w.pdparams")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("protocol", [1, 5, True, "4"])
def test_protocol_outside_paddles(protocol, tmp_path):
    with pytest.raises(ValueError, match="protocol must be 2, 3 or 4, as in Paddle"):
        write_pickle({}, tmp_path / "x.pdopt", protocol)
