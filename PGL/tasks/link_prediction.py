"""Links of a knowledge graph: embeddings of entities and relations, judged by the ranks of true triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.io import DataLoader
from core.io.randomness import integer
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PGL.config import GraphConfig
from PGL.tasks.base import Columns, GraphTask, loader_of

HITS = (1, 3, 10)


class RankEvaluator(Evaluator):
    """Mean reciprocal rank and hits of true entities among all, those of other true triples left out.

    (The filtered setting: Bordes et al., NIPS 2013, section 4.1. Of equal scores the rank is the mean one.)

    Args:
        known: all true triples, int64 [n, 3].
    """

    def __init__(self, known: np.ndarray) -> None:
        self.tails: dict[tuple[int, int], list[int]] = {}
        self.heads: dict[tuple[int, int], list[int]] = {}
        for head, relation, tail in known.tolist():
            self.tails.setdefault((head, relation), []).append(tail)
            self.heads.setdefault((tail, relation), []).append(head)
        self.ranks: list[float] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in the scores of all tails, and of all heads, (N, entities) each; the batch's first field is triples."""
        for triple, tails, heads in zip(batch[0].numpy().tolist(), *outputs):
            head, relation, tail = triple
            self.ranks.append(filtered_rank(tails, tail, self.tails.get((head, relation), [])))
            self.ranks.append(filtered_rank(heads, head, self.heads.get((tail, relation), [])))

    def result(self) -> dict[str, float]:
        """Return "mrr", "mean_rank" and "hits_1", "hits_3", "hits_10"."""
        ranks = np.array(self.ranks or [np.inf])
        hits = {f"hits_{count}": float((ranks <= count).mean()) for count in HITS}
        return {"mrr": float((1 / ranks).mean()), "mean_rank": float(ranks.mean()), **hits}


def filtered_rank(scores: np.ndarray, truth: int, known: Sequence[int]) -> float:
    """Return the rank of the true entity, from 1, among all that make no known triple.

    Args:
        scores: of all entities.
        truth: the true one.
        known: entities that make true triples, which do not count.
    """
    others = np.delete(scores, [*known, truth])
    return 1 + float((others > scores[truth]).sum()) + 0.5 * float((others == scores[truth]).sum())


class LinkPrediction(GraphTask):
    """Trains embeddings that tell true triples from such with an entity exchanged.

    The loss is -log σ(score) of true triples, and -log σ(-score) of exchanged ones, weighted by the softmax of
    ``temperature`` times their scores (Sun et al., ICLR 2019, equation 5).

    Args:
        config: the experiment.
        batch_size: true triples of a step.
        negatives: exchanged ones for each; in half of the batches heads are exchanged, in the others tails.
        temperature: of their weights; 0: all weigh alike.

    Raises:
        ValueError: an argument is out of range.
    """

    numbers = ("mrr", "mean_rank", "hits_1", "hits_3", "hits_10")
    models = ("TransE", "RotatE")
    monitor = "mrr"

    def __init__(
        self, config: GraphConfig, batch_size: int = 512, negatives: int = 64, temperature: float = 1.0
    ) -> None:
        super().__init__(config)
        if batch_size < 1 or negatives < 1 or temperature < 0:
            raise ValueError(
                "task: batch_size and negatives must be positive, temperature not negative, not "
                f"{batch_size}, {negatives} and {temperature}"
            )
        self.batch_size, self.count, self.temperature = batch_size, negatives, temperature
        self.parts = {"train": self.data.train, "valid": self.data.valid, "test": self.data.test}
        self.build_network(num_entities=self.data.num_entities, num_relations=self.data.num_relations)
        self.everyone = core.arange(self.data.num_entities, dtype="int64").reshape([1, -1])

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        parts = ", ".join(f"{len(triples):,} {split}" for split, triples in self.parts.items())
        name, data = self.config.data.dataset.name, self.data
        lines = [f"{name}: {data.num_entities:,} entities, {data.num_relations:,} relations", f"triples: {parts}"]
        new = data.num_entities - len(np.unique(data.train[:, [0, 2]]))
        return lines + ([f"{new:,} entities occur in no training triple, and stay as they begin"] if new else [])

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of a split's triples; those of training come with entities to exchange."""
        triples, train = self.parts[split], split == "train"
        make = Exchanged(triples, self.data.num_entities, self.count) if train else Chosen(triples)
        if not len(triples):
            return None
        workers = self.config.data.num_workers if train else 0
        return loader_of(make, len(triples), self.batch_size, self.config.seed, train, workers)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, triples: Any, others: Any, heads: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch.

        Args:
            triples: int64, shape (N, 3).
            others: int64, shape (N, K): entities to exchange.
            heads: bool, shape (1, 1): whether heads are exchanged, else tails.
        """
        first, relation, last = [column.reshape([-1, 1]) for column in core.unstack(triples, axis=1)]
        true = self.network(first, relation, last)
        false = self.network(core.where(heads, others, first), relation, core.where(heads, last, others))
        weights = F.softmax(false * self.temperature, axis=1).detach()
        positive = -F.log_sigmoid(true).mean()
        negative = -(weights * F.log_sigmoid(-false)).sum(axis=1).mean()
        return (positive + negative) / 2, {"true": positive, "exchanged": negative}

    def predict(self, triples: Any) -> Sequence[Any]:
        """Return the scores of all tails for each head and relation, and of all heads, (N, entities) each."""
        first, relation, last = [column.reshape([-1, 1]) for column in core.unstack(triples, axis=1)]
        return [self.network(first, relation, self.everyone), self.network(self.everyone, relation, last)]

    def evaluator(self, split: str) -> RankEvaluator:
        """Return an empty evaluator."""
        return RankEvaluator(np.concatenate(list(self.parts.values())))

    def embeddings(self) -> np.ndarray:
        """Return the rows of all entities."""
        return self.network.entities.numpy()

    def names(self) -> Sequence[str]:
        """Return the entities' names."""
        return self.data.entities

    def predictions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the rows of all relations."""
        return {"relations": self.network.relations.numpy()}

    def listings(self, predicted: Mapping[str, np.ndarray] = {}) -> dict[str, Columns]:
        """Return the names of entities and relations."""
        relations = self.listing(self.data.num_relations, self.data.relations)
        return {**super().listings(predicted), "relations.tsv": relations}

    def program(self) -> Program:
        """Return the program: numbers of heads, relations and tails to scores."""
        specs = [InputSpec([None], "int64", name) for name in ("heads", "relations", "tails")]
        return self.exported(Program(self.network, specs, "heads, relations and tails int64 [any] to scores"))


class Chosen:
    """Makes batches of triples.

    Args:
        triples: int64 [n, 3].
    """

    def __init__(self, triples: np.ndarray) -> None:
        self.triples = triples

    def __call__(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return the triples of these numbers."""
        return [self.triples[np.asarray(numbers)]]


class Exchanged(Chosen):
    """Makes batches of triples with entities to exchange.

    Args:
        triples: int64 [n, 3].
        num_entities: how many there are.
        count: how many are drawn for each triple, evenly.
    """

    def __init__(self, triples: np.ndarray, num_entities: int, count: int) -> None:
        super().__init__(triples)
        self.num_entities, self.count = num_entities, count

    def __call__(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return the triples of these numbers, entities, and whether these replace heads."""
        (triples,) = super().__call__(numbers)
        generator = np.random.default_rng(integer(0, 2**62))
        others = generator.integers(0, self.num_entities, (len(triples), self.count))
        return [triples, others, np.array([[generator.random() < 0.5]])]
