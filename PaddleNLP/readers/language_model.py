"""A reader that says how probable texts are, word by word, and how they may go on."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional

import numpy as np

import core
from core.text.generation import Generation, generate
from PaddleNLP.readers.base import Text, TextReader

NAMES = ("hidden", "cell")
"""What the states of a network are called among its inputs."""


@dataclasses.dataclass
class TextScore:
    """How probable a text is.

    Attributes:
        log_probability: the logarithm of its probability, the end of the sentence included, in nats.
        words: how many words it has, the end included.
        unknown: how many of them the vocabulary has not.
        continuation: how it may go on; None: nothing was drawn.
    """

    log_probability: float
    words: int
    unknown: int
    continuation: Optional[str] = None

    @property
    def perplexity(self) -> float:
        """The inverse of the probability of a word, in the geometric mean."""
        return math.exp(min(-self.log_probability / self.words, 700.0))

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        numbers = {"log_probability": round(self.log_probability, 6), "perplexity": round(self.perplexity, 6)}
        further = {} if self.continuation is None else {"continuation": self.continuation}
        return {**numbers, "words": self.words, "unknown": self.unknown, **further}

    def describe(self) -> str:
        """Return it in a line."""
        unknown = f", {self.unknown} unknown" if self.unknown else ""
        text = f"perplexity {self.perplexity:.2f}, log probability {self.log_probability:.2f}{unknown}"
        return text if self.continuation is None else f"{text}, goes on: {self.continuation}"


class LanguageModelReader(TextReader):
    """Texts to how probable they are, each as a sentence of its own.

    Attributes:
        settings: "states", layers and length of each; "end", the number of the word that ends sentences.
        drawing: how texts are continued; None: they are not.
        seed: of what is drawn.
    """

    drawing: Optional[dict[str, Any]] = None
    seed: int = 0

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        if any(not isinstance(text, str) for text in texts):
            raise TypeError("a text to read is a string: a language model takes no pairs")
        ids = [self.tokenizer.encode_text(text) for text in texts]
        order = np.argsort([len(row) for row in ids], kind="stable").tolist()
        found: dict[int, TextScore] = {}
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            for row, total in zip(rows, self._log_probabilities([ids[row] for row in rows])):
                unknown = sum(number == self.tokenizer.unk_token_id for number in ids[row])
                found[row] = TextScore(total, len(ids[row]) + 1, unknown)
        if self.drawing is not None:
            for row, known in enumerate(ids):
                found[row].continuation = self._continued(known)
        return [found[row] for row in range(len(texts))]

    def _log_probabilities(self, ids: list[list[int]]) -> list[float]:
        """Return the logarithms of the probabilities of sentences, windows of ``max_length`` words at a time."""
        end, count = self.settings["end"], max(map(len, ids)) + 1
        steps = min(self.max_length, count + -count % self.multiple)
        windows = -(-count // steps)
        words = np.full((len(ids), windows * steps + 1), end, np.int64)
        for row, numbers in zip(words, ids):
            row[1 : len(numbers) + 1] = numbers
        lengths = np.array([len(numbers) + 1 for numbers in ids])
        states, total = self._first_states(len(ids)), np.zeros(len(ids))
        for place in range(0, windows * steps, steps):
            logits, states = self._step(words[:, place : place + steps], states)
            labels = words[:, place + 1 : place + steps + 1, None]
            there = place + np.arange(steps) < lengths[:, None]
            total += (np.take_along_axis(_log_softmax(logits), labels, 2)[..., 0] * there).sum(axis=1)
        return [float(one) for one in total]

    def _continued(self, ids: list[int]) -> str:
        """Return how a sentence goes on after some words, as it is drawn."""
        assert self.drawing is not None
        core.seed(self.seed)
        end, most = self.settings["end"], len(ids) + self.drawing["words"]
        options = {key: value for key, value in self.drawing.items() if key != "words"}
        settings = Generation(start_token=end, end_token=end, max_length=most, **options)

        def step(tokens: Any, time: Any, states: Any) -> Any:
            given = [state.numpy().transpose(1, 0, 2) for state in states]
            logits, left = self._step(tokens.numpy()[:, None], given)
            return core.to_tensor(logits[:, 0]), [core.to_tensor(state.transpose(1, 0, 2)) for state in left]

        first = [core.to_tensor(state.transpose(1, 0, 2)) for state in self._first_states(1)]
        forced = core.to_tensor(np.array([ids], np.int64)) if ids else None
        with core.no_grad():
            drawn = generate(step, first, 1, settings, forced)
        tokens = drawn.tokens.numpy()[0, 0, len(ids) : int(drawn.lengths.numpy()[0, 0])].tolist()
        words = [str(word) for word in self.tokenizer.convert_ids_to_tokens(tokens)]
        return ("" if self.tokenizer.segmenter == "characters" else " ").join(words)

    def _first_states(self, rows: int) -> list[np.ndarray]:
        return [np.zeros((layers, rows, size), np.float32) for layers, size in self.settings["states"]]

    def _step(self, words: np.ndarray, states: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
        logits, *left = self.run({"input_ids": np.ascontiguousarray(words), **dict(zip(NAMES, states))})
        return logits, left


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
