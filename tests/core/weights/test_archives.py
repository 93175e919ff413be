"""Archives and compressed files: honest ones whole, and bombs refused before they take memory, disk or time."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import signal
import stat
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from core.vision.datasets import MNIST, Cifar10, Flowers
from core.vision.datasets.idx import read_idx
from core.weights import limits
from core.weights.archives import archive_members, is_tar
from core.weights.compressed import ArchiveError, read_limited
from core.weights.unpacking import unpack
from tests import hostile_files
from tests.fuzz import bounds

FILES = {"top/a.txt": b"one", "top/deep/b.bin": bytes(range(256)) * 2000, "top/empty": b""}
TOO_MUCH = "unpacks to more than 2,000,000,000 bytes; if you trust it, pass a larger maximum_bytes"
BOMBS = {
    "sparse_archive": TOO_MUCH,
    "bzip2_archive": TOO_MUCH,
    "xz_archive": TOO_MUCH,
    "long_header_archive": "the header of a member is too long",
    "nested_headers_archive": "the header of a member is too long",
    "backward_archive": "a member has a negative size",
    "announced_zip": TOO_MUCH,
}


def write_tar(path: Path, files: dict[str, bytes], form: str = "w", **changes) -> Path:
    with tarfile.open(path, form) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in changes.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(content))
    return path


def write_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder.parent)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz", "zip"])
def test_members_of_every_kind_of_archive(mode, tmp_path) -> None:
    path = tmp_path / "archive"
    write_zip(path, FILES) if mode == "zip" else write_tar(path, FILES, mode)
    found = {member.name: (member.kind, member.size, member.read()) for member in archive_members(path)}
    assert found == {name: ("file", len(content), content) for name, content in FILES.items()}
    assert {member.name: member.open().read() for member in archive_members(path)} == FILES
    assert is_tar(path) == (mode != "zip")
    for cut in (path.stat().st_size // 2, path.stat().st_size // 3):
        path.write_bytes(path.read_bytes()[:cut])
        with pytest.raises(ArchiveError):
            [member.read() for member in archive_members(path)]


@pytest.mark.parametrize("damage", ["changed", "cut"])
def test_a_damaged_header_is_not_the_end_of_an_archive(damage, tmp_path) -> None:
    path = write_tar(tmp_path / "set.tar", {"a": b"1", "b": b"2", "c": b"3"})
    content = path.read_bytes()
    path.write_bytes(content[:1030] + b"\xff" + content[1031:] if damage == "changed" else content[:1300])
    with pytest.raises(ArchiveError, match="the header of a member is damaged"):
        [member.read() for member in archive_members(path)]
    path.write_bytes(content[:1024])  # without the blocks that end it, as some programs write them
    assert [member.read() for member in archive_members(path)] == [b"1"]


def test_a_sparse_file_within_the_limit_is_read_with_its_holes(tmp_path) -> None:
    path = hostile_files._sparse_tar(tmp_path / "sparse.tar", "a", b"start", 5000)
    assert [member.read() for member in archive_members(path)] == [b"start" + bytes(4995)]


@pytest.mark.parametrize("write", hostile_files.ARCHIVES, ids=lambda write: write.__name__)
def test_bombs_are_refused_by_every_reader(write, tmp_path) -> None:
    path = write(tmp_path)
    message = BOMBS[write.__name__]
    assert path.stat().st_size < 100_000
    with bounds(10, 256):
        with pytest.raises(ValueError, match=message):
            for member in archive_members(path):
                member.read()
        with pytest.raises(ValueError, match=message):
            unpack(path)
        with pytest.raises(ValueError, match=message):
            Cifar10(str(path))
    assert [entry for entry in os.listdir(tmp_path) if "unpack" in entry] == []


def test_the_limit_can_be_raised_and_lowered(tmp_path) -> None:
    path = write_tar(tmp_path / "a.tar.gz", {"a": bytes(3_000_000), "b": bytes(3_000_000)}, "w:gz")
    assert sum(len(member.read()) for member in archive_members(path, 7_000_000)) == 6_000_000
    with pytest.raises(limits.LimitError, match=r"a.tar.gz' unpacks to more than 5,000,000 bytes; if you trust it"):
        list(archive_members(path, 5_000_000))
    with pytest.raises(ValueError, match="unpacks to more than 5,000,000 bytes"):
        unpack(path, maximum_bytes=5_000_000)


def test_two_hundred_times_the_size_is_free(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(limits, "_UNPACKED_BYTES", 1000)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(os.urandom(1000) + bytes(150_000)))
    assert len(read_limited(path)) == 151_000
    path.write_bytes(gzip.compress(bytes(1_000_000)))
    size = path.stat().st_size
    with pytest.raises(limits.LimitError, match=f"unpacks to more than {200 * size:,} bytes"):
        read_limited(path)


def test_entries_are_counted(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(limits, "MOST_ENTRIES", 50)
    files = {str(number): b"" for number in range(51)}
    for path in (write_tar(tmp_path / "many.tar", files), write_zip(tmp_path / "many.zip", files)):
        with pytest.raises(limits.LimitError, match="many.*' holds more than 50 entries"):
            list(archive_members(path))


@pytest.mark.exhaustive
def test_a_million_entries(tmp_path) -> None:
    with bounds(60, 1500), pytest.raises(ValueError, match="holds more than 1,000,000 entries"):
        list(archive_members(hostile_files.many_entries_archive(tmp_path)))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_compressed_files(compress, tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(compress(b"content" * 500_000))
    assert read_limited(path) == b"content" * 500_000


def test_an_idx_file_is_refused_by_its_header(tmp_path) -> None:
    with bounds(5, 256), pytest.raises(ValueError, match=TOO_MUCH):
        read_idx(str(hostile_files.gzip_idx(tmp_path)))
    labels = tmp_path / "labels"
    labels.write_bytes(b"\0\0\x08\x01\0\0\0\x02ab")
    with pytest.raises(ValueError, match=r"images-idx3-ubyte.gz' unpacks to more than 9,000 bytes"):
        MNIST(str(hostile_files.gzip_idx(tmp_path, 2_000_000)), str(labels), maximum_bytes=9000)
    assert read_idx(str(labels)).tolist() == [97, 98]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0\x08\x21" + b"\0\0\0\x01" * 33 + b"x", "is not an IDX file of unsigned bytes"),
        (b"\0\0\x08\x04" + b"\xff\xff\xff\xff" * 4, "its header promises 340282366\\d+ bytes of data, 0 are there"),
        (b"\0\0\x08\x01\0\0\0\x02abc", "its header promises 2 bytes of data, 3 are there"),
        (b"\0\0\x08\x03\0\0", "is not an IDX file of unsigned bytes"),
    ],
)
def test_headers_of_idx_files_that_lie(content, message, tmp_path) -> None:
    (tmp_path / "images").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_idx(str(tmp_path / "images"))


def test_a_matlab_file_is_counted_before_scipy_reads_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(limits, "_UNPACKED_BYTES", 10_000_000)
    with pytest.raises(ValueError, match=r"Flowers: '.*labels.mat' unpacks to more than"):
        Flowers(*[str(hostile_files.matlab_file(tmp_path))] * 3)


# Unpacking to the disk


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_unpacked_once_whole_and_with_usual_rights(kind, tmp_path) -> None:
    path = tmp_path / f"set.{kind}"
    if kind == "zip":
        write_zip(path, FILES)
    else:
        write_tar(path, FILES, "w:gz" if "gz" in kind else "w", mode=0o7777, uid=12345, mtime=1)
    result = unpack(path)
    assert result == tmp_path / "top" and content_of(result) == FILES
    mask = os.umask(0)
    os.umask(mask)
    for entry in result.rglob("*"):
        assert stat.S_IMODE(entry.stat().st_mode) == (0o777 if entry.is_dir() else 0o666) & ~mask
    before = (result / "a.txt").stat()
    (result / "own.txt").write_text("the user's")
    assert unpack(path) == result and (result / "a.txt").stat().st_ino == before.st_ino
    assert sorted(os.listdir(tmp_path)) == [f".set.{kind}.lock", f".set.{kind}.unpacked", f"set.{kind}", "top"]


def test_new_content_replaces_what_was_unpacked(tmp_path) -> None:
    path = write_zip(tmp_path / "set.zip", {"top/a": b"old", "top/gone": b"x"})
    unpack(path)
    write_zip(path, {"top/a": b"new"})
    assert content_of(unpack(path)) == {"top/a": b"new"}
    write_zip(path, {"a": b"1", "b": b"2"})
    assert content_of(unpack(path)) == {"set/a": b"1", "set/b": b"2"}


def test_what_others_put_there_is_never_replaced(tmp_path) -> None:
    path = write_zip(tmp_path / "set.zip", FILES)
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "a.txt").write_bytes(b"one")  # as a release that unpacked in place left it when it was killed
    with pytest.raises(ValueError, match="top is there already and is not what the archive holds; move it away"):
        unpack(path)
    assert content_of(tmp_path / "top") == {"top/a.txt": b"one"}
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    before = (tmp_path / "top" / "a.txt").stat().st_ino
    assert unpack(path) == tmp_path / "top" and (tmp_path / "top" / "a.txt").stat().st_ino == before


@pytest.mark.parametrize("write", [hostile_files.empty_tar, hostile_files.empty_zip], ids=["tar", "zip"])
def test_an_empty_archive_is_an_error(write, tmp_path) -> None:
    with pytest.raises(ValueError, match="empty.* is empty: nothing was unpacked"):
        unpack(write(tmp_path))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": b"", "a/b": b""}, "holds a file and a directory of one name"),
        ({"/a": b""}, "would unpack '/a' outside its directory"),
        ({"a\\b": b""}, r"would unpack 'a\\\\b' outside its directory"),
        ({"top/../../a": b""}, "would unpack 'top/../../a' outside its directory"),
    ],
)
def test_paths_that_cannot_be(files, message, tmp_path) -> None:
    with pytest.raises(ValueError, match=message):
        unpack(write_tar(tmp_path / "set.tar", files))
    assert sorted(os.listdir(tmp_path)) == [".set.tar.lock", "set.tar"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(kind, tmp_path) -> None:
    path = write_tar(tmp_path / "set.tar", {"top/a": b""}, type=kind, linkname="/etc/passwd")
    with pytest.raises(ValueError, match="holds a link or device 'top/a'; it was not unpacked"):
        unpack(path)


def test_an_entry_of_the_archives_own_name(tmp_path) -> None:
    path = write_zip(tmp_path / "set.zip", {"set.zip": b"inner"})
    assert unpack(path) == tmp_path / "set" and (tmp_path / "set" / "set.zip").read_bytes() == b"inner"


KILLED = """
import os, sys, threading
from core.weights import unpacking
written = []
def write(*arguments, real=unpacking._write):
    real(*arguments)
    written.append(1)
    if len(written) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
unpacking._write = write
print(unpacking.unpack(sys.argv[1]))
"""


@pytest.mark.parametrize("count", [1, 405])
def test_a_kill_while_unpacking_leaves_nothing_that_is_taken_for_whole(count, tmp_path) -> None:
    files = {f"top/{number}.jpg": b"%d" % number for number in range(800)}
    path = write_tar(tmp_path / "set.tar", files)
    process = subprocess.run([sys.executable, "-c", KILLED, str(path), str(count)], check=False, timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "top").exists() and len(os.listdir(tmp_path)) == 3
    assert content_of(unpack(path)) == files
    assert sorted(os.listdir(tmp_path)) == [".set.tar.lock", ".set.tar.unpacked", "set.tar", "top"]


@pytest.mark.exhaustive
def test_kills_at_any_time(tmp_path) -> None:
    files = {f"top/{number}.jpg": b"%d" % number * 100 for number in range(3000)}
    path = write_tar(tmp_path / "set.tar", files)
    program = "import sys; from core.weights.unpacking import unpack; print('ready', flush=True); unpack(sys.argv[1])"
    for attempt in range(40):
        with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline()
            time.sleep(0.01 * attempt)
            process.kill()
        if (tmp_path / "top").exists():
            assert content_of(tmp_path / "top") == files
        files["top/0.jpg"] = b"%d" % attempt
        write_tar(path, files)
    assert content_of(unpack(path)) == files


def test_two_processes_unpack_once(tmp_path) -> None:
    path = write_tar(tmp_path / "set.tar", FILES)
    program = "import sys; from core.weights.unpacking import unpack; print(unpack(sys.argv[1]))"
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert {process.communicate(timeout=60)[0] for process in running} == {f"{tmp_path / 'top'}\n"}
    assert content_of(tmp_path / "top") == FILES


def test_reading_needs_no_right_to_write_where_it_has_been_unpacked(tmp_path, monkeypatch) -> None:
    path = write_tar(tmp_path / "set.tar", FILES)
    unpack(path)
    monkeypatch.setattr("core.weights.unpacking.lock", lambda *_: pytest.fail("locked"))
    assert unpack(path) == tmp_path / "top"
    assert len(content_of(tmp_path / "top")) == 3
