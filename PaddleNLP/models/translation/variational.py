"""A recurrent network that reads a sentence into a distribution and writes it again from what is drawn of that.

Paper: Bowman et al. 2016, https://arxiv.org/abs/1511.06349. The source is PaddlePaddle/models at 1.6
(``PaddleNLP/PaddleTextGEN/variational_seq2seq``). That the latent vector is part of every input of the decoder, and how
the weight of the divergence rises, are our choice where neither says it.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.text.generation import Generated, Generation, Step, generate, repeat_rows
from PaddleNLP.models.translation.seq2seq import RecurrentTranslator, stacked


class VariationalSeq2SeqModel(RecurrentTranslator):
    """A variational autoencoder of sentences.

    Args:
        src_vocab_size: tokens of the source's vocabulary.
        trg_vocab_size: tokens of the target's.
        embed_dim: length of a token's vector.
        hidden_size: length of a state.
        latent_size: length of the latent vector.
        num_layers: layers of each LSTM.
        dropout: the probability of dropping a number between layers.
        init_scale: weights are drawn from ± this.
        pad_id: the token that fills batches.
        word_dropout: the probability that, in training, a token that the decoder sees is the unknown one, which keeps
            the latent vector in use (section 3.1 of the paper).
        unk_id: the unknown token.
    """

    def __init__(
        self,
        src_vocab_size: int = 10000,
        trg_vocab_size: int = 10000,
        embed_dim: int = 256,
        hidden_size: int = 256,
        latent_size: int = 32,
        num_layers: int = 1,
        dropout: float = 0.3,
        init_scale: float = 0.1,
        pad_id: int = 0,
        word_dropout: float = 0.0,
        unk_id: int = 2,
    ) -> None:
        super().__init__(
            src_vocab_size, trg_vocab_size, embed_dim, hidden_size, num_layers, dropout, init_scale, pad_id
        )
        self.latent_size = latent_size
        self.word_dropout, self.unk_id = word_dropout, unk_id
        width = 2 * num_layers * hidden_size
        self.mean = nn.Linear(width, latent_size, weight_attr=self.drawn)
        self.log_variance = nn.Linear(width, latent_size, weight_attr=self.drawn)
        self.first = nn.Linear(latent_size, width, weight_attr=self.drawn)
        self.decoder = self.lstm(embed_dim + latent_size)

    def posterior(self, src_word: Any) -> tuple[Any, Any]:
        """Return mean and logarithm of the variance of what a sentence is read into, float32 (N, latent_size) each.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
        """
        _, states, _ = self.encode(src_word)
        last = core.concat([part for state in states for part in state], axis=1)
        return self.mean(last), self.log_variance(last)

    def written(self, latent: Any, trg_word: Any) -> Any:
        """Return the scores of the word behind each token of the target, float32 (N, T, trg_vocab_size).

        Args:
            latent: float32 (N, latent_size).
            trg_word: int64 (N, T), the start token before each sentence.
        """
        if self.training and self.word_dropout:
            hidden = core.rand(trg_word.shape) < self.word_dropout
            trg_word = core.where(hidden, core.full_like(trg_word, self.unk_id), trg_word)
        outputs, _ = self.decoder(self._inputs(latent, trg_word), stacked(self._states(latent)))
        return self.linear(outputs)

    def forward(self, src_word: Any, trg_word: Any) -> Any:
        """Return scores with the mean as the latent vector, in training with one that is drawn.

        Args:
            src_word: int64 (N, S), the end token behind each sentence.
            trg_word: int64 (N, T), the start token before each sentence.
        """
        return self.scores_and_divergence(src_word, trg_word)[0]

    def scores_and_divergence(self, src_word: Any, trg_word: Any) -> tuple[Any, Any]:
        """Return the scores, and each sentence's divergence from the standard normal distribution in nats, (N,)."""
        mean, log_variance = self.posterior(src_word)
        latent = mean
        if self.training:
            latent = mean + core.randn(mean.shape) * (log_variance * 0.5).exp()
        divergence = ((log_variance.exp() + mean * mean - 1.0 - log_variance) * 0.5).sum(axis=1)
        return self.written(latent, trg_word), divergence

    def stepper(self, src_word: Any, rows: int) -> tuple[Step, Any]:
        """Return one step from the mean, and the first states; see :meth:`RecurrentTranslator.stepper`."""
        return self._stepper(self.posterior(src_word)[0], rows)

    def sample(self, latent: Any, settings: Generation) -> Generated:
        """Return sentences that latent vectors stand for.

        Args:
            latent: float32 (N, latent_size), such as ``core.randn``'s.
            settings: how to search.
        """
        step, states = self._stepper(latent, settings.rows)
        return generate(step, states, latent.shape[0], settings)

    def _stepper(self, latent: Any, rows: int) -> tuple[Step, Any]:
        wide = repeat_rows(latent, rows)

        def step(last: Any, time: Any, before: Any) -> tuple[Any, Any]:
            output, (hidden, memories) = self.decoder(self._inputs(wide, last.unsqueeze(1)), stacked(before))
            after = [(hidden[layer], memories[layer]) for layer in range(self.num_layers)]
            return self.linear(output.squeeze(1)), after

        return step, self._states(latent)

    def _inputs(self, latent: Any, trg_word: Any) -> Any:
        words = self.embedded(trg_word)
        return core.concat([words, latent.unsqueeze(1).expand([*words.shape[:2], self.latent_size])], axis=2)

    def _states(self, latent: Any) -> list[tuple[Any, Any]]:
        parts = core.split(self.first(latent), 2 * self.num_layers, axis=1)
        return [(parts[2 * layer].tanh(), parts[2 * layer + 1]) for layer in range(self.num_layers)]
