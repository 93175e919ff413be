"""Pretraining: words of texts are masked, and the network predicts what they were; perhaps also which sentence follows.

Devlin et al., BERT, https://arxiv.org/abs/1810.04805; Sun et al., ERNIE, https://arxiv.org/abs/1904.09223.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.io import Dataset
from core.io.files import join_path
from core.io.randomness import integer
from core.text.tokenizers.segmentation import LikeliestPath, read_frequencies
from core.train.task import Evaluator
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged
from PaddleNLP.data.pretraining.masked_words import BEGINS, INSIDE, NONE, SPECIAL, join_words, masked_sample, places
from PaddleNLP.tasks.base import LanguageTask

_COLUMNS = ("token_type_ids", "offset_mapping")


class Pretraining(LanguageTask):
    """Trains a network to predict masked words, of official rows or of plain texts.

    The rows of :class:`PaddleNLP.data.pretraining.masked_words.PretrainingRows` also say which sentence follows
    which, and that is learned, too. Of plain texts a word is one of a dictionary; without it a character of Chinese,
    or a word between spaces. All its tokens are masked together. Training masks other words each time that it sees
    a sample, evaluation always the same.

    Args:
        config: the experiment.
        share: of the words that are masked.
        words: a dictionary, in each line a word and how often it occurs, relative to ``data.root``.
    """

    numbers = ("loss", "accuracy", "perplexity", "next_sentence_accuracy")
    monitor = "loss"
    higher_is_better = False
    labelled = False
    takes = ("text",)

    def __init__(self, config: LanguageConfig, share: float = 0.15, words: Optional[str] = None) -> None:
        super().__init__(config)
        if not 0 < share < 1:
            raise ValueError(f"task.share must be between 0 and 1, not {share}")
        self.share = share
        self.words = words
        self.head = "pretraining" if config.data.train.dataset.name == "PretrainingRows" else "masked_lm"

    @property
    def follows(self) -> bool:
        """Whether next sentences are learned, too."""
        return self.head == "pretraining"

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids and segments of some samples."""
        samples = [dataset[number] for number in part]
        if self.follows:
            names = ("input_ids", "token_type_ids", "position_ids", "segments")
            ragged: dict[str, Column] = {name: Ragged.of([sample[name] for sample in samples]) for name in names}
            numbers = {"next_sentence": np.int64, "whole_words": np.float32}
            return {**ragged, **{name: np.array([one[name] for one in samples], k) for name, k in numbers.items()}}
        firsts = [sample["text"] for sample in samples]
        seconds = [sample.get("text_pair") or "" for sample in samples]
        columns = self._rows(firsts, seconds)
        ids, types = Ragged.of(columns["input_ids"]), columns["token_type_ids"]
        segments = np.where(np.isin(ids.values, self.tokenizer.all_special_ids), SPECIAL, self._pieces[ids.values])
        if self.segmenter is not None:
            for row, start, end in zip(range(len(samples)), ids.starts, ids.ends):
                texts = (firsts[row], seconds[row])
                join_words(segments[start:end], columns["offset_mapping"][row], types[row], texts, self.segmenter)
        found = {"input_ids": ids, "token_type_ids": Ragged.of(types), "segments": Ragged(segments, ids.ends)}
        return {**found, "whole_words": np.ones(len(samples), np.float32)}

    def _rows(self, firsts: Sequence[str], seconds: Sequence[str]) -> dict[str, list[Any]]:
        """Return the columns of texts, and of pairs where a second text is not empty."""
        found: dict[str, list[Any]] = {name: [[]] * len(firsts) for name in ("input_ids", *_COLUMNS)}
        options = {f"return_{name.replace('offset_', 'offsets_')}": True for name in _COLUMNS}
        for paired in (False, True):
            numbers = [number for number, second in enumerate(seconds) if bool(second) == paired]
            pairs = [seconds[number] for number in numbers] if paired else None
            length = self.config.tokenizer.max_length
            columns = self.tokenizer.batch([firsts[number] for number in numbers], pairs, length, **options)
            for name, rows in found.items():
                for number, row in zip(numbers, columns[name]):
                    rows[number] = row
        return found

    @functools.cached_property
    def segmenter(self) -> Optional[LikeliestPath]:
        """What cuts texts into the words of the dictionary; None: there is none."""
        if self.words is None:
            return None
        root = self.config.data.root
        return LikeliestPath(read_frequencies(self.words if root is None else join_path(root, self.words)))

    @functools.cached_property
    def _pieces(self) -> np.ndarray:
        """Of each token whether it is inside of a word, or begins one."""
        return np.array([INSIDE if name.startswith("##") else BEGINS for name in self._names()], np.int32)

    def _names(self) -> list[str]:
        return [str(name) for name in self.tokenizer.convert_ids_to_tokens(list(range(len(self.tokenizer))))]

    def fields(self, split: str) -> Dataset:  # type: ignore[override]  # masked on the way
        """Return the samples of a split with words masked."""
        encoded = super().fields(split)
        special = {"mask_id": self.tokenizer.mask_token_id, "vocab_size": len(self.tokenizer)}
        most = self.config.tokenizer.max_length
        return MaskedDataset(encoded, self.share, places(most, self.share), split == "train", **special)

    def facts(self) -> list[str]:
        """Return how many samples there are, and what is masked."""
        most = places(self.config.tokenizer.max_length, self.share)
        return [*super().facts(), f"masked: {self.share:.0%} of the words, at most {most} tokens of a sample"]

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return the logits of the masked places, and of next sentences where they are learned."""
        ids = fields["input_ids"]
        rows = core.arange(ids.shape[0], dtype="int64").unsqueeze(-1) * ids.shape[1]
        positions = (fields["places"][:, : places(ids.shape[1], self.share)] + rows).reshape([-1])
        given = {"attention_mask": fields["input_ids_mask"], "masked_positions": positions}
        return self.network(ids, fields.get("token_type_ids"), fields.get("position_ids"), **given)

    def _labels(self, fields: Mapping[str, Any]) -> Any:
        """Return what the masked places held, int64 (N * places,)."""
        return fields["labels"][:, : places(fields["input_ids"].shape[1], self.share)].reshape([-1])

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean cross entropy of masked tokens, with that of next sentences, and the accuracy of each."""
        logits, labels = self.forward(fields), self._labels(fields)
        if not self.follows:
            return self.network.loss(logits, labels), {"accuracy": _accuracy(logits, labels)}
        loss = self.network.loss(logits, (labels, fields["next_sentence"]))
        hits = core.equal(core.argmax(logits[1], axis=-1), fields["next_sentence"])
        follows = core.cast(hits, "float32").mean()
        return loss, {"accuracy": _accuracy(logits[0], labels), "next_sentence_accuracy": follows}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return of each masked place the best token and the loss, and the logits of next sentences."""
        logits = self.forward(fields)
        tokens = logits[0] if self.follows else logits
        labels = self._labels(fields)
        losses = core.nn.functional.cross_entropy(tokens, labels, reduction="none").reshape([-1])
        return [core.argmax(tokens, axis=-1), losses, *([logits[1]] if self.follows else [])]

    def evaluator(self, split: str) -> MaskedEvaluator:
        """Return an empty evaluator."""
        return MaskedEvaluator()

    def collate(self, split: str) -> Any:
        """Return how each field of a batch is batched."""
        encoded = super().fields(split)
        return {name: field for name, field in self.padded().items() if name in encoded.columns}


class MaskedDataset(Dataset):
    """Samples with words masked, "places" of what is to be predicted, and its "labels".

    Args:
        encoded: samples with "segments" and "whole_words".
        share: of the words that are masked.
        room: for how many masked tokens a sample has places.
        drawn: whether other words are masked each time; otherwise the sample's number says which.
        mask_id: the id of the mask.
        vocab_size: ids are below.
    """

    def __init__(
        self, encoded: EncodedDataset, share: float, room: int, drawn: bool, mask_id: int, vocab_size: int
    ) -> None:
        self.encoded, self.share, self.room, self.drawn = encoded, share, room, drawn
        self.mask_id, self.vocab_size = mask_id, vocab_size
        self.lengths = encoded.lengths
        self.columns = encoded.columns

    def __len__(self) -> int:
        return len(self.encoded)

    def __getitem__(self, index: int) -> dict[str, Any]:
        sample = self.encoded[index]
        ids, segments = sample["input_ids"], sample.pop("segments")
        whole = sample.pop("whole_words")
        source = np.random.default_rng(integer(0, 2**62) if self.drawn else index)
        special = (self.mask_id, self.vocab_size)
        return {**sample, **masked_sample(ids, segments, whole, *special, source, self.share, self.room)}


class MaskedEvaluator(Evaluator):
    """How many masked tokens, and next sentences, are predicted right."""

    def __init__(self) -> None:
        self._loss = 0.0
        self._right = self._count = self._follow = self._pairs = 0

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the best tokens and losses of a batch's masked places, and the logits of next sentences."""
        labels = batch["labels"].numpy()
        labels = labels[:, : len(outputs[0]) // len(labels)].reshape(-1)
        there = labels != NONE
        self._right += int((outputs[0] == labels)[there].sum())
        self._loss += float(outputs[1][there].sum())
        self._count += int(there.sum())
        if len(outputs) > 2:
            self._follow += int((outputs[2].argmax(axis=-1) == batch["next_sentence"].numpy()).sum())
            self._pairs += len(outputs[2])

    def result(self) -> dict[str, float]:
        """Return "loss", "accuracy" and "perplexity" of masked tokens, and "next_sentence_accuracy"."""
        count = max(self._count, 1)
        loss = self._loss / count
        found = {"loss": loss, "accuracy": self._right / count, "perplexity": math.exp(min(loss, 700.0))}
        return {**found, **({"next_sentence_accuracy": self._follow / self._pairs} if self._pairs else {})}


def _accuracy(logits: Any, labels: Any) -> Any:
    there = core.cast(core.not_equal(labels, core.full([1], NONE, "int64")), "float32")
    hits = core.cast(core.equal(core.argmax(logits, axis=-1), labels), "float32")
    return (hits * there).sum() / there.sum().clip(min=1.0)
