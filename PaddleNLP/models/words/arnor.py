"""ARNOR: the relation of two entities in a sentence, by attention that must explain it.

Paper: Jia et al. 2019, ARNOR: Attention regularization based noise reduction for distant supervision relation
classification, https://aclanthology.org/P19-1135. With a sentence of L words and R relations:

=====================  ===============  ======================================================================
words                  (L, 100)         a table
places                 (L, 50) twice    how far a word is from the first, and from the second entity, cut at both ends
types                  (L, 50)          of the entity that a word is of; 0: of none
states h               (L, 500)         an LSTM of 250 units from each end
attention a            (L,)             softmax of w . tanh(h), as Zhou et al. 2016, https://aclanthology.org/P16-2034
sentence               (500,)           tanh of the sum of a h
logits                 (R,)             one layer, behind dropout
loss                   L_c + beta L_a   cross entropy, and - sum of m log a, the Kullback-Leibler divergence of a from m
                                        but for a constant; m is the same at the words of both entities and of the
                                        pattern between them, and 0 elsewhere
=====================  ===============  ======================================================================

Layers and losses are the paper's. Sizes and beta = 1 are what we know of it, not compared with its text. Choices of
ours: Fluid's LSTM without peepholes, places cut at 60, 0.5 of dropout, tables drawn by Xavier's rule, and L_a as the
mean over a batch, where instances without a trusted pattern count as 0. Which instances these are is decided in
:mod:`PaddleNLP.relations.patterns`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.words.bidaf import BothLSTMs
from PaddleNLP.models.words.network import WordNetwork, lengths_of

LOWEST = -1e30
"""The score of padding, whose share of the attention is 0."""

FEWEST = 1e-20
"""What a share of the attention counts as at least in the loss."""


class ArnorModel(WordNetwork):
    """Words of a sentence, with where two entities are, read from both ends.

    Args:
        vocab_size: words of the vocabulary.
        emb_dim: length of a word's vector.
        place_dim: length of the vector of a distance.
        type_dim: length of the vector of an entity's type.
        units: of each LSTM.
        types: how many types of entities there are, none included.
        furthest: distances are cut at so many words.
        pad_token_id: the number that fills short sentences; None: ``vocab_size``.
    """

    base_model_prefix: ClassVar[str] = "arnor"
    hidden_dropout_prob: ClassVar[float] = 0.5

    def __init__(
        self,
        vocab_size: int = 100000,
        emb_dim: int = 100,
        place_dim: int = 50,
        type_dim: int = 50,
        units: int = 250,
        types: int = 16,
        furthest: int = 60,
        pad_token_id: Optional[int] = None,
    ) -> None:
        super().__init__(vocab_size, emb_dim, 2 * units, 1.0, pad_token_id)
        self.token_size, self.types, self.furthest = 2 * units, types, furthest
        self.places = nn.LayerList(
            [nn.Embedding(2 * furthest + 1, place_dim, weight_attr=self.weight_attr()) for _ in range(2)]
        )
        self.type_embeddings = nn.Embedding(types, type_dim, weight_attr=self.weight_attr())
        self.lstm = BothLSTMs(emb_dim + 2 * place_dim + type_dim, units, self.weight_attr())

    def compute(self, words: Any, kept: Any) -> tuple[Any, Any]:
        """Return the states of a sentence whose first word is both entities; see :meth:`WordNetwork.compute`."""
        away = core.arange(words.shape[1], dtype="int64").unsqueeze(0).expand(kept.shape)
        tokens = self.states(words, kept, [away, away], core.zeros_like(away))
        return tokens, tokens.sum(axis=1) / kept.sum(axis=1, keepdim=True).clip(min=1.0)

    def states(self, words: Any, kept: Any, away: Any, types: Any) -> Any:
        """Return h, float32 (N, L, 2 * units), zeros for padding.

        Args:
            words: their vectors, float32 (N, L, emb_dim).
            kept: float32 (N, L), 1 where there is a word.
            away: how far each word is from the first and from the second entity, two of int64 (N, L).
            types: of the entity that each word is of, int64 (N, L).
        """
        places = [
            table(one.clip(-self.furthest, self.furthest) + self.furthest) for table, one in zip(self.places, away)
        ]
        given = core.concat([words, *places, self.type_embeddings(types)], axis=-1)
        return self.lstm(given, lengths_of(kept))


class RelationHead(Head):
    """A relation for each sentence with two entities, and which words it rests on.

    Args:
        encoder: an :class:`ArnorModel`.
        num_classes: how many relations there are, none included.
        dropout: the probability of dropping a number of the sentence's vector.
    """

    head_names = ("attention", "classifier")

    def __init__(self, encoder: Any, num_classes: int = 2, dropout: Optional[float] = None) -> None:
        super().__init__(encoder, dropout)
        self.num_classes = num_classes
        self.attention = nn.Linear(encoder.hidden_size, 1, weight_attr=encoder.weight_attr(), bias_attr=False)
        self.classifier = self._linear(num_classes)

    def forward(  # type: ignore[override]  # where the entities are
        self, input_ids: Any, first: Any, second: Any, types: Any
    ) -> tuple[Any, Any]:
        """Return logits (N, num_classes), and the attention, float32 (N, L), 0 at padding.

        Args:
            input_ids: int64 (N, L).
            first: how far each word is from the first entity, int64 (N, L); 0 at its words.
            second: from the second one.
            types: of the entity that each word is of, int64 (N, L); 0: of none.
        """
        encoder = self.encoder
        kept = kept_tokens(input_ids, None, encoder.pad_token_id)
        states = encoder.states(encoder.words(input_ids, kept), kept, (first, second), types)
        scores = self.attention(core.tanh(states)).squeeze(-1) + (1.0 - kept) * LOWEST
        shares = F.softmax(scores, axis=-1) * kept
        sentence = core.tanh(core.matmul(shares.unsqueeze(1), states).squeeze(1))
        return self.classifier(self.dropout(sentence)), shares

    def loss(self, results: tuple[Any, Any], labels: Any, guide: Any, trusted: Any, regularization: float) -> Any:
        """Return L_c + beta L_a, the mean over a batch.

        Args:
            results: of :meth:`forward`.
            labels: int64 (N,).
            guide: 1 at the words of both entities and of the pattern, (N, L); all 0: nothing is asked.
            trusted: 1 where the pattern is, (N,).
            regularization: beta.
        """
        logits, shares = results
        total = F.cross_entropy(logits, labels.reshape([-1]))
        if not regularization:
            return total
        wanted = guide.astype("float32")
        wanted = wanted / wanted.sum(axis=1, keepdim=True).clip(min=1.0)
        missed = -(wanted * core.log(shares.clip(min=FEWEST))).sum(axis=1)
        return total + regularization * (missed * trusted.astype("float32")).mean()


ArnorModel.heads = {"relation_classification": RelationHead}
