"""GraphSAGE: a node, and what its neighbours have in common, each through a linear layer.

Paper: Hamilton, Ying and Leskovec, "Inductive Representation Learning on Large Graphs", NeurIPS 2017,
https://arxiv.org/abs/1706.02216

    n_i = aggregation of x_j over the edges j → i
    y_i = activation(x_i W_s + b_s + n_i W_n + b_n), or both parts side by side; then divided by its length

    sum, mean, max, min: of x_j
    meanpool, maxpool: of relu(x_j W_p + b_p)
    lstm: the last state of an LSTM over relu(x_j W_p + b_p), in the order of the edges

x (nodes, inputs), W_p (inputs, inner), n (nodes, inputs or inner), y (nodes, hidden), side by side (nodes, 2 · hidden).
pgl 2 has the first four aggregations and adds the parts; pgl 1 has mean, meanpool, maxpool and lstm and puts the parts
side by side, as the paper does.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.operators.graphs import message_passing
from PGL.nn.functional import REDUCTIONS, activation_function, reduction
from PGL.nn.lstm_aggregator import LSTMAggregator

INNER_SIZES = {"meanpool": 512, "maxpool": 512, "lstm": 128}
"""Aggregations with a layer before them, and its usual size."""


class GraphSageConv(nn.Layer):
    """A node and its neighbours, each through a linear layer.

    Args:
        input_size: size of the features.
        hidden_size: size of the result.
        aggr_func: ``sum``, ``mean``, ``max``, ``min``, ``meanpool``, ``maxpool`` or ``lstm``.
        normalize: whether each row is divided by its length.
        concat: whether node and neighbours are side by side, in 2 · hidden_size numbers; their sum otherwise.
        inner_size: size of the layer before the aggregation, for the last three; 512, or 128 for ``lstm``, by default.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        aggr_func: str = "sum",
        normalize: bool = True,
        concat: bool = False,
        inner_size: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.aggr_func = reduction("GraphSageConv", aggr_func, (*REDUCTIONS, *INNER_SIZES))
        self.normalize = normalize
        self.concat = concat
        self.self_linear = nn.Linear(input_size, hidden_size)
        neighbor_size = input_size
        if aggr_func in INNER_SIZES:
            neighbor_size = INNER_SIZES[aggr_func] if inner_size is None else inner_size
            self.pool_linear = nn.Linear(input_size, neighbor_size)
        if aggr_func == "lstm":
            self.aggregator = LSTMAggregator(neighbor_size, neighbor_size)
        self.neigh_linear = nn.Linear(neighbor_size, hidden_size)

    def aggregated(self, graph: Any, feature: Any) -> Any:
        """Return n, (targets, input_size or inner_size)."""
        if self.aggr_func in INNER_SIZES:
            feature = F.relu(self.pool_linear(feature))
        if self.aggr_func == "lstm":
            return self.aggregator(graph, feature)
        return message_passing.gather_reduce(feature, graph.connections(), self.aggr_func.replace("pool", ""))

    def forward(self, graph: Any, feature: Any, act: Optional[str] = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size); or a pair: of the sources, (num_nodes, input_size), and of the targets,
                (num_targets, input_size), the first nodes of the graph, beyond which no edge ends.
            act: name of a function of core.nn.functional, applied before the length is made 1; None for none.

        Returns:
            (num_nodes or num_targets, hidden_size), or 2 · hidden_size numbers a row with ``concat``.
        """
        sources, targets = feature if isinstance(feature, (tuple, list)) else (feature, feature)
        neighbors = self.neigh_linear(self.aggregated(graph, sources)[: targets.shape[0]])
        own = self.self_linear(targets)
        output = core.concat([own, neighbors], axis=-1) if self.concat else own + neighbors
        activation = activation_function("GraphSageConv", act)
        if activation is not None:
            output = activation(output)
        return F.normalize(output, axis=1) if self.normalize else output
