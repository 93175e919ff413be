"""Labels as files write them, and what they mean."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any, Union

from core.weights.messages import shown
from PaddleNLP.data.dataset import Column, Labels, Names
from PaddleNLP.data.lines import label_list

MOST_CLASSES = 100_000
"""More different labels are texts, or numbers, that were taken for labels."""

MOST_LABELS = 1_000
"""Labels of which a row may have several; more of them would fill the memory."""


class ClassLabels:
    """Gathers the class of each row.

    Args:
        labels: a label file; or the names in order; or of each word that the file has the class that it means; None:
            the names are those that occur, in alphabetical order.
    """

    def __init__(self, labels: Labels) -> None:
        self.open = labels is None
        self.source = labels if isinstance(labels, str) else "labels"
        meaning: dict[str, str] = {}
        if isinstance(labels, str):
            meaning = {name: name for name in label_list(labels)}
        elif isinstance(labels, dict):
            meaning = {str(word): str(name) for word, name in labels.items()}
        elif labels is not None:
            meaning = {name: name for name in labels}
            if len(meaning) < len(labels):
                raise ValueError(f"labels: a name is there twice: {shown(list(labels))}")
        self.names = list(dict.fromkeys(meaning.values()))
        numbers = {name: number for number, name in enumerate(self.names)}
        self.numbers = {word: numbers[name] for word, name in meaning.items()}
        self.rows = array("i")

    def number(self, word: str, where: str) -> int:
        """Return the number of a class.

        Args:
            word: the label as the file has it.
            where: file and line, for the message.

        Raises:
            ValueError: it is none of the labels.
        """
        found = self.numbers.get(word)
        if found is None:
            if not word:
                raise ValueError(f"{where}: the label is empty")
            if not self.open:
                known = ", ".join(map(repr, list(self.numbers)[:20])) + (", ..." if len(self.numbers) > 20 else "")
                raise ValueError(f"{where}: the label {shown(word)} is none of {self.source}: {known}")
            if len(self.names) == MOST_CLASSES:
                raise ValueError(f"{where}: more than {MOST_CLASSES:,} different labels; is this the label's column?")
            found = self.numbers[word] = len(self.names)
            self.names.append(word)
        return found

    def append(self, word: str, where: str) -> None:
        """Take in the label of the next row; ``where`` is its file and line."""
        self.rows.append(self.number(word, where))

    def values(self) -> Names:
        """Return the class of each row."""
        if self.open:
            names = sorted(self.names)
            places = {name: place for place, name in enumerate(names)}
            order = [places[name] for name in self.names]
            return Names(names, (order[number] for number in self.rows))
        return Names(self.names, self.rows)


class NumberLabels:
    """Gathers the number of each row, such as a degree of similarity."""

    def __init__(self) -> None:
        self.rows = array("d")

    def append(self, word: Any, where: str) -> None:
        """Take in the label of the next row; ``where`` is its file and line."""
        try:
            value = float(word)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"{where}: the label must be a number, not {shown(word)}")
        self.rows.append(value)

    def values(self) -> array[float]:
        """Return the number of each row."""
        return self.rows


class SeveralLabels(Column[list[str]]):
    """Of each row the classes that it belongs to, of at most 1,000.

    Args:
        names: the classes.
    """

    what = "rows"

    def __init__(self, names: Sequence[str]) -> None:
        if not 1 <= len(names) <= MOST_LABELS:
            wanted = f"from 1 to {MOST_LABELS:,} classes of which several may be true"
            raise ValueError(f"there must be {wanted}, not {len(names):,}")
        self.names = list(names)
        self._width = (len(self.names) + 7) // 8
        self._rows = bytearray()

    def append(self, marks: Sequence[Union[str, int]], where: str) -> None:
        """Take in the next row.

        Args:
            marks: of each class "1" where the row belongs to it, and "0" elsewhere.
            where: file and line, for the message.
        """
        bits = 0
        for place, (name, mark) in enumerate(zip(self.names, marks)):
            if str(mark) not in ("0", "1"):
                raise ValueError(f"{where}: {name!r} must be 0 or 1, not {shown(mark)}")
            bits |= int(mark) << place
        self._rows += bits.to_bytes(self._width, "little")

    def values(self) -> SeveralLabels:
        """Return the classes of each row."""
        return self

    def __len__(self) -> int:
        return len(self._rows) // self._width

    def _at(self, number: int) -> list[str]:
        first = number * self._width
        bits = int.from_bytes(self._rows[first : first + self._width], "little")
        return [name for place, name in enumerate(self.names) if bits >> place & 1]
