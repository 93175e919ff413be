"""One row for each graph: an LSTM that looks at all nodes again and again, in no order.

Paper: Vinyals, Bengio and Kudlur, "Order Matters: Sequence to Sequence for Sets", ICLR 2016,
https://arxiv.org/abs/1511.06391

    q_t = LSTM(q*_{t-1}),  a = softmax of x_i · q_t over the nodes i of a graph,  r_t = Σ_i a_i x_i,  q*_t = [q_t, r_t]

x (nodes, inputs), q and r (graphs, inputs), q* (graphs, 2 · inputs), 0 at the start. pgl gives the LSTM zeros in place
of q* in every step, and its weights are of use with nothing else.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.operators.graphs import message_passing
from PGL.nn.functional import membership


class Set2Set(nn.Layer):
    """What an LSTM remembers of the nodes of each graph.

    Args:
        input_dim: size of the features.
        n_iters: how many times it looks.
        n_layers: layers of the LSTM.
        feedback: whether the LSTM receives what it saw last, as in the paper; zeros otherwise, as in pgl.
    """

    def __init__(self, input_dim: int, n_iters: int, n_layers: int = 1, feedback: bool = False) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.output_dim = 2 * input_dim
        self.n_iters = n_iters
        self.n_layers = n_layers
        self.feedback = feedback
        self.lstm = nn.LSTM(self.output_dim, input_dim, num_layers=n_layers, time_major=True)

    def forward(self, graph: Any, x: Any) -> Any:
        """Return a row for each graph.

        Args:
            graph: the graphs, joined.
            x: (num_nodes, input_dim).

        Returns:
            (num_graph, 2 · input_dim).
        """
        nodes = membership(graph)
        graphs = nodes.num_targets
        state = tuple(core.zeros([self.n_layers, graphs, self.input_dim]) for _ in range(2))
        given = seen = core.zeros([graphs, self.output_dim])
        for _ in range(self.n_iters):
            output, state = self.lstm(given.unsqueeze(0), state)
            query = output.reshape([graphs, self.input_dim])
            logits = message_passing.dot_ends(x.unsqueeze(1), query.unsqueeze(1), nodes)
            weights = message_passing.edge_softmax(logits, nodes).reshape([-1])
            seen = core.concat([query, message_passing.gather_multiply_reduce(x, weights, nodes)], axis=-1)
            if self.feedback:
                given = seen
        return seen
