"""ADE, automatic dialogue evaluation: how good a response is, learned first from responses that fit and others.

Papers: in the manner of Lowe et al. 2017, Towards an automatic Turing test, https://arxiv.org/abs/1708.07149; the
network and both losses are those of PaddlePaddle/models at 1.6 (``auto_dialogue_evaluation/ade_net.py``).

Shapes, with vectors of 256 and H = 256 units; both texts share all layers:

    words (N, L) -> (N, L, 256) -> one layer (N, L, 4 H) -> LSTM with peepholes, its last state (N, H)
    context c, response r: logit = c W r^T + b, W (1, H, H), b (1, 1)

First stage ("CLS"): cross entropy of the logit's sigmoid with 1 for responses that fit, each sample's 10 at most.
Second stage ("L2"): mean of (2 sigmoid(logit) - label)^2 / 4 with labels from 0 to 2.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from core.incubate.layers import DynamicLSTM, sequence_last_step
from core.nn import functional as F
from core.nn.initializer import Normal
from PaddleNLP.models.dialogue.matching import MatchingHead
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.words.network import WordNetwork, lengths_of


class DialogueEvaluator(WordNetwork):
    """An LSTM whose last state stands for a text.

    Args:
        vocab_size: words of the vocabulary.
        emb_dim: length of a word's vector.
        units: of the LSTM.
        pad_token_id: the number that fills short texts; None: ``vocab_size``, which is no word's.
    """

    base_model_prefix: ClassVar[str] = "ade"

    def __init__(
        self, vocab_size: int = 484016, emb_dim: int = 256, units: int = 256, pad_token_id: Optional[int] = None
    ) -> None:
        super().__init__(vocab_size, emb_dim, units, 1.0, pad_token_id, Normal(0.0, 0.1))
        self.token_size = units
        self.fc = self.linear(emb_dim, 4 * units)
        self.lstm = DynamicLSTM(units, param_attr=self.weight_attr())

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the states and the last one; see :meth:`WordNetwork.compute`."""
        lengths = lengths_of(kept)
        states, _ = self.lstm(self.fc(words), lengths)
        return states, sequence_last_step(states, lengths)

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, the head's included."""
        return {
            "shared_word_emb": "word_embeddings.weight",
            "fc_weight": "fc.weight",
            "fc_bias": "fc.bias",
            "shared_lstm_W": "lstm.weight",
            "shared_lstm_bias": "lstm.bias",
            "bilinear_tensor_product_0.w_0": "bilinear.weight",
            "bilinear_tensor_product_0.b_0": "bilinear.bias",
        }


class DialogueMatching(MatchingHead):
    """The first stage: whether a response fits.

    Args:
        encoder: a :class:`DialogueEvaluator`.
        num_classes: not used.
        dropout: not used.
    """

    head_names = ("bilinear",)

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, num_classes, 0.0)
        self.bilinear = nn.Bilinear(encoder.hidden_size, encoder.hidden_size, 1)

    def logit(self, input_ids: Any, attention_mask: Any) -> Any:
        """Return how well responses fit, float32 (N, 1); see :meth:`MatchingHead.logit`.

        Args:
            input_ids: int64 (N, 2, L), context and response.
            attention_mask: (N, 2, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        encoder, found = self.encoder, []
        for side in (0, 1):
            ids = input_ids[:, side]
            kept = kept_tokens(ids, None if attention_mask is None else attention_mask[:, side], encoder.pad_token_id)
            found.append(encoder.compute(encoder.words(ids, kept), kept)[1])
        return self.bilinear(*found)


class DialogueQuality(DialogueMatching):
    """The second stage: how good a response is, from 0 to 2; its layers are those of the first.

    Args:
        encoder: a :class:`DialogueEvaluator`.
        dropout: not used.
    """

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, 2, dropout)

    def forward(  # type: ignore[override]  # no hidden states
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> Any:
        """Return how good responses are, float32 (N, 1); arguments are those of :meth:`MatchingHead.forward`."""
        return 2.0 * F.sigmoid(self.logit(input_ids, attention_mask))

    def loss(self, values: Any, labels: Any) -> Any:
        """Return the mean squared error over 4.

        Args:
            values: float32 (N, 1).
            labels: float32 (N,), from 0 to 2.
        """
        return core.square(values.reshape([-1]) - labels.reshape([-1])).mean() / 4.0


DialogueEvaluator.heads = {"response_matching": DialogueMatching, "response_quality": DialogueQuality}
