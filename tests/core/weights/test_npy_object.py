"""An object in a .npy file: read without running it."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.weights.formats.npy_object import read_npy_object


def saved(path: Path, value: Any) -> Path:
    np.save(path, value, allow_pickle=True)
    return path


def test_a_dictionary_of_arrays(tmp_path: Path) -> None:
    weights = {"conv1_1": [np.arange(6.0).reshape(2, 3), np.ones(2, np.float32)], "data_dict": {"mean": (1, 2.5, "x")}}
    found = read_npy_object(saved(tmp_path / "weights.npy", weights))
    assert found.keys() == weights.keys() and found["data_dict"] == weights["data_dict"]
    for one, other in zip(found["conv1_1"], weights["conv1_1"]):
        np.testing.assert_array_equal(one, other)


def test_a_file_of_python_2(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "|O", "fortran_order": False, "shape": ()})
    pickle.dump(np.array({"conv1_1": [np.arange(3.0)]}, object), stream, protocol=2)
    (tmp_path / "old.npy").write_bytes(stream.getvalue())
    np.testing.assert_array_equal(read_npy_object(tmp_path / "old.npy")["conv1_1"][0], np.arange(3.0))


class Evil:
    """Runs something where it is unpickled."""

    def __reduce__(self) -> Any:
        return print, ("it ran",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array({"key": Evil()}, object), "asks for builtins.print, which is neither .*; nothing in it was run"),
        (np.zeros(3), r"it holds an array \(3,\) of float64, not one object"),
        (np.array([{}, 1], object), r"it holds an array \(2,\) of object, not one object"),
        (np.array({"inner": np.array({}, object)}, object), "a numpy array has no content; nothing in it was run"),
    ],
)
def test_what_is_refused(value: Any, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=message):
        read_npy_object(saved(tmp_path / "bad.npy", value))
    assert "it ran" not in capfd.readouterr().out


def test_files_that_are_broken(tmp_path: Path) -> None:
    whole = saved(tmp_path / "good.npy", {"conv1_1": np.zeros(40)}).read_bytes()
    for data, message in (
        (whole[:200], "it ends too early"),
        (b"no numpy file", "it is no .npy file"),
        (b"", "it is no .npy file"),
    ):
        (tmp_path / "bad.npy").write_bytes(data)
        with pytest.raises(ValueError, match=f"bad.npy': {message}"):
            read_npy_object(tmp_path / "bad.npy")
    with pytest.raises(FileNotFoundError, match="absent.npy"):
        read_npy_object(tmp_path / "absent.npy")
