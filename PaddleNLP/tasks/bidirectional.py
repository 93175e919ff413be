"""Pretraining ELMo: each word of a sentence is predicted from those before it, and from those behind it.

Peters et al. 2018, https://arxiv.org/abs/1802.05365.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from core.io import Pad
from core.text.batching import LENGTH
from core.train.runner.task import Suggestion
from core.train.task import Evaluator, Phase
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, Ragged, texts_of
from PaddleNLP.evaluators.language_model import LanguageModelEvaluator
from PaddleNLP.models.language.elmo import ElmoLanguageModel, drawn_words
from PaddleNLP.tasks.sentence_ends import SentenceEnds


class BidirectionalLanguageModel(SentenceEnds):
    """Trains ELMo on sentences, each by itself, with ``<eos>`` on both sides.

    Args:
        config: the experiment.
        samples: words among which the right one is found in training, drawn for each step; None: all words. Evaluation
            takes all.
    """

    numbers = ("perplexity", "forward_perplexity", "backward_perplexity")
    head = "language_model"
    monitor = "perplexity"
    higher_is_better = False
    labelled = False
    takes = ("text",)

    def __init__(self, config: LanguageConfig, samples: Optional[int] = None) -> None:
        super().__init__(config)
        if samples is not None and samples < 1:
            raise ValueError(f"task.samples must be positive, not {samples}")
        self.samples = samples

    def built_network(self, head: str) -> Any:
        """Return the network; only ELMo is one."""
        network = super().built_network(head)
        if not isinstance(network, ElmoLanguageModel):
            raise ValueError(f"network.name: {self.config.network.name} reads in one direction; elmo reads in both")
        return network

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return the numbers of the words of some sentences, with their ends, cut to the config's length."""
        most = self.config.tokenizer.max_length - 2
        texts = texts_of([dataset[number] for number in part])
        rows = [[self.end, *self.tokenizer.encode_text(text)[:most], self.end] for text in texts]
        return {"input_ids": Ragged.of(rows)}

    def collate(self, split: str) -> Any:
        """Return how the fields of a batch are batched."""
        return {"input_ids": Pad(LENGTH, value=0, mask=True)}

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean loss of a word in both directions, and that of each."""
        kept = fields["input_ids_mask"].astype("float32")
        drawn = None if self.samples is None else drawn_words(self.samples, len(self.tokenizer))
        count = kept[:, 1:].sum().clip(min=1.0)
        after, before = (one.sum() / count for one in self.network.compute_losses(fields["input_ids"], kept, drawn))
        return (after + before) / 2, {"forward": after, "backward": before}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the losses of each word in both directions, and where words are."""
        kept = fields["input_ids_mask"].astype("float32")
        return [*self.network.compute_losses(fields["input_ids"], kept), kept[:, 1:]]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return BidirectionalEvaluator()

    def facts(self) -> list[str]:
        """Return how many sentences there are, and whether words are drawn."""
        facts = super().facts()
        drawn = [] if self.samples is None else [f"predicted among {self.samples:,} drawn words in training"]
        return [*facts, *drawn]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return []

    @property
    def reading_network(self) -> Any:
        """What is exported: the vectors of a sentence's words, and their mean."""
        return self.network.encoder


class BidirectionalEvaluator(Evaluator):
    """The perplexity in both directions, and of each."""

    def __init__(self) -> None:
        self._sides = (LanguageModelEvaluator(), LanguageModelEvaluator())

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the losses of a batch's words."""
        for side, losses in zip(self._sides, outputs):
            side.add(losses, outputs[2] > 0)

    def result(self) -> dict[str, float]:
        """Return "perplexity", "forward_perplexity" and "backward_perplexity"."""
        found = [side.result() for side in self._sides]
        if not all(found):
            return {}
        mean = sum(one["cross_entropy"] for one in found) / 2
        names = ("forward_perplexity", "backward_perplexity")
        return {"perplexity": float(np.exp(min(mean, 700.0))), **{n: one["perplexity"] for n, one in zip(names, found)}}
