"""GraphSAGE: nodes and their sampled neighbours.

Paper: Hamilton, Ying and Leskovec, "Inductive Representation Learning on Large Graphs", NeurIPS 2017,
https://arxiv.org/abs/1706.02216
Source of parameter names: pgl's example, whose network has ``aggr_func="sum"``, ``concat=False``, ``activation=None``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.graph_sage_conv import GraphSageConv


class GraphSAGE(nn.Layer):
    """GraphSAGE convolutions, then a linear layer: (nodes, inputs) to (targets, classes).

    The defaults are the published ones for Reddit.

    Args:
        input_size: size of the features.
        num_class: number of classes.
        num_layers: number of convolutions.
        hidden_size: size of their results; twice that with ``concat``.
        aggr_func: aggregation of the neighbours, see :class:`PGL.nn.GraphSageConv`.
        concat: whether node and neighbours are side by side; their sum otherwise.
        activation: of each convolution, the name of a function of core.nn.functional; None for none.
        inner_size: size of the layer before the aggregation, for those that have one.
    """

    def __init__(
        self,
        input_size: int,
        num_class: int,
        num_layers: LayerCount = 2,
        hidden_size: int = 128,
        aggr_func: str = "mean",
        concat: bool = True,
        activation: Optional[str] = "relu",
        inner_size: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.activation = activation
        self.convs = nn.LayerList()
        size = input_size
        for _ in range(num_layers):
            self.convs.append(GraphSageConv(size, hidden_size, aggr_func, concat=concat, inner_size=inner_size))
            size = hidden_size * (2 if concat else 1)
        self.linear = nn.Linear(size, num_class)

    def forward(self, graph: Union[Any, Sequence[Any]], feature: Any) -> Any:
        """Return the logits of all nodes, or of those for which neighbours were sampled.

        Args:
            graph: the graph; or as many graphs as there are convolutions, the largest first, each from the nodes of
                one sampled neighbourhood to the first of them, which are the nodes of the next.
            feature: (num_nodes, input_size), of the first graph's sources.

        Returns:
            (num_nodes, num_class), or (targets of the last graph, num_class).

        Raises:
            ValueError: there are not as many graphs as convolutions.
        """
        graphs: list[Any] = list(graph) if isinstance(graph, (list, tuple)) else [graph] * len(self.convs)
        if len(graphs) != len(self.convs):
            raise ValueError(f"GraphSAGE: {len(self.convs)} convolutions need as many graphs, not {len(graphs)}")
        for conv, part in zip(self.convs, graphs):
            targets = part.connections().num_targets
            feature = conv(part, (feature, feature[:targets]), act=self.activation)
        return self.linear(feature)
