"""Arrays that are written row by row, and arrays that are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.io.array_file import array_file, read_array


@pytest.mark.parametrize(("row", "dtype"), [((3,), "float32"), ((2, 5), "int64"), ((), "<f8")])
def test_numpy_reads_what_was_appended(row: tuple[int, ...], dtype: str, tmp_path: Path) -> None:
    parts = [np.arange(count * max(int(np.prod(row)), 1)).reshape(count, *row) for count in (2, 0, 1, 1000)]
    with array_file(tmp_path / "a.npy", row, dtype) as file:
        for part in parts:
            file.append(part)
        assert not (tmp_path / "a.npy").exists()
    found = np.load(tmp_path / "a.npy", allow_pickle=False)
    assert found.dtype == np.dtype(dtype) and file.count == 1003
    np.testing.assert_array_equal(found, np.concatenate(parts))
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy", mmap_mode="r"), found)


def test_no_rows_are_an_array_without_rows(tmp_path: Path) -> None:
    with array_file(tmp_path / "a.npy", (4,)):
        pass
    assert np.load(tmp_path / "a.npy").shape == (0, 4)


def test_rows_of_another_shape_are_refused_and_leave_no_file(tmp_path: Path) -> None:
    message = r"rows of shape \(5,\) do not go with those of shape \(4,\) before"
    with pytest.raises(ValueError, match=message), array_file(tmp_path / "a.npy", (4,)) as file:
        file.append(np.zeros((2, 5)))
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_read_and_damaged_ones_named(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(read_array(path), [[0, 1, 2], [3, 4, 5]])
    good = path.read_bytes()
    for damaged in (
        b"",
        good[:40],
        good.replace(b"(2, 3)", b"((2, 3"),  # the words of the header end within a bracket
        good.replace(b"(2, 3), }  ", b"(2, 3000),}"),  # more than there is
        good.replace(b"'<i8'", b"'|O' "),
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="a.npy' is no .npy file of numbers: "):
            read_array(path)
    with pytest.raises(FileNotFoundError, match="no .npy file .*none.npy"):
        read_array(tmp_path / "none.npy")
