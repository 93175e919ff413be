"""GIN with features of edges.

Paper: Hu et al., "Strategies for Pre-training Graph Neural Networks", ICLR 2020, https://arxiv.org/abs/1905.12265

    y_i = nn((1 + ε) x_i + Σ relu(x_j + e_ji)) over the edges j → i

x (nodes, inputs), e (edges, inputs), or (edges, edge_dim) through a linear layer, y what nn makes of (nodes, inputs).
"""

from __future__ import annotations

from typing import Any, Optional

from core.nn import Layer, Linear
from core.nn import functional as F
from core.nn.initializer import Constant
from core.operators.graphs import message_passing


class GINEConv(Layer):
    """A node and its neighbours, to each of which its edge is added, through a network.

    Args:
        nn: a Layer of (nodes, inputs) to (nodes, outputs).
        eps: ε, at the start.
        train_eps: whether ε is learned.
        edge_dim: size of the edges' features, which a linear layer then brings to the nodes' size; None: they have it.
        input_size: size of the nodes' features, needed with ``edge_dim``.

    Raises:
        ValueError: ``edge_dim`` is given and ``input_size`` is not.
    """

    def __init__(
        self,
        nn: Any,
        eps: float = 0.0,
        train_eps: bool = False,
        edge_dim: Optional[int] = None,
        input_size: Optional[int] = None,
    ) -> None:
        super().__init__()
        if edge_dim is not None and input_size is None:
            raise ValueError("GINEConv: with edge_dim give input_size, the size of the nodes' features")
        self.nn = nn
        self.eps: Any = eps
        if train_eps:
            self.eps = self.create_parameter(shape=[1], default_initializer=Constant(value=eps))
        self.lin = None if edge_dim is None or input_size is None else Linear(edge_dim, input_size)

    def forward(self, graph: Any, feature: Any, edge_feat: Any) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, inputs).
            edge_feat: (num_edges, inputs), or (num_edges, edge_dim), in the order of the edges.

        Returns:
            (num_nodes, outputs).

        Raises:
            ValueError: the features of the edges have another size.
        """
        edges = graph.connections()
        edge_feat = edge_feat if self.lin is None else self.lin(edge_feat)
        if edge_feat.shape[-1] != feature.shape[-1]:
            raise ValueError(
                f"GINEConv: edges have {edge_feat.shape[-1]} features and nodes {feature.shape[-1]}; give"
                " edge_dim and input_size"
            )
        messages = F.relu(message_passing.edge_expand(feature, edges, "source") + edge_feat)
        return self.nn((self.eps + 1.0) * feature + message_passing.edge_reduce(messages, edges, "sum"))
