"""GRUs of Fluid 1.x that read texts from both ends, for networks of dialogues."""

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
        attr: how fresh weights, and the GRUs' biases, are drawn; None: as layers do.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        origin_mode: bool,
        candidate_activation: Literal["tanh", "relu"] = "tanh",
        fc_bias: bool = True,
        attr: Any = None,
    ) -> None:
        super().__init__()
        units = hidden_size // 2
        for way in ("forward", "backward"):
            fc = nn.Linear(input_size, 3 * units, attr, None if fc_bias else False)
            gru = DynamicGRU(units, way == "backward", origin_mode, attr, attr, candidate_activation)
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


class Words(nn.Layer):
    """A table of words' vectors, whose padding has zeros.

    Args:
        vocab_size: rows.
        size: length of a vector.
        pad_token_id: the number that fills short texts.
        scale: fresh numbers are drawn from -scale to scale.
    """

    def __init__(self, vocab_size: int, size: int, pad_token_id: int, scale: float) -> None:
        super().__init__()
        drawn = nn.ParamAttr(initializer=nn.initializer.Uniform(-scale, scale))
        self.table = nn.Embedding(vocab_size, size, weight_attr=drawn)
        self.pad_token_id = pad_token_id

    def forward(self, ids: Any) -> tuple[Any, Any]:
        """Return vectors (N, L, size), and the number of tokens of each text, int64 (N,).

        Args:
            ids: int64 (N, L).
        """
        kept = ids != self.pad_token_id
        whole = kept.astype("int64")
        return self.table(ids * whole) * kept.astype("float32").unsqueeze(-1), whole.sum(axis=1)


def summed_by_text(losses: Any, kept: Any) -> Any:
    """Return the mean over texts of the sum of their tokens' losses.

    Args:
        losses: float32 (N, L).
        kept: bool (N, L), where there is a token.
    """
    return (losses * kept.astype("float32")).sum(axis=1).mean()
