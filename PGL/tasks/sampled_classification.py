"""Classes of nodes, learned from sampled neighbourhoods: graphs of any size, a few nodes a step.

Paper: Hamilton, Ying and Leskovec, "Inductive Representation Learning on Large Graphs", NeurIPS 2017,
https://arxiv.org/abs/1706.02216
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.io import DataLoader
from core.io.randomness import integer
from core.nn import functional as F
from core.train.runner.task import Program
from core.train.task import Phase
from PGL.config import GraphConfig
from PGL.sampling import Block, Blocks
from PGL.sampling.blocks import sample_blocks
from PGL.tasks.base import GraphTask, loader_of
from PGL.tasks.node_classification import NodeEvaluator, check_classes, checked_features, program_on_arrays


class SampledNodeClassification(GraphTask):
    """Trains GraphSAGE on sampled neighbourhoods of some nodes a step, and evaluates it on such.

    Shapes differ from batch to batch, so that ``train.compiled`` should be false.

    Args:
        config: the experiment.
        samples: neighbours that are drawn at each hop, from the batch's nodes outwards, one for each convolution.
        batch_size: labelled nodes of a step.

    Raises:
        ValueError: an argument is out of range, or features are missing or not finite.
    """

    numbers = ("accuracy", "macro_f1", "loss")
    models = ("GraphSAGE",)
    monitor = "accuracy"

    def __init__(self, config: GraphConfig, samples: list[int], batch_size: int = 128) -> None:
        super().__init__(config)
        if batch_size < 1 or not samples or any(size < 1 and size != -1 for size in samples):
            raise ValueError(
                "task: batch_size must be positive and samples a number of neighbours for each hop, -1 for all, not "
                f"{batch_size} and {samples}"
            )
        self.samples, self.batch_size = list(samples), batch_size
        check_classes(self.data, config.data.dataset.name)
        self.graph = self.data.graph
        self.table = checked_features(self.graph)
        network = self.build_network(input_size=self.table.shape[1], num_class=self.data.num_classes)
        if len(network.convs) != len(samples):
            raise ValueError(f"task.samples: {len(network.convs)} convolutions need as many numbers, not {samples}")
        self.parts = {"train": self.data.train_index, "valid": self.data.val_index, "test": self.data.test_index}

    def facts(self) -> list[str]:
        """Return lines that describe the training data."""
        parts = ", ".join(f"{len(nodes):,} {split}" for split, nodes in self.parts.items())
        return [
            f"{self.config.data.dataset.name}: {self.graph.num_nodes:,} nodes, {self.graph.num_edges:,} edges, "
            f"{self.table.shape[1]:,} features, {self.data.num_classes} classes",
            f"nodes with a label: {parts}; {', '.join(map(str, self.samples))} neighbours sampled",
        ]

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of neighbourhoods, the last field the classes of their nodes."""
        nodes, train = np.asarray(self.parts[split], np.int64), split == "train"
        if not len(nodes):
            return None
        make = Neighborhoods(self.graph.incoming, self.table, nodes, np.asarray(self.data.y), self.samples)
        workers = self.config.data.num_workers if train else 0
        return loader_of(make, len(nodes), self.batch_size, self.config.seed, train, workers)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: cross entropy at the batch's nodes."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, *fields: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and its accuracy.

        Args:
            *fields: the classes of the batch's nodes come last, before them the features and blocks.
        """
        (logits,), labels = self.predict(*fields), fields[-1]
        hits = core.equal(core.argmax(logits, axis=-1), labels)
        return F.cross_entropy(logits, labels), {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return the logits of a batch's nodes, shape (N, classes)."""
        features, arrays = fields[0], fields[1:-1]
        blocks = [
            Block(tuple(arrays[i : i + 3]), tuple(arrays[i + 3 : i + 6]), arrays[i + 6])
            for i in range(0, len(arrays), 7)
        ]
        return [self.network(blocks, features)]

    def evaluator(self, split: str) -> NodeEvaluator:
        """Return an empty evaluator."""
        return NodeEvaluator(self.data.num_classes)

    def embeddings(self) -> np.ndarray:
        """Return the logits of all nodes, from all their neighbours."""
        self.eval_mode()
        with core.no_grad():
            return self.network(self.graph.tensor(inplace=False), core.to_tensor(self.table)).numpy()

    def labels(self) -> np.ndarray:
        """Return the nodes' classes."""
        return np.asarray(self.data.y)

    def predictions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the classes that the network finds."""
        return {"classes": rows.argmax(axis=1)}

    def program(self) -> Program:
        """Return the program: features and the graph's arrays to logits, for this graph's sizes."""
        return self.exported(program_on_arrays(self.network, self.table, self.graph.tensor(inplace=False)))


class Neighborhoods:
    """Makes batches of nodes with their sampled neighbourhoods.

    Args:
        incoming: the graph's edges by target.
        table: float32 [nodes, size]: features.
        nodes: the nodes to choose from.
        labels: a class for each node of the graph.
        samples: neighbours at each hop.
    """

    def __init__(
        self, incoming: Any, table: np.ndarray, nodes: np.ndarray, labels: np.ndarray, samples: Sequence[int]
    ) -> None:
        self.incoming, self.table, self.nodes, self.labels, self.samples = incoming, table, nodes, labels, samples

    def __call__(self, numbers: Sequence[int]) -> list[Any]:
        """Return features, the arrays of the blocks, and the classes of the nodes of these numbers."""
        chosen = self.nodes[np.asarray(numbers)]
        blocks: Blocks = sample_blocks(self.incoming, chosen, self.samples, integer(0, 2**62))
        arrays = [array for block in blocks.blocks for array in (*block.incoming, *block.outgoing, block.edge_ids)]
        return [self.table[blocks.nodes], *arrays, self.labels[chosen]]
