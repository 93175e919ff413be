"""Graph convolution on sampled neighbours whose weights say how often random walks visit them.

Paper: Ying et al., "Graph Convolutional Neural Networks for Web-Scale Recommender Systems", KDD 2018,
https://arxiv.org/abs/1806.01973

    y_i = activation(x_i W_s + b_s + (Σ_j w_ij x_j) W_n + b_n) over the edges j → i, divided by its length

x (nodes, inputs), w (edges, 1), W (inputs, outputs), y (nodes, outputs).
"""

from __future__ import annotations

from typing import Any, Optional

from core import nn
from core.nn import functional as F
from core.operators.graphs import message_passing
from PGL.nn.functional import activation_function, reduction


class PinSageConv(nn.Layer):
    """A node, and its neighbours with weights, each through a linear layer.

    Args:
        input_size: size of the features.
        hidden_size: size of the result.
        aggr_func: ``sum``, ``mean``, ``max`` or ``min`` of the weighted neighbours.
    """

    def __init__(self, input_size: int, hidden_size: int, aggr_func: str = "sum") -> None:
        super().__init__()
        self.aggr_func = reduction("PinSageConv", aggr_func)
        self.self_linear = nn.Linear(input_size, hidden_size)
        self.neigh_linear = nn.Linear(input_size, hidden_size)

    def forward(self, graph: Any, nfeat: Any, efeat: Any, act: Optional[str] = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            nfeat: (num_nodes, input_size).
            efeat: the weights, (num_edges, 1), in the order of the edges.
            act: name of a function of core.nn.functional; None for none.

        Returns:
            (num_nodes, hidden_size), each row of length 1.
        """
        edges = graph.connections()
        if self.aggr_func == "sum":
            neighbors = message_passing.gather_multiply_reduce(nfeat, efeat.reshape([-1]), edges)
        else:
            messages = message_passing.edge_expand(nfeat, edges, "source") * efeat
            neighbors = message_passing.edge_reduce(messages, edges, self.aggr_func)
        output = self.self_linear(nfeat) + self.neigh_linear(neighbors)
        activation = activation_function("PinSageConv", act)
        return F.normalize(output if activation is None else activation(output), axis=1)
