"""One row for each graph: attention from a few learned nodes to all nodes.

Paper: Baek, Kang and Hwang, "Accurate Learning of Graph Representations with Graph Multiset Pooling", ICLR 2021,
https://arxiv.org/abs/2102.11533

    h = x W₁ + b₁, then one block after another, then y = h W₂ + b₂
    GMPool_G: MAB from learned seeds to the nodes, keys and values by graph convolutions;  GMPool_I: by linear layers
    SelfAtt: MAB of what is left to itself
    MAB(Q, K) = LN(O + relu(O W_o + b_o)),  O = LN(q + A v) for each head,  A = softmax of q kᵀ / √size over the queries

x (nodes, inputs), nodes of a graph after padding (graphs, largest graph, hidden), seeds (1, seeds, hidden), y (graphs,
outputs). MAB normalises both times with its first LN, as pgl's does; the second's weights are there for pgl's files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional

import core
from core import nn
from core.nn import functional as F
from PGL.nn.gcn_conv import GCNConv

BLOCKS = ("GMPool_G", "GMPool_I", "SelfAtt")
_FAR_BELOW = -1e9
"""Added to the logits of padding."""


class MAB(nn.Layer):
    """Multi-head attention of queries to nodes, see the module.

    Args:
        dim_K: size of the queries and nodes.
        dim_V: size of the result.
        num_heads: number of heads.
        conv: the class of the layer that makes keys and values, called with (dim_K, dim_V); None: linear layers.
        layer_norm: whether there is an LN.
    """

    def __init__(
        self,
        dim_K: int,
        dim_V: int,
        num_heads: int,
        conv: Optional[Callable[..., nn.Layer]] = None,
        layer_norm: bool = False,
    ) -> None:
        super().__init__()
        self.dim_V = dim_V
        self.num_heads = num_heads
        self.proj_q = nn.Linear(dim_K, dim_V)
        self.layer_k = (nn.Linear if conv is None else conv)(dim_K, dim_V)
        self.layer_v = (nn.Linear if conv is None else conv)(dim_K, dim_V)
        self.layer_norm = layer_norm
        if layer_norm:
            self.ln0 = nn.LayerNorm(dim_V)
            self.ln1 = nn.LayerNorm(dim_V)
        self.proj_o = nn.Linear(dim_V, dim_V)

    def forward(self, queries: Any, nodes: Any, graph: Any = None, mask: Any = None) -> Any:
        """Return what the queries found.

        Args:
            queries: (graphs, queries, dim_K).
            nodes: (graphs, nodes, dim_K).
            graph: (graph, features of its nodes), from which keys and values are made instead.
            mask: 0 for nodes, far below 0 for padding: (graphs, nodes).

        Returns:
            (graphs, queries, dim_V).
        """
        if graph is None:
            keys, values = self.layer_k(nodes), self.layer_v(nodes)
        else:
            keys, values = (dense_batch(layer(*graph), graph[0]) for layer in (self.layer_k, self.layer_v))
        query, key, value = (self.heads(part) for part in (self.proj_q(queries), keys, values))
        logits = core.matmul(query, key, transpose_y=True) / math.sqrt(self.dim_V)
        if mask is not None:
            logits = logits + mask.unsqueeze(1).unsqueeze(1)
        found = query + core.matmul(F.softmax(logits, axis=2), value)
        output = found.transpose([0, 2, 1, 3]).reshape([found.shape[0], -1, self.dim_V])
        if self.layer_norm:
            output = self.ln0(output)
        output = output + F.relu(self.proj_o(output))
        return self.ln0(output) if self.layer_norm else output

    def heads(self, rows: Any) -> Any:
        """Split by head: (graphs, rows, dim_V) to (graphs, heads, rows, dim_V / heads)."""
        split = rows.reshape([rows.shape[0], rows.shape[1], self.num_heads, self.dim_V // self.num_heads])
        return split.transpose([0, 2, 1, 3])


class SAB(nn.Layer):
    """Attention of nodes to each other; arguments as of :class:`MAB`."""

    def __init__(self, dim: int, num_heads: int, layer_norm: bool = False) -> None:
        super().__init__()
        self.mab = MAB(dim, dim, num_heads, layer_norm=layer_norm)

    def forward(self, x: Any, graph: Any, mask: Any) -> Any:
        """Return the nodes, (graphs, nodes, dim)."""
        return self.mab(x, x, graph, mask)


class PMA(nn.Layer):
    """Attention of learned seeds to nodes.

    Args:
        dim: size of the nodes.
        num_heads: number of heads.
        num_seeds: number of seeds.
        conv: as of :class:`MAB`.
        layer_norm: as of :class:`MAB`.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        num_seeds: int,
        conv: Optional[Callable[..., nn.Layer]] = None,
        layer_norm: bool = False,
    ) -> None:
        super().__init__()
        self.Q_S = self.create_parameter(
            shape=[1, num_seeds, dim], dtype="float32", default_initializer=nn.initializer.KaimingUniform()
        )
        self.mab = MAB(dim, dim, num_heads, conv, layer_norm)

    def forward(self, x: Any, graph: Any, mask: Any) -> Any:
        """Return what the seeds found, (graphs, num_seeds, dim)."""
        return self.mab(self.Q_S.expand([x.shape[0], *self.Q_S.shape[1:]]), x, graph, mask)


class GraphMultisetTransformer(nn.Layer):
    """Pooling by attention: graphs of (nodes, input_dim) to (graphs, output_dim).

    Args:
        input_dim: size of the features.
        hidden_dim: size between.
        output_dim: size of the result.
        conv: the class of graph convolution, called with two sizes; None: :class:`PGL.nn.GCNConv`.
        num_nodes: how many nodes a graph has, about.
        pooling_ratio: the share of nodes that each pooling leaves.
        pool_sequences: names of the blocks, ``GMPool_G``, ``SelfAtt``, ``GMPool_I`` by default; the last one leaves one
            node.
        num_heads: number of heads.
        layer_norm: whether blocks normalise.

    Raises:
        ValueError: there is no such block.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        output_dim: int,
        conv: Optional[Callable[..., nn.Layer]] = None,
        num_nodes: int = 30,
        pooling_ratio: float = 0.25,
        pool_sequences: Optional[Sequence[str]] = None,
        num_heads: int = 4,
        layer_norm: bool = False,
    ) -> None:
        super().__init__()
        self.pool_sequences = list(pool_sequences or ("GMPool_G", "SelfAtt", "GMPool_I"))
        self.pools = nn.LayerList()
        self.lin1 = nn.Linear(input_dim, hidden_dim)
        self.lin2 = nn.Linear(hidden_dim, output_dim)
        seeds = math.ceil(num_nodes * pooling_ratio)
        for number, kind in enumerate(self.pool_sequences, start=1):
            if kind not in BLOCKS:
                raise ValueError(f"GraphMultisetTransformer: a block is one of {', '.join(BLOCKS)}, not {kind!r}")
            if kind == "SelfAtt":
                self.pools.append(SAB(hidden_dim, num_heads, layer_norm))
                continue
            seeds = 1 if number == len(self.pool_sequences) else seeds
            convolution = (conv or GCNConv) if kind == "GMPool_G" else None
            self.pools.append(PMA(hidden_dim, num_heads, seeds, convolution, layer_norm))
            seeds = math.ceil(seeds * pooling_ratio)

    def forward(self, graph: Any, x: Any) -> Any:
        """Return a row for each graph.

        Args:
            graph: the graphs, joined.
            x: (num_nodes, input_dim).

        Returns:
            (num_graph, output_dim).
        """
        x = self.lin1(x)
        rows = dense_batch(x, graph)
        mask = (rows.sum(axis=-1) == 0).astype("float32") * _FAR_BELOW
        for kind, pool in zip(self.pool_sequences, self.pools):
            rows = pool(rows, (graph, x) if kind == "GMPool_G" else None, mask)
            mask = None
        return self.lin2(rows.squeeze(1))


def dense_batch(x: Any, graph: Any) -> Any:
    """Put the nodes of graphs side by side, and zeros below those of smaller ones.

    Args:
        x: (nodes, size).
        graph: the graphs, joined.

    Returns:
        (graphs, nodes of the largest, size).
    """
    owners = graph.graph_node_id.astype("int64")
    count = graph.num_graph
    starts = core.searchsorted(owners, core.arange(count + 1, dtype="int64"))
    most = int((starts[1:] - starts[:-1]).max())
    places = core.arange(x.shape[0], dtype="int64") - core.gather(starts, owners) + owners * most
    flat = core.scatter(core.zeros([count * most, x.shape[1]]), places, x)
    return flat.reshape([count, most, x.shape[1]])
