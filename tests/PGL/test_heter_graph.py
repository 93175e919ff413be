"""HeterGraph by hand; tests/parity/PGL compares it with pgl."""

from __future__ import annotations

import json

import numpy as np
import pytest

import core
import PGL as pgl

EDGES = {"follows": [(0, 1), (3, 2)], "likes": [(1, 2), (3, 1), (3, 1)]}
TYPES = [(0, "user"), (1, "item"), (3, "user"), (2, "item")]
X = np.arange(8, dtype=np.float32).reshape(4, 2)


def heter_graph() -> pgl.HeterGraph:
    return pgl.HeterGraph(EDGES, node_types=TYPES, node_feat={"x": X}, edge_feat={"likes": {"w": np.arange(3)}})


def test_types_of_nodes_and_edges():
    made = heter_graph()
    assert made.edge_types == ["follows", "likes"] and made.num_edges == {"follows": 2, "likes": 3}
    assert (made.num_nodes, made.nodes.tolist()) == (4, [0, 1, 2, 3])
    assert made.node_types.tolist() == ["user", "item", "item", "user"]
    assert made.num_nodes_by_type("item") == 2 and made.nodes_by_type("user").tolist() == [0, 3]
    assert made["likes"].edges.tolist() == [[1, 2], [3, 1], [3, 1]] and made.edge_feat["likes"]["w"].tolist() == [
        0,
        1,
        2,
    ]
    assert made["follows"].node_feat["x"] is made["likes"].node_feat["x"]
    array = pgl.HeterGraph(EDGES, node_types=np.array(["a", "b", "a", "a"]))
    assert array.num_nodes_by_type("a") == 3 and pgl.HeterGraph(EDGES, 5).node_types is None


def test_degrees_and_neighbours():
    made = heter_graph()
    assert made.indegree().tolist() == [0, 3, 2, 0] and made.indegree(edge_type="likes").tolist() == [0, 2, 1, 0]
    assert made.outdegree([3]).tolist() == [3]
    assert [ends.tolist() for ends in made.successor("likes", [3, 0])] == [[1, 1], []]
    assert made.predecessor("follows", [2], return_eids=True)[1][0].tolist() == [1]
    assert len(made.sample_successor("likes", [3], 1, seed=0)[0]) == 1
    assert made.sample_predecessor("likes", [1], 5, return_eids=True)[1][0].tolist() == [1, 2]
    batches = [batch.tolist() for batch in made.node_batch_iter(1, n_type="user")]
    assert batches == [[0], [3]]


def test_tensors_share_the_features_of_nodes():
    made = heter_graph()
    other = made.tensor(inplace=False)
    assert other.is_tensor() and not made.is_tensor() and isinstance(made["likes"].node_feat["x"], np.ndarray)
    assert other["follows"].node_feat["x"] is other["likes"].node_feat["x"] is other.node_feat["x"]
    assert other["likes"].send_recv(other.node_feat["x"]).numpy().tolist() == [[0, 0], [12, 14], [2, 3], [0, 0]]
    assert other.indegree().numpy().tolist() == [0, 3, 2, 0]
    likes = made["likes"]
    assert made.tensor() is made and likes.is_tensor() and made.numpy()["likes"].node_feat["x"].tolist() == X.tolist()
    feature = core.to_tensor(X, stop_gradient=False)
    given = pgl.HeterGraph(EDGES, 4, node_feat={"x": feature})
    assert given.is_tensor() and given["likes"].node_feat["x"] is feature


@pytest.mark.parametrize("types", [TYPES, [(0, 7), (1, 8), (2, 7), (3, 7)], None])
def test_stored_heterogeneous_graph(types, tmp_path):
    made = pgl.HeterGraph(EDGES, 4, types, {"x": X}, {"likes": {"w": np.arange(3)}})
    made.dump(tmp_path / "graph")
    made.dump(tmp_path / "graph")
    loaded = pgl.HeterGraph.load(tmp_path / "graph")
    assert loaded.edge_types == ["follows", "likes"] and loaded["likes"].edges.tolist() == made["likes"].edges.tolist()
    assert loaded["likes"].node_feat["x"].tolist() == X.tolist() and loaded.edge_feat["likes"]["w"].tolist() == [
        0,
        1,
        2,
    ]
    assert loaded.node_types is None if types is None else loaded.node_types.tolist() == made.node_types.tolist()
    assert not list((tmp_path / "graph" / "1").glob("node_feat*"))


def change(path, **changes):
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_damaged_files(tmp_path):
    folder = tmp_path / "graph"
    with pytest.raises(FileNotFoundError, match="holds no stored heterogeneous graph: it has no heter_graph.json"):
        pgl.HeterGraph.load(folder)
    heter_graph().dump(folder)
    np.save(folder / "node_types.npy", np.array([0, 1, 2, 0], np.int32))
    with pytest.raises(ValueError, match="is damaged: node_types.npy does not give each node a type; store it again"):
        pgl.HeterGraph.load(folder)
    np.save(folder / "node_types.npy", np.array([None]), allow_pickle=True)
    with pytest.raises(ValueError, match="is damaged: node_types.npy does not give each node a type"):
        pgl.HeterGraph.load(folder)
    change(folder / "heter_graph.json", edge_types=["a", "a"])
    with pytest.raises(ValueError, match="is damaged: heter_graph.json lacks the types of edges and nodes"):
        pgl.HeterGraph.load(folder)
    (folder / "heter_graph.json").write_text("{")
    with pytest.raises(
        ValueError, match="is damaged or foreign: heter_graph.json does not describe a heterogeneous graph"
    ):
        pgl.HeterGraph.load(folder)
    heter_graph().dump(folder)
    pgl.Graph([], 5).dump(folder / "1")
    with pytest.raises(ValueError, match="is damaged: its types of edges have different nodes; store it again"):
        pgl.HeterGraph.load(folder)
    with pytest.raises(ValueError, match=r"the type \(1,\) is not text; types of nodes may be whole numbers too"):
        pgl.HeterGraph({"a": []}, 1, [(0, (1,))]).dump(tmp_path / "other")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"edges": [(0, 1)]}, TypeError, "HeterGraph: edges must be pairs by type, a dict, not list"),
        ({"edges": {}}, ValueError, "HeterGraph: there is no type of edges"),
        ({"edges": EDGES, "num_nodes": None}, ValueError, "HeterGraph: give num_nodes or node_types"),
        (
            {"edges": EDGES, "edge_feat": {"x": {}}},
            ValueError,
            "there are edge features of 'x', but no edges of that type",
        ),
        ({"edges": EDGES, "node_types": TYPES[:3]}, ValueError, "node_types gives node 2 0 types; each node has one"),
        ({"edges": EDGES, "node_types": [*TYPES, (0, "x")]}, ValueError, "node_types gives node 0 2 types"),
        (
            {"edges": EDGES, "node_types": [*TYPES, (9, "x")]},
            ValueError,
            "node_types: node 9 does not exist: there are 4",
        ),
        ({"edges": EDGES, "node_types": np.array(["a"])}, ValueError, "node_types gives 1 types to 4 nodes"),
        ({"edges": EDGES, "node_types": [(0, 1, 2)]}, ValueError, r"node_types must be pairs \(id, type\) or an array"),
        (
            {"edges": EDGES, "node_feat": {"x": np.ones(3)}},
            ValueError,
            "node_feat 'x' of shape \\[3\\] must have 4 rows",
        ),
        ({"edges": {"a": [(0, 7)]}}, ValueError, r"edge 0 is \[0, 7\]"),
    ],
)
def test_wrong_heterogeneous_graphs(arguments, error, message):
    with pytest.raises(error, match=message):
        pgl.HeterGraph(**{"num_nodes": 4, **arguments})


def test_unknown_types():
    made = heter_graph()
    with pytest.raises(KeyError, match="there are no edges of type 'buys'; there are 'follows', 'likes'"):
        made["buys"]
    with pytest.raises(ValueError, match=r"there are no nodes of type 'shop'; there are \['item', 'user'\]"):
        made.num_nodes_by_type("shop")
    with pytest.raises(ValueError, match="there are no nodes of type 'user'"):
        pgl.HeterGraph(EDGES, 4).num_nodes_by_type("user")
