"""What networks of dialogues share: a table of words, and the sum of a text's losses."""

from __future__ import annotations

from typing import Any

from core import nn


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
