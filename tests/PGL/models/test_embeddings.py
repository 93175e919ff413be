"""Embeddings of nodes and of knowledge graphs, against numpy and PyTorch's formula."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import core
import PGL
from PGL.models import create_model


def rows(network: core.nn.Layer) -> tuple[np.ndarray, np.ndarray]:
    return network.entities.numpy().astype(np.float64), network.relations.numpy().astype(np.float64)


TRIPLES = np.array([[0, 1, 2], [4, 0, 4], [3, 2, 0]])


def test_translations_score_as_the_paper_says() -> None:
    network = create_model("TransE", num_entities=5, num_relations=3, embedding_size=6, gamma=4.0)
    entities, relations = rows(network)
    assert abs(entities).max() <= 1.0 and entities.shape == (5, 6) and relations.shape == (3, 6)
    scores = network(*[core.to_tensor(column) for column in TRIPLES.T]).numpy()
    expected = [4 - abs(entities[h] + relations[r] - entities[t]).sum() for h, r, t in TRIPLES]
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


def test_rotations_score_as_the_paper_says() -> None:
    network = create_model("RotatE", num_entities=5, num_relations=3, embedding_size=4, gamma=4.0)
    entities, relations = rows(network)
    assert entities.shape == (5, 8) and relations.shape == (3, 4)
    numbers = entities[:, :4] + 1j * entities[:, 4:]
    turns = np.exp(1j * np.pi * relations / (6.0 / 4))  # the range of initial values is half a turn to each side
    heads, relation, tails = (core.to_tensor(column.reshape(-1, 1)) for column in TRIPLES.T)
    every = core.arange(5, dtype="int64").reshape([1, -1])
    for given, ours in (((heads, relation, every), "tail"), ((every, relation, tails), "head")):
        scores = network(*given).numpy()
        for row, (head, kind, tail) in enumerate(TRIPLES):
            ends = (numbers[head], numbers) if ours == "tail" else (numbers, numbers[tail])
            np.testing.assert_allclose(
                scores[row], 4 - abs(ends[0] * turns[kind] - ends[1]).sum(axis=1), rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("name", ["TransE", "RotatE"])
def test_gradients_agree_with_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not here")
    network = create_model(name, num_entities=5, num_relations=3, embedding_size=4, gamma=4.0)
    network(*[core.to_tensor(column) for column in TRIPLES.T]).sum().backward()
    entities, relations = (torch.tensor(table, requires_grad=True) for table in rows(network))
    head, relation, tail = entities[TRIPLES[:, 0]], relations[TRIPLES[:, 1]], entities[TRIPLES[:, 2]]
    if name == "TransE":
        score = 4 - (head + relation - tail).abs().sum()
    else:
        turn = torch.polar(torch.ones_like(relation), torch.pi * relation / 1.5)
        difference = torch.complex(head[:, :4], head[:, 4:]) * turn - torch.complex(tail[:, :4], tail[:, 4:])
        score = 4 - difference.abs().sum()
    score.backward()
    np.testing.assert_allclose(network.entities.grad.numpy(), entities.grad.numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(network.relations.grad.numpy(), relations.grad.numpy(), rtol=1e-4, atol=1e-5)


def ring(count: int = 12) -> PGL.Graph:
    ends = np.arange(count)
    there, back = np.stack([ends, (ends + 1) % count], 1), np.stack([(ends + 1) % count, ends], 1)
    return PGL.Graph(np.concatenate([there, back]), count)


@pytest.mark.parametrize(
    ("name", "arguments"), [("DeepWalk", {}), ("Node2vec", {"p": 0.5, "q": 2.0}), ("LINE", {"order": 1}), ("LINE", {})]
)
def test_neighbours_on_a_ring_become_alike(name: str, arguments: dict) -> None:
    core.seed(0)
    np.random.seed(0)  # noqa: NPY002 -- what core.io.randomness draws from outside a loader
    if name != "LINE":
        arguments = {"walk_length": 6, "window_size": 1, **arguments}
    network = create_model(name, num_nodes=12, embedding_size=8, **arguments)
    sampler = pickle.loads(pickle.dumps(network.sampler(ring())))
    losses = [network.descend(sampler(range(sampler.count)), 0.1) for _ in range(60)]
    assert np.mean(losses[-5:]) < np.mean(losses[:5])
    sources, targets = (table.numpy() for table in network.tables())
    scores = sources @ targets.T
    gaps = (np.arange(12) - np.arange(12)[:, None]) % 12
    assert scores[gaps == 1].mean() > scores[gaps == 6].mean() + 0.3
    nodes = core.to_tensor(np.array([3, 3, 0]))
    np.testing.assert_array_equal(network(nodes).numpy(), sources[[3, 3, 0]])


def test_walks_along_a_metapath_make_windows() -> None:
    edges = {"writes": [(0, 2), (1, 2), (1, 3)], "written": [(2, 0), (2, 1), (3, 1)]}
    graph = PGL.HeterGraph(edges, node_types=[(0, "a"), (1, "a"), (2, "p"), (3, "p")])
    network = create_model("Metapath2vec", num_nodes=4, metapath=["writes", "written"], walk_length=5, window_size=1)
    centers, starts, contexts, negatives = network.sampler(graph)([0, 1, 2])
    near = {(0, 2), (1, 2), (1, 3)}
    for number, center in enumerate(centers):
        for context in contexts[starts[number] : starts[number + 1]]:
            assert (min(center, context), max(center, context)) in near
    assert len(centers) == 10 and negatives.shape == (10, 5)  # no walk leads on from node 2, a paper


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("DeepWalk", {"num_nodes": 4, "negatives": 0}, "DeepWalk: negatives must be positive, not 0"),
        ("DeepWalk", {"num_nodes": 4, "walk_length": 1}, "a walk has at least 2 nodes and a window reaches 1 place"),
        ("Node2vec", {"num_nodes": 4, "q": 0.0}, "Node2vec: p and q must be positive, not 0.25 and 0.0"),
        ("LINE", {"num_nodes": 4, "order": 3}, "LINE: order must be 1 or 2, not 3"),
        ("TransE", {"num_entities": 2, "num_relations": 1, "gamma": 0.0}, "embedding_size and gamma must be pos"),
    ],
)
def test_impossible_settings(name: str, arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_model(name, **arguments)
