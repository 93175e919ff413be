"""Sets of graphs in TU Dortmund's files: what they hold, and the line of every mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PGL.data import TUDataset, read_tu_graphs
from tests import hostile_files
from tests.fuzz import bounds

FILES = {
    "A": "1, 2\n2, 1\n4, 3\n3,4\n4, 5\n",
    "graph_indicator": "1\n1\n2\n2\n2\n",
    "graph_labels": "3\n-1\n",
    "node_labels": "0\n7\n0\n0\n7\n",
    "node_attributes": "0.5, 1\n1e-3, 2\n0,0\n1,1\n-1, 2\n",
    "edge_labels": "1\n2\n3\n4\n5\n",
    "edge_attributes": "0.1\n0.2\n0.3\n0.4\n0.5\n",
}


def write(folder: Path, **changes: Any) -> Path:
    for ending, content in {**FILES, **changes}.items():
        if content is not None:
            (folder / f"DS_{ending}.txt").write_text(content)
    return folder


def test_what_the_files_hold(tmp_path: Path) -> None:
    read = read_tu_graphs(write(tmp_path))
    assert read.edges.tolist() == [[0, 1], [1, 0], [3, 2], [2, 3], [3, 4]]
    assert read.node_starts.tolist() == [0, 2, 5] and read.edge_starts.tolist() == [0, 2, 5]
    assert read.graph_labels is not None and read.graph_labels.tolist() == [3, -1]
    assert read.node_labels is not None and read.node_labels.tolist() == [[0], [7], [0], [0], [7]]
    assert read.node_attributes is not None and read.node_attributes.dtype == np.float32
    assert read.edge_labels is not None and read.edge_labels.ravel().tolist() == [1, 2, 3, 4, 5]
    only = dict.fromkeys(("graph_labels", "node_labels", "node_attributes", "edge_labels", "edge_attributes"))
    other = tmp_path / "other"
    other.mkdir()
    bare = read_tu_graphs(write(other, **only))
    assert bare.graph_labels is bare.node_labels is bare.node_attributes is bare.edge_labels is None


def test_edges_are_ordered_by_graph_with_their_labels(tmp_path: Path) -> None:
    read = read_tu_graphs(write(tmp_path, A="4, 3\n1, 2\n3,4\n2, 1\n4, 5\n"))
    assert read.edges.tolist() == [[0, 1], [1, 0], [3, 2], [2, 3], [3, 4]]
    assert read.edge_labels is not None and read.edge_labels.ravel().tolist() == [2, 4, 1, 3, 5]


def wider(folder: Path, count: int = 12, **changes: Any) -> Path:
    """Write graphs of two nodes, kinds 0 and 7, and attributes."""
    pairs = "".join(f"{2 * g + 1}, {2 * g + 2}\n{2 * g + 2}, {2 * g + 1}\n" for g in range(count))
    files = {
        "A": pairs, "graph_indicator": "".join(f"{g + 1}\n" * 2 for g in range(count)),
        "graph_labels": "".join(f"{g % 2 + 1}\n" for g in range(count)), "node_labels": "0\n7\n" * count,
        "node_attributes": "0.5, 1\n1, 2\n" * count, "edge_labels": None, "edge_attributes": None,
    }  # fmt: skip
    return write(folder, **{**files, **changes})


def test_features(tmp_path: Path) -> None:
    root = str(wider(tmp_path))
    expected = {
        "auto": [[0.5, 1, 1, 0], [1, 2, 0, 1]], "labels": [[1, 0], [0, 1]], "attributes": [[0.5, 1], [1, 2]],
        "degrees": [[0, 1], [0, 1]], "constant": [[1], [1]],
    }  # fmt: skip
    for name, rows in expected.items():
        data = TUDataset(features=name, folds=3, root=root)
        np.testing.assert_allclose(data.batch([0])[0], rows, err_msg=name)
        assert data.vocabulary.size == len(rows[0])
    assert TUDataset(features="degrees", max_degree=0, folds=3, root=root).batch([0])[0].tolist() == [[1], [1]]


def test_further_graphs_are_read_by_what_a_network_knows(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    known = TUDataset(features="labels", folds=3, root=str(wider(tmp_path / "old"))).vocabulary
    root = str(wider(tmp_path / "new", 6, node_labels="7\n7\n" * 6, graph_labels="2\n" * 6))
    new = TUDataset(features="constant", folds=6, root=root).with_vocabulary(known)
    assert new.batch([0])[0].tolist() == [[0, 1], [0, 1]] and new.y is not None and new.y.tolist() == [1] * 6
    (tmp_path / "new" / "DS_node_labels.txt").write_text("7\n9\n" * 6)
    with pytest.raises(ValueError, match="node_labels.txt': node 2 is of kind 9, and the network knows 0, 7"):
        TUDataset(features="constant", folds=6, root=root).with_vocabulary(known)
    (tmp_path / "new" / "DS_graph_labels.txt").write_text("5\n" * 6)
    with pytest.raises(ValueError, match="graph_labels.txt' has the class 5, and the network knows 1, 2"):
        TUDataset(features="constant", folds=6, root=root).with_vocabulary(known)


def test_folds_have_as_many_of_each_class(tmp_path: Path) -> None:
    root = str(wider(tmp_path))
    parts = [TUDataset(folds=3, fold=fold, root=root) for fold in range(3)]
    tests = [set(data.test_index.tolist()) for data in parts]
    assert [set(parts[fold].val_index.tolist()) for fold in range(3)] == [tests[1], tests[2], tests[0]]
    for data in parts:
        assert data.y is not None and np.bincount(data.y[data.test_index]).tolist() == [2, 2]
        everyone = np.concatenate([data.train_index, data.val_index, data.test_index])
        assert sorted(everyone.tolist()) == list(range(12))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": "1, 2\n2, 3\n"}, "DS_A.txt': edge 2 leads from graph 1 to graph 2"),
        ({"A": "1, 6\n"}, r"DS_A.txt': edge 1 is \[1, 6\], and nodes are numbered from 1 to 5"),
        ({"A": "0, 1\n"}, r"DS_A.txt': edge 1 is \[0, 1\], and nodes are numbered from 1 to 5"),
        ({"A": "1, 2\n1\n"}, "DS_A.txt', line 2: 1 columns where 2 belong"),
        ({"A": "1, two\n"}, "DS_A.txt', line 1: a whole number belongs there, not 'two'"),
        ({"A": "1, 2.5\n"}, "DS_A.txt', line 1: a whole number belongs there, not '2.5'"),
        ({"A": "1, 1_0\n"}, "DS_A.txt', line 1: a whole number belongs there, not '1_0'"),
        ({"graph_indicator": "1\n1\n3\n3\n3\n"}, "node 3 is of graph 3 after 1; graphs are numbered from 1 on"),
        ({"graph_indicator": "1\n2\n1\n2\n2\n"}, "node 3 is of graph 1 after 2; .* the nodes of each stand together"),
        ({"graph_indicator": "2\n2\n2\n2\n2\n"}, "node 1 is of graph 2; graphs are numbered from 1 on"),
        ({"graph_labels": "1\n"}, "DS_graph_labels.txt' has 1 lines for 2 graphs in DS_graph_indicator.txt"),
        ({"node_labels": "1\n"}, "DS_node_labels.txt' has 1 lines for 5 nodes in DS_graph_indicator.txt"),
        ({"node_attributes": "1\n2\n3\nnan\n5\n"}, "DS_node_attributes.txt', line 4: a finite number belongs there"),
        ({"edge_labels": "1\n"}, "DS_edge_labels.txt' has 1 lines for 5 edges in DS_A.txt"),
    ],
)
def test_mistakes_are_named(changes: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        read_tu_graphs(write(tmp_path, **changes))
    assert "\n" not in str(caught.value)


def test_missing_files_and_several_sets(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="lacks DS_A.txt, DS_graph_indicator.txt and the others"):
        read_tu_graphs(tmp_path)
    with pytest.raises(FileNotFoundError, match="_graph_indicator.txt' is missing or empty"):
        read_tu_graphs(write(tmp_path, graph_indicator=None))
    (tmp_path / "OTHER_A.txt").write_text("1, 2\n")
    with pytest.raises(ValueError, match="holds the sets DS, OTHER; say which with prefix"):
        read_tu_graphs(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"root": None}, "TUDataset: give root, the folder of DS_A.txt and the others"),
        ({"features": "colours"}, "TUDataset: features must be one of auto, labels, .*, not 'colours'"),
        ({"fold": 3}, "TUDataset: fold must be from 0 to below folds, .* not 3 of 3"),
        ({"folds": 7}, "folds must be at least 3, and no more than the 6 graphs of class '1', not 7"),
    ],
)
def test_arguments_that_do_not_go(arguments: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        TUDataset(**{"root": str(wider(tmp_path)), "folds": 3, **arguments})


def test_many_kinds_of_nodes_take_no_memory(tmp_path: Path) -> None:
    count = 4000
    kinds = "".join(f"{number}\n" for number in range(2 * count))
    root = str(wider(tmp_path, count, node_labels=kinds, node_attributes=None))
    with pytest.raises(ValueError, match="node_labels.txt' has so many kinds of nodes, 8,000, that"):
        TUDataset(folds=3, root=root, maximum_bytes=10_000_000)
    hostile_files.gzip_lines(tmp_path, 40_000_000).rename(tmp_path / "DS_A.txt")
    with bounds(20, 100), pytest.raises(ValueError, match="unpacks to more than 20,000,000 bytes"):
        read_tu_graphs(tmp_path, maximum_bytes=20_000_000)
