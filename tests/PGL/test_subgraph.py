"""Parts of graphs against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import PGL as pgl
from PGL.subgraph import subgraph

EDGES = [(0, 1), (1, 2), (3, 4), (0, 2), (0, 2), (2, 2)]


def graph() -> pgl.Graph:
    return pgl.Graph(EDGES, 6, {"h": np.arange(6) * 10}, {"w": np.arange(6)})


def test_all_edges_between_some_nodes():
    part = subgraph(graph(), [2, 0])
    assert part.edges.tolist() == [[1, 0], [1, 0], [0, 0]]
    assert part.edge_feat["w"].tolist() == [3, 4, 5] and part.node_feat["h"].tolist() == [20, 0]
    assert graph().subgraph([5, 3]).num_edges == 0 and graph().subgraph([]).num_nodes == 0


def test_many_nodes_against_plain_python():
    draw = np.random.default_rng(2)
    edges, nodes = draw.integers(0, 50, (400, 2)), draw.permutation(50)[:20].tolist()
    part = pgl.Graph(edges, 50, edge_feat={"id": np.arange(400)}).subgraph(nodes)
    wanted = [(i, u, v) for i, (u, v) in enumerate(edges.tolist()) if u in nodes and v in nodes]
    assert part.edge_feat["id"].tolist() == [i for i, _, _ in wanted]
    assert part.edges.tolist() == [[nodes.index(u), nodes.index(v)] for _, u, v in wanted]


def test_chosen_edges(tmp_path):
    for made in (graph(), graph().to_mmap(tmp_path / "graph")):
        part = subgraph(made, [2, 0, 1], eid=[4, 1])
        assert part.edges.tolist() == [[1, 0], [2, 0]] and part.edge_feat["w"].tolist() == [4, 1]
        part = subgraph(made, [2, 0, 1], edges=[(0, 2), (1, 1)], with_edge_feat=False, with_node_feat=False)
        assert part.edges.tolist() == [[1, 0], [2, 2]] and not part.node_feat and not part.edge_feat
        part = made.subgraph([0, 1], eid=[0], edges=[(1, 0)])
        assert part.edges.tolist() == [[1, 0]] and part.edge_feat["w"].tolist() == [0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nodes": [0], "eid": [0]}, r"subgraph: the edge \[0, 1\] has the end 1, which is not in nodes"),
        ({"nodes": [], "eid": [0]}, r"subgraph: the edge \[0, 1\] has the end 0, which is not in nodes"),
        ({"nodes": [3, 0, 3]}, "subgraph: node 3 is given twice"),
        ({"nodes": [9]}, "subgraph: node 9 does not exist: there are 6, numbered from 0"),
        ({"nodes": [0, 1], "eid": [7]}, "subgraph: edge id 7 does not exist: there are 6"),
        (
            {"nodes": [0, 1], "edges": [(0, 1)]},
            "subgraph: the graph has edge features; give eid, or with_edge_feat=False",
        ),
        ({"nodes": [0, 1], "edges": [(0, 1)], "eid": [0, 0]}, "subgraph: 2 edge ids and 1 edges do not fit"),
        ({"nodes": [0, 1], "edges": [(0, 9)]}, r"subgraph: edge 0 is \[0, 9\], but the nodes where it ends"),
    ],
)
def test_wrong_parts(arguments, message):
    with pytest.raises(ValueError, match=message):
        subgraph(graph(), **arguments)


def test_graphs_of_tensors_are_turned_into_arrays_first():
    with pytest.raises(ValueError, match=r"subgraph: turn the graph into numpy's arrays with .numpy\(\) first"):
        graph().tensor().subgraph([0])
