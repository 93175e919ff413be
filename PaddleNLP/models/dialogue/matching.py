"""What heads that match a response with a conversation share: one logit, and its loss."""

from __future__ import annotations

from typing import Any, Optional

import core
from core.nn import functional as F
from PaddleNLP.models.heads import Head

CLIP = 10.0
"""A sample's loss counts so much at most, as in the official programs of DAM and ADE."""


class MatchingHead(Head):
    """Whether a response fits: a subclass says by which logit.

    Args:
        encoder: as in :class:`Head`.
        num_classes: not used: there are two, of responses that do not fit and that do.
        dropout: as in :class:`Head`.
    """

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)

    def logit(self, input_ids: Any, attention_mask: Any) -> Any:
        """Return the logit of the probability that responses fit, float32 (N, 1).

        Args:
            input_ids: int64 (N, turns + 1, L), the turns of each conversation, and the response last.
            attention_mask: (N, turns + 1, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        raise NotImplementedError

    def forward(  # type: ignore[override]  # no hidden states
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> Any:
        """Return logits of both classes, (N, 2): that of responses that do not fit is 0.

        Args:
            input_ids: int64 (N, turns + 1, L), the response last.
            token_type_ids: not used, as are positions.
            position_ids: not used.
            attention_mask: (N, turns + 1, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        logit = self.logit(input_ids, attention_mask)
        return core.concat([core.zeros_like(logit), logit], axis=-1)

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy of the logit's sigmoid, where each sample counts 10 at most.

        Args:
            logits: float32 (N, 2).
            labels: int64 (N,), 1 where the response fits.
        """
        each = F.binary_cross_entropy_with_logits(
            logits[:, 1], labels.reshape([-1]).astype("float32"), reduction="none"
        )
        return each.clip(max=CLIP).mean()


def widened(rows: Any, length: int) -> Any:
    """Return rows (N, R, L) with zeros behind them, or without what is too long, (N, R, length).

    Args:
        rows: ids or a mask.
        length: of the result.
    """
    gap = core.zeros([1, 1, length], rows.dtype).expand([rows.shape[0], rows.shape[1], length])
    return core.concat([rows, gap], axis=2)[:, :, :length]
