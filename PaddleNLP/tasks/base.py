"""What all language tasks share: a tokeniser, texts made into ids once, a network with the task's head, batches."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import core
from core.io.files import join_path
from core.jit.input_spec import InputSpec
from core.text.batching import padding
from core.text.tokenizers.folders import CONFIG
from core.train.config.table import Component, Table
from core.train.logs.class_names import read_class_names, write_class_names
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import Program, Suggestion, ToolkitTask
from core.train.task import Phase
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged, encoded, texts_of
from PaddleNLP.models.registry import FAMILIES, MODELS
from PaddleNLP.models.words.network import WordNetwork
from PaddleNLP.tasks.distillation import HEADS, Distiller
from PaddleNLP.tasks.samples import check_classes, check_fields, check_segmentation
from PaddleNLP.tokenizing import TOKENIZERS, build_tokenizer, stored
from PaddleNLP.word_level import WordLevelTokenizer

TOKENIZER = "tokenizer"
"""The folder in a run's that holds the tokeniser, as paddlenlp reads it, too."""


class LanguageTask(ToolkitTask):
    """A task on texts.

    Args:
        config: the experiment.

    Attributes:
        head: what the network's head is for, as :func:`PaddleNLP.create_model` names it.
        answers: what the head's results say: "classes" (logits of which one is right), "labels" (each on its own) or
            "numbers".
        reader: the kind of reader that predicts with it, of :data:`PaddleNLP.readers.opening.READERS`.
        labelled: whether the data has classes, of which the network gives one result each.
        takes: what a sample must have.
        inputs: the shape of the ids that the network takes; None: any size.
        beside: columns of encoded samples that only evaluators look at.
        windowed: whether long texts are read in windows, and not cut.
        class_names: the classes that the network knows, in order; empty before data is read, or where there are none.
    """

    head = ""
    answers = "classes"
    inputs: Sequence[Optional[int]] = (None, None)
    reader = ""
    labelled = True
    takes: Sequence[str] = ()
    beside: Sequence[str] = ()
    windowed = False

    def __init__(self, config: LanguageConfig) -> None:
        super().__init__(config)
        self.class_names: Sequence[str] = ()
        self._encoded: dict[str, EncodedDataset] = {}
        self._folder: Optional[Path] = None

    # tokeniser and network

    @functools.cached_property
    def tokenizer(self) -> Any:
        """What makes ids of texts; of a run it is in its folder."""
        if self._folder is not None:
            made: Any = TOKENIZERS.resolve(self.config.tokenizer.name)
            return made.from_pretrained(self._folder)
        return build_tokenizer(self.config.tokenizer, self.config.data.root, lambda: texts_of(self.dataset("train")))

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        if not self.class_names and self.labelled:
            self.dataset("train")
        return self.built_network(self.head)

    def built_network(self, head: str) -> Any:
        """Return the config's network with a head, as "model" among the networks.

        Args:
            head: what it is for, as :func:`PaddleNLP.create_model` names it.
        """
        component, provided = self.config.network, {"task": head, "num_classes": self.class_count()}
        if component.name in FAMILIES:
            for key, value in (("vocab_size", len(self.tokenizer)), ("pad_token_id", self.tokenizer.pad_token_id)):
                provided.update({} if key in component.arguments else {key: value})
        network = self.add_network("model", MODELS, component, "network", **provided)
        self._check_fits(network if head == "encoder" else network.encoder)
        return network

    def add_network(self, name: str, table: Table, component: Component, key: str, **provided: Any) -> Any:
        """Build a network, and let its words start with given vectors; see :meth:`ToolkitTask.add_network`."""
        network = super().add_network(name, table, component, key, **provided)
        file = self.config.word_vectors
        if file is not None:
            encoder = getattr(network, "encoder", network)
            if not isinstance(encoder, WordNetwork) or not isinstance(self.tokenizer, WordLevelTokenizer):
                who = "the networks of Senta, SimNet and LAC with WordLevelTokenizer do"
                raise ValueError(f"word_vectors: {component.name} starts with none ({who}); leave it out")
            path, numbers = join_path(self.config.data.root or "", file), self.tokenizer.vocab.token_to_idx
            encoder.start_from_vectors(path, numbers)
        return network

    @property
    def reading_network(self) -> Any:
        """What a reader runs, and what is exported."""
        return self.network

    @functools.cached_property
    def networks(self) -> dict[str, Any]:  # type: ignore[override]  # an attribute that is made on first use
        """The same under the name that it has in checkpoints."""
        found: dict[str, Any] = {}
        self.__dict__["networks"] = found  # add_network writes into it
        _ = self.network
        return found

    def class_count(self) -> int:
        """Return the number of results of the head."""
        return max(len(self.class_names), 1)

    def _check_fits(self, encoder: Any) -> None:
        """Refuse a tokeniser whose ids, or samples of a length, that the network has no rows for."""
        name, count, longest = self.config.network.name, len(self.tokenizer), self.config.tokenizer.max_length
        if count > encoder.vocab_size:
            message = f"the tokeniser has {count} tokens, but {name} has {encoder.vocab_size} rows"
            raise ValueError(f"{message}; set network.vocab_size, or choose what fits it")
        most = getattr(encoder, "max_length", getattr(encoder, "max_position_embeddings", None))
        if most is not None and longest > most:
            message = f"tokenizer.max_length is {longest}, but {name} takes {most} tokens"
            raise ValueError(f"{message}; lower it, or set network.max_position_embeddings")

    def begin(self, folder: RunFolder) -> None:
        """Write the tokeniser and the classes' names."""
        self.tokenizer.save_pretrained(folder.path / TOKENIZER)
        if self.class_names:
            write_class_names(folder, self.class_names)

    def reopen(self, folder: RunFolder) -> None:
        """Read the tokeniser and the classes' names."""
        self._folder = folder.path / TOKENIZER
        if not (self._folder / CONFIG).is_file():
            raise FileNotFoundError(f"'{self._folder / CONFIG}' is missing: the run's folder is not whole")
        self.class_names = read_class_names(folder, 0)

    # data

    def adopt(self, split: str, dataset: Any) -> None:
        """Take a data set for a split's, instead of building what the config says.

        Args:
            split: "train", "valid" or "test".
            dataset: its samples.

        Raises:
            ValueError: it does not fit.
        """
        self.check_dataset(split, dataset)
        self._datasets[split] = dataset

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data of another task, or with other classes than the network, or than the splits before."""
        check_fields(split, dataset, self.config.task.name, self.takes)
        names = list(getattr(dataset, "labels", ()))
        if not self.labelled:
            return
        if not self.class_names:
            self.class_names = names
        check_classes(split, names, self.class_names)

    def fields(self, split: str) -> EncodedDataset:
        """Return the samples of a split as ids, made of its texts on first use."""
        if split not in self._encoded:
            dataset = self.dataset(split)
            check_segmentation(split, dataset, self.tokenizer)
            columns = encoded(len(dataset), lambda part: self.encode(split, dataset, part), f"data.{split}")
            self._encoded[split] = EncodedDataset(columns, self.beside)
        return self._encoded[split]

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return the columns of some samples: "input_ids", "token_type_ids", and what the loss takes.

        Args:
            split: what they are of.
            dataset: the data set.
            part: which samples.
        """
        raise NotImplementedError

    def tokens(self, texts: Sequence[Any], pairs: Optional[Sequence[Any]] = None, **options: Any) -> dict[str, Any]:
        """Return the columns that the tokeniser makes of texts, or pairs, cut to the config's length.

        Args:
            texts: the texts.
            pairs: the second ones.
            **options: of :meth:`core.text.PretrainedTokenizer.batch`.
        """
        columns: dict[str, Any] = self.tokenizer.batch(texts, pairs, self.config.tokenizer.max_length, **options)
        for name in ("input_ids", "token_type_ids"):
            if name in columns:
                columns[name] = Ragged.of(columns[name])
        return columns

    def padded(self) -> dict[str, Any]:
        """Return how the fields of a batch that have the length of the texts are batched."""
        return padding(self.tokenizer, ("input_ids", "token_type_ids", "position_ids"))

    def collate(self, split: str) -> Any:
        """Return how each field of a batch is batched: what belongs to tokens is padded."""
        columns = self.fields(split).columns
        return {name: field for name, field in self.padded().items() if name in columns}

    # training and prediction

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        loss = self.loss if self.config.teacher is None else self._distiller().loss
        return [Phase("train", loss, *self.learning(self.config, list(self.networks), steps_per_epoch, epochs))]

    def _distiller(self) -> Any:
        """Return what a teacher adds to the loss."""
        if type(self).loss is not LanguageTask.loss or self.head not in HEADS:
            raise ValueError(f"{self.config.task.name} has no teacher: leave out the section teacher")
        return Distiller(self, self.config.teacher)

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return what the network's head computes of a batch."""
        return self.network(fields["input_ids"], fields.get("token_type_ids"), attention_mask=fields["input_ids_mask"])

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and numbers to log."""
        return self.loss_of(self.forward(fields), fields)

    def loss_of(self, results: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of what the network's head computes of a batch, and numbers to log."""
        raise NotImplementedError

    def facts(self) -> list[str]:
        """Return how many samples there are, and of how many tokens."""
        (line,) = super().facts()
        lengths = self.fields("train").lengths
        cut = 0 if self.windowed else int((lengths >= self.config.tokenizer.max_length).sum())
        text = f"; {cut:,} of data.train reach tokenizer.max_length, and longer texts are cut" if cut else ""
        found = [
            f"{line} samples",
            f"vocabulary: {len(self.tokenizer):,} tokens; {lengths.mean():.0f} a sample, at most {lengths.max()}{text}",
        ]
        if self.config.word_vectors is not None:
            network = self.networks["model"]
            encoder = getattr(network, "encoder", network)
            found.append(f"{encoder.given_vectors:,} of them start with vectors of {self.config.word_vectors}")
        return found

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        if not self.reader:
            return [Suggestion("infer", "TEXT --features vectors.npy", "write vectors of texts")]
        return [Suggestion("infer", "--demo 8", "predict eight samples of the test split")]

    def program(self) -> Program:
        """Return the network from ids to its results, for any number and length of texts, with the tokeniser."""
        sizes = ((2, 3), (8, 12)) if len(self.inputs) == 2 else ((2, 3), (3, 4), (8, 12))
        examples = {axis: size for axis, size in enumerate(sizes) if self.inputs[axis] is None}
        names = ["input_ids", *(["token_type_ids"] if "token_type_ids" in self.tokenizer.model_input_names else [])]
        specs = [InputSpec(list(self.inputs), "int64", name, examples=examples) for name in names]
        extra = {"preprocessing": self.stored(), "class_names": list(self.class_names) or None}
        shape = ", ".join("any" if size is None else str(size) for size in self.inputs)
        return Program(core.jit.to_static(self.reading_network), specs, f"{' and '.join(names)} int64 [{shape}]", extra)

    def reader_settings(self) -> dict[str, Any]:
        """Return what the task's reader needs beside tokeniser, length and classes."""
        return {}

    def stored(self) -> dict[str, Any]:
        """Return what a reader of the export needs beside the program."""
        common = {"reader": self.reader, "max_length": self.config.tokenizer.max_length}
        return {**common, "tokenizer": stored(self.tokenizer), **self.reader_settings()}
