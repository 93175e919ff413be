"""The vector of a whole text, as BERT and its relatives make it.

Paper: BERT: pre-training of deep bidirectional Transformers, Devlin et al. 2018, arXiv:1810.04805.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn import functional as F


class Pooler(nn.Layer):
    """One vector for a whole text: tanh of a linear layer on the first token.

    Args:
        hidden_size: length of a vector.
        activation: ``"tanh"``, or anything else for none.
        weight_attr: initialiser of the weight.
    """

    def __init__(self, hidden_size: int, activation: str = "tanh", weight_attr: Any = None) -> None:
        super().__init__()
        self.dense = nn.Linear(hidden_size, hidden_size, weight_attr=weight_attr)
        self.pool_act = activation

    def forward(self, sequence: Any) -> Any:
        """Return (N, hidden_size) of (N, L, hidden_size)."""
        pooled = self.dense(sequence[:, 0])
        return F.tanh(pooled) if self.pool_act == "tanh" else pooled
