"""Walks and their windows against plain Python, and one line for each wrong argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.graphs import node2vec_walks, random_key, random_walks, walk_step, walk_windows
from tests.core.graphs import plain
from tests.core.graphs.samples import ROWS, graph

KEY = random_key(5)
STARTS = [0, 2, 3, 1, 0, 4]
GRAPH = graph(ROWS)


@pytest.mark.parametrize("stop", [0.0, 0.3, 1.0])
def test_walks_follow_the_key(stop: float) -> None:
    expected = []
    for walk, start in enumerate(STARTS):
        nodes, key = [start], plain.bits(int(KEY), walk)
        while len(nodes) < 7 and ROWS[nodes[-1]]:
            drawn = plain.bits(key, len(nodes))
            if stop and plain.unit(plain.bits(drawn, 0)) < stop:
                break
            nodes.append(ROWS[nodes[-1]][plain.below(drawn, len(ROWS[nodes[-1]]))])
        expected.append(nodes + [-1] * (7 - len(nodes)))
    found = random_walks(GRAPH, STARTS, 7, KEY, stop)
    assert found.tolist() == expected and found.dtype == np.int64


def test_a_step_leads_along_an_edge_or_to_the_end() -> None:
    nodes = [0, -1, 3, 2, 1]
    expected = [
        ROWS[node][plain.below(plain.bits(int(KEY), walk), len(ROWS[node]))] if node >= 0 and ROWS[node] else -1
        for walk, node in enumerate(nodes)
    ]
    assert walk_step(GRAPH, nodes, KEY).tolist() == expected
    columns = np.array([nodes, nodes]).T
    assert walk_step(GRAPH, columns[:, 1], KEY).tolist() == expected
    assert walk_step(GRAPH, [], KEY).tolist() == []


def test_p_leads_back_and_q_leads_away() -> None:
    path = graph([[1], [0, 2], [1, 3], [2]]).sorted()
    assert node2vec_walks(path, [0], 6, KEY, p=1e-9).tolist() == [[0, 1, 0, 1, 0, 1]]
    assert node2vec_walks(path, [0], 4, KEY, p=1e9).tolist() == [[0, 1, 2, 3]]
    triangle = graph([[1, 2], [0, 2, 3], [0, 1], [1]]).sorted()  # from 0 over 1: 2 is near 0, 3 is not
    walks = node2vec_walks(triangle, [0] * 50, 3, KEY, p=1e9, q=1e9)
    assert set(walks[walks[:, 1] == 1, 2]) == {2}
    away = node2vec_walks(triangle, [0] * 50, 3, KEY, p=1e9, q=1e-9)
    assert set(away[away[:, 1] == 1, 2]) == {3}


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_windows_are_the_nodes_near_each(dtype: Any) -> None:
    walks = np.array([[3, 1, 4, 1, 5], [9, 2, -1, -1, -1], [6, -1, -1, -1, -1]], dtype)
    nodes, starts, near = [], [0], []
    for number, row in enumerate(walks.tolist()):
        walk = [node for node in row if node >= 0]
        for at, node in enumerate(walk):
            reach = 1 + plain.below(plain.bits(int(KEY), number * 5 + at), 3)
            window = walk[max(0, at - reach) : at] + walk[at + 1 : at + reach + 1]
            if window:
                nodes.append(node)
                near += window
                starts.append(len(near))
    found = walk_windows(walks, 3, KEY)
    assert [part.tolist() for part in found] == [nodes, starts, near]
    assert [part.dtype for part in found] == [np.int32, np.int64, np.int32]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: random_walks(GRAPH, [0, -1], 3, KEY),
            "random_walks: starts holds -1, which is not from 0 to below 5",
        ),
        (
            lambda: random_walks(GRAPH, [0], 0, KEY),
            "random_walks: length must be an integer from 1 to below 2^63, not 0",
        ),
        (lambda: random_walks(GRAPH, [0], 3, KEY, 1.5), "random_walks: stop must be a number from 0 to 1, not 1.5"),
        (
            lambda: random_walks(graph([[1]], 2), [0], 3, KEY),
            "random_walks: walks need the same nodes at both ends of edges, not 1 rows and 2 columns",
        ),
        (
            lambda: node2vec_walks(GRAPH, [0], 3, KEY, 0.0),
            "node2vec_walks: p must be a number from 1e-09 to 1e+09, not 0.0",
        ),
        (
            lambda: node2vec_walks(GRAPH, [0], 3, KEY, 1.0, float("nan")),
            "node2vec_walks: q must be a number from 1e-09 to 1e+09, not nan",
        ),
        (lambda: walk_step(GRAPH, [-2], KEY), "walk_step: nodes holds -2, which is not from -1 to below 5"),
        (lambda: walk_step(GRAPH, [5], KEY), "walk_step: nodes holds 5, which is not from -1 to below 5"),
        (lambda: walk_windows([[0]], 1, KEY), "walk_windows: walks must be a NumPy array, not list"),
        (
            lambda: walk_windows(np.zeros(3, int), 1, KEY),
            "walk_windows: walks must be int32 or int64 of shape [any, any], not int64 of shape [3]",
        ),
        (
            lambda: walk_windows(np.array([[2**31]]), 1, KEY),
            "walk_windows: walks holds the node 2147483648, and windows hold nodes below 2^31",
        ),
        (
            lambda: walk_windows(np.zeros((1, 2), int), 0, KEY),
            "walk_windows: radius must be an integer from 1 to below 2^63, not 0",
        ),
    ],
)
def test_wrong_arguments_are_one_line(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value) == message
