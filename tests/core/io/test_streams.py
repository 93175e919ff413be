"""Reading from files anywhere: local ones, fsspec's memory, and a server on this machine."""

from __future__ import annotations

import bz2
import functools
import gzip
import http.server
import io
import lzma
import os
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest

from core.io import (
    DataLoader,
    LineDataset,
    ShuffledStream,
    StreamDataset,
    TarDataset,
    list_files,
    open_path,
    read_bytes,
)
from core.io import loader as loader_module
from core.io.randomness import sample_scope
from tests import hostile_files
from tests.core.io import worker_datasets

LINES = [f"line {number} \u00e4" for number in range(20)]
TEXT = "\n".join(LINES).encode() + b"\n"


@pytest.fixture(autouse=True)
def _arrays_instead_of_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader_module, "to_tensors", lambda batch: batch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "c.bz2").write_bytes(bz2.compress(TEXT))
    (tmp_path / "d.XZ").write_bytes(lzma.compress(TEXT))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT)[:-9])
    (tmp_path / "wrong.gz").write_bytes(TEXT)
    with tarfile.open(tmp_path / "samples.tar", "w") as archive:
        for number in range(6):
            for extension, content in (("cls", b"%d" % number), ("seg.png", b"p" * number)):
                member = tarfile.TarInfo(f"train/{number:03d}.{extension}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    (tmp_path / "samples.tar.gz").write_bytes(gzip.compress((tmp_path / "samples.tar").read_bytes()))
    return tmp_path


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; a path that ends in "broken" breaks off."""

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path.endswith("broken"):
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(b"half a line\n" * 1000)
            self.close_connection = True
        else:
            super().do_GET()

    def do_HEAD(self) -> None:
        if self.path.endswith("broken"):
            self.send_response(405)
            self.end_headers()
        else:
            super().do_HEAD()


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def memory(folder: Path) -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for path in folder.rglob("*"):
        if path.is_file():
            system.pipe(f"/data/{path.relative_to(folder)}", path.read_bytes())
    yield "memory://data"
    system.rm("/data", recursive=True)


@pytest.mark.parametrize("place", ["folder", "memory", "url"])
def test_lines_from_anywhere(place: str, request: pytest.FixtureRequest) -> None:
    base = str(request.getfixturevalue(place))
    assert list(LineDataset(f"{base}/a.txt")) == LINES
    several = LineDataset([f"{base}/{name}" for name in ("a.txt", "deep/b.txt.gz", "c.bz2", "d.XZ")], transform=len)
    assert list(several) == 4 * [len(line) for line in LINES]
    with open_path(f"{base}/a.txt", "r") as stream:
        assert stream.readlines() == [line + "\n" for line in LINES]
    with open_path(f"{base}/deep/b.txt.gz", decompress=False) as stream:
        assert stream.read(2) == b"\x1f\x8b"
    assert read_bytes(f"{base}/samples.tar")[:13] == b"train/000.cls"


@pytest.mark.parametrize("place", ["folder", "memory", "url"])
@pytest.mark.parametrize("name", ["samples.tar", "samples.tar.gz"])
def test_records_of_tar_files(place: str, name: str, request: pytest.FixtureRequest) -> None:
    records = list(TarDataset(f"{request.getfixturevalue(place)}/{name}"))
    assert [record["__key__"] for record in records] == [f"train/{number:03d}" for number in range(6)]
    assert records[4] == {"__key__": "train/004", "cls": b"4", "seg.png": b"pppp"}


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_folders_are_listed(place: str, request: pytest.FixtureRequest) -> None:
    base = str(request.getfixturevalue(place))
    names = [path[path.index(base.split("://")[-1]) + len(base.split("://")[-1]) + 1 :] for path in list_files(base)]
    assert names == ["a.txt", "c.bz2", "cut.gz", "d.XZ", "deep/b.txt.gz", "samples.tar", "samples.tar.gz", "wrong.gz"]
    assert [os.path.basename(path) for path in list_files(base, (".TXT", ".xz"))] == ["a.txt", "d.XZ"]
    assert list(LineDataset(list_files(base, [".txt"]))) == LINES
    with pytest.raises(NotADirectoryError, match=f"no folder '{base}/nowhere'"):
        list_files(f"{base}/nowhere")


def test_a_server_is_listed(url: str) -> None:
    assert f"{url}/a.txt" in list_files(f"{url}/", [".txt"])


def test_a_folder_is_no_file_to_read(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=f"^cannot read '{tmp_path}': Is a directory$"):
        open_path(tmp_path)


@pytest.mark.parametrize("place", ["folder", "memory", "url"])
def test_errors_name_the_path(place: str, request: pytest.FixtureRequest) -> None:
    base = str(request.getfixturevalue(place))
    with pytest.raises(FileNotFoundError, match=f"^no file '{base}/none.txt'$"):
        list(LineDataset(f"{base}/none.txt"))
    for name, reason in (("cut.gz", "Compressed file ended"), ("wrong.gz", "Not a gzipped file")):
        with pytest.raises(OSError, match=f"^cannot read '{base}/{name}': {reason}"):
            list(LineDataset(f"{base}/{name}"))
    with pytest.raises(OSError, match=f"^cannot read '{base}/a.txt': "):
        list(TarDataset(f"{base}/a.txt"))
    with pytest.raises(ValueError, match=f"^line 1 of '{base}/c.bz2' is not ascii text: "):
        list(LineDataset(f"{base}/c.bz2", encoding="ascii"))


def test_a_broken_connection_names_the_url(url: str) -> None:
    with pytest.raises(OSError, match=f"^cannot read '{url}/broken': "):
        list(LineDataset(f"{url}/broken"))
    with pytest.raises(OSError, match="^cannot read 'http://127.0.0.1:9/a': "):
        list(LineDataset("http://127.0.0.1:9/a"))


def test_protocols_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="^cannot read 'ftpx://a/b': the protocol 'ftpx' is unknown; fsspec.available"):
        open_path("ftpx://a/b")
    known = sys.modules["fsspec.registry"].known_implementations
    monkeypatch.setitem(known, "absent", {"class": "absent.A", "err": "Install absent"})
    with pytest.raises(ImportError, match="^cannot read 'absent://a/b': Install absent"):
        open_path("absent://a/b")
    with pytest.raises(ValueError, match="mode must be 'rb', 'r' or 'rt', not 'w'"):
        open_path("a", "w")
    with pytest.raises(ValueError, match="LineDataset: there are no paths to read"):
        LineDataset([])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_workers_read_streams_from_a_server(url: str, count: int) -> None:
    stream = ShuffledStream(LineDataset([f"{url}/a.txt", f"{url}/deep/b.txt.gz"], worker_datasets.number_of_line), 8)
    loader = DataLoader(stream, batch_size=7, num_workers=count, seed=2)
    batches = [(numbers.tolist(), noise.tolist()) for numbers, noise in loader]
    numbers = [number for batch, _ in batches for number in batch]
    assert sorted(numbers) == sorted(2 * list(range(20))) and numbers != 2 * list(range(20))
    assert [(n.tolist(), noise.tolist()) for n, noise in loader.batches(start=3)] == batches[3:]
    reference = DataLoader(stream, batch_size=7, seed=2, use_buffer_reader=False)
    assert [(n.tolist(), noise.tolist()) for n, noise in reference] == batches
    assert len({noise for _, batch in batches for noise in batch}) == 40


class Numbers(StreamDataset):
    def records(self) -> Iterator[int]:
        return iter(range(100))


def test_shuffled_streams_keep_records_near() -> None:
    orders = []
    for seed in (1, 1, 2):
        with sample_scope(seed, 0, 0):
            orders.append(list(ShuffledStream(Numbers(), 10)))
    assert sorted(orders[0]) == list(range(100)) and orders[0] == orders[1] != orders[2]
    assert max(number - place for place, number in enumerate(orders[0])) < 10
    assert np.abs(np.array(orders[0]) - np.arange(100)).mean() > 3
    with pytest.raises(ValueError, match="buffer_size must be a positive integer, not 0"):
        ShuffledStream(Numbers(), 0)
    with pytest.raises(TypeError, match="dataset must be a StreamDataset, not list"):
        ShuffledStream([1], 2)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match=r"StreamDataset must define records\(\)"):
        list(StreamDataset())


def test_a_stream_unpacks_within_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"0" * 30_000_000))
    with open_path(path) as stream:
        assert len(stream.read()) == 30_000_000
    with pytest.raises(ValueError, match="lines.gz' unpacks to more than 9,000,000 bytes; if you trust it, pass"):
        with open_path(path, maximum_bytes=9_000_000) as stream:
            stream.read()


def test_a_line_without_end_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.io.streams._LONGEST_LINE", 1000)
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"short\n" + b"0" * 1_000_000))
    with pytest.raises(ValueError, match=r"line 2 of '.*lines.gz' is longer than 1,000 bytes"):
        list(LineDataset(path).records())


def test_samples_of_holes_are_refused(tmp_path: Path) -> None:
    path = hostile_files.sparse_archive(tmp_path, "train/1.jpg")
    with pytest.raises(ValueError, match="sparse.tar' unpacks to more than 2,000,000,000 bytes"):
        list(TarDataset(path).records())
    for write in (hostile_files.long_header_archive, hostile_files.backward_archive):
        path = write(tmp_path)
        with pytest.raises(OSError, match=f"cannot read '{path}': (the header of a member|a member has a negative)"):
            list(TarDataset(path).records())
