"""What the tokens of a text contribute to the result of a trained network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

import core
from core.nn import functional as F
from PaddleNLP.explaining.attribution import integrated_gradients
from PaddleNLP.readers.base import Text, TextReader

Target = Callable[[Any], Any]
"""Returns of the logits of N inputs, a Tensor (N, ...), the number of each that is explained, (N,)."""

Place = tuple[int, int, int]
"""The text that a token is of, 0 or 1, its first character, and the one behind its last."""


class Contribution(NamedTuple):
    """What some characters add to a result.

    Attributes:
        part: of which text they are: 0, or 1 for the second of a pair.
        start: the first.
        end: the one behind the last.
        value: what they add.
    """

    part: int
    start: int
    end: int
    value: float


class Explanation(NamedTuple):
    """What a result rests on.

    Attributes:
        name: the class, label or entity whose probability is explained; "value" for a number.
        result: that probability or number.
        baseline: the same of a text of as many tokens whose word vectors are all zero.
        contributions: of the text's tokens, in order; they add up to ``result - baseline``.
    """

    name: str
    result: float
    baseline: float
    contributions: list[Contribution]


class Explainer:
    """Explains results of a trained network by integrated gradients over the word vectors.

    The baseline keeps special tokens, positions and sentences, and has zeros for the vectors of all other tokens. What
    does not fit into the reader's ``max_length`` tokens is not looked at.

    Args:
        network: the trained network with its head, in evaluation mode.
        reader: reads texts with it.
        steps: see :func:`integrated_gradients`.
    """

    def __init__(self, network: Any, reader: TextReader, steps: int = 64) -> None:
        self.network, self.reader, self.steps = network, reader, steps

    def encode(self, text: Text, result: Any) -> tuple[dict[str, Any], list[Optional[Place]]]:
        """Return the tokeniser's columns of a text, and the place of each token; None of special ones.

        Args:
            text: the text, or pair.
            result: what the reader says of it.
        """
        first, *second = text if isinstance(text, tuple) else (text,)
        options = {"return_offsets_mapping": True, "return_special_tokens_mask": True}
        columns = self.reader.tokenizer(first, *second, max_length=self.reader.max_length, **options)
        special = columns["special_tokens_mask"]
        before = self.reader.tokenizer.around(bool(second))[0]
        end = special.index(1, before) if 1 in special[before:] else len(special)  # of the first text
        places = enumerate(columns["offset_mapping"])
        return columns, [None if special[place] else (int(place >= end), *own) for place, own in places]

    def targets(self, result: Any, columns: Mapping[str, Any]) -> list[tuple[str, Target]]:
        """Return what is explained of a result, by name.

        Args:
            result: what the reader says of the text.
            columns: the tokeniser's.
        """
        raise NotImplementedError

    def explain(self, text: Text, result: Any) -> list[Explanation]:
        """Return what a result rests on; nothing for a text without tokens.

        Args:
            text: the text, or pair.
            result: what the reader says of it.
        """
        columns, places = self.encode(text, result)
        own = [number for number, place in enumerate(places) if place is not None]
        if not own:
            return []
        words = self._word_vectors(columns)
        baseline = words.copy()
        baseline[own] = 0.0
        return [
            self._explained(name, target, columns, (words, baseline), [place for place in places if place], own)
            for name, target in self.targets(result, columns)
        ]

    def _word_vectors(self, columns: Mapping[str, Any]) -> np.ndarray:
        with core.no_grad():
            found: np.ndarray = self.network.encoder.word_embeddings(core.to_tensor(columns["input_ids"])).numpy()
        return found

    def _explained(
        self,
        name: str,
        target: Target,
        columns: Mapping[str, Any],
        ends: tuple[np.ndarray, np.ndarray],
        places: Sequence[Place],
        own: Sequence[int],
    ) -> Explanation:
        ids = {key: columns[key] for key in ("input_ids", "token_type_ids") if key in columns}

        def result(vectors: Any) -> Any:
            given = {key: core.to_tensor([numbers] * vectors.shape[0]) for key, numbers in ids.items()}
            mask = core.ones(vectors.shape[:2], "int64")
            return target(self.network(**given, attention_mask=mask, inputs_embeds=vectors))

        values = integrated_gradients(result, *ends, steps=self.steps).sum(axis=1)
        with core.no_grad():
            whole, empty = result(core.to_tensor(np.stack(ends))).numpy().astype(float).tolist()
        parts = [Contribution(*place, float(values[number])) for place, number in zip(places, own)]
        return Explanation(name, whole, empty, parts)


class ClassificationExplainer(Explainer):
    """Explains the probability of the best class."""

    def targets(self, result: Any, columns: Mapping[str, Any]) -> list[tuple[str, Target]]:
        """Return the class."""
        number = self.reader.class_names.index(result.label)
        return [(result.label, lambda logits: F.softmax(logits)[:, number])]


class MultiLabelExplainer(Explainer):
    """Explains the probability of each label that holds; where none does, of the likeliest one."""

    def targets(self, result: Any, columns: Mapping[str, Any]) -> list[tuple[str, Target]]:
        """Return the labels."""
        names = result.labels or [max(result.probabilities, key=result.probabilities.__getitem__)]
        return [(name, self._label(self.reader.class_names.index(name))) for name in names]

    def _label(self, number: int) -> Target:
        return lambda logits: F.sigmoid(logits[:, number])


class RegressionExplainer(Explainer):
    """Explains a number."""

    def targets(self, result: Any, columns: Mapping[str, Any]) -> list[tuple[str, Target]]:
        """Return the number."""
        return [("value", lambda logits: logits[:, 0])]


class TaggingExplainer(Explainer):
    """Explains each entity: the mean probability of the tags of its words or characters."""

    def encode(self, text: Text, result: Any) -> tuple[dict[str, Any], list[Optional[Place]]]:
        """Return the columns of the words or characters, each cut on its own; see :meth:`Explainer.encode`."""
        words = [str(text)[start:end] for start, end in result.units]
        options = {"is_split_into_words": True, "return_word_ids": True, "return_offsets_mapping": True}
        columns = self.reader.tokenizer(words, max_length=self.reader.max_length, **options)
        starts = [start for start, _ in result.units]
        places: list[Optional[Place]] = []
        for word, (start, end) in zip(columns["word_ids"], columns["offset_mapping"]):
            places.append(None if word is None else (0, starts[word] + start, starts[word] + end))
        return columns, places

    def targets(self, result: Any, columns: Mapping[str, Any]) -> list[tuple[str, Target]]:
        """Return the entities whose tokens are among those that are looked at."""
        firsts: dict[int, int] = {}
        for token, word in enumerate(columns["word_ids"]):
            if word is not None:
                firsts.setdefault(word, token)
        found = []
        for chunk in result.chunks:
            words = [n for n, (start, end) in enumerate(result.units) if chunk.start <= start and end <= chunk.end]
            if firsts.keys() >= set(words):
                tags = [(firsts[word], self.reader.class_names.index(result.tags[word])) for word in words]
                found.append((f"{chunk.text}/{chunk.kind}", self._mean(tags)))
        return found

    def _mean(self, tags: Sequence[tuple[int, int]]) -> Target:
        def mean(logits: Any) -> Any:
            shares = F.softmax(logits)
            return sum(shares[:, token, tag] for token, tag in tags) / len(tags)

        return mean


EXPLAINERS = {
    "classification": ClassificationExplainer,
    "multi_label": MultiLabelExplainer,
    "regression": RegressionExplainer,
    "tagging": TaggingExplainer,
}
"""Of each kind of reader what explains its results; there is none for answers to questions."""


def explainer_of(task: Any, reader: TextReader) -> Explainer:
    """Return what explains the results of a trained task.

    Args:
        task: a :class:`PaddleNLP.tasks.base.LanguageTask`.
        reader: its reader.

    Raises:
        ValueError: results of this task cannot be explained.
    """
    kind = EXPLAINERS.get(task.reader)
    if kind is None:
        known = ", ".join(name.replace("_", " ") for name in EXPLAINERS)
        raise ValueError(f"results of the task {type(task).__name__} cannot be explained; those of {known} can")
    return kind(task.network, reader)
