"""Relations of pairs of entities from labels that a knowledge base gives, of which many are wrong (ARNOR)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.io import Pad
from core.jit.input_spec import InputSpec
from core.text.batching import LENGTH
from core.train.callback import Callback
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import Program, Suggestion
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.data.lines import label_list
from PaddleNLP.evaluators.distant import RelationLabelEvaluator
from PaddleNLP.relations.entity_pairs import pair_columns, pattern_of
from PaddleNLP.relations.patterns import confidence, frequent_patterns, grown, redistributed
from PaddleNLP.tasks.classification import Classification

TYPES = "entity_types.txt"
"""The file in a run's folder that has the types of entities, a name in each line."""

MARKS = ("first", "second", "types", "guide")
"""Fields that have a number for each word, besides the ids."""


class DistantRelation(Classification):
    """Trains a network to predict the relation of two entities in a sentence, and to attend to the words that say it.

    Jia et al. 2019, ARNOR, https://aclanthology.org/P19-1135. With ``denoise``, training begins with the most frequent
    patterns of each relation; after every ``loop`` epochs the patterns join that the network attends to by itself.

    Args:
        config: the experiment.
        none: the name of no relation.
        regularization: how much the attention counts in the loss, the paper's beta; 0: not at all.
        denoise: whether instances without a trusted pattern count as having no relation; otherwise labels are taken as
            they are, and each instance's own pattern is to be attended to.
        loop: epochs after which patterns are added.
        share: of each relation's different patterns that are trusted first.
        most: and so many of them at most.
        least: the confidence above which a pattern is added.
        added: patterns of a relation that are added at a time, at most.
        monitor: the number by which the best checkpoint is chosen.
    """

    numbers = ("accuracy", "macro_f1", "loss", "f1", "matthews", "auc", "precision", "recall")
    head = "relation_classification"
    reader = "distant_relation"

    def __init__(
        self,
        config: LanguageConfig,
        none: str = "None",
        regularization: float = 1.0,
        denoise: bool = True,
        loop: int = 2,
        share: float = 0.1,
        most: int = 20,
        least: float = 0.5,
        added: int = 5,
        monitor: str = "f1",
    ) -> None:
        super().__init__(config, monitor)
        if denoise and config.data.num_workers:
            raise ValueError("task.denoise changes labels while it trains, in this process: set data.num_workers: 0")
        self.none, self.regularization, self.denoise = none, regularization, denoise
        self.loop = loop
        self.first: dict[str, Any] = {"share": share, "most": most}
        self.growth: dict[str, Any] = {"least": least, "added": added}
        self.types: list[str] = []

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without entities, and without the label of no relation."""
        if "first" not in getattr(dataset, "columns", ()):
            raise ValueError(f"data.{split} has no pairs of entities; dataset.name: DistantRelations reads some")
        super().check_dataset(split, dataset)
        if self.none not in self.class_names:
            raise ValueError(f"data.{split} has no {self.none!r}; task.none names the label of no relation")
        if not self.types:
            self.types = list(dataset.types)

    def _check_fits(self, encoder: Any) -> None:
        super()._check_fits(encoder)
        if len(self.types) > encoder.types:
            message = (
                f"the data has {len(self.types)} types of entities, but {self.config.network.name} has {encoder.types}"
            )
            raise ValueError(f"{message} rows for them; set network.types")

    def begin(self, folder: RunFolder) -> None:
        """Write the types of entities, besides what :class:`LanguageTask` writes."""
        super().begin(folder)
        (folder.path / TYPES).write_text("\n".join(self.types[1:]) + "\n", encoding="utf-8")

    def reopen(self, folder: RunFolder) -> None:
        """Read them."""
        super().reopen(folder)
        self.types = ["", *label_list(str(folder.path / TYPES))] if (folder.path / TYPES).stat().st_size > 1 else [""]

    # data

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids, where the entities are, and the relations of some samples."""
        samples = [dataset[number] for number in part]
        given = self.tokenizer.batch(
            [sample["text"] for sample in samples], None, self.config.tokenizer.max_length, return_offsets_mapping=True
        )
        rows: dict[str, list[Any]] = {name: [] for name in MARKS}
        for sample, offsets in zip(samples, given["offset_mapping"]):
            for name, row in pair_columns(sample, offsets, self.types).items():
                rows[name].append(row)
        labels = self.labels([sample["label"] for sample in samples])
        trusted = (labels != self.class_names.index(self.none)).astype(np.int64)
        columns = {name: Ragged.of(own) for name, own in rows.items()}
        return {"input_ids": Ragged.of(given["input_ids"]), **columns, "label": labels, "trusted": trusted}

    def padded(self) -> dict[str, Any]:
        """Return how the fields of words are batched."""
        return {**super().padded(), **{name: Pad(LENGTH, value=0, mask=False) for name in MARKS}}

    # training

    def callbacks(self) -> list[Callback]:
        """Return what changes labels between epochs."""
        return [Bootstrap(self)] if self.denoise else []

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return the logits of a batch, and the attention."""
        return self.network(*(fields[name] for name in ("input_ids", "first", "second", "types")))

    def loss_of(self, results: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return cross entropy and attention loss of a batch, and its accuracy."""
        guide, trusted = fields["guide"], fields["trusted"]
        loss = self.network.loss(results, fields["label"], guide, trusted, self.regularization)
        hits = core.equal(core.argmax(results[0], axis=-1), fields["label"])
        return loss, {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logits, (N, relations)."""
        return [self.forward(fields)[0]]

    def evaluator(self, split: str) -> RelationLabelEvaluator:
        """Return an empty evaluator."""
        return RelationLabelEvaluator(self.class_names, self.none)

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "predict the relations of eight pairs of the test split")]

    def program(self) -> Program:
        """Return the network from ids and places to logits and attention."""
        names = ("input_ids", *MARKS[:3])
        specs = [InputSpec([None, None], "int64", name, examples={0: (2, 3), 1: (8, 12)}) for name in names]
        extra = {"preprocessing": self.stored(), "class_names": list(self.class_names)}
        return Program(core.jit.to_static(self.network), specs, f"{', '.join(names)} int64 [any, any]", extra)

    def reader_settings(self) -> dict[str, Any]:
        """Return what types of entities there are."""
        return {"types": self.types}


class Bootstrap(Callback):
    """Trusts the most frequent patterns first, and more of them after every ``loop`` epochs.

    Args:
        task: whose labels of data.train it changes; its network finds the patterns.
    """

    def __init__(self, task: DistantRelation) -> None:
        self.task = task
        self.loops = 0
        dataset = task.dataset("train")
        self.samples = [dataset[number] for number in range(len(dataset))]
        self.patterns = [pattern_of(sample) for sample in self.samples]
        self.labels = [sample["label"] for sample in self.samples]
        self.trusted = frequent_patterns(self.patterns, self.labels, task.none, **task.first)
        self._apply()

    def on_epoch_begin(self, trainer: Any) -> None:
        """Add patterns, where as many epochs have passed."""
        due = trainer.progress.epoch // self.task.loop
        if due > self.loops and trainer.progress.step_in_epoch == 0:
            self.loops = due
            confidences = self.confidences()
            growth = (self.patterns, self.labels, confidences, self.task.none)
            self.trusted = grown(self.trusted, *growth, **self.task.growth)
            self._apply()
            count = sum(map(len, self.trusted.values()))
            trainer.console.line(f"{count} patterns are trusted, of {int(self.matched.sum())} instances")

    def confidences(self) -> np.ndarray:
        """Return how well the network explains each instance, float (N,)."""
        task, fields = self.task, self.task.fields("train")
        found = np.zeros(len(fields))
        task.eval_mode()
        order = np.argsort(fields.lengths, kind="stable")
        for start in range(0, len(order), 64):
            rows = [fields[int(number)] for number in order[start : start + 64]]
            length = max(len(row["input_ids"]) for row in rows)
            given = []
            for name in ("input_ids", *MARKS[:3]):
                fill = task.tokenizer.pad_token_id if name == "input_ids" else 0
                array = np.full((len(rows), length), fill, np.int64)
                for own, row in zip(array, rows):
                    own[: len(row[name])] = row[name]
                given.append(core.to_tensor(array))
            with core.no_grad():
                shares = task.network(*given)[1].numpy()
            for number, row, own in zip(order[start : start + 64], rows, shares):
                found[number] = confidence(own[: len(row["guide"])], row["guide"])
        task.train_mode()
        return found

    def _apply(self) -> None:
        labels, self.matched = redistributed(self.patterns, self.labels, self.task.none, self.trusted)
        columns: Any = self.task.fields("train").columns
        columns["label"][:] = self.task.labels(labels)
        columns["trusted"][:] = self.matched

    def state_dict(self) -> dict[str, Any]:
        """Return the trusted patterns; names of relations hold slashes."""
        return {"loops": self.loops, "relations": list(self.trusted), "patterns": list(self.trusted.values())}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue with these patterns."""
        self.loops = int(state["loops"])
        self.trusted = dict(zip(state["relations"], map(list, state["patterns"])))
        self._apply()
