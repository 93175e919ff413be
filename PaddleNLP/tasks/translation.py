"""Translation: a network that reads one sentence and writes another, token by token."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

import core
from core import nn
from core.io import Pad
from core.text.batching import LENGTH
from core.text.generation import Generation
from core.train.config.table import Component
from core.train.runner.task import Program, Suggestion
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged
from PaddleNLP.evaluators.translation import TranslationEvaluator
from PaddleNLP.metrics.bleu import Tokenize
from PaddleNLP.models.registry import MODELS
from PaddleNLP.readers.translation import Translated, translated
from PaddleNLP.tasks.base import LanguageTask
from PaddleNLP.tasks.beams import check_beams
from PaddleNLP.translation.tokenizer import SubwordTokenizer


class Translator(nn.Layer):
    """A network with how it searches: from sentences' tokens to translations'.

    Args:
        network: has ``generate``.
        settings: how it searches.
    """

    def __init__(self, network: Any, settings: Generation) -> None:
        super().__init__()
        self.network = network
        self.settings = settings

    def forward(self, input_ids: Any) -> tuple[Any, ...]:
        """Return tokens, int64 (N, S, max_length), scores, lengths and whether they ended, (N, S), best first.

        Args:
            input_ids: int64 (N, L), the end token behind each sentence.
        """
        return tuple(self.network.generate(input_ids, self.settings))


class Translation(LanguageTask):
    """Trains a network that translates; what it reads and writes are pieces of one vocabulary.

    Args:
        config: the experiment.
        smoothing: share of the uniform distribution that is mixed into the right tokens (Szegedy et al. 2016).
        mean_over: whether the loss is the mean over tokens, or their sum divided by the number of sentences.
        beam_size: sequences that a search follows for each sentence; 1: the best token each time.
        length_penalty: the power of (5 + length) / 6 that scores are divided by (Wu et al. 2016).
        max_length: tokens of a translation at most; where no end has come by then it is cut off, and says so.
        bleu_tokenize: how sacrebleu cuts texts into words; "none" for texts that are cut already.
        monitor: the number by which the best checkpoint is chosen, "bleu" or "perplexity".
    """

    numbers: Sequence[str] = ("bleu", "perplexity")
    reader = "translation"
    labelled = False

    def __init__(
        self,
        config: LanguageConfig,
        smoothing: float = 0.1,
        mean_over: Literal["tokens", "sentences"] = "tokens",
        beam_size: int = 4,
        length_penalty: float = 0.6,
        max_length: int = 128,
        bleu_tokenize: Tokenize = "13a",
        monitor: Literal["bleu", "perplexity"] = "bleu",
    ) -> None:
        super().__init__(config)
        if not 0 <= smoothing < 1:
            raise ValueError(f"task.smoothing must be at least 0 and below 1, not {smoothing}")
        self.smoothing, self.mean_over = smoothing, mean_over
        self.bleu_tokenize: Tokenize = bleu_tokenize
        self.monitor = monitor
        self.higher_is_better = monitor == "bleu"
        try:
            self.search = Generation(
                0, 1, max_length, "greedy" if beam_size == 1 else "beam", beam_size, 0, length_penalty=length_penalty
            )
        except ValueError as error:
            raise ValueError(f"task.{str(error).split(': ', 1)[1]}") from None

    # tokeniser and network

    @functools.cached_property
    def tokenizer(self) -> Any:
        """What makes ids of texts, and texts of ids."""
        found = super().tokenizer
        if not isinstance(found, SubwordTokenizer):
            raise ValueError(
                f"tokenizer.name: {self.config.task.name} takes SubwordTokenizer, not {type(found).__name__}"
            )
        return found

    def built_network(self, head: str) -> Any:
        """Return the config's network, as "model" among the networks."""
        component: Component = self.config.network
        kind = MODELS.resolve(component.name)
        if not hasattr(kind, "generate"):
            raise ValueError(f"network.name: {component.name} does not translate; transformer does, for one")
        count = len(self.tokenizer)
        sizes = {
            key: count for key in ("src_vocab_size", "trg_vocab_size") if component.arguments.get(key, count) == count
        }
        if len(sizes) < 2:
            key = next(key for key in ("src_vocab_size", "trg_vocab_size") if key not in sizes)
            message = f"network.{key} is {component.arguments[key]}, but the tokeniser has {count} tokens"
            raise ValueError(f"{message}: its files are of another vocabulary")
        given = {key: value for key, value in sizes.items() if key not in component.arguments}
        network = self.add_network("model", MODELS, component, "network", task="encoder", **given)
        check_beams(self.search.rows, count)
        most = getattr(network, "max_length", None)
        for key, length in (
            ("tokenizer.max_length", self.config.tokenizer.max_length),
            ("task.max_length", self.search.max_length),
        ):
            if most is not None and length > most:
                raise ValueError(f"{key} is {length}, but the network knows {most} positions; raise network.max_length")
        return network

    # data

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return the tokens of some samples' sentences and translations, the end token behind each."""
        samples = [dataset[number] for number in part]
        if "source" not in samples[0]:
            raise ValueError(f"data.{split}: samples have no translations; ParallelDataset reads some")
        source = self.tokens([sample["source"] for sample in samples])["input_ids"]
        return {"input_ids": source, "labels": self.tokens([sample["target"] for sample in samples])["input_ids"]}

    def fields(self, split: str) -> EncodedDataset:
        """Return the samples of a split as ids; a sample is as long as the longer of both sentences."""
        known = split in self._encoded
        found = super().fields(split)
        if not known:
            labels = found.columns["labels"]
            assert isinstance(labels, Ragged)
            found.lengths = np.maximum(found.lengths, labels.lengths)
        return found

    def padded(self) -> dict[str, Any]:
        """Return how both sentences are batched: with the start token behind them."""
        pad = Pad(LENGTH, value=self.tokenizer.pad_token_id, mask=False)
        return {"input_ids": pad, "labels": pad}

    # training and prediction

    def scores(self, fields: Mapping[str, Any]) -> Any:
        """Return the scores of the right tokens' places, float32 (N, L, tokens)."""
        return self.network(fields["input_ids"], self.target_inputs(fields))

    def target_inputs(self, fields: Mapping[str, Any]) -> Any:
        """Return the tokens that the network sees of the target: those before each right one, int64 (N, L)."""
        labels = fields["labels"]
        start = core.full([labels.shape[0], 1], self.tokenizer.bos_token_id, "int64")
        return core.concat([start, labels[:, :-1]], axis=1)

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and the mean loss of its tokens without smoothing."""
        return self.loss_of(self.scores(fields), fields)

    def loss_of(self, results: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of scores of words."""
        labels = fields["labels"].flatten()
        scores = results.reshape([-1, results.shape[-1]])
        kept = (labels != self.tokenizer.pad_token_id).astype("float32")
        count = kept.sum()
        plain = nn.functional.cross_entropy(scores, labels, ignore_index=self.tokenizer.pad_token_id)
        loss = plain
        if self.smoothing:
            right = core.take_along_axis(scores, labels.unsqueeze(1), 1).squeeze(1)
            loss = plain + self.smoothing * ((right - scores.mean(axis=1)) * kept).sum() / count
        if self.mean_over == "sentences":
            loss = loss * (count / fields["labels"].shape[0])
        return loss, {"token_loss": plain}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return translations, and the sum of the losses and the number of the right ones' tokens."""
        labels = fields["labels"].flatten()
        scores = self.scores(fields)
        mean = nn.functional.cross_entropy(
            scores.reshape([-1, scores.shape[-1]]), labels, ignore_index=self.tokenizer.pad_token_id
        )
        count = (labels != self.tokenizer.pad_token_id).astype("float32").sum()
        return [*self.network.generate(fields["input_ids"], self.search), mean * count, count]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> tuple[list[Translated], float, int]:
        """Return the best translation of each sentence, and the losses' sum and number."""
        tokens, scores, lengths, ended, loss, count = outputs
        rows = zip(tokens[:, 0], scores[:, 0], lengths[:, 0], ended[:, 0])
        return [translated(self.tokenizer, *row) for row in rows], float(loss), int(count)

    def evaluator(self, split: str) -> TranslationEvaluator:
        """Return an empty evaluator."""
        return TranslationEvaluator(*self.judged_by(split))

    def judged_by(self, split: str) -> tuple[Sequence[str], Tokenize, str]:
        """Return what an evaluator needs: right translations, how BLEU cuts texts, and how translations are found."""
        dataset = self.dataset(split)
        references = [dataset[number]["target"] for number in range(len(dataset))]
        if self.tokenizer.words == "pieces":
            references = [self.tokenizer.without_marks(reference.split()) for reference in references]
        beams = self.search.rows
        text = f"beam search, {beams} wide" if beams > 1 else "the best token each time"
        return references, self.bleu_tokenize, f"{text}, at most {self.search.max_length} tokens"

    # use

    @functools.cached_property
    def reading_network(self) -> Any:
        """What a reader runs: the network with its search."""
        return core.jit.to_static(Translator(self.network, self.search))

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "translate eight sentences of the test split")]

    def facts(self) -> list[str]:
        """Return how many pairs of sentences there are, and of how many tokens."""
        lines = super().facts()
        return [line.replace("samples", "pairs of sentences") for line in lines]

    def program(self) -> Program:
        """Return the network with its search, for any number and length of sentences, with the tokeniser."""
        program = super().program()
        text = f"{program.description} to tokens, scores, lengths and whether they end"
        return program._replace(network=self.reading_network, description=text)
