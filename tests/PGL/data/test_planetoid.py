"""The files of Planetoid: a small set written here, damage and malice, and the real Cora where it is at hand."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from PGL.data import CitationDataset, CoraDataset, normalize_rows, read_planetoid
from PGL.data.planetoid import PARTS

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "planetoid-cora"

FEATURES = np.array([[1, 0, 3], [0, 2, 2], [1, 1, 0], [0, 0, 0], [5, 0, 0]], np.float32)
TEST_FEATURES = np.array([[0, 4, 0], [6, 0, 6]], np.float32)  # of nodes 8 and 6; the files leave out nodes 5 and 7
CLASSES = np.array([[1, 0], [0, 1], [0, 1], [1, 0], [0, 1]])
TEST_CLASSES = np.array([[0, 1], [1, 0]])
GRAPH = {0: [1, 1, 0], 1: [0, 8], 2: [6], 6: [2], 8: [1]}


def parts() -> dict:
    return {
        "x": scipy.sparse.csr_matrix(FEATURES[:2]), "allx": scipy.sparse.csr_matrix(FEATURES),
        "tx": scipy.sparse.csr_matrix(TEST_FEATURES), "y": CLASSES[:2], "ally": CLASSES, "ty": TEST_CLASSES,
        "graph": GRAPH,
    }  # fmt: skip


def write(folder: Path, name: str = "citeseer", test_index: str = "8\n6\n", **changes) -> dict[str, Path]:
    for part, value in {**parts(), **changes}.items():
        (folder / f"ind.{name}.{part}").write_bytes(
            value if isinstance(value, bytes) else pickle.dumps(value, protocol=2)
        )
    (folder / f"ind.{name}.test.index").write_text(test_index)
    return {part: folder / f"ind.{name}.{part}" for part in PARTS}


def test_test_nodes_stand_where_the_index_puts_them(tmp_path):
    read = read_planetoid(write(tmp_path))
    wanted = np.zeros((9, 3), np.float32)
    wanted[:5], wanted[8], wanted[6] = FEATURES, TEST_FEATURES[0], TEST_FEATURES[1]
    np.testing.assert_array_equal(read.features, wanted)
    assert read.labels.tolist() == [0, 1, 1, 0, 1, 0, 0, 0, 1] and read.num_classes == 2
    assert read.train_index.tolist() == [0, 1] and read.val_index.tolist() == [2, 3, 4]
    assert read.test_index.tolist() == [6, 8]
    assert read.edges.tolist() == [[0, 1], [0, 1], [0, 0], [1, 0], [1, 8], [2, 6], [6, 2], [8, 1]]


@pytest.mark.parametrize(
    ("symmetry", "loops", "edges"),
    [
        (True, True, [(0, 0), (0, 1), (1, 0), (1, 8), (2, 6), (6, 2), (8, 1), *((i, i) for i in range(1, 9))]),
        (True, False, [(0, 0), (0, 1), (1, 0), (1, 8), (2, 6), (6, 2), (8, 1)]),
        (False, False, [(0, 0), (0, 1), (1, 0), (1, 8), (2, 6), (6, 2), (8, 1)]),
    ],
)
def test_data_set_has_each_edge_once(symmetry, loops, edges, tmp_path):
    write(tmp_path)
    dataset = CitationDataset("citeseer", symmetry, loops, root=str(tmp_path))
    assert dataset.graph.edges.tolist() == sorted(map(list, edges))
    words = dataset.graph.node_feat["words"]
    np.testing.assert_allclose(words.sum(1), [1, 1, 1, 0, 1, 0, 1, 0, 1])
    np.testing.assert_allclose(words[0], [0.25, 0, 0.75])
    assert dataset.y.dtype == np.int64 and dataset.num_classes == 2


def test_links_listed_in_one_direction_only(tmp_path):
    write(tmp_path, graph={0: [1], 2: [0]})
    edges = [CitationDataset("citeseer", both, False, str(tmp_path)).graph.edges.tolist() for both in (False, True)]
    assert edges == [[[0, 1], [2, 0]], [[0, 1], [0, 2], [1, 0], [2, 0]]]


def test_normalize_rows():
    np.testing.assert_allclose(normalize_rows(np.array([[1.0, 3.0], [0, 0]])), [[0.25, 0.75], [0, 0]])


NONE = np.zeros(0, np.int32)


class Hostile:
    def __reduce__(self):
        return os.system, ("touch should_not_exist",)


def matrix(**changes) -> bytes:
    made = scipy.sparse.csr_matrix(FEATURES)
    for name, value in changes.items():
        setattr(made, name, value)
    return pickle.dumps(made, protocol=2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graph": Hostile()}, "ind.citeseer.graph' cannot be read: it asks for posix.system, which is neither"),
        ({"x": pickle.dumps(FEATURES)[:40]}, "ind.citeseer.x' cannot be read: it ends too early"),
        ({"x": b""}, "ind.citeseer.x' cannot be read"),
        ({"x": b"version https://git-lfs"}, "ind.citeseer.x' cannot be read"),
        ({"allx": FEATURES}, "ind.citeseer.allx' does not hold a sparse matrix of compressed rows"),
        ({"allx": scipy.sparse.csr_matrix(FEATURES[:4])}, "do not fit each other: their numbers of rows differ"),
        ({"tx": scipy.sparse.csr_matrix(TEST_FEATURES[:, :2])}, "do not fit each other"),
        ({"allx": matrix(indices=np.array([0, 2, 1, 2, 0, 3, 0], np.int32))}, "a sparse matrix whose parts do not fit"),
        ({"allx": matrix(indptr=np.array([0, 9, 2, 6, 6, 7], np.int32))}, "a sparse matrix whose parts do not fit"),
        ({"allx": matrix(_shape=(10**6, 10**6))}, "does not hold a sparse matrix of compressed rows"),
        ({"allx": matrix(_shape=(5, -3))}, "does not hold a sparse matrix of compressed rows"),
        ({"ally": CLASSES[:, 0]}, "ind.citeseer.ally' does not hold a table of classes"),
        ({"graph": [[1]]}, "ind.citeseer.graph' does not hold a list of neighbours for each node"),
        ({"graph": {0: [9]}}, "ind.citeseer.graph' names nodes outside 0 to 8"),
        ({"graph": {0: [-1]}}, "ind.citeseer.graph' names nodes outside 0 to 8"),
        ({"graph": {0: [0.5]}}, "ind.citeseer.graph' names nodes outside 0 to 8"),
        ({"test_index": "8\nx\n"}, "ind.citeseer.test.index' must hold one node id a line"),
        ({"test_index": "8\n8\n"}, "ind.citeseer.test.index' must list different nodes from 5 on"),
        ({"test_index": "8\n2\n"}, "ind.citeseer.test.index' must list different nodes from 5 on"),
        ({"test_index": "8\n"}, "do not fit each other"),
        ({"test_index": "8\n4000000000\n"}, "test.index' asks for a table of 4000000001 rows, out of proportion"),
        (
            {"allx": matrix(indptr=np.zeros(20_001, np.int32), indices=NONE, data=NONE, _shape=(20_000, 20_000))},
            "ind.citeseer.allx' asks for a table of 20000 rows, out of proportion to its size",
        ),
    ],
)
def test_damaged_and_hostile_files(changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, **changes)
    with pytest.raises(ValueError, match=message) as caught:
        CitationDataset("citeseer", root=str(tmp_path))
    assert "\n" not in str(caught.value) and not (tmp_path / "should_not_exist").exists()


def test_missing_files_are_named_with_their_home(tmp_path):
    write(tmp_path, "cora")
    (tmp_path / "ind.cora.tx").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"CoraDataset: the folder '.*' lacks ind.cora.tx; the files come from https://raw"
    ):
        CoraDataset(root=str(tmp_path))
    with pytest.raises(ValueError, match="name must be one of 'cora', 'citeseer', 'pubmed', not 'wiki'"):
        CitationDataset("wiki")


def test_files_are_fetched_with_their_checksum(tmp_path, monkeypatch):
    mirror = (
        tmp_path / "mirror" / "raw.githubusercontent.com" / "tkipf" / "gcn" / "39a4089fe72ad9f055ed6fdb9746abdcfebc4d81"
    )
    (mirror / "gcn" / "data").mkdir(parents=True)
    write(mirror / "gcn" / "data", "cora")
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    with pytest.raises(ValueError, match="ind.cora.x does not have the expected SHA-256 23cfa55d"):
        CoraDataset()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_the_real_cora(tmp_path, monkeypatch):
    dataset = CoraDataset(root=str(SHARED))
    assert (dataset.graph.num_nodes, dataset.graph.num_edges, dataset.num_classes) == (2708, 2 * 5278 + 2708, 7)
    assert np.bincount(dataset.y).tolist() == [351, 217, 418, 818, 426, 298, 180]
    assert np.bincount(dataset.y[dataset.train_index]).tolist() == [20] * 7
    assert (len(dataset.val_index), len(dataset.test_index)) == (500, 1000)
    assert dataset.graph.node_feat["words"].shape == (2708, 1433)
    assert int((dataset.graph.node_feat["words"] > 0).sum()) == 49216
    assert (dataset.graph.outdegree() == dataset.graph.indegree()).all()
    home = tmp_path / "raw.githubusercontent.com" / "tkipf" / "gcn" / "39a4089fe72ad9f055ed6fdb9746abdcfebc4d81" / "gcn"
    home.mkdir(parents=True)
    (home / "data").symlink_to(SHARED)
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path))
    assert CoraDataset().graph.num_edges == dataset.graph.num_edges
