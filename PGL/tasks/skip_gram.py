"""Embeddings of nodes by skip-gram, judged by how well they predict the nodes' groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.io import DataLoader
from core.jit.input_spec import InputSpec
from core.train.config.optimizers import OptimizerSection
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PGL.config import GraphConfig
from PGL.tasks.base import GraphTask, loader_of


class GroupEvaluator(Evaluator):
    """Micro- and macro-F1 of groups that logistic regressions, one for each group, find from embeddings.

    Some of the nodes teach the regressions. For each other node the most probable groups are predicted, as many as
    it has. (Perozzi, Al-Rfou and Skiena, 2014, section 6)

    Args:
        groups: bool [nodes, groups].
        train: the nodes that teach.
        test: the nodes that are asked about.
    """

    def __init__(self, groups: np.ndarray, train: np.ndarray, test: np.ndarray) -> None:
        self.groups, self.parts = groups, (train, test)
        self._numbers: dict[str, float] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in the embeddings of all nodes, shape (nodes, size)."""
        train, test = self.parts
        scores = group_scores(outputs[0], self.groups, train, test)
        self._numbers = f1_scores(self.groups[test], most_probable(scores, self.groups[test].sum(axis=1)))

    def result(self) -> dict[str, float]:
        """Return "macro_f1" and "micro_f1"."""
        return self._numbers


def group_scores(embeddings: np.ndarray, groups: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the probability of each group for nodes, from a logistic regression for each group.

    Args:
        embeddings: [nodes, size].
        groups: bool [nodes, groups].
        train: the nodes that teach.
        test: the nodes that are asked about.

    Returns:
        [test nodes, groups]; 0 for a group that no node of ``train`` is in, 1 for one that all are in.
    """
    from sklearn.linear_model import LogisticRegression

    scores = np.tile(groups[train].all(axis=0).astype(np.float64), (len(test), 1))
    for group in range(groups.shape[1]):
        truth = groups[train, group]
        if truth.any() and not truth.all():
            model = LogisticRegression(solver="liblinear").fit(embeddings[train], truth)
            scores[:, group] = model.predict_proba(embeddings[test])[:, 1]
    return scores


def most_probable(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the best groups of each node, as many as it has.

    Args:
        scores: [nodes, groups].
        counts: [nodes].

    Returns:
        bool [nodes, groups].
    """
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    return ranks < counts[:, None]


def f1_scores(truth: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Return "macro_f1", the mean over groups, and "micro_f1", over all memberships.

    Args:
        truth: bool [nodes, groups].
        predicted: bool [nodes, groups].
    """
    hits = (truth & predicted).sum(axis=0)
    counts = truth.sum(axis=0) + predicted.sum(axis=0)
    macro = 2 * hits / np.maximum(counts, 1)
    return {"macro_f1": float(macro.mean()), "micro_f1": float(2 * hits.sum() / max(counts.sum(), 1))}


class SkipGramTask(GraphTask):
    """Trains embeddings of nodes so that nodes near each other are alike.

    Args:
        config: the experiment; its optimizer must be SGD, which moves only the rows that a batch touches.
        batch_size: walks of a step, or edges with LINE.

    Raises:
        ValueError: an argument is out of range, or the optimizer is another.
    """

    numbers = ("macro_f1", "micro_f1")
    models = ("DeepWalk", "Node2vec", "LINE", "Metapath2vec")
    splits = ("test",)
    monitor = "macro_f1"

    def __init__(self, config: GraphConfig, batch_size: int = 1024) -> None:
        super().__init__(config)
        if batch_size < 1:
            raise ValueError(f"task.batch_size must be positive, not {batch_size}")
        if config.optimizer != OptimizerSection(name="SGD"):
            raise ValueError(
                "optimizer: skip-gram moves the rows that a batch touches by gradient descent; make it {name: SGD}"
            )
        self.batch_size = batch_size
        self.graph = self.data.graph
        self.groups = None if getattr(self.data, "y", None) is None else _membership(self.data.y)
        self.sampler: Any = None
        self.build_network(num_nodes=self.graph.num_nodes)

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        groups = "no groups" if self.groups is None else f"{self.groups.shape[1]} groups"
        edges = self.graph.num_edges  # of a graph with types of edges, by type
        text = ", ".join(f"{n:,} {name}" for name, n in edges.items()) if isinstance(edges, dict) else f"{edges:,}"
        return [f"{self.config.data.dataset.name}: {self.graph.num_nodes:,} nodes, {text} edges, {groups}"]

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of windows, or of the one batch that an evaluation looks at."""
        seed = self.config.seed
        if split == "train":
            if self.sampler is None:
                self.sampler = self.network.sampler(self.graph)
            workers = self.config.data.num_workers
            return loader_of(self.sampler, self.sampler.count, self.batch_size, seed, True, workers)
        if split != "test" or self.groups is None or not len(self.data.test_index):
            return None
        nodes = [np.arange(self.graph.num_nodes)]
        return loader_of(lambda _: nodes, 1, 1, seed)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase, whose loss moves the rows itself."""
        parameters, optimizer, schedule = self.learning(self.config, ["model"], steps_per_epoch, epochs)
        self._rate = optimizer.get_lr
        return [Phase("train", self.descend, parameters, optimizer, schedule, in_place=True)]

    def descend(self, *windows: Any) -> tuple[Any, Mapping[str, Any]]:
        """Move the rows that windows touch; return the mean loss of a context before.

        Args:
            windows: nodes, where the contexts of each begin, the contexts, and the negatives of each.
        """
        loss = self.network.descend([field.numpy() for field in windows], self._rate())
        return core.to_tensor(loss, "float32"), {}

    def predict(self, nodes: Any) -> Sequence[Any]:
        """Return the embeddings of nodes, shape (N, size)."""
        return [self.network(nodes)]

    def evaluator(self, split: str) -> GroupEvaluator:
        """Return an empty evaluator."""
        assert self.groups is not None
        return GroupEvaluator(self.groups, self.data.train_index, self.data.test_index)

    def embeddings(self) -> np.ndarray:
        """Return the embeddings of all nodes."""
        return self.network.embedding.numpy()

    def labels(self) -> Optional[np.ndarray]:
        """Return each node's first group, -1 where it has none."""
        return None if self.groups is None else np.where(self.groups.any(axis=1), self.groups.argmax(axis=1), -1)

    def predictions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return each node's class, or the probability of each group where a node may be in several."""
        if self.groups is None or not len(self.data.train_index):
            return {}
        nodes = np.arange(len(rows))
        scores = group_scores(rows, self.groups, self.data.train_index, nodes)
        if np.asarray(self.data.y).ndim == 1:
            return {"classes": scores.argmax(axis=1)}
        return {"groups": scores.astype(np.float32)}

    def program(self) -> Program:
        """Return the program: numbers of nodes to embeddings."""
        text = f"nodes int64 [any] to embeddings of size {self.network.embedding_size}"
        return self.exported(Program(self.network, [InputSpec([None], "int64", "nodes")], text))


def _membership(classes: np.ndarray) -> np.ndarray:
    """Return groups as bool [nodes, groups]; classes of nodes, of which each has one, are groups."""
    classes = np.asarray(classes)
    return classes.astype(bool) if classes.ndim == 2 else classes[:, None] == np.arange(classes.max() + 1)
