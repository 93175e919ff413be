"""Which texts of a graph belong together: pairs are nearer than others, by a hinge loss in the batch.

Source: PaddleNLP's example ``text_graph/erniesage``; the loss is that of its ``loss_type: hinge``, ``neg_type:
    batch_neg``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.graphs import random_key, renumber, sample_neighbors
from core.io import DataLoader
from core.io.randomness import integer
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.operators.graphs._edges import Edges, grouped_edges
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PGL.config import GraphConfig
from PGL.data.text_graph import TextGraph
from PGL.tasks.base import GraphTask, loader_of
from PGL.tasks.link_prediction import HITS, filtered_rank
from PGL.tasks.node_classification import Connections


class PairEvaluator(Evaluator):
    """Mean reciprocal rank and hits of the right text among all that may be found; other right ones are left out.

    Args:
        found: the nodes among which it is sought, ascending.
        known: all right pairs, int64 [n, 2].
    """

    def __init__(self, found: np.ndarray, known: np.ndarray) -> None:
        self.found, self.right = found, dict[int, list[int]]()
        for asked, answer in known.tolist():
            self.right.setdefault(asked, []).append(int(np.searchsorted(found, answer)))
        self.ranks: list[float] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in the vectors of all nodes, (nodes, size); the batch's one field is pairs."""
        rows = outputs[0]
        for asked, answer in batch[0].numpy().tolist():
            scores, truth = rows[self.found] @ rows[asked], int(np.searchsorted(self.found, answer))
            self.ranks.append(filtered_rank(scores, truth, [one for one in self.right[asked] if one != truth]))

    def result(self) -> dict[str, float]:
        """Return "mrr", "mean_rank" and "hits_1", "hits_3", "hits_10"."""
        ranks = np.array(self.ranks or [np.inf])
        hits = {f"hits_{count}": float((ranks <= count).mean()) for count in HITS}
        return {"mrr": float((1 / ranks).mean()), "mean_rank": float(ranks.mean()), **hits}


class TextLinkPrediction(GraphTask):
    """Trains ERNIESage so that the texts of a pair are nearer to each other than to other texts of the batch.

    Shapes differ from batch to batch, so that ``train.compiled`` should be false.

    Args:
        config: the experiment.
        batch_size: pairs of a step.
        samples: neighbours that are drawn of each node, for each convolution.
        margin: by how much a pair should be nearer, in cosines.

    Raises:
        ValueError: an argument is out of range, or the data set is none of texts.
    """

    numbers = ("mrr", "mean_rank", "hits_1", "hits_3", "hits_10")
    models = ("ErnieSageV1", "ErnieSageV2")
    monitor = "mrr"

    def __init__(self, config: GraphConfig, batch_size: int = 32, samples: int = 10, margin: float = 0.1) -> None:
        super().__init__(config)
        if batch_size < 2 or samples < 1 or margin <= 0:
            raise ValueError(
                "task: batch_size must be 2 and samples 1 at least, and margin positive, not "
                f"{batch_size}, {samples} and {margin}"
            )
        if not isinstance(self.data, TextGraph):
            name = config.data.dataset.name
            raise ValueError(
                f"data.dataset: {name} has no texts; {config.task.name} takes TextGraphDataset or DrawnTextGraph"
            )
        self.batch_size, self.samples, self.margin = batch_size, samples, margin
        self.parts = {"train": self.data.train, "valid": self.data.valid, "test": self.data.test}
        self.build_network(
            vocab_size=len(self.data.tokens), max_seqlen=self.data.max_seqlen, cls_token_id=self.data.cls_token_id
        )
        self.on_texts = OnTexts(self.network)
        self.hops = len(self.network.encoder.convs)

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        data, parts = self.data, ", ".join(f"{len(pairs):,} {split}" for split, pairs in self.parts.items())
        return [
            f"{self.config.data.dataset.name}: {data.graph.num_nodes:,} texts, {data.graph.num_edges:,} edges, "
            f"{len(data.tokens):,} tokens",
            f"pairs: {parts}; sought among {len(data.found):,} texts",
        ]

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of pairs; those of training come with the texts around them."""
        pairs = self.parts[split]
        if not len(pairs):
            return None
        if split != "train":
            return loader_of(lambda _: [pairs], 1, 1, self.config.seed)
        make = Surroundings(self.data, pairs, self.samples, self.hops)
        return loader_of(make, len(pairs), self.batch_size, self.config.seed, True, self.config.data.num_workers)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, places: Any, term_ids: Any, edges: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch: relu(other - pair + margin), a pair's cosine, and another's of the batch.

        Args:
            places: where the pairs stand among the nodes, int64 (N, 2).
            term_ids: int64 (nodes, tokens).
            edges: int64 (edges, 2).
        """
        rows = self.on_texts(term_ids, edges)
        asked, found = (core.gather(rows, places[:, end]) for end in (0, 1))
        pair = (asked * found).sum(axis=1, keepdim=True)
        others = core.matmul(asked, found, transpose_y=True)
        return F.relu(others - pair + self.margin).mean(), {"cosine": pair.mean()}

    def predict(self, pairs: Any) -> Sequence[Any]:
        """Return the vectors of all nodes, (nodes, size)."""
        return [core.to_tensor(self.embeddings())]

    def evaluator(self, split: str) -> PairEvaluator:
        """Return an empty evaluator."""
        return PairEvaluator(self.data.found, np.concatenate(list(self.parts.values())))

    def embeddings(self) -> np.ndarray:
        """Return the vectors of all nodes, with neighbours that are the same each time."""
        self.eval_mode()
        nodes, rows = np.arange(self.data.graph.num_nodes), []
        with core.no_grad():
            for begin in range(0, len(nodes), 128):
                chosen = nodes[begin : begin + 128]
                everyone, edges = neighborhood(self.data.graph.incoming, chosen, self.samples, self.hops, begin)
                found = self.on_texts(core.to_tensor(self.data.term_ids[everyone]), core.to_tensor(edges))
                rows.append(found.numpy()[: len(chosen)])
        return np.concatenate(rows)

    def program(self) -> Program:
        """Return the program: texts and edges to vectors, for any number of them."""
        length = self.data.max_seqlen
        specs = [InputSpec([None, length], "int64", "term_ids"), InputSpec([None, 2], "int64", "edges")]
        text = f"term_ids int64 [nodes, {length}] and edges int64 [edges, 2] to vectors of nodes"
        program = self.exported(Program(self.on_texts, specs, text))
        vocabulary = "".join(f"{token}\n" for token in self.data.tokens).encode("utf-8")
        return program._replace(files={**program.files, "vocab.txt": vocabulary})


class TextEdges(Connections):
    """Stands for a graph of texts.

    Args:
        grouped: its edges, by node.
        edges: the same (source, target), int64 (edges, 2).
    """

    def __init__(self, grouped: Edges, edges: Any) -> None:
        super().__init__(grouped)
        self.edges = edges


class OnTexts(nn.Layer):
    """A network that takes texts and the edges between them.

    Args:
        network: of a graph and texts.
    """

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, term_ids: Any, edges: Any) -> Any:
        """Return the network's result.

        Args:
            term_ids: int64 (nodes, tokens).
            edges: (source, target), int64 (edges, 2).
        """
        count = term_ids.shape[0]
        return self.network(TextEdges(grouped_edges(edges[:, 0], edges[:, 1], count, count), edges), term_ids)


def neighborhood(incoming: Any, nodes: np.ndarray, samples: int, hops: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes with what is drawn around them.

    Args:
        incoming: the graph's edges by target.
        nodes: int64, each once.
        samples: neighbours that are drawn of each node.
        hops: how often.
        seed: what the draws follow from.

    Returns:
        The nodes, the given ones first; the edges (source, target) between them by their places, int64 [n, 2]. A node
        without edges gets one to itself where there would be none at all.
    """
    known, parts, begin = nodes, [], 0
    for hop in range(hops):
        drawn = sample_neighbors(incoming, known[begin:], samples, random_key(seed, hop))
        ends = np.repeat(np.arange(begin, len(known)), np.diff(drawn.indptr))
        begin, (known, places) = len(known), renumber(np.concatenate([known, drawn.neighbors]))
        parts.append(np.stack([places[begin:], ends], axis=1))
    edges = np.concatenate(parts).astype(np.int64)
    return known, edges if len(edges) else np.zeros((1, 2), np.int64)


class Surroundings:
    """Makes batches of pairs and the texts around them.

    Args:
        data: the texts.
        pairs: int64 [n, 2].
        samples: neighbours that are drawn of each node.
        hops: how often.
    """

    def __init__(self, data: TextGraph, pairs: np.ndarray, samples: int, hops: int) -> None:
        self.incoming, self.term_ids = data.graph.incoming, data.term_ids
        self.pairs, self.samples, self.hops = pairs, samples, hops

    def __call__(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return where the pairs of these numbers stand, the texts, and the edges."""
        pairs = self.pairs[np.asarray(numbers)]
        nodes, places = np.unique(pairs, return_inverse=True)
        everyone, edges = neighborhood(self.incoming, nodes, self.samples, self.hops, integer(0, 2**62))
        return [places.reshape(pairs.shape).astype(np.int64), self.term_ids[everyone], edges]
