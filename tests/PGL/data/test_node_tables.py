"""Features, labels and splits of a graph of one's own: every form, and the line of every mistake."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PGL.data import EdgeListDataset, read_features, read_labels, read_splits
from tests import hostile_files
from tests.fuzz import bounds
from tests.PGL.small_sets import NODES, WORDS, write_own_graph


def file(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    if isinstance(content, dict):
        np.savez(path, **content)
    elif isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name, pack", [("f.csv", bytes), ("f.csv.gz", gzip.compress)])
def test_features_of_text(name: str, pack: Any, tmp_path: Path) -> None:
    read = read_features(file(tmp_path, name, pack(b"\xef\xbb\xbfid,a,b\r\n# note\r\n7,1.5,-2e1\r\n3, 0 ,4\r\n")))
    assert read.values.tolist() == [[1.5, -20], [0, 4]] and read.values.dtype == np.float32
    assert read.ids is not None and read.ids.tolist() == [7, 3]


@pytest.mark.parametrize(
    "name, content",
    [("f.npy", np.arange(6).reshape(3, 2)), ("f.npz", {"x": np.arange(6.0).reshape(3, 2), "y": np.zeros(3)})],
)
def test_features_of_arrays(name: str, content: Any, tmp_path: Path) -> None:
    read = read_features(file(tmp_path, name, content))
    assert read.values.tolist() == [[0, 1], [2, 3], [4, 5]] and read.ids is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.csv", "1,2\n1,3\n", "f.csv': node 1 has 2 lines"),
        ("f.csv", "1,2\n2,3,4\n", "f.csv', line 2: 2 numbers behind the id where 1 features belong"),
        ("f.csv", "1\n", "f.csv', line 1: 0 numbers behind the id where features belong"),
        ("f.csv", "1,2\n2,nan\n", "f.csv', line 2: column 2 must be a finite number, not 'nan'"),
        ("f.csv", "1,2\n2,two\n", "f.csv', line 2: column 2 must be a finite number, not 'two'"),
        ("f.csv", "1,2,1e99\n", "f.csv', line 1: column 3 must be a finite number, not '1e99'"),
        ("f.csv", "1,1_0\n", "f.csv', line 1: column 2 must be a finite number, not '1_0'"),
        ("f.csv", "-1,2\n", "f.csv', line 1: id must be a whole number of at least 0, below 2\\^63, not '-1'"),
        ("f.csv", "id,a\n", "f.csv' has no lines of an id and features"),
        ("f.npy", np.array([[1, np.inf]]), "f.npy': feature 1 of node 0 is inf \\(1 like it\\)"),
        ("f.npy", np.arange(3), r"f.npy' must be numbers \[nodes, features\], not int64 \[3\]"),
        ("f.npy", np.array([["a"]]), r"f.npy' must be numbers \[nodes, features\], not <U1 \[1, 1\]"),
        ("f.npy", np.array([[{}]], object), "f.npy' is no .npy file of numbers"),
        ("f.npz", {"a": np.ones(2), "b": np.ones(2)}, "f.npz' lacks features or x; it holds a, b"),
        ("f.npz", pickle.dumps([1]), "f.npz' is no .npz file of plain arrays, or damaged"),
        ("f.npz", {"x": np.array([None])}, "f.npz' is no .npz file of plain arrays, or damaged"),
    ],
)
def test_features_that_are_none(name: str, content: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        read_features(file(tmp_path, name, content))
    assert "\n" not in str(caught.value)


def test_labels(tmp_path: Path) -> None:
    read = read_labels(file(tmp_path, "l.txt", "node label\n5 10\n3 9\n8 -1\n4 10\n"))
    assert read.class_names == ["9", "10"] and read.y.tolist() == [1, 0, 1]
    assert read.ids is not None and read.ids.tolist() == [5, 3, 4]
    assert read_labels(file(tmp_path, "l.csv", "1,ant\n2, wild bee\n")).class_names == ["ant", "wild bee"]
    array = read_labels(file(tmp_path, "l.npy", np.array([4, -1, 2, 4])))
    assert array.y.tolist() == [1, -1, 0, 1] and array.class_names == ["2", "4"] and array.ids is None
    several = read_labels(file(tmp_path, "s.txt", "7 b\n2 a\n7 a\n7 b\n"), several=True)
    assert several.y.tolist() == [[1, 0], [1, 1]] and several.ids is not None and several.ids.tolist() == [2, 7]


@pytest.mark.parametrize(
    ("name", "content", "several", "message"),
    [
        ("l.txt", "1 a\n2 b\n1 b\n", False, "line 3: node 1 is 'b', and was 'a' before; .* several_labels: true"),
        ("l.txt", "1 a b\n", False, "l.txt', line 1: 3 columns where 2 belong: id, class"),
        ("l.csv", "1,\n", False, "l.csv', line 1: 2 columns where 2 belong: id, class"),
        ("l.npy", np.array([0.5]), False, r"l.npy': labels must be whole numbers \[nodes\], not float64 \[1\]"),
        ("l.npy", np.array([0, -2]), False, "l.npy': the label of node 1 is -2; -1 stands for none"),
        ("l.npy", np.array([[0, 2]]), True, r"l.npy': labels must be 0 and 1 \[nodes, classes\], not int64 \[1, 2\]"),
    ],
)
def test_labels_that_are_none(name: str, content: Any, several: bool, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_labels(file(tmp_path, name, content), several)


def test_splits(tmp_path: Path) -> None:
    def lists(name: str, content: Any) -> list[list[int]]:
        return [ids.tolist() for ids in read_splits(file(tmp_path, name, content)).values()]

    assert lists("s.txt", "id split\n4 train\n2 Val\n1 test\n9 train\n") == [[4, 9], [2], [1]]
    assert lists("i.npz", {"train": [3, 1], "val": [0]}) == [[3, 1], [0], []]
    masks = {"train_mask": [True, False, True], "test_mask": [False, True, False]}
    assert lists("m.npz", {name: np.array(mask) for name, mask in masks.items()}) == [[0, 2], [], [1]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", "1 train\n2 train\n2 test\n", r"s.txt': node 2 is in train and test \(1 nodes like it\)"),
        ("s.txt", "1 train\n1 train\n", r"s.txt': node 1 is in train twice"),
        ("s.txt", "1 test\n", "s.txt' has no nodes for training"),
        (
            "s.txt",
            "1 trian\n",
            r"s.txt', line 1: an id and a split \(train, valid, test\) belong there, not \['trian'\]",
        ),
        ("s.npy", np.arange(3), "s.npy': splits are an .npz file of train, valid and test, or lines of text"),
        (
            "s.npz",
            {"train": np.array([0.5])},
            r"s.npz': train must be ids or true and false \[nodes\], not float64 \[1\]",
        ),
    ],
)
def test_splits_that_are_none(name: str, content: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_splits(file(tmp_path, name, content))


OWN = {"file": "edges.csv", "symmetry_edges": True, "self_loop": True}
TEXT = {"features": "features.csv", "labels": "labels.csv", "splits": "splits.csv", "renumber": True, **OWN}
ARRAYS = {"features": "features.npy", "labels": "labels.npy", "splits": "splits.npz", **OWN}


def test_text_by_id_is_the_same_graph_as_arrays_by_number(tmp_path: Path) -> None:
    text = EdgeListDataset(**TEXT, root=str(write_own_graph(tmp_path / "text")))
    arrays = EdgeListDataset(**ARRAYS, root=str(write_own_graph(tmp_path / "arrays", arrays=True)))
    assert text.graph.num_nodes == arrays.graph.num_nodes == NODES and text.num_classes == 3
    np.testing.assert_array_equal(text.graph.edges, arrays.graph.edges)
    np.testing.assert_array_equal(text.graph.node_feat["features"], arrays.graph.node_feat["features"])
    for name in ("y", "train_index", "val_index", "test_index"):
        np.testing.assert_array_equal(getattr(text, name), getattr(arrays, name), err_msg=name)
    assert text.node_names is not None and text.node_names[:2].tolist() == [100, 107] and arrays.node_names is None
    assert text.class_names == ["kind0", "kind1", "kind2"]
    loops = text.graph.edges[:, 0] == text.graph.edges[:, 1]
    assert loops.sum() == NODES and text.graph.node_feat["features"].shape == (NODES, WORDS)


def test_splits_are_drawn_where_no_file_gives_them(tmp_path: Path) -> None:
    root = str(write_own_graph(tmp_path))
    made = [EdgeListDataset(**{**TEXT, "splits": None, "seed": seed}, root=root) for seed in (0, 0, 1)]
    assert [len(made[0].train_index), len(made[0].val_index), len(made[0].test_index)] == [54, 18, 18]
    everyone = np.concatenate([made[0].train_index, made[0].val_index, made[0].test_index])
    assert sorted(everyone.tolist()) == list(range(NODES))
    np.testing.assert_array_equal(made[0].train_index, made[1].train_index)
    assert (made[0].train_index != made[2].train_index).any()


@pytest.mark.parametrize(
    ("files", "changes", "message"),
    [
        ({"features.npy": np.ones((89, 2))}, {}, "features.npy' has 89 rows, and the files name node 89"),
        ({"labels.npy": np.zeros(95, int)}, {}, "as many rows of features as of labels, not 90 in .* and 95 in"),
        ({"edges.csv": "0,1\n1,90\n"}, {}, "features.npy' has 90 rows, and the files name node 90"),
        ({"splits.npz": {"train": [0, 90]}}, {}, "splits.npz': node 90 of train does not exist: there are 90"),
        ({"splits.npz": {"train": [0, -1]}}, {}, "splits.npz': node -1 of train does not exist: there are 90"),
        ({"labels.npy": np.where(np.arange(90) == 70, -1, 0)}, {}, "splits.npz': node 70 of test has no label"),
        (
            {"labels.npy": np.where(np.arange(90) == 70, 5, 0)}, {},
            "splits.npz': node 70 of test is of class '5', and no node for training is",
        ),
        ({"labels.npy": np.full(90, -1)}, {"splits": None}, "labels.npy' has no labels"),
        ({}, {"labels": None}, "splits divides labelled nodes; give labels too"),
        ({}, {"train_ratio": 0.9, "valid_ratio": 0.2}, "train_ratio and valid_ratio are shares that make at most 1"),
        ({}, {"typed": True, "symmetry_edges": False, "self_loop": False}, "takes labels and no features"),
        ({"f.csv": "0,1\n2,3\n"}, {"features": "f.csv"}, r"f.csv' lacks node 1 \(88 of 90 nodes\)"),
        ({"l.csv": "0,a\n95,b\n"}, {"labels": "l.csv"}, "features.npy' has 90 rows, and the files name node 95"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_each_other(files: Any, changes: Any, message: str, tmp_path: Path) -> None:
    folder = write_own_graph(tmp_path, arrays=True)
    for name, content in files.items():
        file(folder, name, content)
    with pytest.raises(ValueError, match=message) as caught:
        EdgeListDataset(**{**ARRAYS, **changes}, root=str(folder))
    assert "\n" not in str(caught.value)


def test_missing_files_are_named(tmp_path: Path) -> None:
    folder = write_own_graph(tmp_path, arrays=True)
    for name in ("features", "labels", "splits"):
        with pytest.raises(FileNotFoundError, match="no .*file '.*none.npy'|no file '.*none.npz'"):
            EdgeListDataset(**{**ARRAYS, name: "none.npz" if name == "splits" else "none.npy"}, root=str(folder))


def test_labels_of_typed_edges(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1 likes\n2 0 knows\n")
    (tmp_path / "labels.txt").write_text("0 a\n2 b\n")
    made = EdgeListDataset(typed=True, labels="labels.txt", train_ratio=1.0, valid_ratio=0.0, root=str(tmp_path))
    assert made.y is not None and made.y.tolist() == [0, -1, 1] and sorted(made.train_index.tolist()) == [0, 2]


def test_files_that_claim_or_unpack_to_too_much_take_no_memory(tmp_path: Path) -> None:
    packed = hostile_files.gzip_lines(tmp_path, 40_000_000)
    shape = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000), }".ljust(117) + "\n"
    huge = file(tmp_path, "f.npy", b"\x93NUMPY\x01\x00\x76\x00" + shape.encode())
    with bounds(20, 100):
        for read in (read_features, read_labels, read_splits):
            with pytest.raises(ValueError, match="unpacks to more than 20,000,000 bytes"):
                read(packed, maximum_bytes=20_000_000)
        with pytest.raises(ValueError, match="f.npy' is no .npy file of numbers"):
            read_features(huge)
