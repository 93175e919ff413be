"""GRUs of Fluid 1.x that read texts from both ends, for LAC and for networks of dialogues."""

from __future__ import annotations

from typing import Any, Literal

import core
from core import nn
from core.incubate.layers import DynamicGRU, sequence_first_step, sequence_last_step


class BothWays(nn.Layer):
    """A layer and a GRU each way: ``fc_forward``, ``gru_forward``, ``fc_backward``, ``gru_backward``.

    Args:
        input_size: length of a token's vector.
        hidden_size: of both ways together.
        origin_mode, candidate_activation: as in :class:`core.incubate.layers.DynamicGRU`.
        fc_bias: whether the layers have biases.
        attr: how fresh weights are drawn; None: as layers do.
        bias_attr: how the GRUs' biases are.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        origin_mode: bool = False,
        candidate_activation: Literal["tanh", "relu"] = "tanh",
        fc_bias: bool = True,
        attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        units = hidden_size // 2
        for way in ("forward", "backward"):
            fc = nn.Linear(input_size, 3 * units, attr, None if fc_bias else False)
            gru = DynamicGRU(units, way == "backward", origin_mode, attr, bias_attr, candidate_activation)
            self.add_sublayer(f"fc_{way}", fc)
            self.add_sublayer(f"gru_{way}", gru)

    def forward(self, words: Any, lengths: Any) -> tuple[Any, Any]:
        """Return the states (N, L, hidden_size), and both ways' last ones (N, hidden_size), 0 of a text without tokens.

        Args:
            words: float32 (N, L, input_size).
            lengths: int64 (N,), from 0 on.
        """
        forward = self.gru_forward(self.fc_forward(words), lengths)
        backward = self.gru_backward(self.fc_backward(words), lengths)
        ends = [sequence_last_step(forward, lengths), sequence_first_step(backward, lengths)]
        return core.concat([forward, backward], axis=-1), core.concat(ends, axis=-1)
