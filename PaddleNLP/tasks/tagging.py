"""A tag for each character or word: entities, parts of speech, words of a text."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional

import numpy as np

import core
from core.io import Pad
from core.text.batching import LENGTH
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.evaluators.tagging import TaggingEvaluator
from PaddleNLP.tasks.base import LanguageTask

NONE = -100
"""The label of tokens that count for nothing: special ones, padding, and all but the first token of a word."""


class TokenClassification(LanguageTask):
    """Trains a network to tag the characters or words of a text.

    Args:
        config: the experiment.
        units: what a raw text is cut into before it is tagged, as the training data is: its characters, or its words
            between spaces.
        chunked: whether tags say where chunks begin and end, which are then judged; otherwise tags are classes of their
            own, such as parts of speech.
        monitor: the number by which the best checkpoint is chosen; None: the F1 of chunks, or the accuracy of tags.
    """

    head = "token_classification"
    reader = "tagging"
    takes = ("tokens", "tags")

    def __init__(
        self,
        config: LanguageConfig,
        units: Literal["characters", "words"] = "characters",
        chunked: bool = True,
        monitor: Optional[str] = None,
    ) -> None:
        super().__init__(config)
        self.units, self.chunked = units, chunked
        self.monitor = monitor or ("f1" if chunked else "accuracy")
        self.numbers = ["precision", "recall", "f1", "accuracy"] if chunked else ["accuracy"]

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids and labels of some samples; only the first token of a word has one."""
        samples = [dataset[number] for number in part]
        words = [sample["tokens"] for sample in samples]
        columns = self.tokens(words, is_split_into_words=True, return_word_ids=True)
        numbers = {name: number for number, name in enumerate(self.class_names)}
        labels = []
        for words, sample in zip(columns.pop("word_ids"), samples):
            row, before = [], None
            for word in words:
                first = word is not None and word != before
                row.append(numbers[sample["tags"][word]] if first else NONE)
                before = word
            labels.append(row)
        return {**columns, "labels": Ragged.of(labels)}

    def fields(self, split: str) -> Any:
        """Return the samples as ids; warns once of sentences that are cut."""
        known = split in self._encoded
        found = super().fields(split)
        cut = int((found.lengths >= self.config.tokenizer.max_length).sum())
        if cut and not known and split != "train":
            text = "their entities behind it count as missed; raise tokenizer.max_length"
            warnings.warn(f"data.{split}: {cut} sentences reach tokenizer.max_length: {text}", stacklevel=2)
        return found

    def padded(self) -> dict[str, Any]:
        """Return how fields of a batch are batched."""
        return {**super().padded(), "labels": Pad(LENGTH, value=NONE, mask=False)}

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean cross entropy of a batch's tags, and their accuracy."""
        labels = fields["labels"]
        counted = core.cast(core.not_equal(labels, core.full([1], NONE, "int64")), "float32")
        hits = core.cast(core.equal(core.argmax(logits, axis=-1), labels), "float32")
        return self.network.loss(logits, labels), {"accuracy": (hits * counted).sum() / counted.sum()}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the number of each token's best tag, int64 (N, L)."""
        return [core.argmax(self.forward(fields), axis=-1)]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> list[np.ndarray]:
        """Return the numbers of the tags of each sentence's words; there are none of words behind the cut."""
        labels = batch["labels"].numpy()
        return [row[label != NONE] for row, label in zip(outputs[0], labels)]

    def evaluator(self, split: str) -> TaggingEvaluator:
        """Return an empty evaluator."""
        return TaggingEvaluator(self.dataset(split), self.class_names, self.chunked)

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: what units are, and whether tags make chunks, too."""
        return {"units": self.units, "chunked": self.chunked}
