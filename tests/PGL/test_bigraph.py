"""BiGraph by hand; tests/parity/PGL compares it with pgl."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PGL as pgl

EDGES = [(0, 1), (1, 2), (3, 4), (3, 4)]


def bigraph() -> pgl.BiGraph:
    return pgl.BiGraph(
        EDGES, 4, 6, {"s": np.arange(4, dtype=np.float32)[:, None]}, {"d": np.ones((6, 2))}, {"w": np.arange(4)}
    )


def test_two_sets_of_nodes():
    made = bigraph()
    assert (made.src_num_nodes, made.dst_num_nodes, made.num_edges) == (4, 6, 4)
    assert made.src_nodes.tolist() == [0, 1, 2, 3] and made.dst_nodes.tolist() == [0, 1, 2, 3, 4, 5]
    assert made.outdegree().tolist() == [1, 1, 0, 2] and made.indegree().tolist() == [0, 1, 1, 0, 2, 0]
    assert made.successor([3])[0].tolist() == [4, 4] and made.predecessor([4], True)[1][0].tolist() == [2, 3]
    inferred = pgl.BiGraph(EDGES)
    assert (inferred.src_num_nodes, inferred.dst_num_nodes) == (4, 5)
    assert repr(pgl.BiGraph([], 1, 2)) == "BiGraph(src_num_nodes=1, dst_num_nodes=2, num_edges=0)"


def test_messages_go_from_sources_to_destinations():
    made = bigraph().tensor()
    assert made.src_nodes.numpy().tolist() == [0, 1, 2, 3] and made.dst_nodes.shape == [6]
    sent = made.send_recv(made.src_node_feat["s"], "mean")
    assert sent.numpy().ravel().tolist() == [0, 0, 1, 0, 3, 0]
    assert made.send_recv(made.src_node_feat["s"], out_size=5).shape == [5, 1]
    assert made.send_uv(made.src_node_feat["s"], core.ones([6, 1])).numpy().ravel().tolist() == [1, 2, 4, 4]
    with pytest.raises(ValueError, match="must have one row for each of 4 sources"):
        made.send_recv(core.ones([6, 1]))


def test_batches_and_forms():
    joined = pgl.BiGraph.batch([bigraph(), bigraph()])
    assert joined.edges.tolist() == [*map(list, EDGES), [4, 7], [5, 8], [7, 10], [7, 10]]
    assert joined.graph_src_node_id.tolist() == [0] * 4 + [1] * 4
    assert joined.graph_dst_node_id.tolist() == [0] * 6 + [1] * 6 and joined.graph_edge_id.tolist() == [0] * 4 + [1] * 4
    rebuilt = pgl.BiGraph.from_flat(joined.tensor().flat(), src_node_feat=["s"], dst_node_feat=["d"], edge_feat=["w"])
    assert (rebuilt.src_num_nodes, rebuilt.dst_num_nodes, rebuilt.num_graph) == (8, 12, 2)
    assert rebuilt.dst_node_feat["d"].shape == [12, 2] and rebuilt.edge_feat["w"].numpy().tolist() == [0, 1, 2, 3] * 2
    sizes = [batch.tolist() for batch in bigraph().node_batch_iter(4, shuffle=False, mode="dst_node")]
    assert sizes == [[0, 1, 2, 3], [4, 5]]
    with pytest.raises(ValueError, match="BiGraph.node_batch_iter: mode must be 'src_node' or 'dst_node', not 'node'"):
        bigraph().node_batch_iter(4, mode="node")


def test_stored_bigraph(tmp_path):
    loaded = pgl.BiGraph.batch([bigraph(), bigraph()]).to_mmap(tmp_path / "graph")
    assert loaded.dst_node_feat["d"].shape == (12, 2) and loaded.graph_dst_node_id.tolist() == [0] * 6 + [1] * 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"src_num_nodes": 3}, r"BiGraph: edge 2 is \[3, 4\], but the nodes where it begins are numbered from 0 to 2"),
        ({"dst_num_nodes": 4}, r"BiGraph: edge 2 is \[3, 4\], but the nodes where it ends are numbered from 0 to 3"),
        ({"dst_num_nodes": "x"}, "BiGraph: dst_num_nodes must be a whole number of at least 0, not 'x'"),
        ({"dst_node_feat": {"d": np.ones((4, 1))}}, r"dst_node_feat 'd' of shape \[4, 1\] must have 5 rows"),
        ({"src_node_feat": {"s": np.ones((5, 1))}}, r"src_node_feat 's' of shape \[5, 1\] must have 4 rows"),
    ],
)
def test_wrong_bigraphs(arguments, message):
    with pytest.raises(ValueError, match=message):
        pgl.BiGraph(EDGES, **arguments)
