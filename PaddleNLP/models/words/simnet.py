"""SimNet: how alike two texts are, by small networks on words that share their tables: BOW, CNN, LSTM, GRU, MM-DNN.

Networks are facts of PaddlePaddle/models at 1.6 (``PaddleNLP/models/matching``). Each text goes through a tower of its
own. Pointwise training tells pairs that mean the same from others; pairwise training, in the manner of DSSM (Huang et
al. 2013, https://doi.org/10.1145/2505515.2505665), brings a query nearer to a text that fits than to one that does not.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core.incubate.layers import DynamicGRU, DynamicLSTM, sequence_conv, sequence_last_step, sequence_pool
from core.nn import functional as F
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.words.network import WordNetwork, lengths_of, states_of

MARGIN = 0.1
"""By how much a text that fits is to be nearer than another one."""


class Tower(WordNetwork):
    """Base of what makes a vector of one text of a pair.

    Args:
        vocab_size: words of the vocabulary.
        emb_dim: length of a word's vector.
        tower_size: length of a text's vector.
        fc_size: results of the layer on both vectors.
        pad_token_id: the number that fills short texts; None: ``vocab_size``.
    """

    tower_layers: ClassVar[dict[str, str]] = {}

    def __init__(
        self, vocab_size: int, emb_dim: int, tower_size: int, fc_size: int, pad_token_id: Optional[int]
    ) -> None:
        super().__init__(vocab_size, emb_dim, tower_size, 1.0, pad_token_id)
        self.fc_size = fc_size
        self.token_size = tower_size

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the tokens' vectors and the texts', of the first texts of pairs; see :meth:`WordNetwork.compute`."""
        return self.tower(words, kept, 0)

    def tower(self, words: Any, kept: Any, side: int) -> tuple[Any, Any]:
        """Return the tokens' vectors, float32 (N, L, token_size), and the texts', float32 (N, hidden_size).

        Args:
            words: float32 (N, L, emb_dim), zeros for padding.
            kept: float32 (N, L), 1 where there is a token.
            side: 0 for the first texts of pairs, 1 for the second.
        """
        raise NotImplementedError

    def vector(self, input_ids: Any, attention_mask: Any, side: int) -> Any:
        """Return the texts' vectors, float32 (N, hidden_size); arguments are those of :meth:`forward` and ``side``."""
        kept = kept_tokens(input_ids, attention_mask, self.pad_token_id)
        return self.tower(self.words(input_ids, kept), kept, side)[1]

    def official_names(self) -> dict[str, str]:
        """Return the name of each parameter in a file of Fluid 1.x, with the name here, the head's included."""
        both = {"emb": "word_embeddings.weight", "fc.w": "fc.weight", "fc.b": "fc.bias", **self.tower_layers}
        return {**both, "cos_sim.w": "classifier.weight", "cos_sim.b": "classifier.bias"}


class PointwiseHead(Head):
    """Whether two texts mean the same: a layer on both vectors, and classes.

    Args:
        encoder: a :class:`Tower`.
        num_classes: results.
        dropout: as in :class:`Head`.
    """

    head_names = ("fc", "classifier")

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        self.fc = self._linear(encoder.fc_size, 2 * encoder.hidden_size)
        self.classifier = self._linear(num_classes, encoder.fc_size)

    def forward(  # type: ignore[override]  # no hidden states
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> Any:
        """Return logits (N, num_classes).

        Args:
            input_ids: int64 (N, 2, L), both texts of each pair.
            token_type_ids: not used, as are positions.
            position_ids: not used.
            attention_mask: (N, 2, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        both = core.concat([_vector(self.encoder, input_ids, attention_mask, side, side) for side in (0, 1)], axis=-1)
        return self.classifier(F.relu(self.fc(self.dropout(both))))

    def loss(self, logits: Any, labels: Any) -> Any:
        """Return the mean cross entropy.

        Args:
            logits: float32 (N, num_classes).
            labels: int64 (N,).
        """
        return F.cross_entropy(logits, labels.reshape([-1]))


class PairwiseHead(Head):
    """How alike two texts are: the cosine of the angle between a layer's results on each vector.

    Args:
        encoder: a :class:`Tower`.
        dropout: as in :class:`Head`.
    """

    head_names = ("fc",)

    def __init__(self, encoder: Any, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.fc = self._linear(encoder.fc_size)

    def forward(  # type: ignore[override]  # no hidden states
        self, input_ids: Any, token_type_ids: Any = None, position_ids: Any = None, attention_mask: Any = None
    ) -> Any:
        """Return how alike the first text is to each of the others, between -1 and 1, float32 (N, texts - 1).

        Args:
            input_ids: int64 (N, texts, L): of each sample a query and one text, or several, to compare it with.
            token_type_ids: not used, as are positions.
            position_ids: not used.
            attention_mask: (N, texts, L), 1 where there is a token; None: padding is ``pad_token_id``.
        """
        own = [
            F.relu(self.fc(self.dropout(_vector(self.encoder, input_ids, attention_mask, place, min(place, 1)))))
            for place in range(input_ids.shape[1])
        ]
        return core.stack([F.cosine_similarity(own[0], other, axis=-1) for other in own[1:]], axis=-1)

    def loss(self, scores: Any) -> Any:
        """Return the mean hinge loss: how much is missing from 0.1 between a text that fits and one that does not.

        Args:
            scores: float32 (N, 2), of the text that fits and of the other one.
        """
        return F.relu(scores[:, 1] - scores[:, 0] + MARGIN).mean()


def _vector(encoder: Any, input_ids: Any, attention_mask: Any, place: int, side: int) -> Any:
    mask = None if attention_mask is None else attention_mask[:, place]
    return encoder.vector(input_ids[:, place], mask, side)


HEADS: dict[str, Any] = {"pair_classification": PointwiseHead, "similarity": PairwiseHead}


class SimNetBow(Tower):
    """The sum of the words' vectors; its numbers are between -1 and 1.

    Args:
        vocab_size: as in :class:`Tower`, as are the others.
        emb_dim: see there.
        fc_size: see there.
        pad_token_id: see there.
    """

    base_model_prefix: ClassVar[str] = "simnet_bow"
    heads: ClassVar[dict[str, Any]] = HEADS

    def __init__(
        self, vocab_size: int = 33256, emb_dim: int = 128, fc_size: int = 128, pad_token_id: Optional[int] = None
    ) -> None:
        super().__init__(vocab_size, emb_dim, emb_dim, fc_size, pad_token_id)

    def tower(self, words: Any, kept: Any, side: int) -> tuple[Any, Any]:
        """Return the words' vectors and the texts'; see :meth:`Tower.tower`."""
        return words, F.softsign(words.sum(axis=1))


class SimNetCNN(Tower):
    """Filters over windows of words; each side has an offset of its own, as the official program makes two.

    Args:
        vocab_size: as in :class:`Tower`.
        emb_dim: see there.
        filters: how many there are.
        window: words of a window.
        fc_size: see there.
        pad_token_id: see there.
    """

    base_model_prefix: ClassVar[str] = "simnet_cnn"
    heads: ClassVar[dict[str, Any]] = HEADS
    tower_layers: ClassVar[dict[str, str]] = {
        "conv": "conv_weight",
        "sequence_conv_0.b_0": "conv_bias_first",
        "sequence_conv_1.b_0": "conv_bias_second",
    }

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        filters: int = 256,
        window: int = 3,
        fc_size: int = 128,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, filters, fc_size, pad_token_id)
        self.conv_weight = self.create_parameter([window * emb_dim, filters], attr=self.weight_attr())
        self.conv_bias_first = self.create_parameter([filters], is_bias=True)
        self.conv_bias_second = self.create_parameter([filters], is_bias=True)

    def tower(self, words: Any, kept: Any, side: int) -> tuple[Any, Any]:
        """Return the filters' results and the largest of each; see :meth:`Tower.tower`."""
        lengths, bias = lengths_of(kept), self.conv_bias_second if side else self.conv_bias_first
        tokens = F.relu(sequence_conv(words, self.conv_weight, lengths, bias))
        return tokens, sequence_pool(tokens, "max", lengths)


class SimNetLSTM(Tower):
    """The last state of an LSTM with peepholes.

    Args:
        vocab_size: as in :class:`Tower`.
        emb_dim: see there.
        units: of the LSTM.
        fc_size: see there.
        pad_token_id: see there.
    """

    base_model_prefix: ClassVar[str] = "simnet_lstm"
    heads: ClassVar[dict[str, Any]] = HEADS
    cell: ClassVar[Any] = DynamicLSTM
    gates: ClassVar[int] = 4
    tower_layers: ClassVar[dict[str, str]] = {
        "lstm_fc.w": "fc0.weight",
        "lstm_fc.b": "fc0.bias",
        "lstm.w": "recurrent.weight",
        "lstm.b": "recurrent.bias",
    }

    def __init__(
        self,
        vocab_size: int = 33256,
        emb_dim: int = 128,
        units: int = 128,
        fc_size: int = 128,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, units, fc_size, pad_token_id)
        self.fc0 = self.linear(emb_dim, self.gates * units)
        self.recurrent = self.cell(units, param_attr=self.weight_attr())

    def tower(self, words: Any, kept: Any, side: int) -> tuple[Any, Any]:
        """Return the states and the last one; see :meth:`Tower.tower`."""
        lengths = lengths_of(kept)
        states = states_of(self.recurrent(self.fc0(words), lengths))
        return states, sequence_last_step(states, lengths)


class SimNetGRU(SimNetLSTM):
    """The last state of gated recurrent units."""

    base_model_prefix: ClassVar[str] = "simnet_gru"
    cell: ClassVar[Any] = DynamicGRU
    gates: ClassVar[int] = 3
    tower_layers: ClassVar[dict[str, str]] = {
        old.replace("lstm", "gru"): new for old, new in SimNetLSTM.tower_layers.items()
    }
