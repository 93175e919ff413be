"""Classes of nodes, learned on a whole graph: each step is one pass over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.io import DataLoader
from core.metric import ConfusionMatrix
from core.nn import functional as F
from core.operators.graphs.message_passing import Edges, Rows
from core.operators.linear_algebra.sparse_rows import SparseRows
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PGL.config import GraphConfig
from PGL.tasks.base import GraphTask, loader_of


class NodeEvaluator(Evaluator):
    """Accuracy, macro-F1 and loss over nodes of one class each.

    Args:
        num_class: the number of classes.
    """

    def __init__(self, num_class: int) -> None:
        self.confusion = ConfusionMatrix(num_class)
        self._loss = 0.0
        self._count = 0

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in logits, shape (N, classes), and labels, the batch's last field."""
        logits, labels = outputs[0].astype(np.float64), batch[-1].numpy()
        raised = logits - logits.max(axis=1, keepdims=True)
        logs = raised - np.log(np.exp(raised).sum(axis=1, keepdims=True))
        self.confusion.update(logits.argmax(axis=1), labels)
        self._loss -= float(logs[np.arange(len(labels)), labels].sum())
        self._count += len(labels)

    def result(self) -> dict[str, float]:
        """Return "accuracy", "macro_f1" and "loss"."""
        matrix, count = self.confusion.matrix, max(self._count, 1)
        hits = np.diag(matrix)
        scores = 2 * hits / np.maximum(matrix.sum(axis=0) + matrix.sum(axis=1), 1)
        return {
            "accuracy": float(hits.sum()) / count,
            "macro_f1": float(scores.mean()),
            "loss": self._loss / count,
        }


class NodeClassification(GraphTask):
    """Trains a network on a whole graph to tell classes of nodes apart.

    Args:
        config: the experiment.
        passes_per_epoch: steps in an epoch, each one pass over the graph.

    Raises:
        ValueError: features are missing or not finite, or the data has no nodes to train on.
    """

    numbers = ("accuracy", "macro_f1", "loss")
    models: Sequence[str] = ("GCN", "GAT", "GATv2", "GraphSAGE", "SGC", "SSGC", "APPNP", "GCNII", "Transformer")
    monitor = "accuracy"
    sparse = 0.25
    """Features of which a smaller share is not 0 are kept as sparse rows."""

    def __init__(self, config: GraphConfig, passes_per_epoch: int = 10) -> None:
        super().__init__(config)
        self.passes = passes_per_epoch
        if passes_per_epoch < 1:
            raise ValueError(f"task.passes_per_epoch must be positive, not {passes_per_epoch}")
        check_classes(self.data, config.data.dataset.name)
        features = checked_features(self.data.graph)
        self.graph = self.data.graph.tensor(inplace=False)
        self.features = core.to_tensor(features)
        if np.count_nonzero(features) < self.sparse * features.size:
            self.features = SparseRows.from_dense(features)
        self.build_network(input_size=features.shape[1], num_class=self.data.num_classes)
        self.parts = {"train": self.data.train_index, "valid": self.data.val_index, "test": self.data.test_index}

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        kind = "mostly 0, kept sparse" if isinstance(self.features, SparseRows) else "dense"
        parts = ", ".join(f"{len(nodes):,} {split}" for split, nodes in self.parts.items())
        return [
            f"{self.config.data.dataset.name}: {self.graph.num_nodes:,} nodes, {self.graph.num_edges:,} edges, "
            f"{self.features.shape[1]:,} features ({kind}), {self.data.num_classes} classes",
            f"nodes with a label: {parts}",
        ]

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of a split's nodes and their classes."""
        nodes = np.asarray(self.parts[split], np.int64)
        if not len(nodes):
            return None
        fields = [nodes, np.asarray(self.data.y, np.int64)[nodes]]
        return loader_of(lambda _: fields, self.passes if split == "train" else 1, 1, self.config.seed)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: cross entropy at the labelled nodes."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, nodes: Any, labels: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss at some nodes, and the accuracy.

        Args:
            nodes: int64, shape (N,).
            labels: int64, shape (N,).
        """
        (logits,) = self.predict(nodes)
        hits = core.equal(core.argmax(logits, axis=-1), labels)
        return F.cross_entropy(logits, labels), {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, nodes: Any, labels: Any = None) -> Sequence[Any]:
        """Return the logits of some nodes, shape (N, classes)."""
        return [core.gather(self.network(self.graph, self.features), nodes)]

    def evaluator(self, split: str) -> NodeEvaluator:
        """Return an empty evaluator."""
        return NodeEvaluator(self.data.num_classes)

    def embeddings(self) -> np.ndarray:
        """Return the logits of all nodes."""
        self.eval_mode()
        with core.no_grad():
            return self.network(self.graph, self.features).numpy()

    def labels(self) -> np.ndarray:
        """Return the nodes' classes."""
        return np.asarray(self.data.y)

    def predictions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the classes that the network finds."""
        return {"classes": rows.argmax(axis=1)}

    def program(self) -> Program:
        """Return the program: features and the graph's arrays to logits, for this graph's sizes."""
        return self.exported(program_on_arrays(self.network, checked_features(self.data.graph), self.graph))


class Connections:
    """Stands for a graph of which only the edges are known.

    Args:
        edges: its edges.
    """

    def __init__(self, edges: Edges) -> None:
        self.edges_by_node, self.num_nodes, self.num_edges = edges, edges.num_targets, edges.num_edges

    def connections(self) -> Edges:
        """Return the edges, grouped by node."""
        return self.edges_by_node


class OnArrays(nn.Layer):
    """A network that takes features and the arrays of a graph's edges.

    Args:
        network: of a graph and features.
    """

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(
        self,
        features: Any,
        incoming_starts: Any,
        incoming_nodes: Any,
        incoming_edges: Any,
        outgoing_starts: Any,
        outgoing_nodes: Any,
        outgoing_edges: Any,
        *more: Any,
    ) -> Any:
        """Return the network's result.

        Args:
            features: (num_nodes, size).
            incoming_starts, incoming_nodes, incoming_edges: where each node's incoming edges begin, their sources and
                numbers, as :class:`core.operators.graphs.message_passing.Rows`.
            outgoing_starts, outgoing_nodes, outgoing_edges: the same of outgoing edges, and their targets.
            *more: what else the network takes.
        """
        incoming = Rows(incoming_starts, incoming_nodes, incoming_edges)
        outgoing = Rows(outgoing_starts, outgoing_nodes, outgoing_edges)
        return self.network(Connections(Edges(incoming, outgoing)), features, *more)


def program_on_arrays(network: Any, features: np.ndarray, graph: Any, *more: Any, text: str = "") -> Program:
    """Return the program of a network of a graph and features.

    Args:
        network: the network.
        features: float32 [nodes, size].
        graph: the graph, in Tensors.
        *more: examples of what else the network takes.
        text: what that is, in words.
    """
    given = core.to_tensor(features)
    arrays = [tensor for rows in graph.connections() for tensor in rows]
    takes = f"features float32 {given.shape} and the graph's arrays to logits of its nodes{text}"
    return Program(OnArrays(network), [given, *arrays, *more], takes)


def check_classes(data: Any, name: str) -> None:
    """Refuse data of which the nodes have no class, or several each.

    Args:
        data: the data set.
        name: its name, for messages.

    Raises:
        ValueError: they have not one class each.
    """
    y = getattr(data, "y", None)
    if y is None:
        text = "; give data.dataset.labels" if name == "EdgeListDataset" else ""
        raise ValueError(f"data: {name} has no labels of its nodes{text}")
    if np.asarray(y).ndim != 1:
        raise ValueError(
            f"data: nodes of {name} are in several classes each, which SkipGram judges; one each is learned here"
        )


def checked_features(graph: Any) -> np.ndarray:
    """Return the features of a graph's nodes, float32 of shape (nodes, size).

    Args:
        graph: with one kind of node features.

    Raises:
        ValueError: there are none, or one is infinite or not a number.
    """
    if len(graph.node_feat) != 1:
        raise ValueError(f"data: the graph must have one kind of node features, not {list(graph.node_feat) or 'none'}")
    features = np.asarray(next(iter(graph.node_feat.values())), np.float32)
    bad = np.argwhere(~np.isfinite(features))
    if len(bad):
        node, column = bad[0]
        raise ValueError(
            f"data: feature {column} of node {node} is {features[node, column]} ({len(bad)} like it); correct the data"
        )
    return features
