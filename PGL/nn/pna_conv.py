"""Principal neighbourhood aggregation: several aggregations, each scaled by the degree in several ways.

Paper: Corso et al., "Principal Neighbourhood Aggregation for Graph Nets", NeurIPS 2020, https://arxiv.org/abs/2004.05718

    m_ji = M([x_i, x_j]), or M([x_i, x_j, e_ji W_e]) with features of edges
    y_i = U([x_i, s(d_i) · a(m_ji over the edges j → i) for each scaler s and each aggregation a]) W

    identity 1,  amplification log(d + 1) / δ,  attenuation δ / log(d + 1),  linear d / d̄,  inverse_linear d̄ / d
    mean, min, max, sum, var, std = √(relu(mean of m² - (mean of m)²) + 1e-5)

δ is the mean of log(d + 1), and d̄ that of d, over the training graphs' nodes; d is 1 at least. With towers, M and U
are there once for each tower, which sees all features or, with divide_input, a part, and gives a part of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.operators.graphs import message_passing
from PGL.nn.functional import Activation, activation_function

AGGREGATORS = ("mean", "min", "max", "sum", "std", "var")
SCALERS = ("identity", "amplification", "attenuation", "linear", "inverse_linear")
_LEAST = 1e-5


class PNAConv(nn.Layer):
    """Several aggregations of messages, scaled in several ways by how many there are.

    Args:
        input_size: size of the features.
        output_size: size of the result.
        aggregators: some of "mean", "min", "max", "sum", "std" and "var".
        scalers: some of "identity", "amplification", "attenuation", "linear" and "inverse_linear".
        deg: how many nodes of the training graphs have in-degree 0, 1, 2, ...; see :func:`degree_histogram`.
        edge_dim: size of the edges' features; None: there are none.
        towers: how many towers there are; it divides ``output_size``.
        pre_layers: linear layers of M.
        post_layers: linear layers of U.
        divide_input: whether each tower sees a part of the features; ``towers`` then divides ``input_size``.
        act: between these layers: name of a function of core.nn.functional, or a function.

    Raises:
        ValueError: an argument is none of these, sizes do not divide, or ``deg`` counts no node.
    """

    def __init__(
        self,
        input_size: int,
        output_size: int,
        aggregators: Sequence[str],
        scalers: Sequence[str],
        deg: Any,
        edge_dim: Optional[int] = None,
        towers: int = 1,
        pre_layers: int = 1,
        post_layers: int = 1,
        divide_input: bool = False,
        act: Activation = "relu",
    ) -> None:
        super().__init__()
        _check("aggregators", aggregators, AGGREGATORS)
        _check("scalers", scalers, SCALERS)
        if min(towers, pre_layers, post_layers) < 1 or output_size % towers or divide_input and input_size % towers:
            raise ValueError(
                f"PNAConv: towers must divide the sizes, and there must be layers, not {towers} of {input_size}"
                f" and {output_size}, "
                f"{pre_layers} and {post_layers}"
            )
        self.aggregators, self.scalers, self.towers, self.divide_input = (
            [*aggregators],
            [*scalers],
            towers,
            divide_input,
        )
        self.mean_degree, self.mean_log = _means(deg)
        self.act = activation_function("PNAConv", act) or (lambda x: x)
        size, part = input_size // towers if divide_input else input_size, output_size // towers
        self.size = size
        self.edge_encoder = None if edge_dim is None else nn.Linear(edge_dim, size)
        messages = [(2 if edge_dim is None else 3) * size] + [size] * pre_layers
        results = [(len(aggregators) * len(scalers) + 1) * size] + [part] * post_layers
        self.pre_nns = nn.LayerList([_linears(messages) for _ in range(towers)])
        self.post_nns = nn.LayerList([_linears(results) for _ in range(towers)])
        self.lin = nn.Linear(output_size, output_size)

    def forward(self, graph: Any, feature: Any, edge_feat: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            edge_feat: (num_edges, edge_dim), in the order of the edges; None without ``edge_dim``.

        Returns:
            (num_nodes, output_size).

        Raises:
            ValueError: features of edges are missing, or not wanted.
        """
        if (edge_feat is None) != (self.edge_encoder is None):
            raise ValueError(
                "PNAConv: give edge_dim, or no edge_feat"
                if self.edge_encoder is None
                else "PNAConv: edge_dim needs edge_feat"
            )
        edges = graph.connections()
        counts = (edges.incoming.indptr[1:] - edges.incoming.indptr[:-1]).astype(feature.dtype)
        scales = [self._scale(name, core.clip(counts, min=1.0).unsqueeze(-1)) for name in self.scalers]
        encoded = [] if self.edge_encoder is None else [self.edge_encoder(edge_feat)]
        results = []
        for tower, (pre, post) in enumerate(zip(self.pre_nns, self.post_nns)):
            own = feature[:, tower * self.size : (tower + 1) * self.size] if self.divide_input else feature
            ends = [message_passing.edge_expand(own, edges, end) for end in ("target", "source")]
            messages = self._through(pre, core.concat([*ends, *encoded], axis=-1))
            reduced = core.concat([_aggregated(name, messages, edges) for name in self.aggregators], axis=-1)
            scaled = [reduced if scale is None else reduced * scale for scale in scales]
            results.append(self._through(post, core.concat([own, *scaled], axis=-1)))
        return self.lin(core.concat(results, axis=-1))

    def _through(self, layers: Any, x: Any) -> Any:
        for number, layer in enumerate(layers):
            x = layer(self.act(x) if number else x)
        return x

    def _scale(self, name: str, degree: Any) -> Any:
        """Return what a scaler multiplies each node's rows by, (num_nodes, 1); None: nothing."""
        if name == "amplification":
            return core.log(degree + 1.0) / self.mean_log
        if name == "attenuation":
            return self.mean_log / core.log(degree + 1.0)
        if name == "linear":
            return degree / self.mean_degree
        return self.mean_degree / degree if name == "inverse_linear" else None


def degree_histogram(*graphs: Any) -> np.ndarray:
    """Return how many nodes of graphs have in-degree 0, 1, 2, ..., int64, as :class:`PNAConv` takes it."""
    degrees = np.concatenate([np.diff(graph.incoming.indptr) for graph in graphs] or [np.empty(0, np.int64)])
    return np.bincount(degrees)


def _aggregated(name: str, messages: Any, edges: Any) -> Any:
    if name not in ("std", "var"):
        return message_passing.edge_reduce(messages, edges, name)
    mean = message_passing.edge_reduce(messages, edges, "mean")
    variance = F.relu(message_passing.edge_reduce(messages * messages, edges, "mean") - mean * mean)
    return variance if name == "var" else core.sqrt(variance + _LEAST)


def _linears(sizes: Sequence[int]) -> Any:
    return nn.LayerList([nn.Linear(before, after) for before, after in zip(sizes, sizes[1:])])


def _check(argument: str, given: Sequence[str], known: Sequence[str]) -> None:
    wrong = [name for name in given if name not in known]
    if wrong or not given:
        raise ValueError(
            f"PNAConv: {argument} must be some of {', '.join(known)}, not {wrong[0] if wrong else 'none'!r}"
        )


def _means(deg: Any) -> tuple[float, float]:
    """Return the mean degree, and the mean of log(degree + 1)."""
    counts = np.asarray(deg, np.float64).reshape(-1)
    if not counts.sum() > 0 or (counts < 0).any() or not counts[1:].any():
        raise ValueError("PNAConv: deg must count nodes by in-degree, and some must have edges; see degree_histogram")
    degrees = np.arange(len(counts))
    return float(counts @ degrees / counts.sum()), float(counts @ np.log(degrees + 1) / counts.sum())
