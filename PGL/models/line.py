"""LINE: embeddings of nodes from edges alone.

Paper: Tang et al., "LINE: Large-scale Information Network Embedding", WWW 2015, https://arxiv.org/abs/1503.03578
"""

from __future__ import annotations

from typing import Any

from PGL.models.skip_gram import SkipGram
from PGL.models.windows import EdgeWindows


class LINE(SkipGram):
    """Nodes are near each other that an edge joins (order 1), or that have edges to the same nodes (order 2).

    Args:
        num_nodes: how many nodes there are.
        embedding_size: size of an embedding.
        negatives: how many nodes are drawn for an edge.
        order: 1: both ends of an edge have rows of one table; 2: the target has a row of the other.

    Raises:
        ValueError: a size is not positive, or the order is neither 1 nor 2.
    """

    def __init__(self, num_nodes: int, embedding_size: int = 128, negatives: int = 5, order: int = 2) -> None:
        super().__init__(num_nodes, embedding_size, negatives)
        if order not in (1, 2):
            raise ValueError(f"LINE: order must be 1 or 2, not {order}")
        self.order = order

    def tables(self) -> tuple[Any, Any]:
        """Return the table of the sources' rows, and that of the targets' rows."""
        return self.embedding, self.embedding if self.order == 1 else self.context

    def sampler(self, graph: Any) -> EdgeWindows:
        """Return what makes windows of a graph's edges.

        Args:
            graph: the graph, in numpy's arrays.
        """
        return EdgeWindows(graph, self.negatives)
