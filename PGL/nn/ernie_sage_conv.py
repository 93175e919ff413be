"""ERNIESage's convolution: a language model reads a node's text together with that of each neighbour.

Source: PaddleNLP's example ``text_graph/erniesage`` (models/conv.py), by the authors of PGL; there is no paper.

    m_ji = ERNIE([CLS] t_j [SEP] t_i [SEP]),  s_i = ERNIE([CLS] t_i [SEP])
    y_i = activation(s_i W_s + b_s + (Σ m_ji over the edges j → i) W_n + b_n), divided by its length

t (nodes, tokens), filled up with 0, s and m (…, ERNIE's size), y (nodes, hidden). Positions count tokens that are not
0; t_j is the first sentence, t_i the second.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.operators.graphs import message_passing
from PGL.nn.functional import activation_function, reduction


def with_cls(term_ids: Any, cls_token_id: int) -> Any:
    """Return texts with the token in front that stands for the whole text, int64 (rows, tokens + 1)."""
    return core.concat([core.full_like(term_ids[:, :1], cls_token_id), term_ids], axis=1)


class ErnieSageV2Conv(nn.Layer):
    """A language model on the edges of a graph of texts.

    Args:
        input_size: size of the language model's result.
        hidden_size: size of the result.
        cls_token_id: the token in front of a text.
        aggr_func: ``sum``, ``mean``, ``max`` or ``min`` of what the edges say.
    """

    def __init__(self, input_size: int, hidden_size: int, cls_token_id: int = 1, aggr_func: str = "sum") -> None:
        super().__init__()
        self.cls_token_id = cls_token_id
        self.aggr_func = reduction("ErnieSageV2Conv", aggr_func)
        self.self_linear = nn.Linear(input_size, hidden_size)
        self.neigh_linear = nn.Linear(input_size, hidden_size)

    def forward(self, graph: Any, term_ids: Any, ernie: Any, act: Any = "relu") -> Any:
        """Return the new features.

        Args:
            graph: the graph, of Tensors.
            term_ids: int64 (num_nodes, tokens).
            ernie: the language model: (token ids, sentence ids, positions) to (all vectors, the whole text's).
            act: name of a function of core.nn.functional; None for none.

        Returns:
            (num_nodes, hidden_size).
        """
        edges = graph.edges
        first = with_cls(core.gather(term_ids, edges[:, 0]), self.cls_token_id)
        second = core.gather(term_ids, edges[:, 1])
        both = core.concat([first, second], axis=1)
        sentences = core.concat([core.zeros_like(first), core.ones_like(second)], axis=1)
        positions = core.cumsum((both > 0).astype("int64"), axis=1) - 1
        messages = ernie(both, sentences, positions)[1]
        neighbors = message_passing.edge_reduce(messages, graph.connections(), self.aggr_func)
        alone = with_cls(term_ids, self.cls_token_id)
        own = ernie(alone, core.zeros_like(alone))[1]
        output = self.self_linear(own) + self.neigh_linear(neighbors)
        activation = activation_function("ErnieSageV2Conv", act)
        return F.normalize(output if activation is None else activation(output), axis=1)
