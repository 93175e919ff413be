"""Generalised PageRank: how much each step of propagation counts is learned.

Paper: Chien et al., "Adaptive Universal Generalized PageRank Graph Neural Network", ICLR 2021,
https://arxiv.org/abs/2006.07988

    h = activation(x W₁ + b₁) W₂ + b₂,  y = Σ_{k=0..K} γ_k (D^-½ A D^-½)^k h

x (nodes, inputs), W₁ (inputs, hidden), W₂ (hidden, outputs), γ (K + 1), h and y (nodes, outputs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from PGL.nn.functional import Activation, activation_function, propagation


class GPRConv(nn.Layer):
    """Two linear layers, then a learned mean over steps of propagation.

    Args:
        input_size: size of the features.
        hidden_size: size between the linear layers.
        output_size: size of the result.
        drop: probability of dropping a feature before each linear layer.
        dprate: probability of dropping a feature before the propagation.
        activation: name of a function of core.nn.functional, or a function.
        self_loop: whether every node is given exactly one self loop, whatever the graph has.
        alpha: α of the start; for ``SGC`` the step that counts.
        k_hop: K.
        init_method: γ at the start: ``PPR`` α (1 - α)^k, ``NPPR`` α^k, ``SGC`` one step alone, ``Random`` uniform,
            ``WS`` given.
        gamma: γ for ``WS``, K + 1 numbers.

    Raises:
        ValueError: there is no such start, no such step for ``SGC``, or γ has not K + 1 numbers.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        output_size: int,
        drop: float = 0.5,
        dprate: float = 0.5,
        activation: Activation = "relu",
        self_loop: bool = False,
        alpha: float = 0.1,
        k_hop: int = 10,
        init_method: str = "PPR",
        gamma: Optional[Sequence[float]] = None,
    ) -> None:
        super().__init__()
        self.alpha = alpha
        self.k_hop = k_hop
        self.init_method = init_method
        self.gamma = gamma
        self.self_loop = self_loop
        start = np.asarray(_start(init_method, alpha, k_hop, gamma), np.float32)
        if start.shape != (k_hop + 1,):
            raise ValueError(f"GPRConv: gamma must be k_hop + 1 = {k_hop + 1} numbers, not of shape {start.shape}")
        self.temp = self.create_parameter(
            shape=[k_hop + 1], dtype="float32", default_initializer=nn.initializer.Assign(value=start)
        )
        self.linear_1 = nn.Linear(input_size, hidden_size)
        self.linear_2 = nn.Linear(hidden_size, output_size)
        self.drop = drop
        self.dprate = dprate
        self.feat_dropout_1 = nn.Dropout(p=drop)
        self.feat_dropout_2 = nn.Dropout(p=dprate)
        self.activation = activation_function("GPRConv", activation)

    def forward(self, graph: Any, feature: Any, norm: Any = None) -> Any:
        """Return the new features.

        Args:
            graph: the graph.
            feature: (num_nodes, input_size).
            norm: (num_nodes, 1), used in place of 1 / √degree.

        Returns:
            (num_nodes, output_size).
        """
        hidden = self.linear_1(self.feat_dropout_1(feature))
        if self.activation is not None:
            hidden = self.activation(hidden)
        step = self.feat_dropout_2(self.linear_2(self.feat_dropout_1(hidden)))
        propagate = propagation(graph, norm, self.self_loop)
        total = step * self.temp[0]
        for k in range(1, self.k_hop + 1):
            step = propagate(step)
            total = total + step * self.temp[k]
        return total


def _start(method: str, alpha: float, k_hop: int, gamma: Optional[Sequence[float]]) -> Any:
    """Return γ at the start."""
    steps = np.arange(k_hop + 1)
    if method == "SGC":
        if alpha not in steps:
            raise ValueError(f"GPRConv: for SGC alpha is the step that counts, 0 to k_hop = {k_hop}, not {alpha}")
        return steps == alpha
    if method == "PPR":
        return np.where(steps < k_hop, alpha, 1.0) * (1.0 - alpha) ** steps
    if method == "NPPR":
        return alpha**steps / np.sum(np.abs(alpha**steps))
    if method == "Random":
        drawn = core.uniform([k_hop + 1], "float32", -1.0, 1.0).numpy()
        return drawn / np.abs(drawn).sum()
    if method == "WS":
        return gamma
    raise ValueError(f"GPRConv: init_method must be SGC, PPR, NPPR, Random or WS, not {method!r}")
