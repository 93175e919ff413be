"""One row for each graph of a batch.

    y_g = sum, mean, largest or least x_i over the nodes i of graph g

x (nodes, size), y (graphs, size).
"""

from __future__ import annotations

import warnings
from typing import Any, Optional

from core import nn
from PGL.nn import functional as GF


class GraphPool(nn.Layer):
    """The nodes of each graph reduced to one row.

    Args:
        pool_type: ``sum``, ``mean``, ``max`` or ``min``.
    """

    def __init__(self, pool_type: Optional[str] = None) -> None:
        super().__init__()
        self.pool_type = pool_type

    def forward(self, graph: Any, feature: Any, pool_type: Optional[str] = None) -> Any:
        """Return a row for each graph.

        Args:
            graph: the graphs, joined.
            feature: (num_nodes, size).
            pool_type: in place of the constructor's; deprecated, as in pgl.

        Returns:
            (num_graph, size).
        """
        if pool_type is not None:
            warnings.warn(
                "GraphPool: give pool_type to the constructor; forward's goes away", DeprecationWarning, stacklevel=2
            )
        kind: Any = pool_type or self.pool_type
        return GF.graph_pool(graph, feature, kind)
