"""MM-DNN of SimNet: where two texts meet, by a matrix of how well each word of one goes with each of the other.

Paper: the matching matrix is that of Pang et al. 2016, Text matching as image recognition,
https://arxiv.org/abs/1602.06359. The network is a fact of PaddlePaddle/models at 1.6
(``PaddleNLP/models/matching/mm_dnn.py``): texts of 32 words at most, whose matrix is read by filters of its own size.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from core.incubate.layers import DynamicLSTM
from core.nn import functional as F
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.words.network import WordNetwork, lengths_of

LOWEST = float(1 - 2**32)
"""What the matrix holds where a text has no word."""


class SimNetMMDNN(WordNetwork):
    """LSTMs that read a text from both ends.

    Args:
        vocab_size: words of the vocabulary.
        emb_dim: length of a word's vector; that of word 0 is always zeros, as in the official program.
        units: of each LSTM.
        filters: how many read the matrix.
        pooled: parts of the matrix in each direction, of which the largest number counts.
        fc_size: results of the layer on these.
        max_length: words of a text at most, which is the size of the matrix.
        pad_token_id: the number that fills short texts; None: ``vocab_size``.
    """

    base_model_prefix: ClassVar[str] = "simnet_mm_dnn"
    heads: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        units: int = 128,
        filters: int = 256,
        pooled: int = 2,
        fc_size: int = 128,
        max_length: int = 32,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, 2 * units, 1.0, pad_token_id)
        self.token_size = 2 * units
        self.filters, self.pooled, self.fc_size, self.max_length = filters, pooled, fc_size, max_length
        self.fc0 = nn.Linear(emb_dim, 4 * units, weight_attr=self.weight_attr(), bias_attr=False)
        self.fc0_reverse = nn.Linear(emb_dim, 4 * units, weight_attr=self.weight_attr(), bias_attr=False)
        self.recurrent = DynamicLSTM(units, param_attr=self.weight_attr())
        self.recurrent_reverse = DynamicLSTM(units, is_reverse=True, param_attr=self.weight_attr())

    def words(self, input_ids: Any, kept: Any) -> Any:
        """Return the words' vectors, zeros for padding and word 0; see :meth:`WordNetwork.words`."""
        return super().words(input_ids, kept * (input_ids != 0).astype("float32"))

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the states of both directions, and their means; see :meth:`WordNetwork.compute`."""
        lengths = lengths_of(kept)
        forward, _ = self.recurrent(self.fc0(words), lengths)
        backward, _ = self.recurrent_reverse(self.fc0_reverse(words), lengths)
        states = core.concat([forward, backward], axis=-1)
        return states, states.sum(axis=1) / kept.sum(axis=1, keepdim=True).clip(min=1.0)

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, the head's included."""
        return {
            "word_embedding": "word_embeddings.weight",
            "fw_fc.w": "fc0.weight",
            "rv_fc.w": "fc0_reverse.weight",
            "forward_lstm.w": "recurrent.weight",
            "forward_lstm.b": "recurrent.bias",
            "reverse_lstm.w": "recurrent_reverse.weight",
            "reverse_lstm.b": "recurrent_reverse.bias",
            **{f"conv2d_0.{old}": f"conv.{new}" for old, new in (("w_0", "weight"), ("b_0", "bias"))},
            **{f"fc_4.{old}": f"fc.{new}" for old, new in (("w_0", "weight"), ("b_0", "bias"))},
            **{f"fc_5.{old}": f"classifier.{new}" for old, new in (("w_0", "weight"), ("b_0", "bias"))},
        }


class MatrixHead(Head):
    """Whether two texts mean the same, by filters over the matrix of their words.

    Args:
        encoder: a :class:`SimNetMMDNN`.
        num_classes: results.
        dropout: as in :class:`Head`.
    """

    head_names = ("conv", "fc", "classifier")

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        size = encoder.max_length
        self.conv = nn.Conv2D(1, encoder.filters, size, padding=size // 2)
        self.fc = self._linear(encoder.fc_size, encoder.filters * encoder.pooled**2)
        self.classifier = self._linear(num_classes, encoder.fc_size)

    def forward(  # type: ignore[override]  # no hidden states
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> Any:
        """Return logits (N, num_classes).

        Args:
            input_ids: int64 (N, 2, L), both texts of each pair, of at most ``max_length`` tokens.
            token_type_ids: not used, as are positions.
            position_ids: not used.
            attention_mask: (N, 2, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        encoder, size = self.encoder, self.encoder.max_length
        states, masks = [], []
        for side in (0, 1):
            ids = input_ids[:, side]
            kept = kept_tokens(ids, None if attention_mask is None else attention_mask[:, side], encoder.pad_token_id)
            states.append(_widened(encoder.compute(encoder.words(ids, kept), kept)[0], size))
            masks.append(_widened(kept.unsqueeze(-1), size + 1))
        matrix = core.matmul(states[0], states[1], transpose_y=True).unsqueeze(1)
        mask = core.matmul(masks[0], masks[1], transpose_y=True).unsqueeze(1)
        found = mask * self.conv(matrix) + (1.0 - mask) * LOWEST
        part = size // encoder.pooled
        parts = F.relu(F.max_pool2d(found, part, part))
        return self.classifier(core.tanh(self.fc(parts.flatten(1))))

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy.

        Args:
            logits: float32 (N, num_classes).
            labels: int64 (N,).
        """
        return F.cross_entropy(logits, labels.reshape([-1]))


SimNetMMDNN.heads = {"pair_classification": MatrixHead}


def _widened(rows: Any, length: int) -> Any:
    """Return rows (N, L, size) with zeros behind them, (N, length, size)."""
    gap = core.zeros([1, length, rows.shape[2]]).expand([rows.shape[0], length, rows.shape[2]])
    return core.concat([rows, gap], axis=1)[:, :length]
