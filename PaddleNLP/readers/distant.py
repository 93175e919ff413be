"""A reader that predicts the relation of two entities in a sentence."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy.special import softmax

from PaddleNLP.data.distant import WORD, characters, nearest
from PaddleNLP.readers.base import Text, TextReader
from PaddleNLP.readers.classification import Classified
from PaddleNLP.relations.entity_pairs import pair_columns

MARKS = ("first", "second", "types")


@dataclasses.dataclass
class Related(Classified):
    """What is said of two entities.

    Attributes:
        words: of the sentence, each with its share of the attention.
    """

    words: list[tuple[str, float]]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {**super().record(), "attention": [[word, round(share, 4)] for word, share in self.words]}


class DistantRelationReader(TextReader):
    """Tuples of a sentence and two entities in it, perhaps with the type of each, to relations.

    Instead of several texts, one may hold tabs.
    """

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the relations of pairs."""
        samples = [_sample(text) for text in texts]
        if not samples:
            return []
        columns = self.tokens([sample["text"] for sample in samples], None, return_offsets_mapping=True)
        marks: dict[str, list[Any]] = {name: [] for name in MARKS}
        for sample, offsets in zip(samples, columns["offset_mapping"]):
            own = pair_columns(sample, offsets, self.settings["types"])
            for name in MARKS:
                marks[name].append(own[name])
        found: dict[int, Related] = {}
        for rows, (logits, shares) in self.computed({"input_ids": columns["input_ids"], **marks}, batch_size):
            for row, scores, attention in zip(rows, np.asarray(logits), np.asarray(shares)):
                found[row] = self._related(samples[row], columns["offset_mapping"][row], scores, attention)
        return [found[row] for row in range(len(samples))]

    def batch(self, columns: dict[str, list[Any]]) -> dict[str, np.ndarray]:
        """Return the network's arrays, padded."""
        arrays = super().batch(columns)
        for name in MARKS:
            arrays[name] = np.zeros_like(arrays["input_ids"])
            for row, own in zip(arrays[name], columns[name]):
                row[: len(own)] = own
        return arrays

    def _related(self, sample: dict[str, Any], offsets: Any, logits: np.ndarray, attention: np.ndarray) -> Related:
        shares = softmax(np.asarray(logits, np.float64))
        best = int(shares.argmax())
        words = [(sample["text"][start:end], float(share)) for (start, end), share in zip(offsets, attention)]
        named = dict(zip(self.class_names, shares.tolist()))
        return Related(self.class_names[best], float(shares[best]), named, words)


def _sample(text: Any) -> dict[str, Any]:
    whole = isinstance(text, tuple) and all(isinstance(part, str) for part in text)
    parts = [own for part in text for own in part.split("\t")] if whole else []
    if len(parts) not in (3, 5):
        raise TypeError("what is to be read is a tuple of a sentence and two entities in it, perhaps with their types")
    words = WORD.findall(parts[0])
    found = nearest(words, *(WORD.findall(name) for name in parts[1:3]))
    if found is None:
        raise ValueError(f"{parts[1]!r} and {parts[2]!r} are not both in the sentence {parts[0][:60]!r}")
    sample: dict[str, Any] = {"text": " ".join(words)}
    for side, span, kind in zip(("first", "second"), found, parts[3:] or ("", "")):
        sample[side], sample[f"{side}_type"] = characters(words, span), kind
    return sample
