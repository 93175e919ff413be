"""Graph: its structure, its forms and its batches; the same uses are compared with pgl in tests/parity/PGL."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import core
import PGL as pgl
from tests.engine import ENGINE

EDGES = [(0, 1), (1, 2), (3, 4), (0, 2), (0, 2), (2, 2)]


def graph(tensor: bool = False) -> pgl.Graph:
    made = pgl.Graph(
        EDGES, 6, {"h": np.arange(6, dtype=np.float32)[:, None]}, {"w": np.arange(12, dtype=np.float32).reshape(6, 2)}
    )
    return made.tensor() if tensor else made


def lists(arrays):
    return [array.tolist() for array in arrays]


def test_sizes_nodes_and_edges():
    made = graph()
    assert (made.num_nodes, made.num_edges, made.num_graph) == (6, 6, 1)
    assert made.nodes.tolist() == [0, 1, 2, 3, 4, 5]
    assert made.edges.tolist() == [list(edge) for edge in EDGES] and made.edges.dtype == np.int64
    assert pgl.Graph(EDGES).num_nodes == 5
    assert pgl.Graph(EDGES, np.int64(7)).num_nodes == pgl.Graph(EDGES, core.to_tensor(7)).num_nodes == 7
    assert (
        repr(made)
        == "Graph(num_nodes=6, num_edges=6, node_feat={'h': float32 [6, 1]}, edge_feat={'w': float32 [6, 2]})"
    )
    assert not made.is_tensor()


def test_degrees_and_neighbours_keep_parallel_edges_and_self_loops():
    made = graph()
    assert made.indegree().tolist() == [0, 1, 4, 0, 1, 0]
    assert made.outdegree().tolist() == [3, 1, 1, 1, 0, 0]
    assert made.outdegree([3, 0]).tolist() == [1, 3]
    assert lists(made.successor()) == [[1, 2, 2], [2], [2], [4], [], []]
    ends, ids = made.predecessor([2, 5], return_eids=True)
    assert lists(ends) == [[1, 0, 0, 2], []] and lists(ids) == [[1, 3, 4, 5], []]
    assert made.adj_src_index is made.outgoing and made.adj_dst_index is made.incoming


def test_sorted_edges():
    sources, targets, ids = graph().sorted_edges("dst")
    assert (sources.tolist(), targets.tolist(), ids.tolist()) == (
        [0, 1, 0, 0, 2, 3],
        [1, 2, 2, 2, 2, 4],
        [0, 1, 3, 4, 5, 2],
    )
    for one, other in zip(graph().sorted_edges("src"), graph(tensor=True).sorted_edges("src")):
        np.testing.assert_array_equal(one, other.numpy())


def test_edges_at_read_no_others():
    assert graph().edges_at([4, 2]).tolist() == [[0, 2], [3, 4]]
    with pytest.raises(ValueError, match="Graph: edge id 6 does not exist: there are 6, numbered from 0"):
        graph().edges_at([6])


def test_sampled_neighbours_are_different_edges_of_the_node():
    made = pgl.Graph(np.stack([np.repeat(np.arange(4), 50), np.arange(200) % 60], 1), 60)
    ends, ids = made.sample_successor([2, 0, 59], 7, return_eids=True, seed=5)
    for node, some, numbers in zip([2, 0, 59], ends, ids):
        assert len(set(numbers.tolist())) == len(numbers) == (7 if node < 4 else 0)
        assert made.edges[numbers].tolist() == [[node, end] for end in some.tolist()]
    assert lists(made.sample_successor([2, 0, 59], 7, seed=5)) == lists(ends)
    assert lists(made.sample_successor([2], 7, seed=6)) != lists(ends[:1])
    assert lists(made.sample_predecessor([3], 100)) == lists(made.predecessor([3]))
    (shuffled,) = made.sample_successor([1], 50, shuffle=True, seed=1)
    assert shuffled.tolist() != made.successor([1])[0].tolist()
    assert sorted(shuffled.tolist()) == sorted(made.successor([1])[0].tolist())
    np.random.seed(3)  # noqa: NPY002 -- numpy's global generator is the documented source
    first = lists(made.sample_successor(None, 3))
    np.random.seed(3)  # noqa: NPY002
    assert lists(made.sample_successor(None, 3)) == first


def test_sampled_neighbours_are_drawn_evenly():
    made = pgl.Graph(np.stack([np.zeros(10, int), np.arange(10)], 1), 10)
    counts = np.bincount(np.concatenate([made.sample_successor([0], 3, seed=seed)[0] for seed in range(1000)]))
    assert ((counts - 300) ** 2 / 300).sum() < 27.9  # χ² of 9 degrees of freedom, one in a thousand


def test_batches_of_nodes_and_edges():
    made = graph()
    assert lists(made.node_batch_iter(4, shuffle=False)) == [[0, 1, 2, 3], [4, 5]]
    shuffled = lists(made.node_batch_iter(4, seed=1))
    assert sorted(shuffled[0] + shuffled[1]) == [0, 1, 2, 3, 4, 5] and shuffled == lists(
        made.node_batch_iter(4, seed=1)
    )
    assert shuffled != lists(made.node_batch_iter(4, seed=2))
    assert lists(made.edge_batch_iter(5, shuffle=False)) == [[0, 1, 2, 3, 4], [5]]
    (batch,) = graph(tensor=True).edge_batch_iter(9, shuffle=False)
    assert batch.numpy().tolist() == [0, 1, 2, 3, 4, 5]


def test_tensors_and_back():
    made = graph()
    other = made.tensor(inplace=False)
    assert other.is_tensor() and not made.is_tensor() and isinstance(made.node_feat["h"], np.ndarray)
    assert other.edges.numpy().tolist() == made.edges.tolist() and other.nodes.numpy().tolist() == made.nodes.tolist()
    assert other.indegree().numpy().tolist() == made.indegree().tolist()
    assert other.outdegree([3, 0]).numpy().tolist() == [1, 3]
    back = other.numpy(inplace=False)
    assert other.is_tensor() and back.edge_feat["w"].tolist() == made.edge_feat["w"].tolist()
    assert other.numpy() is other and not other.is_tensor()
    assert other.tensor() is other and other.tensor() is other
    given = {"h": np.zeros((6, 1), np.float32)}
    pgl.Graph(EDGES, 6, given).tensor()
    assert isinstance(given["h"], np.ndarray)


def test_one_tensor_makes_a_graph_of_tensors():
    from_edges = pgl.Graph(core.to_tensor(EDGES), 6, {"h": np.zeros((6, 1))})
    assert from_edges.is_tensor() and from_edges.node_feat["h"].shape == [6, 1]
    feature = core.ones([6, 1])
    feature.stop_gradient = False
    from_feature = pgl.Graph(EDGES, 6, {"h": feature})
    assert from_feature.node_feat["h"] is feature and from_feature.edges.shape == [6, 2]


def test_connections_are_made_once():
    made = graph(tensor=True)
    edges = made.connections()
    assert made.connections() is edges
    assert edges.incoming.neighbors.numpy().tolist() == [0, 1, 0, 0, 2, 3]
    assert edges.outgoing.edge_ids.numpy().tolist() == [0, 3, 4, 1, 5, 2]


def test_flat_graph_in_compiled_code():
    made = pgl.Graph.batch([graph(), graph()]).tensor()

    def compute(*tensors):
        rebuilt = pgl.Graph.from_flat(tensors, node_feat=["h"], edge_feat=["w"])
        sent = rebuilt.send_ue_recv(rebuilt.node_feat["h"], rebuilt.edge_feat["w"], "mul", "sum")
        sizes = core.to_tensor([rebuilt.num_nodes, rebuilt.num_edges, rebuilt.num_graph])
        return (
            sent, rebuilt.indegree(), rebuilt.graph_node_id, rebuilt.graph_edge_id, rebuilt.edges, sizes,
            *rebuilt.sorted_edges("dst"),
        )  # fmt: skip

    wanted = [
        made.send_ue_recv(made.node_feat["h"], made.edge_feat["w"], "mul", "sum"), made.indegree(), made.graph_node_id,
        made.graph_edge_id, made.edges, core.to_tensor([12, 12, 2]), *made.sorted_edges("dst"),
    ]  # fmt: skip
    for run in (compute, core.jit.to_static(compute)):
        for answer, right in zip(run(*made.flat()), wanted):
            np.testing.assert_array_equal(answer.numpy(), right.numpy())


def test_flat_graph_of_other_features_is_refused():
    tensors = graph(tensor=True).flat()
    with pytest.raises(ValueError, match="Graph.from_flat: 9 Tensors belong to these features, not 11"):
        pgl.Graph.from_flat(tensors)
    with pytest.raises(ValueError, match="'feat' is no kind of features: node_feat, edge_feat"):
        pgl.Graph.from_flat(tensors, feat=["h"])


def test_compiled_code_may_close_over_a_graph():
    made = graph(tensor=True)
    run = core.jit.to_static(lambda x: made.send_u_recv(x, "max"))
    assert run(made.node_feat["h"]).numpy().ravel().tolist() == [0, 0, 2, 0, 3, 0]


def test_a_graph_may_be_an_argument_of_a_compiled_layer():
    class Sum(core.nn.Layer):
        def forward(self, graph, feature):
            return graph.send_recv(feature)

    layer, x = core.jit.to_static(Sum()), core.arange(6, dtype="float32").reshape([6, 1])
    for source in range(5):  # each graph is gone when the next one comes
        passed = pgl.Graph([(source, 5), (5, 0)], 6).tensor()
        assert layer(passed, x).numpy().ravel().tolist() == [5, 0, 0, 0, 0, source]


def test_disjoint_graphs():
    empty = pgl.Graph([], 0, {"h": np.empty((0, 1), np.float32)}, {"w": np.empty((0, 2), np.float32)})
    joined = pgl.Graph.batch([graph(), empty, graph()])
    assert joined.edges.tolist() == [*map(list, EDGES), *([u + 6, v + 6] for u, v in EDGES)]
    assert joined.num_graph == 3
    assert joined.graph_node_id.tolist() == [0] * 6 + [2] * 6 and joined.graph_edge_id.tolist() == [0] * 6 + [2] * 6
    assert joined.node_feat["h"].ravel().tolist() == [0, 1, 2, 3, 4, 5] * 2
    tensors = pgl.Graph.disjoint([graph(tensor=True)] * 2)
    assert tensors.is_tensor() and tensors.graph_node_id.numpy().tolist() == [0] * 6 + [1] * 6
    merged = pgl.Graph.disjoint([graph()] * 2, merged_graph_index=True)
    assert merged.num_graph == 1 and merged.graph_node_id.tolist() == [0] * 12


def test_gradients_pass_through_joined_features():
    feature = core.ones([6, 1])
    feature.stop_gradient = False
    joined = pgl.Graph.batch(
        [pgl.Graph(EDGES, 6, {"h": feature}), pgl.Graph(EDGES, 6, {"h": np.ones((6, 1), np.float32)})]
    )
    joined.send_u_recv(joined.node_feat["h"]).sum().backward()
    assert feature.grad.numpy().ravel().tolist() == [3, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([], "Graph.disjoint: there are no graphs to put side by side"),
        ([graph(), pgl.Graph(EDGES, 6)], "node_feat 'h' is not of one shape in all graphs"),
        ([pgl.Graph(EDGES, 6), graph()], "graph 1 has a node_feat 'h', and graph 0 has none"),
        (
            [pgl.Graph([], 1, {"h": np.ones((1, 2))}), pgl.Graph([], 1, {"h": np.ones((1, 3))})],
            "node_feat 'h' is not of one shape in all graphs",
        ),
    ],
)
def test_graphs_that_do_not_fit_are_not_joined(graphs, message):
    with pytest.raises(ValueError, match=message):
        pgl.Graph.disjoint(graphs)


def test_a_graph_goes_to_another_process():
    sent = pickle.loads(pickle.dumps(graph()))
    assert (
        sent.edges.tolist() == graph().edges.tolist()
        and sent.node_feat["h"].tolist() == graph().node_feat["h"].tolist()
    )


def test_reading_graphs_loads_no_engine():
    code = (
        "import sys, PGL, PGL.data, PGL.storage.graphs, PGL.sampling\n"
        "graph = PGL.Graph([(0, 1), (1, 2)], 3, {'x': [[1.0], [2.0], [3.0]]}, {'w': [1, 2]})\n"
        "PGL.Graph.batch([graph, graph]).predecessor()\n"
        "list(graph.node_batch_iter(2)); graph.subgraph([1, 2]); graph.sample_successor([0], 1)\n"
        "PGL.HeterGraph({'a': [(0, 1)]}, 2).indegree(); PGL.BiGraph([(0, 1)]).indegree()\n"
        f"assert '{ENGINE}' not in sys.modules\n"
        "assert {'Graph', 'nn', 'sampling', 'dataset'} <= set(dir(PGL)) and PGL.dataset is PGL.data\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_name():
    with pytest.raises(AttributeError, match="PGL has no attribute 'Grap'"):
        pgl.Grap  # noqa: B018
