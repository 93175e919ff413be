"""Classes of whole graphs, learned from batches of graphs side by side.

Papers: GIN, Xu et al. 2019, https://arxiv.org/abs/1810.00826; SAGPool, Lee, Lee and Kang 2019, https://arxiv.org/abs/1904.08082
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.io import DataLoader
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.operators.graphs._edges import Edges, grouped_edges
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import Program, Suggestion
from core.train.task import Phase
from core.weights.atomic import atomic_write
from PGL.config import GraphConfig
from PGL.data.graph_sets import GraphSet, vocabulary_of
from PGL.tasks.base import Columns, GraphTask, loader_of
from PGL.tasks.node_classification import Connections, NodeEvaluator

_VOCABULARY = "graphs.json"


class GraphEvaluator(NodeEvaluator):
    """Accuracy, macro-F1 and loss over graphs of one class each."""

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in logits, shape (graphs, classes), and labels, the batch's first field."""
        super().update(outputs, batch[:1])


class GraphClassification(GraphTask):
    """Trains a network to tell classes of graphs apart, some graphs a step.

    Shapes differ from batch to batch, so that ``train.compiled`` should be false.

    Args:
        config: the experiment.
        batch_size: graphs of a step.

    Raises:
        ValueError: an argument is out of range, or the data set is none of graphs.
    """

    numbers = ("accuracy", "macro_f1", "loss")
    models = ("GIN", "SAGPool")
    monitor = "accuracy"

    def __init__(self, config: GraphConfig, batch_size: int = 32) -> None:
        super().__init__(config)
        if batch_size < 1:
            raise ValueError(f"task.batch_size must be positive, not {batch_size}")
        if not isinstance(self.data, GraphSet):
            name = config.data.dataset.name
            raise ValueError(f"data.dataset: {name} is one graph; GraphClassification takes TUDataset or DrawnGraphs")
        self.batch_size = batch_size
        self._build()

    def _build(self) -> None:
        self.build_network(input_size=self.data.vocabulary.size, num_class=max(self.data.num_classes, 1))
        self.parts = {"train": self.data.train_index, "valid": self.data.val_index, "test": self.data.test_index}

    def begin(self, folder: RunFolder) -> None:
        """Write which features and classes the network knows."""
        with atomic_write(folder.path / _VOCABULARY) as stream:
            stream.write((json.dumps(self.data.vocabulary._asdict()) + "\n").encode("utf-8"))

    def reopen(self, folder: RunFolder) -> None:
        """Read the data by the features and classes that the network knows."""
        file = folder.path / _VOCABULARY
        if file.is_file():
            try:
                stored = json.loads(file.read_text(encoding="utf-8"))
            except ValueError:
                stored = {}
            self.data = self.data.with_vocabulary(vocabulary_of(stored))
            self._build()

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        data, parts = self.data, ", ".join(f"{len(graphs):,} {split}" for split, graphs in self.parts.items())
        mean = data.num_nodes / max(len(data), 1)
        return [
            f"{self.config.data.dataset.name}: {len(data):,} graphs of {mean:.1f} nodes on average,"
            f" {len(data.edges):,} edges, "
            f"{data.vocabulary.size:,} features, {data.num_classes} classes",
            f"graphs with a label: {parts}",
        ]

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of graphs, their classes first."""
        graphs, train = np.asarray(self.parts[split], np.int64), split == "train"
        if not len(graphs):
            return None
        workers = self.config.data.num_workers if train else 0
        return loader_of(
            GraphBatches(self.data, graphs), len(graphs), self.batch_size, self.config.seed, train, workers
        )

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: cross entropy of the batch's graphs."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, labels: Any, *arrays: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and its accuracy.

        Args:
            labels: int64, shape (graphs,).
            *arrays: what :meth:`PGL.data.graph_sets.GraphSet.batch` returns.
        """
        (logits,) = self.predict(labels, *arrays)
        hits = core.equal(core.argmax(logits, axis=-1), labels)
        return F.cross_entropy(logits, labels), {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, labels: Any, *arrays: Any) -> Sequence[Any]:
        """Return the logits of a batch's graphs, shape (graphs, classes)."""
        return [OnGraphs(self.network)(*arrays)]

    def evaluator(self, split: str) -> GraphEvaluator:
        """Return an empty evaluator."""
        return GraphEvaluator(self.data.num_classes)

    def embeddings(self) -> np.ndarray:
        """Return the logits of all graphs."""
        self.eval_mode()
        network, numbers, rows = OnGraphs(self.network), np.arange(len(self.data)), []
        with core.no_grad():
            for begin in range(0, len(numbers), self.batch_size):
                arrays = self.data.batch(numbers[begin : begin + self.batch_size])
                rows.append(network(*map(core.to_tensor, arrays)).numpy())
        return np.concatenate(rows)

    def labels(self) -> Optional[np.ndarray]:
        """Return the graphs' classes."""
        return self.data.y

    def names(self) -> Optional[Sequence[str]]:
        """Return the graphs' names."""
        return self.data.names()

    def predictions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the classes that the network finds."""
        return {"classes": rows.argmax(axis=1)}

    def listings(self, predicted: Mapping[str, np.ndarray] = {}) -> dict[str, Columns]:
        """Return which graph each row is of."""
        return {"graphs.tsv": self.listing(len(self.data), self.names(), predicted)}

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "", "classes of all graphs, a picture of their logits")]

    def program(self) -> Program:
        """Return the program: graphs side by side to logits, for any number of graphs, nodes and edges."""
        specs = [
            InputSpec([None, self.data.vocabulary.size], "float32", "features"),
            InputSpec([None, 2], "int64", "edges"),
            InputSpec([None], "int64", "graph_sizes"),
        ]
        size = self.data.vocabulary.size
        text = (
            f"features float32 [nodes, {size}], edges int64 [edges, 2], graph_sizes int64 [graphs] to logits of graphs"
        )
        extra = {"preprocessing": dict(self.data.vocabulary._asdict())}
        return self.exported(Program(OnGraphs(self.network), specs, text, extra))._replace(files={})


class GraphBatches:
    """Makes batches of graphs.

    Args:
        data: the graphs.
        chosen: the numbers of those to choose from.
    """

    def __init__(self, data: GraphSet, chosen: np.ndarray) -> None:
        self.data, self.chosen = data, chosen

    def __call__(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return the classes of the graphs of these numbers, and the graphs side by side."""
        assert self.data.y is not None
        graphs = self.chosen[np.asarray(numbers)]
        return [self.data.y[graphs], *self.data.batch(graphs)]


class SideBySide(Connections):
    """Stands for graphs side by side of which the edges are known, and how many nodes each has.

    Args:
        edges: of all of them.
        sizes: int64 (graphs,).
    """

    def __init__(self, edges: Edges, sizes: Any) -> None:
        super().__init__(edges)
        self.num_graph, self.ends = sizes.shape[0], core.cumsum(sizes)

    @property
    def graph_node_id(self) -> Any:
        """The graph to which each node belongs, int32 (nodes,)."""
        nodes = core.arange(self.num_nodes, dtype="int64")
        return core.searchsorted(self.ends, nodes, right=True).astype("int32")


class OnGraphs(nn.Layer):
    """A network that takes the arrays of graphs side by side.

    Args:
        network: of graphs and features.
    """

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Any, edges: Any, graph_sizes: Any) -> Any:
        """Return the network's result.

        Args:
            features: float32 (nodes, size).
            edges: (source, target), int64 (edges, 2).
            graph_sizes: how many nodes each graph has, int64 (graphs,).
        """
        count = features.shape[0]
        grouped = grouped_edges(edges[:, 0], edges[:, 1], count, count)
        return self.network(SideBySide(grouped, graph_sizes), features)
