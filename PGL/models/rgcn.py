"""RGCN: graph convolutions with a weight for each kind of edge, on learned features of the nodes.

Paper: Schlichtkrull et al., "Modeling Relational Data with Graph Convolutional Networks", ESWC 2018,
https://arxiv.org/abs/1703.06103
Source of parameter names: pgl's example, whose network has ``activation=None``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from PGL.models.limits import LayerCount
from PGL.nn.functional import Activation, activation_function
from PGL.nn.rgcn_conv import RGCNConv


class RGCN(nn.Layer):
    """Convolutions on an embedding of the nodes, then a linear layer: (nodes, classes).

    Args:
        num_nodes: number of nodes.
        input_size: size of the embedding.
        hidden_size: size of the convolutions' results.
        num_class: number of classes.
        num_layers: number of convolutions.
        etypes: names of the kinds of edges.
        num_bases: number of bases of the weights; 0: a matrix for each kind.
        activation: after each convolution, the name of a function of core.nn.functional, or a function; None for none.
    """

    def __init__(
        self,
        num_nodes: int,
        input_size: int,
        hidden_size: int,
        num_class: int,
        num_layers: LayerCount,
        etypes: Sequence[str],
        num_bases: int = 0,
        activation: Activation = "relu",
    ) -> None:
        super().__init__()
        self.nfeat = self.create_parameter([num_nodes, input_size])
        sizes = [input_size] + [hidden_size] * num_layers
        self.rgcns = nn.LayerList(
            [RGCNConv(before, after, etypes, num_bases) for before, after in zip(sizes, sizes[1:])]
        )
        self.linear = nn.Linear(sizes[-1], num_class)
        self.activation = activation_function("RGCN", activation)

    def forward(self, graph: Any) -> Any:
        """Return the logits of all nodes.

        Args:
            graph: a graph of several kinds of edges, or a dict from kind to graph.

        Returns:
            (num_nodes, num_class).
        """
        feature = self.nfeat
        for conv in self.rgcns:
            feature = conv(graph, feature)
            if self.activation is not None:
                feature = self.activation(feature)
        return self.linear(feature)
