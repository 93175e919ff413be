"""Classes of nodes, learned on a whole graph in which some training nodes show their labels and others are predicted.

Paper: Shi et al., "Masked Label Prediction: Unified Message Passing Model for Semi-Supervised Classification",
IJCAI 2021, https://arxiv.org/abs/2009.03509
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
from PGL.config import GraphConfig
from PGL.models.unimp import shown_labels
from PGL.tasks.base import loader_of
from PGL.tasks.node_classification import NodeClassification, checked_features, program_on_arrays


class MaskedLabelClassification(NodeClassification):
    """Trains UniMP: each step draws again which training nodes show their labels; the others are predicted.

    For validation and test all training nodes show theirs.

    Args:
        config: the experiment.
        passes_per_epoch: steps in an epoch, each one pass over the graph.
        shown: the share of the training nodes that show their labels in a step.

    Raises:
        ValueError: an argument is out of range, or features are missing or not finite.
    """

    models = ("UniMP",)
    sparse = 0.0

    def __init__(self, config: GraphConfig, passes_per_epoch: int = 10, shown: float = 0.625) -> None:
        super().__init__(config, passes_per_epoch)
        if not 0 <= shown < 1:
            raise ValueError(f"task.shown must be from 0 to below 1, not {shown}")
        self.share = shown
        self.classes = np.asarray(self.data.y, np.int64)
        self.known = core.to_tensor(self.classes)

    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of nodes to predict, who shows a label (float32, one number for each node), and classes."""
        count, train = self.graph.num_nodes, np.asarray(self.parts["train"], np.int64)
        if split == "train":
            return loader_of(lambda _: self._drawn(train, count), self.passes, 1, self.config.seed)
        nodes = np.asarray(self.parts[split], np.int64)
        if not len(nodes):
            return None
        fields = [nodes, self._all_shown(), self.classes[nodes]]
        return loader_of(lambda _: fields, 1, 1, self.config.seed)

    def _drawn(self, train: np.ndarray, count: int) -> list[np.ndarray]:
        shown, nodes = shown_labels(train, count, self.share, np.random.default_rng(integer(0, 2**62)))
        return [nodes, shown, self.classes[nodes]]

    def loss(  # type: ignore[override]  # labels that are shown, too
        self, nodes: Any, shown: Any, labels: Any
    ) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss at nodes whose labels are hidden, and the accuracy.

        Args:
            nodes: int64, shape (N,).
            shown: float32, shape (num_nodes,): 1 for nodes that show their labels.
            labels: int64, shape (N,).
        """
        (logits,) = self.predict(nodes, shown)
        hits = core.equal(core.argmax(logits, axis=-1), labels)
        return F.cross_entropy(logits, labels), {"accuracy": core.cast(hits, "float32").mean()}

    def predict(  # type: ignore[override]  # labels that are shown, too
        self, nodes: Any, shown: Any, labels: Any = None
    ) -> Sequence[Any]:
        """Return the logits of some nodes, shape (N, classes)."""
        return [core.gather(self.network(self.graph, self.features, self.known, shown), nodes)]

    def embeddings(self) -> np.ndarray:
        """Return the logits of all nodes, where the training nodes show their labels."""
        self.eval_mode()
        with core.no_grad():
            return self.network(self.graph, self.features, self.known, core.to_tensor(self._all_shown())).numpy()

    def program(self) -> Program:
        """Return the program: features, the graph's arrays, labels and who shows them to logits."""
        more = (self.known, core.to_tensor(self._all_shown()))
        text = ", with labels int64 and float32 for those who show them"
        program = program_on_arrays(self.network, checked_features(self.data.graph), self.graph, *more, text=text)
        return self.exported(program)

    def _all_shown(self) -> np.ndarray:
        shown = np.zeros(self.graph.num_nodes, np.float32)
        shown[self.parts["train"]] = 1.0
        return shown
