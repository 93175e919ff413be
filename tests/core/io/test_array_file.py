"""Arrays that are written row by row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.io.array_file import array_file


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
    told = r"rows of shape \(5,\) do not go with those of shape \(4,\) before"
    with pytest.raises(ValueError, match=told), array_file(tmp_path / "a.npy", (4,)) as file:
        file.append(np.zeros((2, 5)))
    assert list(tmp_path.iterdir()) == []
