"""Recurrent networks along whole sequences: ONNX has operators of its own for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dtypes import int32, int64
from core.onnx.graph import Graph, Input, Operand

ORDER = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}
"""For each gate of ONNX's operators, its place in Paddle's weights."""


def lstm(graph: Graph, *operands: Operand, reverse: bool) -> list[str]:
    """Run an LSTM."""
    return _sequence(graph, "LSTM", operands, 2, reverse)


def gru(graph: Graph, *operands: Operand, reverse: bool) -> list[str]:
    """Run a GRU whose reset gate acts on the recurrent product."""
    return _sequence(graph, "GRU", operands, 1, reverse, linear_before_reset=1)


def simple_rnn(graph: Graph, *operands: Operand, reverse: bool, activation: str) -> list[str]:
    """Run a simple network with tanh or relu."""
    return _sequence(graph, "RNN", operands, 1, reverse, activations=[activation.capitalize()])


def _sequence(
    graph: Graph, operator: str, operands: Sequence[Operand], number_of_states: int, reverse: bool, **attributes: Any
) -> list[str]:
    """Run one direction: x (T, B, inputs), four weights, states (B, H), lengths (B,) where they are given.

    Beyond a sample's length ONNX gives zeros; ours keep the state.
    """
    x, weight_ih, weight_hh, bias_ih, bias_hh, *others = operands
    states, lengths = others[:number_of_states], others[number_of_states:]
    parts = [_ordered(graph, operator, part) for part in (weight_ih, weight_hh, bias_ih, bias_hh)]
    bias = graph.node("Concat", parts[2], parts[3], axis=0)
    y, *last = graph.node_of_many(
        operator,
        x,
        graph.unsqueeze(parts[0], 0),
        graph.unsqueeze(parts[1], 0),
        graph.unsqueeze(bias, 0),
        graph.cast(lengths[0], int32) if lengths else None,
        *[graph.unsqueeze(state, 0) for state in states],
        outputs=1 + number_of_states,
        hidden_size=graph.known(weight_hh.shape[1], operator),
        direction="reverse" if reverse else "forward",
        **attributes,
    )
    y = graph.node("Squeeze", y, graph.integers(1))
    last = [graph.node("Squeeze", state, graph.integers(0)) for state in last]
    if not lengths:
        return [y, *last]
    some = graph.node("Greater", graph.unsqueeze(lengths[0], 1), np.int64(0))
    last = [graph.node("Where", some, new, old) for new, old in zip(last, states)]
    steps = graph.unsqueeze(graph.range(x.shape[0]), 1)
    valid = graph.unsqueeze(graph.node("Less", steps, graph.cast(lengths[0], int64)), 2)
    kept: Optional[Input] = states[0] if reverse else last[0]
    return [graph.node("Where", valid, y, kept), *last]


def _ordered(graph: Graph, operator: str, weight: Operand) -> Input:
    """Put the gates of a weight or bias into ONNX's order."""
    order = ORDER[operator]
    if len(order) == 1:
        return weight
    gates = graph.node_of_many(
        "Split", weight, graph.sizes([weight.shape[0] // len(order)] * len(order)), outputs=len(order), axis=0
    )
    return graph.node("Concat", *[gates[place] for place in order], axis=0)
