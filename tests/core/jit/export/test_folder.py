"""A folder that is whole or not there: what a killed export leaves, and what may not be lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import core
from core.jit.export.folder import new_folder
from core.jit.exported.file import is_exported


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_next_export_removes_what_killed_ones_left(tmp_path: Path) -> None:
    for name in (".exported.abcdefgh.tmp", ".exported.other.abcdefgh.tmp", ".exported.empty123.tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / ".exported.abcdefgh.tmp" / "weights").write_bytes(b"half")
    (tmp_path / ".exported.other.abcdefgh.tmp" / "weights").write_bytes(b"half")
    (tmp_path / ".exported.filefile.tmp").write_bytes(b"")
    with new_folder(tmp_path / "exported") as mine:
        (mine / "weights").write_bytes(b"mine")
        with new_folder(tmp_path / "exported") as beside:  # of a process that exports at the same time
            (beside / "weights").write_bytes(b"beside")
            assert (mine / "weights").read_bytes() == b"mine"
            (mine / "weights").rename(tmp_path / "kept")
            (beside / "weights").unlink()
    (tmp_path / "kept").unlink()
    kept = {".exported.other.abcdefgh.tmp", ".exported.empty123.tmp", ".exported.filefile.tmp"}
    assert names(tmp_path) == {"exported", *kept}


def test_an_export_that_was_being_replaced_is_kept_until_there_is_another(tmp_path: Path) -> None:
    earlier = tmp_path / ".exported.abcdefgh.old" / "export"
    earlier.mkdir(parents=True)
    (earlier / "weights").write_bytes(b"earlier")
    with new_folder(tmp_path / "exported"):
        assert (earlier / "weights").read_bytes() == b"earlier"
    with new_folder(tmp_path / "exported"):
        assert not earlier.exists()
    assert names(tmp_path) == {"exported"}


@pytest.mark.parametrize("failing", [1, 2])
def test_the_earlier_export_stays_where_a_signal_ends_its_replacement(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, calls = tmp_path / "exported", []
    core.jit.save(core.nn.Linear(2, 2), target, [core.static.InputSpec([1, 2])])
    rename = os.rename

    def interrupted(source: Any, destination: Any) -> None:
        calls.append(source)
        if len(calls) == failing:
            raise KeyboardInterrupt
        rename(source, destination)

    monkeypatch.setattr(os, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), new_folder(target) as folder:
        (folder / "weights").write_bytes(b"new")
    assert names(tmp_path) == {"exported"} and is_exported(target)
