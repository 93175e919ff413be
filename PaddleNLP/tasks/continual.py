"""ERNIE 2.0's continual multi-task pretraining: tasks join step by step, and earlier ones are kept.

Sun et al., ERNIE 2.0: A Continual Pre-training Framework for Language Understanding, https://arxiv.org/abs/1907.12412.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.io import Pad
from core.text.batching import LENGTH
from core.train.runner.task import Suggestion
from core.train.task import Evaluator
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.continual import TASKS, ContinualDataset, Schedule, SpecialTokens, reordering_classes
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.data.pretraining import BEGINS, INSIDE, NONE, places
from PaddleNLP.tasks.base import LanguageTask

LABELS = ("labels", "capital_labels", "document_labels", "order_label", "distance_label")
"""The fields with the labels of the tasks, in the order of their ids."""


class ContinualPretraining(LanguageTask):
    """Trains a network on several pretraining tasks of documents, whose ids are embedded beside the tokens.

    The tasks are those of :data:`PaddleNLP.data.continual.TASKS`; a batch has samples of all that are learnt in its
    epoch. The loss is the sum of the tasks' mean cross entropies.

    Args:
        config: the experiment.
        stages: what is learnt when; see :class:`PaddleNLP.data.continual.Schedule`.
        share: of the words that are masked.
        parts: into how many parts a paragraph is cut at most that is to be put in order.
    """

    head = "continual_pretraining"
    monitor = "loss"
    higher_is_better = False
    labelled = False

    def __init__(
        self, config: LanguageConfig, stages: list[dict[str, Any]], share: float = 0.15, parts: int = 3
    ) -> None:
        super().__init__(config)
        if not 0 < share < 1:
            raise ValueError(f"task.share must be between 0 and 1, not {share}")
        if not 1 <= parts <= 5:
            raise ValueError(f"task.parts must be from 1 to 5, not {parts}: there are {parts}! orders")
        self.schedule = Schedule(stages)
        self.share, self.parts = share, parts

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without documents."""
        if "sentences" not in dataset.columns:
            raise ValueError(f"data.{split} has no documents, of which the tasks are made: name a DocumentsDataset")

    def class_count(self) -> int:
        """Return how many orders of parts there are."""
        return reordering_classes(self.parts)

    def _check_fits(self, encoder: Any) -> None:
        super()._check_fits(encoder)
        known, count = getattr(encoder.embeddings, "task_type_vocab_size", 0), len(TASKS)
        if known < count:
            told = f"{self.config.network.name} embeds {known} tasks, and there are {count}"
            raise ValueError(f"{told}: set network.use_task_id: true, network.task_type_vocab_size: {count}")

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids, segments and capitals of some documents, and where their sentences end."""
        rows: dict[str, list[Any]] = {"input_ids": [], "segments": [], "capitals": [], "sentence_ends": []}
        inside = np.array([str(name).startswith("##") for name in self._names()])
        for number in part:
            sentences = dataset[number]["sentences"]
            found = self.tokenizer.batch(sentences, add_special_tokens=False, return_offsets_mapping=True)
            ids = np.concatenate(found["input_ids"]).astype(np.int64)
            rows["input_ids"].append(ids)
            rows["segments"].append(np.where(inside[ids], INSIDE, BEGINS))
            told = zip(sentences, found["offset_mapping"], found["input_ids"])
            rows["capitals"].append([label for text, at, row in told for label in capitals(text, at, inside[row])])
            rows["sentence_ends"].append(np.cumsum([len(one) for one in found["input_ids"]]))
        return {name: Ragged.of(values) for name, values in rows.items()}

    def _names(self) -> list[str]:
        return [str(name) for name in self.tokenizer.convert_ids_to_tokens(list(range(len(self.tokenizer))))]

    def fields(self, split: str) -> ContinualDataset:  # type: ignore[override]  # made on the way
        """Return the samples of a split."""
        documents: Any = super().fields(split).columns
        tokenizer, most = self.tokenizer, self.config.tokenizer.max_length
        special = SpecialTokens(tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id)
        sizes = (len(tokenizer), most, self.share, places(most, self.share), self.parts)
        return ContinualDataset(documents, self.schedule, special, *sizes, drawn=split == "train")

    def collate(self, split: str) -> Any:
        """Return how each field of a batch is batched."""
        names = ("task_type_ids", "capital_labels", "document_labels")
        values = {name: 0 if name == "task_type_ids" else NONE for name in names}
        padded = {name: field for name, field in self.padded().items() if name != "position_ids"}
        return {**padded, **{name: Pad(LENGTH, value=value, mask=False) for name, value in values.items()}}

    def facts(self) -> list[str]:
        """Return how much there is to read, and what is learnt when."""
        lines = [super(LanguageTask, self).facts()[0] + " documents"]
        names = ", ".join(name.replace("_", " ") for name in self.schedule.names)
        return [*lines, f"{len(self.fields('train')):,} parts of documents to train; tasks: {names}"]

    def forward(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logits of all tasks, in the order of their ids."""
        ids = fields["input_ids"]
        rows = core.arange(ids.shape[0], dtype="int64").unsqueeze(-1) * ids.shape[1]
        return self.network(
            ids,
            fields["token_type_ids"],
            attention_mask=fields["input_ids_mask"],
            task_type_ids=fields["task_type_ids"],
            masked_positions=(fields["places"][:, : places(ids.shape[1], self.share)] + rows).reshape([-1]),
        )

    def _labels(self, fields: Mapping[str, Any]) -> list[Any]:
        """Return the labels of all tasks, int64 (M,) each."""
        masked = fields["labels"][:, : places(fields["input_ids"].shape[1], self.share)]
        return [one.reshape([-1]) for one in (masked, *(fields[name] for name in LABELS[1:]))]

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the sum of the tasks' losses."""
        return self.network.loss(self.forward(fields), self._labels(fields)), {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return of each task whether each label is told, the loss, and the labels, (M,) each."""
        found = []
        for logits, labels in zip(self.forward(fields), self._labels(fields)):
            logits = logits.reshape([-1, logits.shape[-1]])
            hits = core.equal(core.argmax(logits, axis=-1), labels)
            losses = core.nn.functional.cross_entropy(logits, labels, reduction="none").reshape([-1])
            found += [core.cast(hits, "float32"), losses, labels]
        return found

    def evaluator(self, split: str) -> ContinualEvaluator:
        """Return an empty evaluator."""
        return ContinualEvaluator()

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return []


class ContinualEvaluator(Evaluator):
    """How well the labels of each task are told."""

    def __init__(self) -> None:
        self._sums = np.zeros((len(TASKS), 3))

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in of each task hits, losses and labels."""
        for task in range(len(TASKS)):
            hits, losses, labels = outputs[3 * task : 3 * task + 3]
            there = labels != NONE
            self._sums[task] += [hits[there].sum(), losses[there].sum(), there.sum()]

    def result(self) -> dict[str, float]:
        """Return "loss", the sum over the tasks, and accuracy, loss and perplexity of each that there was."""
        found = {}
        for name, (hits, loss, count) in zip(TASKS, self._sums.tolist()):
            if count:
                found.update({f"{name}_accuracy": hits / count, f"{name}_loss": loss / count})
        total = sum(value for name, value in found.items() if name.endswith("_loss"))
        return {"loss": total if math.isfinite(total) else math.inf, **found}


def capitals(text: str, offsets: Sequence[tuple[int, int]], inside: Sequence[bool]) -> list[int]:
    """Return of each token whether its word begins with a capital: 1 or 0; -100 where it begins with no letter of case.

    Args:
        text: as it was.
        offsets: the characters of each token.
        inside: whether it continues a word.
    """
    found: list[int] = []
    for (start, _), goes_on in zip(offsets, inside):
        letter = text[start]
        cased = letter.lower() != letter.upper()
        found.append(found[-1] if goes_on and found else int(letter.isupper()) if cased else NONE)
    return found
