"""Graphs that are odd but right, and graphs that are refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PGL as pgl


@pytest.mark.parametrize(
    ("edges", "nodes", "message"),
    [
        (
            [(0, 1), (1, 5)],
            5,
            r"Graph: edge 1 is \[1, 5\], but the nodes where it ends are numbered from 0 to 4; give a larger",
        ),
        ([(5, 1)], 5, r"edge 0 is \[5, 1\], but the nodes where it begins are numbered from 0 to 4"),
        ([(0, 1)], 0, r"edge 0 is \[0, 1\], but there are no nodes where it begins"),
        ([(0, 1), (-1, 0)], 5, r"edge 1 is \[-1, 0\]: node ids are not negative"),
        ([(0, -3)], None, r"edge 0 is \[0, -3\]: node ids are not negative"),
        ([(0, 1), (0.5, 1)], 5, r"edge 1 is \[0.5, 1.0\]: node ids must be whole numbers"),
        ([(0, float("nan"))], 5, "node ids must be whole numbers"),
        ([(0, 1e300)], 5, "node ids must be whole numbers"),
        ([("a", "b")], 5, "node ids must be whole numbers below 2\\^63, not <U1"),
        ([(True, False)], 5, "node ids must be whole numbers below 2\\^63, not bool"),
        ([(0, 2**70)], 5, "node ids must be whole numbers below 2\\^63, not object"),
        (
            np.array([[0, 2**63]], np.uint64),
            None,
            "node ids must be whole numbers below 2\\^63, not 9223372036854775808",
        ),
        ([(0, 1), (1,)], 5, r"edges must be pairs \(source, target\), and these differ in length"),
        ([0, 1, 2], 5, r"edges must be pairs \(source, target\) of shape \[edges, 2\], not \[3\]"),
        ([(0, 1, 2)], 5, r"of shape \[edges, 2\], not \[1, 3\]"),
        ([(0, 1)], -1, "num_nodes must be a whole number of at least 0, not -1"),
        ([(0, 1)], 2.5, "num_nodes must be a whole number of at least 0, not 2.5"),
        ([(0, 1)], [1, 2], r"num_nodes must be a whole number of at least 0, not \[1, 2\]"),
    ],
)
def test_wrong_edges(edges, nodes, message):
    with pytest.raises(ValueError, match=message) as caught:
        pgl.Graph(edges, nodes)
    assert "\n" not in str(caught.value)


def test_wrong_edges_in_tensors():
    with pytest.raises(ValueError, match=r"edge 0 is \[0, 7\]"):
        pgl.Graph(core.to_tensor([[0, 7]]), 3)


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        (
            {"x": np.ones((4, 2))},
            ValueError,
            r"Graph: node_feat 'x' of shape \[4, 2\] must have 5 rows, one for each node",
        ),
        ({"x": 3.0}, ValueError, r"node_feat 'x' of shape \[\] must have 5 rows"),
        ({"x": core.ones([6])}, ValueError, r"node_feat 'x' of shape \[6\] must have 5 rows"),
        ([1, 2], TypeError, "Graph: node_feat must be arrays by name, a dict, not list"),
    ],
)
def test_wrong_features(features, error, message):
    with pytest.raises(error, match=message):
        pgl.Graph([(0, 1)], 5, features)


def test_a_row_of_edge_features_is_missing():
    with pytest.raises(ValueError, match=r"edge_feat 'w' of shape \[1, 2\] must have 2 rows, one for each edge"):
        pgl.Graph([(0, 1), (1, 2)], 3, edge_feat={"w": np.ones((1, 2))})


def test_features_that_are_not_finite_are_named():
    features = np.ones((5, 3), np.float32)
    made = pgl.Graph([(0, 1)], 5, {"x": features, "id": np.arange(5)}, {"w": np.ones(1)})
    made.check_finite()
    features[[2, 4], 1] = np.nan, np.inf
    for graph in (made, made.tensor()):
        with pytest.raises(
            ValueError, match="^Graph: node_feat: feature 'x' has NaN or infinity in 2 of 5 rows, first in row 2$"
        ):
            (graph if not graph.is_tensor() else pgl.Graph([], 5, {"x": features}).tensor()).check_finite()


@pytest.mark.parametrize("nodes", [[5], [-1], np.array([2, 9])])
@pytest.mark.parametrize("method", ["successor", "predecessor", "indegree", "outdegree"])
def test_questions_about_nodes_that_do_not_exist(method, nodes):
    with pytest.raises(ValueError, match=r"Graph: node (5|-1|9) does not exist: there are 5, numbered from 0"):
        getattr(pgl.Graph([(0, 1)], 5), method)(nodes)


def test_other_questions():
    made = pgl.Graph([(0, 1)], 5)
    with pytest.raises(ValueError, match="Graph: node must be a whole number, not float64"):
        made.successor([0.5])
    with pytest.raises(ValueError, match="Graph.sorted_edges: sort_by must be 'src' or 'dst', not 'source'"):
        made.sorted_edges("source")
    with pytest.raises(ValueError, match="Graph.get_segment_ids: segment_by must be 'src' or 'dst', not 'x'"):
        made.get_segment_ids(None, None, "x")
    with pytest.raises(ValueError, match="Graph: node 5 does not exist"):
        made.sample_successor([5], 2)
    with pytest.raises(ValueError, match="Graph: max_degree must be a whole number, 0 or more, not -1"):
        made.sample_successor([0], -1)
    with pytest.raises(ValueError, match="Graph: batch_size must be a whole number, 1 or more, not 0"):
        made.node_batch_iter(0)
    with pytest.raises(ValueError, match="does not exist|out of range|index"):
        made.tensor().indegree([7])


def test_duplicates_and_self_loops_are_kept():
    made = pgl.Graph([(1, 1), (0, 1), (0, 1), (1, 1)], 2, {"x": np.array([[1.0], [10.0]], np.float32)}).tensor()
    assert made.num_edges == 4 and made.indegree().numpy().tolist() == [0, 4]
    assert made.send_u_recv(made.node_feat["x"]).numpy().tolist() == [[0], [22]]


def test_whole_numbers_of_any_type_are_ids():
    for edges in (
        np.array([[0.0, 2.0]]),
        np.array([[0, 2]], np.uint8),
        [(np.int32(0), 2)],
        core.to_tensor([[0, 2]], "int32"),
    ):
        made = pgl.Graph(edges)
        assert made.numpy().edges.tolist() == [[0, 2]] and made.num_nodes == 3


@pytest.mark.parametrize("edges", [[], np.empty((0, 2)), np.empty((0, 2), np.int32), np.empty(0)])
@pytest.mark.parametrize("nodes", [0, 3])
def test_empty_graphs(edges, nodes, tmp_path):
    made = pgl.Graph(edges, nodes, {"x": np.ones((nodes, 2), np.float32)}, {"w": np.ones((0, 2), np.float32)})
    assert made.edges.shape == (0, 2) and made.indegree().tolist() == [0] * nodes
    assert [ends.tolist() for ends in made.successor()] == [[]] * nodes
    assert made.sample_predecessor(None, 2, seed=0) == [] or nodes
    made.dump(tmp_path / "graph")
    loaded = pgl.Graph.load(tmp_path / "graph")
    assert (loaded.num_nodes, loaded.num_edges) == (nodes, 0) and loaded.node_feat["x"].shape == (nodes, 2)
    assert made.subgraph(made.nodes).num_nodes == nodes
    made.tensor()
    assert made.edges.shape == [0, 2] and made.graph_edge_id.shape == [0]
    assert made.send_u_recv(made.node_feat["x"]).numpy().tolist() == [[0, 0]] * nodes
    assert made.send_ue_recv(made.node_feat["x"], made.edge_feat["w"]).shape == [nodes, 2]
    sent = made.send(
        lambda s, d, e: {"m": s["x"] + d["x"] + e["w"]}, node_feat=made.node_feat, edge_feat=made.edge_feat
    )
    assert sent["m"].shape == [0, 2]
    assert made.recv(lambda msg: msg.reduce_max(msg["m"]), sent).numpy().tolist() == [[0, 0]] * nodes


def test_isolated_nodes():
    made = pgl.Graph([(1, 1)], 4, {"x": np.ones((4, 1), np.float32)}).tensor()
    for reduce in ("sum", "mean", "max", "min"):
        assert made.send_u_recv(made.node_feat["x"], reduce).numpy().ravel().tolist() == [0, 1, 0, 0]


def test_ids_beyond_32_bits(tmp_path):
    far = 2**31 + 7
    made = pgl.BiGraph([(1, far), (0, 2)], 2, far + 1)
    assert made.successor([1])[0].tolist() == [far] and made.outgoing.indices.dtype == np.int64
    made.dump(tmp_path / "graph")
    loaded = pgl.BiGraph.load(tmp_path / "graph")
    assert loaded.dst_num_nodes == far + 1 and loaded.edges.tolist() == [[1, far], [0, 2]]
    with pytest.raises(
        ValueError, match=f"messages pass among fewer than 2\\^31 nodes and edges, not {far + 1}; sample"
    ):
        made.connections()


def test_as_many_nodes_as_32_bits_can_number():
    assert pgl.BiGraph([(0, 2**31 - 1)], 1, 2**31).outgoing.indices.dtype == np.int32
