"""Telling the next word of a text, window by window, with states that are carried from one window to the next.

Zaremba et al. 2014, https://arxiv.org/abs/1409.2329, as PaddlePaddle/models' ``language_model`` trains it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.io import Pad
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.text.batching import LENGTH
from core.train.config.batching import Batching
from core.train.runner.task import Program, Suggestion
from core.train.task import Phase
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import texts_of
from PaddleNLP.data.windows import NONE, WindowDataset
from PaddleNLP.evaluators.language_model import LanguageModelEvaluator
from PaddleNLP.models.language.rnn_lm import CarriedStates
from PaddleNLP.models.registry import MODELS
from PaddleNLP.tasks.samples import check_segmentation
from PaddleNLP.tasks.sentence_ends import SentenceEnds


class LanguageModel(SentenceEnds):
    """Trains a recurrent network to predict the next word of a text.

    Sentences stand one behind the other, each with ``<eos>`` at its end. The text is read in ``batch_size`` rows side
    by side, ``tokenizer.max_length`` words at a time, and states are carried over: samples are not shuffled. The loss
    is summed over the words of a window and averaged over rows, which the published learning rates are meant for.

    Args:
        config: the experiment.
    """

    numbers = ("perplexity", "cross_entropy", "above_best", "best_perplexity")
    head = "encoder"
    reader = "language_model"
    monitor = "perplexity"
    higher_is_better = False
    labelled = False

    def __init__(self, config: LanguageConfig) -> None:
        if config.data.train.shuffle:
            raise ValueError("data.train.shuffle: a language model reads its text in order; leave it out")
        if config.teacher is not None:
            raise ValueError("LanguageModel has no teacher: leave out the section teacher")
        whole = Batching.model_validate({"buckets": [config.tokenizer.max_length]})
        sections = {name: config.data.split(name).model_copy(update={"batching": whole}) for name in config.data.names}
        super().__init__(config.model_copy(update={"data": config.data.model_copy(update=sections)}))
        self._windows: dict[str, WindowDataset] = {}
        self._evaluated: dict[int, CarriedStates] = {}

    # network and data

    def built_network(self, head: str) -> Any:
        """Return the config's network, and note the states of training, which checkpoints hold, too."""
        component = self.config.network
        size = {} if "vocab_size" in component.arguments else {"vocab_size": len(self.tokenizer)}
        network = self.add_network("model", MODELS, component, "network", task=head, num_classes=1, **size)
        if not hasattr(network, "state_shapes"):
            raise ValueError(f"network.name: {component.name} carries no states over; a LanguageModel takes rnn_lm")
        self._check_fits(network)
        self.networks["states"] = CarriedStates(network.state_shapes, self.config.data.train.batch_size)
        return network

    def fields(self, split: str) -> WindowDataset:  # type: ignore[override]  # windows of the whole text
        """Return the windows of a split's text."""
        if split not in self._windows:
            dataset = self.dataset(split)
            check_segmentation(split, dataset, self.tokenizer)
            ids: list[int] = []
            for text in texts_of(dataset):
                ids += [*self.tokenizer.encode_text(text), self.end]
            sizes = self.config.data.split(split).batch_size, self.config.tokenizer.max_length
            try:
                self._windows[split] = WindowDataset(np.array(ids, np.int64), *sizes, split == "train")
            except ValueError as error:
                raise ValueError(f"data.{split}: {error}") from None
        return self._windows[split]

    def collate(self, split: str) -> Any:
        """Return how the fields of a batch are batched; all windows are of one length."""
        return {name: Pad(LENGTH, value=0, mask=False) for name in ("input_ids", "labels")}

    # training and prediction

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def word_losses(self, fields: Mapping[str, Any], states: CarriedStates) -> Any:
        """Return how surely each word was predicted, float32 (rows, steps), 0 where there is none; states go on.

        Args:
            fields: of a batch.
            states: what the batch before left.
        """
        logits, *left = self.network(fields["input_ids"], *states.read(fields["carried"]))
        states.write(left)
        labels = fields["labels"]
        losses = F.cross_entropy(logits.reshape([-1, logits.shape[-1]]), labels.reshape([-1]), reduction="none")
        return losses.reshape(labels.shape)

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a window, summed over its words, and that of a word."""
        mean = self.word_losses(fields, self.networks["states"]).mean()
        return mean * fields["input_ids"].shape[1], {"cross_entropy": mean}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the losses of a batch's words."""
        return [self.word_losses(fields, self._evaluated[fields["input_ids"].shape[0]])]

    def evaluator(self, split: str) -> LanguageModelEvaluator:
        """Return an empty evaluator."""
        rows = self.config.data.split(split).batch_size
        if rows not in self._evaluated:
            self._evaluated[rows] = CarriedStates(self.network.state_shapes, rows)
        return LanguageModelEvaluator(getattr(self.dataset(split), "entropy", None))

    # what a run says, and use

    def facts(self) -> list[str]:
        """Return how many sentences and words there are, and how they are read."""
        count, rows, steps = (self.fields("train").labels != NONE).sum(), *self.fields("train").ids.shape
        window = self.config.tokenizer.max_length
        return [
            f"data: {', '.join(f'{len(self.dataset(split)):,} {split}' for split in self.splits)} sentences",
            f"vocabulary: {len(self.tokenizer):,} words; {count:,} to predict, in {rows} rows of {steps:,}, "
            f"{window} at a time",
        ]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [
            Suggestion("infer", "--demo 8", "how probable eight sentences of the test split are"),
            Suggestion("infer", '"" --continue 20', "draw a sentence"),
        ]

    def program(self) -> Program:
        """Return the network from ids and states to scores and states, for any number and length of texts."""
        specs = [InputSpec([None, None], "int64", "input_ids", examples={0: (2, 3), 1: (8, 12)})]
        for name, (layers, size) in zip(("hidden", "cell"), self.network.state_shapes):
            specs.append(InputSpec([layers, None, size], "float32", name, examples={1: (2, 3)}))
        text = "input_ids int64 [any, any] and the states before, to scores of the next words and the states behind"
        return Program(core.jit.to_static(self.network), specs, text, {"preprocessing": self.stored()})

    def reader_settings(self) -> dict[str, Any]:
        """Return the shapes of the states, and which word ends sentences."""
        return {"states": [list(shape) for shape in self.network.state_shapes], "end": self.end}
