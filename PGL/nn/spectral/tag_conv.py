"""Topology adaptive graph convolution: powers of the normalised adjacency matrix, each with its own weights.

Paper: Du et al., "Topology Adaptive Graph Convolutional Networks", 2017, https://arxiv.org/abs/1710.10370

    y = Σ_{k=0..K} (D^-½ A D^-½)^k x W_k + b

x (nodes, inputs), W_k (inputs, outputs), y (nodes, outputs). A_ij is the weight of the edge j → i, D counts what
arrives.
"""

from __future__ import annotations

from typing import Any

from core import nn
from PGL.nn.functional import weighted_propagation


class TAGConv(nn.Layer):
    """A node and what is up to K edges away, each distance through a linear layer.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        K: the largest distance.
        bias: whether there is a b.
        normalize: whether the adjacency matrix is normalised; A otherwise.

    Raises:
        ValueError: K is negative.
    """

    def __init__(
        self, input_size: int, output_size: int, K: int = 3, bias: bool = True, normalize: bool = True
    ) -> None:
        super().__init__()
        if K < 0:
            raise ValueError(f"TAGConv: K must not be negative, and is {K}")
        self.normalize = normalize
        self.lins = nn.LayerList([nn.Linear(input_size, output_size, bias_attr=False) for _ in range(K + 1)])
        self.bias = self.create_parameter(shape=[output_size], is_bias=True) if bias else None

    def forward(self, graph: Any, feature: Any, edge_weight: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            edge_weight: (num_edges,), in the order of the edges; None: 1.

        Returns:
            (num_nodes, output_size).
        """
        step = weighted_propagation(graph, feature.dtype, edge_weight, self.normalize)
        output = self.lins[0](feature)
        for number, lin in enumerate(self.lins):
            if number:
                feature = step(feature)
                output = output + lin(feature)
        return output if self.bias is None else output + self.bias
