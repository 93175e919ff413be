"""Folders as pgl's own dump writes them."""

from __future__ import annotations

import numpy as np
import pytest

import PGL as pgl

EDGES = np.array([(0, 1), (1, 2), (2, 3)])


def dump(folder, **arrays):
    """Write arrays to the paths that their names stand for, "__" between folders."""
    for name, array in arrays.items():
        path = folder / f"{name.replace('__', '/')}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, array)


def dump_graph(folder, **changes):
    arrays = {
        "num_nodes": np.array(4), "num_graph": np.array(2), "edges": EDGES,
        "graph_node_index": np.array([0, 2, 4], np.int32), "graph_edge_index": np.array([0, 1, 3]),
        "node_feat__x": np.arange(8.0).reshape(4, 2),
        "edge_feat__w": np.arange(3), "adj_src__degree": np.array([1, 1, 1, 0]),
    }  # fmt: skip
    dump(folder, **{**arrays, **changes})


@pytest.mark.parametrize("mode", ["r", None])
def test_graph(mode, tmp_path):
    dump_graph(tmp_path)
    loaded = pgl.Graph.load(tmp_path, mmap_mode=mode)
    assert loaded.edges.tolist() == EDGES.tolist() and (loaded.num_nodes, loaded.num_graph) == (4, 2)
    assert loaded.graph_node_id.tolist() == [0, 0, 1, 1] and loaded.graph_edge_id.tolist() == [0, 1, 1]
    assert loaded.node_feat["x"][3].tolist() == [6, 7] and loaded.edge_feat["w"].tolist() == [0, 1, 2]
    assert isinstance(loaded.node_feat["x"], np.memmap) == (mode == "r")


def test_bigraph(tmp_path):
    dump(tmp_path, src_num_nodes=np.array(3), dst_num_nodes=np.array(5), edges=EDGES, src_node_feat__s=np.ones((3, 1)))
    loaded = pgl.BiGraph.load(tmp_path)
    assert (loaded.src_num_nodes, loaded.dst_num_nodes, loaded.num_graph) == (3, 5, 1)
    assert list(loaded.src_node_feat) == ["s"] and loaded.dst_node_feat == {}
    with pytest.raises(ValueError, match="num_nodes.npy' cannot be read .*; pgl writes an array there"):
        pgl.Graph.load(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": np.array([[0, 9]])}, r"Graph: edge 0 is \[0, 9\]"),
        ({"node_feat__x": np.ones((3, 1))}, r"node_feat 'x' of shape \[3, 1\] must have 4 rows"),
        ({"node_feat__x": np.array([None])}, "x.npy' cannot be read"),
        ({"graph_node_index": np.array([0, 5])}, "is damaged: its graphs do not divide 4 nodes"),
        ({"num_nodes": np.array([1, 2])}, "num_nodes must be a whole number"),
    ],
)
def test_damage(changes, message, tmp_path):
    dump_graph(tmp_path, **changes)
    with pytest.raises(ValueError, match=message):
        pgl.Graph.load(tmp_path)
    (tmp_path / "edges.npy").write_bytes(b"\x93NUMPY\x01\x00\x10\x00{broken")
    with pytest.raises(ValueError, match="edges.npy' cannot be read") as caught:
        pgl.Graph.load(tmp_path)
    assert "\n" not in str(caught.value)
