"""ERNIE-Health's pretraining: ELECTRA's, with a choice among several tokens and a contrast between texts besides.

Paper: building Chinese biomedical language models via multi-level text discrimination, Wang et al. 2021,
arXiv:2110.07244.
Official file: ``paddlenlp/transformers/electra/modeling.py`` of paddlenlp 2.8.1 (ErnieHealthForTotalPretraining).
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleNLP.models.combined.electra_pretraining import drawn_tokens
from PaddleNLP.models.electra import (
    ElectraClassificationHead,
    ElectraDiscriminatorPredictions,
    ElectraGenerator,
    ElectraModel,
    replaced_loss,
)
from PaddleNLP.models.encoder import kept_tokens
from PaddleNLP.models.heads import Head
from PaddleNLP.models.language_heads import token_loss

NEGATIVES = 5
"""Wrong tokens among which the right one is to be found."""

TEMPERATURE = 0.07
"""What the similarity of two texts is divided by."""


class ErnieHealthDiscriminator(Head):
    """Whether each token was replaced, which of some tokens it was, and a vector of the text to compare.

    Args:
        encoder: an :class:`ElectraModel` whose embeddings are as long as its hidden states.
        dropout: the probability of dropping a number; None: the encoder's own.
        vector_size: length of the vector to compare.

    Raises:
        ValueError: the embeddings are narrower.
    """

    head_names = ("discriminator_rtd", "discriminator_mts", "bias_mts", "discriminator_csp")

    def __init__(self, encoder: ElectraModel, dropout: Optional[float] = None, vector_size: int = 128) -> None:
        super().__init__(encoder, dropout)
        if encoder.embedding_size != encoder.hidden_size:
            raise ValueError(
                f"ERNIE-Health compares hidden states with tokens: embedding_size={encoder.embedding_size} must be"
                f" hidden_size={encoder.hidden_size}"
            )
        attr = encoder.weight_attr()
        self.discriminator_rtd = ElectraDiscriminatorPredictions(encoder)
        self.discriminator_mts = self._linear(encoder.hidden_size)
        self.bias_mts = nn.Embedding(encoder.word_embeddings.weight.shape[0], 1, weight_attr=attr)
        self.discriminator_csp = ElectraClassificationHead(encoder, vector_size, self.dropout.p)
        self.activation = getattr(F, encoder.hidden_act)

    def forward(  # type: ignore[override]  # other inputs
        self,
        input_ids: Any,
        candidate_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Return logits (N, L) and (N, L, candidates), and vectors (N, vector_size).

        Args:
            input_ids: int64 (N, L).
            candidate_ids: int64 (N, L, candidates): tokens that each one may have been.
            token_type_ids: int64 (N, L), the sentence of each token; None: 0.
            position_ids: int64 (N, L); None: 0, 1, 2, ...
            attention_mask: (N, L), 1 for tokens and 0 for padding; None: padding is ``pad_token_id``.
        """
        sequence = self.encoder(input_ids, token_type_ids, position_ids, attention_mask)[0]
        hidden = self.activation(self.discriminator_mts(sequence)).unsqueeze(2)
        scores = hidden.matmul(self.encoder.word_embeddings(candidate_ids), transpose_y=True).squeeze(2)
        choices = scores + self.bias_mts(candidate_ids).squeeze(3)
        return self.discriminator_rtd(sequence), choices, self.discriminator_csp(sequence)


class ErnieHealthForTotalPretraining(nn.Layer):
    """A generator and a discriminator with three tasks; a batch holds two views of each text, one half after the other.

    Args:
        encoder: the discriminator's.
        dropout: the probability of dropping a number; None: the encoder's own.
        generator: the generator's encoder; None: one like the discriminator's, as in the official model.
        sample: whether the generator's tokens are drawn; otherwise the likeliest are taken.
        vector_size: length of the vector by which texts are compared.

    Attributes:
        gen_weight: what the generator's loss is multiplied by.
        rtd_weight: likewise that of replaced tokens.
        mts_weight: likewise that of the choice among tokens.
        csp_weight: likewise that of the contrast.
    """

    gen_weight, rtd_weight, mts_weight, csp_weight = 1.0, 50.0, 20.0, 1.0

    def __init__(
        self,
        encoder: ElectraModel,
        dropout: Optional[float] = None,
        generator: Optional[ElectraModel] = None,
        sample: bool = True,
        vector_size: int = 128,
    ) -> None:
        super().__init__()
        generator = ElectraModel(**encoder.settings) if generator is None else generator
        if generator.embedding_size == encoder.embedding_size:
            encoder.embeddings.word_embeddings.weight = generator.embeddings.word_embeddings.weight
        self.generator = ElectraGenerator(generator)
        self.discriminator = ErnieHealthDiscriminator(encoder, dropout, vector_size)
        self.sample = sample

    @property
    def encoder(self) -> ElectraModel:
        """The discriminator's encoder, which is fine-tuned later."""
        return self.discriminator.encoder


    def forward(
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        labels: Any = None,
        raw_input_ids: Any = None,
    ) -> tuple[Any, Any, Any, Any, Any]:
        """Return the generator's logits, the discriminator's three results, and which tokens were replaced.

        Args:
            input_ids: int64 (2 * N, L), with masked tokens.
            token_type_ids: int64 (2 * N, L), the sentence of each token; None: 0.
            position_ids: int64 (2 * N, L); None: 0, 1, 2, ...
            attention_mask: (2 * N, L), 1 for tokens and 0 for padding; None: padding is ``pad_token_id``.
            labels: int64 (2 * N, L), what each masked token was; -100 for the others.
            raw_input_ids: int64 (2 * N, L), the texts without masks; None: as ``labels`` say.
        """
        given = (token_type_ids, position_ids, attention_mask)
        scores = self.generator(input_ids, *given)
        masked = labels != -100
        raw = core.where(masked, labels, input_ids) if raw_input_ids is None else raw_input_ids
        filled = core.where(masked, drawn_tokens(scores, self.sample).astype(input_ids.dtype), input_ids)
        kept = kept_tokens(input_ids, attention_mask, self.encoder.pad_token_id, "int64")
        replaced = core.logical_and(masked, filled != raw).astype("int64")
        candidates = core.concat([raw.unsqueeze(2), self.wrong(scores, raw)], axis=2)
        found = self.discriminator(filled, candidates, *given)
        return (scores, *found, replaced * kept - 100 * (1 - kept))

    def wrong(self, scores: Any, raw: Any) -> Any:
        """Return tokens of the generator's that are neither the right one nor each other, int64 (N, L, NEGATIVES).

        Args:
            scores: float32 (N, L, vocab_size).
            raw: int64 (N, L), the right tokens.
        """
        scores, taken = scores.detach(), raw
        found = []
        for _ in range(NEGATIVES):
            scores = scores - 10000.0 * F.one_hot(taken, scores.shape[-1])
            taken = drawn_tokens(scores, self.sample)
            found.append(taken.astype(raw.dtype))
        return core.stack(found, axis=2)

    def loss(self, results: tuple[Any, Any, Any, Any, Any], labels: Any) -> Any:
        """Return the weighted sum of the four losses.

        Args:
            results: those of :meth:`forward`.
            labels: int64 (2 * N, L), what each masked token was; -100 for the others.
        """
        scores, logits, choices, vectors, replaced = results
        among = core.where(replaced == 1, core.zeros_like(replaced), core.full_like(replaced, -100))
        total = self.gen_weight * token_loss(scores, labels)
        total = total + self.rtd_weight * replaced_loss(logits, replaced)
        return total + self.mts_weight * token_loss(choices, among) + self.csp_weight * contrast(vectors)


def contrast(vectors: Any) -> Any:
    """Return the mean cross entropy of finding a text's other view among all, by the cosine of their vectors.

    Args:
        vectors: float32 (2 * N, size), first views before second ones.
    """
    unit = F.normalize(vectors, axis=-1)
    count = vectors.shape[0]
    likeness = unit.matmul(unit, transpose_y=True) / TEMPERATURE - 10000.0 * core.eye(count, dtype="float32")
    other = (core.arange(count, dtype="int64") + count // 2) % count
    return F.cross_entropy(likeness, other)
