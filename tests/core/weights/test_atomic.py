"""Crash-safe writing: all or nothing."""
from __future__ import annotations

import os

import pytest

from core.weights import atomic_path, atomic_write


def test_file_appears_when_the_block_ends(tmp_path):
    path = tmp_path / "a" / "file"
    with atomic_write(path) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file"]


def test_failure_leaves_the_old_file_and_no_rest(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="stop"), atomic_write(path) as stream:
        stream.write(b"half")
        raise RuntimeError("stop")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_permissions_follow_the_umask_and_an_old_file(tmp_path):
    before = os.umask(0o022)
    try:
        with atomic_path(tmp_path / "new") as name, open(name, "w") as stream:
            stream.write("x")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o644
        os.chmod(tmp_path / "new", 0o600)
        with atomic_write(tmp_path / "new"):
            pass
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_what_cannot_be_written_has_its_own_name(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for path in ("/proc/none.png", str(tmp_path / "file" / "a.png")):
        with pytest.raises(OSError, match=f": '{path}'$"), atomic_path(path):
            pass


def test_symbolic_link_is_followed(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    with atomic_write(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


def test_directory_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="it is a directory; give the name of a file"), atomic_write(tmp_path):
        pass
