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
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged, encoded
from PaddleNLP.data.pretraining.continual import ContinualDataset, SpecialTokens, reordering_classes
from PaddleNLP.data.pretraining.masked_words import BEGINS, INSIDE, NONE, places
from PaddleNLP.data.pretraining.pairs import LabelledPairs
from PaddleNLP.data.pretraining.schedule import DOCUMENT_TASKS, PAIR_TASKS, TASKS, Schedule
from PaddleNLP.data.several import SeveralDatasets
from PaddleNLP.tasks.base import LanguageTask

LABELS = ("labels", "capital_labels", "document_labels", "order_label", "distance_label")
"""The fields with the labels of the tasks of documents, in the order of their ids."""

DOCUMENTS = "documents"


class ContinualPretraining(LanguageTask):
    """Trains a network on several pretraining tasks of documents, whose ids are embedded beside the tokens.

    The tasks are those of :data:`PaddleNLP.data.pretraining.schedule.TASKS`; a batch has samples of all that are
    learned in its epoch. The loss is the sum of the tasks' mean cross entropies. Data is of documents, or, for the
    tasks of pairs, ``SeveralDatasets`` with the parts "documents" and one of pairs with a class for each such task.

    Args:
        config: the experiment.
        stages: what is learned when; see :class:`PaddleNLP.data.pretraining.schedule.Schedule`.
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
        self._pairs: dict[str, dict[str, LabelledPairs]] = {}

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without documents, and without the pairs of a task that is learned."""
        documents, pairs = _parts(dataset)
        if "sentences" not in getattr(documents, "columns", ()):
            raise ValueError(f"data.{split} has no documents, of which the tasks are made: name a DocumentsDataset")
        for name in self.schedule.names:
            if name in PAIR_TASKS and name not in pairs:
                message = f"name SeveralDatasets with the parts {DOCUMENTS} and {name}"
                raise ValueError(f"data.{split} has no pairs of {name}, which task.stages learns: {message}")
        for name, part in pairs.items():
            if name not in PAIR_TASKS:
                raise ValueError(f"data.{split} has the part {name!r}; there are {', '.join((DOCUMENTS, *PAIR_TASKS))}")
            labels = list(getattr(part, "labels", ()))
            if not labels or not {"text_pair", "label"} <= set(part[0]):
                raise ValueError(f"data.{split}: {name} must have pairs of texts with a class each")
            known = self.pair_classes().get(name)
            if known is None:
                self.class_names = [*self.class_names, *(f"{name}/{label}" for label in labels)]
            elif not set(labels) <= set(known):
                unknown = min(set(labels) - set(known))
                raise ValueError(f"data.{split}: {name} has the class {unknown!r}; data.train has {', '.join(known)}")

    def pair_classes(self) -> dict[str, list[str]]:
        """Return the classes of each task of pairs that the data has."""
        found: dict[str, list[str]] = {}
        for name in PAIR_TASKS:
            labels = [one[len(name) + 1 :] for one in self.class_names if one.startswith(f"{name}/")]
            found.update({name: labels} if labels else {})
        return found

    def built_network(self, head: str) -> Any:
        """Return the config's network, with a head for each task of pairs; see :class:`LanguageTask`."""
        if not self.class_names and any(name in PAIR_TASKS for name in self.schedule.names):
            self.dataset("train")
        network = super().built_network(head)
        network.add_pairs({name: len(classes) for name, classes in self.pair_classes().items()})
        return network

    def class_count(self) -> int:
        """Return how many orders of parts there are."""
        return reordering_classes(self.parts)

    def _check_fits(self, encoder: Any) -> None:
        super()._check_fits(encoder)
        known, count = getattr(encoder.embeddings, "task_type_vocab_size", 0), TASKS.index(self.schedule.names[-1]) + 1
        if known < count:
            message = f"{self.config.network.name} embeds {known} tasks, and there are {count}"
            raise ValueError(f"{message}: set network.use_task_id: true, network.task_type_vocab_size: {count}")

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
            found_of = zip(sentences, found["offset_mapping"], found["input_ids"])
            rows["capitals"].append([label for text, at, row in found_of for label in capitals(text, at, inside[row])])
            rows["sentence_ends"].append(np.cumsum([len(one) for one in found["input_ids"]]))
        return {name: Ragged.of(values) for name, values in rows.items()}

    def _names(self) -> list[str]:
        return [str(name) for name in self.tokenizer.convert_ids_to_tokens(list(range(len(self.tokenizer))))]

    def fields(self, split: str) -> ContinualDataset:  # type: ignore[override]  # made on the way
        """Return the samples of a split."""
        if split not in self._encoded:
            texts, pairs = _parts(self.dataset(split))
            columns = encoded(len(texts), lambda part: self.encode(split, texts, part), f"data.{split}")
            self._encoded[split] = EncodedDataset(columns)
            classes = self.pair_classes()
            self._pairs[split] = {
                name: LabelledPairs.of(one, classes[name], self.tokenizer) for name, one in pairs.items()
            }
        documents: Any = self._encoded[split].columns
        tokenizer, most = self.tokenizer, self.config.tokenizer.max_length
        special = SpecialTokens(tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id)
        sizes = (len(tokenizer), most, self.share, places(most, self.share), self.parts)
        drawn = split == "train"
        return ContinualDataset(documents, self.schedule, special, *sizes, drawn=drawn, pairs=self._pairs[split])

    def collate(self, split: str) -> Any:
        """Return how each field of a batch is batched."""
        names = ("task_type_ids", "capital_labels", "document_labels")
        values = {name: 0 if name == "task_type_ids" else NONE for name in names}
        padded = {name: field for name, field in self.padded().items() if name != "position_ids"}
        return {**padded, **{name: Pad(LENGTH, value=value, mask=False) for name, value in values.items()}}

    def facts(self) -> list[str]:
        """Return how much there is to read, and what is learned when."""
        kinds = "documents and pairs" if self.pair_classes() else "documents"
        lines = [f"{super(LanguageTask, self).facts()[0]} {kinds}"]
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
        further = (*LABELS[1:], *(f"{name}_label" for name in self.pair_classes()))
        return [one.reshape([-1]) for one in (masked, *(fields[name] for name in further))]

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the sum of the tasks' losses."""
        return self.network.loss(self.forward(fields), self._labels(fields)), {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return of each task whether each label is predicted right, the loss, and the labels, (M,) each."""
        found = []
        for logits, labels in zip(self.forward(fields), self._labels(fields)):
            logits = logits.reshape([-1, logits.shape[-1]])
            hits = core.equal(core.argmax(logits, axis=-1), labels)
            losses = core.nn.functional.cross_entropy(logits, labels, reduction="none").reshape([-1])
            found += [core.cast(hits, "float32"), losses, labels]
        return found

    def evaluator(self, split: str) -> ContinualEvaluator:
        """Return an empty evaluator."""
        return ContinualEvaluator([*DOCUMENT_TASKS, *self.pair_classes()])

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return []


class ContinualEvaluator(Evaluator):
    """How well the labels of each task are predicted.

    Args:
        names: the tasks, in the order of the network's results.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._sums = np.zeros((len(names), 3))

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in of each task hits, losses and labels."""
        for task in range(len(self.names)):
            hits, losses, labels = outputs[3 * task : 3 * task + 3]
            there = labels != NONE
            self._sums[task] += [hits[there].sum(), losses[there].sum(), there.sum()]

    def result(self) -> dict[str, float]:
        """Return "loss", the sum over the tasks, and accuracy, loss and perplexity of each that there was."""
        found = {}
        for name, (hits, loss, count) in zip(self.names, self._sums.tolist()):
            if count:
                found.update({f"{name}_accuracy": hits / count, f"{name}_loss": loss / count})
        total = sum(value for name, value in found.items() if name.endswith("_loss"))
        return {"loss": total if math.isfinite(total) else math.inf, **found}


def _parts(dataset: Any) -> tuple[Any, dict[str, Any]]:
    """Return a split's documents, and the pairs of each task of pairs."""
    if not isinstance(dataset, SeveralDatasets):
        return dataset, {}
    parts = dict(dataset.parts)
    return parts.pop(DOCUMENTS, None), parts


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
