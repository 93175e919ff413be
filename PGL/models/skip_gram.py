"""What DeepWalk, node2vec, LINE and metapath2vec share: two tables of embeddings, learned by skip-gram.

Paper: Mikolov et al., "Distributed Representations of Words and Phrases and their Compositionality", NIPS 2013,
https://arxiv.org/abs/1310.4546

A node and a node near it (its context) should score high, the node and nodes that are drawn (negatives) low. The score
is the product of a row of ``embedding`` and a row of ``context``. Negatives are drawn by degree^¾, once for all
contexts of a node in a walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.nn.initializer import Constant, Uniform
from core.optimizer.skip_gram import skip_gram_descent


class SkipGram(nn.Layer):
    """Embeddings of nodes, learned from which nodes occur near each other; subclasses say where.

    Args:
        num_nodes: how many nodes there are.
        embedding_size: size of an embedding.
        negatives: how many nodes are drawn for a node of a walk.

    Raises:
        ValueError: a size is not positive.
    """

    def __init__(self, num_nodes: int, embedding_size: int = 128, negatives: int = 5) -> None:
        super().__init__()
        for name, size in (("num_nodes", num_nodes), ("embedding_size", embedding_size), ("negatives", negatives)):
            if size < 1:
                raise ValueError(f"{type(self).__name__}: {name} must be positive, not {size}")
        self.num_nodes, self.embedding_size, self.negatives = num_nodes, embedding_size, negatives
        bound = 0.5 / embedding_size
        self.embedding = self.create_parameter([num_nodes, embedding_size], default_initializer=Uniform(-bound, bound))
        self.context = self.create_parameter([num_nodes, embedding_size], default_initializer=Constant(0.0))

    def sampler(self, graph: Any) -> Any:
        """Return what makes batches of windows, without the engine, as :class:`PGL.models.windows.WalkWindows`.

        Args:
            graph: the graph.
        """
        raise NotImplementedError(f"{type(self).__name__} must define sampler(graph)")

    def tables(self) -> tuple[Any, Any]:
        """Return the table of the nodes' rows, and that of the contexts' rows."""
        return self.embedding, self.context

    def descend(self, windows: Sequence[np.ndarray], learning_rate: float) -> float:
        """Move the rows that windows touch against the gradient of their loss.

        Args:
            windows: nodes, where the contexts of each begin, the contexts, and the negatives of each.
            learning_rate: the step.

        Returns:
            The mean loss of a context before.
        """
        nodes, starts, contexts, negatives = windows
        return skip_gram_descent(*self.tables(), nodes, starts, contexts, negatives, learning_rate)

    def forward(self, nodes: Any) -> Any:
        """Return the embeddings of nodes.

        Args:
            nodes: int64, shape (N,).

        Returns:
            (N, embedding_size).
        """
        return core.gather(self.embedding, nodes)
