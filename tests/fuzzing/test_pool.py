"""Damaged files of every kind, read within bounds: each is read or refused in one line, and starts nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import cases
from tests.fuzzing.formats import Good, bombs, damaged, good_files, written
from tests.fuzzing.pool import FILES, ReaderPool
from tests.sampling import sampled

KINDS = (
    *("weights", "state", "image", "config", "program", "idx", "planetoid", "graph", "archive", "boxes", "texts"),
    *("corpora", "video", "clips", "own_graph", "own_graphs", "triples", "text_graph"),
)
FEW, MANY = 30, 900


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderPool]:
    started = ReaderPool()
    yield started
    started.close()


@pytest.fixture(scope="module")
def goods(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Good]]:
    return good_files(tmp_path_factory.mktemp("good"))


def read_damaged(kind: str, numbers: range, pool: ReaderPool, goods: dict[str, list[Good]], folder: Path) -> None:
    """Read the damaged files of some numbers; fail with a line for each that did harm."""
    faults, refused = [], 0
    place = folder / "damaged"
    for number in numbers:
        place.mkdir()
        message, fault = pool.read(kind, damaged(number, goods[kind], place), number)
        faults += [fault] if fault is not None else []
        refused += message is not None
        shutil.rmtree(place)
    assert not faults, "\n".join(faults)
    assert refused > len(numbers) // 10  # they are damaged


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind: str, pool: ReaderPool, goods: dict[str, list[Good]], tmp_path: Path) -> None:
    read_damaged(kind, cases(FEW), pool, goods, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_files(kind: str, pool: ReaderPool, goods: dict[str, list[Good]], tmp_path: Path) -> None:
    read_damaged(kind, range(FEW, FEW + MANY), pool, goods, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_good_files_are_read(kind: str, pool: ReaderPool, goods: dict[str, list[Good]], tmp_path: Path) -> None:
    for number, good in enumerate(goods[kind]):
        place = tmp_path / str(number)
        place.mkdir()
        assert pool.read(kind, written(good, good.data, place), number) == (None, None), good.name


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["weights", "image", "archive", "program"])
def test_bombs_are_refused(kind: str, pool: ReaderPool, tmp_path: Path) -> None:
    faults = [pool.read(kind, path, number)[1] for number, path in enumerate(bombs(kind, tmp_path))]
    assert not [fault for fault in faults if fault is not None]


HARMS = [
    ("crash", 30, 10, "the process ended with -11"),
    ("spin", 60, 1, "more than 1 s of processor time"),
    ("sleep", 2, 10, "no answer in 2 s"),
    ("allocate", 60, 30, r"2\d\d\d MB of memory"),
    ("system", 30, 10, "StartedProgramError: os.system"),
    ("execve", 30, 10, "it started a program"),
    ("lines", 30, 10, r"no clear line, but 'one\\ntwo'"),
    ("kind", 30, 10, "IndexError: list index out of range"),
]


@pytest.mark.parametrize(
    ("word", "wall", "seconds", "fault"), sampled(HARMS, 1000, group=lambda harm: harm[0] == "kind")
)
def test_each_harm_is_caught_and_its_file_is_kept(
    word: str, wall: float, seconds: int, fault: str, tmp_path: Path
) -> None:
    pool = ReaderPool(wall_seconds=wall, seconds=seconds, kept=tmp_path / "kept")
    file = tmp_path / "trap.txt"
    file.write_text(word)
    try:
        message, found = pool.read("trap", file, 3)
        if word == "execve" and not pool.trapped:
            pytest.skip("this system has no seccomp filters, so only Python's ways to start programs are seen")
        assert message is None and found is not None
        assert re.search(fault, found), found
        assert (tmp_path / "kept" / "trap-3.txt").read_text() == word
        file.write_text("refused")
        assert pool.read("trap", file) == (f"{file}: it is no good", None) and pool.started == 2
    finally:
        pool.close()


def test_a_process_is_replaced_after_its_files(tmp_path: Path) -> None:
    pool = ReaderPool()
    file = tmp_path / "refused.txt"
    file.write_text("refused")
    try:
        for _ in range(FILES + 1):
            assert pool.read("trap", file)[1] is None
        assert pool.started == 2
    finally:
        pool.close()


def test_a_number_gives_the_same_file_again(goods: dict[str, list[Good]], tmp_path: Path) -> None:
    for kind in KINDS:
        for number in range(8):
            contents = []
            for time in ("one", "two"):
                place = tmp_path / kind / f"{number}{time}"
                place.mkdir(parents=True)
                path = damaged(number, goods[kind], place)
                files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
                contents.append([file.read_bytes() for file in files])
            assert contents[0] == contents[1], (kind, number)
