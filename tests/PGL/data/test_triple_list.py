"""Triples of one's own: files, parts that are drawn, and the line of every mistake."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PGL.data import TripleListDataset
from tests import hostile_files
from tests.fuzz import bounds
from tests.PGL.small_sets import write_triples

TRAIN = "a\tlikes\tb\nb\tlikes\tc\r\n\nc\tknows\ta\n"


def write(folder: Path, **files: str) -> str:
    for name, content in {"train": TRAIN, "valid": "a\tknows\tc\n", "test": "d\tlikes\ta\n", **files}.items():
        (folder / f"{name}.txt").write_text(content)
    return str(folder)


def test_three_files(tmp_path: Path) -> None:
    data = TripleListDataset(root=write(tmp_path))
    assert data.entities == ["a", "b", "c", "d"] and data.relations == ["likes", "knows"]
    assert data.train.tolist() == [[0, 0, 1], [1, 0, 2], [2, 1, 0]]
    assert data.valid.tolist() == [[0, 1, 2]] and data.test.tolist() == [[3, 0, 0]]
    assert data.graph.num_nodes == 4 and data.graph.edge_feat["relation"].tolist() == [0, 0, 1]


def test_one_packed_file_of_which_parts_are_drawn(tmp_path: Path) -> None:
    folder = write_triples(tmp_path)
    whole = "".join((folder / f"{part}.txt").read_text() for part in ("train", "valid", "test"))
    (folder / "all.tsv.gz").write_bytes(gzip.compress(whole.encode()))
    settings: dict[str, Any] = {"train": "all.tsv.gz", "valid": None, "test": None, "root": str(folder)}
    data = TripleListDataset(**settings, valid_ratio=0.25, test_ratio=0.25)
    parts = [data.train, data.valid, data.test]
    assert [len(part) for part in parts] == [18, 9, 9] and len(np.unique(np.concatenate(parts), axis=0)) == 36
    again = TripleListDataset(**settings, valid_ratio=0.25, test_ratio=0.25)
    np.testing.assert_array_equal(data.test, again.test)
    assert len(TripleListDataset(**settings).train) == 36


@pytest.mark.parametrize(
    ("files", "arguments", "message"),
    [
        ({"train": "a\tb\n"}, {}, "train.txt', line 1: 2 columns where head, relation and tail belong"),
        ({"valid": "a\t\tb\n"}, {}, "valid.txt', line 1: 3 columns where head, relation and tail belong"),
        ({"train": "\n"}, {}, "train.txt' has no triples for training"),
        ({"test": "b\tlikes\tc\n"}, {}, r"test.txt': the triple \(b, likes, c\) is in train too; leave it out of one"),
        ({}, {"valid_ratio": 0.1}, "valid_ratio draws what the file valid: valid.txt gives; give one of them"),
        ({}, {"valid": None, "valid_ratio": 1.0}, "shares that make less than 1, not 1.0 and 0.0"),
        ({}, {"root": None}, "TripleListDataset: give root, the folder of 'train.txt'"),
    ],
)
def test_mistakes_are_named(files: Any, arguments: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        TripleListDataset(**{"root": write(tmp_path, **files), **arguments})
    assert "\n" not in str(caught.value)


def test_files_that_are_missing_or_hostile(tmp_path: Path) -> None:
    root = write(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file '.*none.txt'"):
        TripleListDataset(test="none.txt", root=root)
    (tmp_path / "train.txt").write_bytes(b"a\tb\t\xff\n")
    with pytest.raises(ValueError, match="train.txt' is a file of other than UTF-8 text"):
        TripleListDataset(root=root)
    packed = hostile_files.gzip_lines(tmp_path, 40_000_000)
    with bounds(20, 100), pytest.raises(ValueError, match="unpacks to more than 20,000,000 bytes"):
        TripleListDataset(packed.name, root=root, maximum_bytes=20_000_000)
