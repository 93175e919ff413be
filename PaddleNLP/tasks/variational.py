"""Autoencoding of sentences through a distribution, whose divergence counts more and more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core import nn
from PaddleNLP.config import LanguageConfig
from PaddleNLP.evaluators.translation import VariationalEvaluator
from PaddleNLP.metrics.bleu import Tokenize
from PaddleNLP.readers.translation import Translated
from PaddleNLP.tasks.translation import Translation


class AnnealedWeight(nn.Layer):
    """The weight of the divergence: it rises along a straight line to 1; a checkpoint holds how far it is.

    Args:
        start: the weight at the first step.
        steps: steps to 1.
    """

    def __init__(self, start: float, steps: int) -> None:
        super().__init__()
        self.start, self.rise = start, (1.0 - start) / steps
        self.register_buffer("step", core.zeros([1]))

    def forward(self) -> Any:
        """Return the weight, float32 (1,), and go on by a step in training."""
        weight = core.minimum(self.step * self.rise + self.start, core.ones([1]))
        if self.training:
            self.step.update(self.step + 1.0)
        return weight


class VariationalGeneration(Translation):
    """Trains a variational autoencoder: what is written is "target", which is "source" again as a rule.

    Args:
        config: the experiment.
        kl_start: the weight of the divergence at the first step.
        kl_steps: steps until it is 1.
        beam_size: see :class:`Translation`, as for the others.
        length_penalty: see there.
        max_length: see there.
        bleu_tokenize: see there.
    """

    numbers = ("bleu", "perplexity", "kl", "reconstruction", "bound")

    def __init__(
        self,
        config: LanguageConfig,
        kl_start: float = 0.1,
        kl_steps: int = 10000,
        beam_size: int = 1,
        length_penalty: float = 0.0,
        max_length: int = 64,
        bleu_tokenize: Tokenize = "none",
    ) -> None:
        super().__init__(config, 0.0, "sentences", beam_size, length_penalty, max_length, bleu_tokenize, "perplexity")
        self.monitor, self.higher_is_better = "bound", False
        if not 0 <= kl_start <= 1 or kl_steps < 1:
            raise ValueError(
                f"task.kl_start is from 0 to 1 and task.kl_steps at least 1, not {kl_start} and {kl_steps}"
            )
        self.kl_start, self.kl_steps = kl_start, kl_steps

    def built_network(self, head: str) -> Any:
        """Return the config's network, as "model" among the networks; "kl_weight" is another."""
        network = super().built_network(head)
        if not hasattr(network, "scores_and_divergence"):
            raise ValueError(f"network.name: {self.config.network.name} has no latent vector; seq2seq_variational has")
        self.networks["kl_weight"] = AnnealedWeight(self.kl_start, self.kl_steps)
        return network

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the bound on a sentence's surprise, whose divergence is weighed, and its two parts in nats."""
        scores, divergence = self.network.scores_and_divergence(fields["input_ids"], self.target_inputs(fields))
        reconstruction, _ = self.loss_of(scores, fields)
        weight = self.networks["kl_weight"]().squeeze(0)
        kl = divergence.mean()
        return reconstruction + weight * kl, {"kl": kl, "reconstruction": reconstruction, "kl_weight": weight}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return what :meth:`Translation.predict` does, and the sum of the sentences' divergences."""
        mean, log_variance = self.network.posterior(fields["input_ids"])
        divergence = ((log_variance.exp() + mean * mean - 1.0 - log_variance) * 0.5).sum()
        return [*super().predict(fields), divergence]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        """Return what :meth:`Translation.post_process` does, and the sum of the sentences' divergences."""
        found: tuple[list[Translated], float, int] = super().post_process(outputs[:-1], batch)
        return (*found, float(outputs[-1]))

    def evaluator(self, split: str) -> VariationalEvaluator:
        """Return an empty evaluator."""
        return VariationalEvaluator(*self.judged_by(split))
