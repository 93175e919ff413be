"""A reader of several tasks: each reads a text in its own way."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from PaddleNLP.readers.base import Text, TextReader
from PaddleNLP.readers.opening import READERS


@dataclasses.dataclass
class ReadParts:
    """What several tasks say of a text.

    Attributes:
        parts: the result of each task by name.
    """

    parts: dict[str, Any]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {name: part.record() for name, part in self.parts.items()}

    def describe(self) -> str:
        """Return it in a line."""
        return "; ".join(f"{name}: {part.describe()}" for name, part in self.parts.items())


class MultiTaskReader(TextReader):
    """Texts to what each task says that reads such texts: one text, or pairs.

    Attributes:
        parts: the reader of each task by name.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.parts = {name: self._part(part) for name, part in self.settings["parts"].items()}

    def _part(self, part: dict[str, Any]) -> TextReader:
        output, kind = part["output"], READERS.resolve(part["reader"])

        def run(arrays: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
            return [self.run(arrays)[output]]

        found: TextReader = kind(self.path, run, self.tokenizer, self.max_length, part["class_names"], part["settings"])
        return found

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return what the tasks say of texts.

        Raises:
            ValueError: no task reads such texts, or some are pairs and others are not.
        """
        pairs = {isinstance(text, tuple) for text in texts}
        if len(pairs) > 1:
            raise ValueError("read texts or pairs of texts, not both at once")
        names = [name for name, part in self.settings["parts"].items() if {part["pairs"]} == pairs]
        if texts and not names:
            raise ValueError(f"no task of this run reads {'pairs of texts' if pairs == {True} else 'single texts'}")
        found = {name: self.parts[name].predict(texts, batch_size) for name in names}
        return [ReadParts({name: found[name][number] for name in names}) for number in range(len(texts))]
