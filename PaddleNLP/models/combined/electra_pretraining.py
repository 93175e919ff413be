"""ELECTRA's pretraining: a generator fills masked tokens, a discriminator finds those that it filled wrongly.

Paper: ELECTRA, Clark et al. 2020, arXiv:2003.10555.
Official file: ``paddlenlp/transformers/electra/modeling.py`` of paddlenlp 2.8.1 (ElectraForTotalPretraining).
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from PaddleNLP.models.electra import ElectraDiscriminator, ElectraGenerator, ElectraModel, replaced_loss
from PaddleNLP.models.language_heads import token_loss


class ElectraForTotalPretraining(nn.Layer):
    """Both networks, whose tables of words are one where their sizes agree.

    Args:
        encoder: the discriminator's.
        dropout: not used, as in the official model.
        generator: the generator's encoder; None: one like the discriminator's, as in the official model. Those of the
            paper are a quarter to a half as wide.
        sample: whether the generator's tokens are drawn; otherwise the likeliest are taken.

    Attributes:
        gen_weight: what the generator's loss is multiplied by.
        disc_weight: likewise the discriminator's.
    """

    gen_weight = 1.0
    disc_weight = 50.0

    def __init__(
        self,
        encoder: ElectraModel,
        dropout: Optional[float] = None,
        generator: Optional[ElectraModel] = None,
        sample: bool = True,
    ) -> None:
        super().__init__()
        generator = ElectraModel(**encoder.settings) if generator is None else generator
        if generator.embedding_size == encoder.embedding_size:
            encoder.embeddings.word_embeddings.weight = generator.embeddings.word_embeddings.weight
        self.generator = ElectraGenerator(generator)
        self.discriminator = ElectraDiscriminator(encoder)
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
    ) -> tuple[Any, Any, Any]:
        """Return the generator's logits, the discriminator's, and which tokens were replaced.

        Args:
            input_ids: int64 (N, L), with masked tokens.
            token_type_ids: int64 (N, L), the sentence of each token; None: 0.
            position_ids: int64 (N, L); None: 0, 1, 2, ...
            attention_mask: (N, L), 1 for tokens and 0 for padding; None: padding is ``pad_token_id``.
            labels: int64 (N, L), what each masked token was; -100 for the others.

        Returns:
            float32 (N, L, vocab_size); float32 (N, L); int64 (N, L): 1: replaced, 0: not, -100: padding.
        """
        given = (token_type_ids, position_ids, attention_mask)
        scores = self.generator(input_ids, *given)
        masked = labels != -100
        filled = core.where(masked, drawn_tokens(scores, self.sample).astype(input_ids.dtype), input_ids)
        replaced = core.logical_and(masked, filled != labels).astype("int64")
        if attention_mask is None:
            kept = (input_ids != self.encoder.pad_token_id).astype("int64")
        else:
            kept = attention_mask.astype("int64")
        return scores, self.discriminator(filled, *given), replaced * kept - 100 * (1 - kept)

    def loss(self, results: tuple[Any, Any, Any], labels: Any) -> Any:
        """Return the weighted sum of both networks' losses.

        Args:
            results: those of :meth:`forward`.
            labels: int64 (N, L), what each masked token was; -100 for the others.
        """
        scores, logits, replaced = results
        guessed = token_loss(scores, labels)
        return self.gen_weight * guessed + self.disc_weight * replaced_loss(logits, replaced)


def drawn_tokens(scores: Any, sample: bool) -> Any:
    """Return the generator's tokens, int64 (N, L), through which no gradient flows.

    Args:
        scores: float32 (N, L, vocab_size).
        sample: whether they are drawn by their probabilities; otherwise they are the likeliest.
    """
    scores = scores.detach()
    if sample:
        uniform = core.rand(scores.shape)
        scores = scores - core.log(1e-9 - core.log(uniform + 1e-9))
    return scores.argmax(axis=-1)
