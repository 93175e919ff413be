"""A trained run or an exported folder, ready to read texts: what all kinds of readers share."""

from __future__ import annotations

import abc
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, ClassVar, Optional, Union

import numpy as np

from core.weights.messages import shown
from PaddleNLP.word_level import WordLevelTokenizer

Text = Union[str, tuple[str, str]]
"""A text, or a pair of texts."""


class TextReader(abc.ABC):
    """Texts to what they say: a tokeniser, a network, class names; :func:`PaddleNLP.open_reader` makes one.

    Args:
        path: the folder that it was made of.
        run: computes the network's results of arrays by name.
        tokenizer: makes ids of texts.
        max_length: tokens of a text at most.
        class_names: the classes, in the order of their numbers.
        settings: what else the kind of reader needs.

    Attributes:
        placed: whether results need the characters of tokens, which cutting a text then gives.
        multiple: a text by itself is padded to multiples of so many tokens, as each length is prepared for once.
    """

    placed: ClassVar[bool] = False
    multiple: ClassVar[int] = 8

    def __init__(
        self,
        path: Union[str, os.PathLike[str]],
        run: Callable[[dict[str, np.ndarray]], Sequence[np.ndarray]],
        tokenizer: Any,
        max_length: int,
        class_names: Sequence[str] = (),
        settings: Optional[dict[str, Any]] = None,
    ) -> None:
        self.path = Path(path)
        self.run = run
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.class_names = list(class_names)
        self.settings = dict(settings or {})
        self._warned_of_cut = False

    def predict(self, texts: Union[Text, Sequence[Text]], batch_size: int = 32) -> Any:
        """Read texts.

        Args:
            texts: a text; a pair, as a tuple; or a list of them. Longer ones than ``max_length`` tokens are cut, of
                which the first one is warned of.
            batch_size: so many go through the network at once, those of alike length together.

        Returns:
            A result; of a list a list, in its order.

        Raises:
            TypeError: a text is no string.
            ValueError: a text is cut into words otherwise than by the tokeniser, or ``batch_size`` is not positive.
        """
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a positive whole number, not {batch_size!r}")
        single = isinstance(texts, (str, tuple))
        given: list[Text] = [texts] if single else list(texts)  # type: ignore[list-item]  # a text
        if isinstance(self.tokenizer, WordLevelTokenizer):
            self._check_segmentation(given)
        found = self._read(given, batch_size)
        return found[0] if single else found

    def _check_segmentation(self, texts: Sequence[Text]) -> None:
        for text in texts:
            for part in text if isinstance(text, tuple) else (text,):
                problem = self.tokenizer.problem(part) if isinstance(part, str) else ""
                if problem:
                    raise ValueError(f"{self.path}: {problem}")

    def remarks(self) -> dict[str, Any]:
        """Return what is written beside each result: by what texts are cut into words, where that is reported."""
        return {"segmenter": self.tokenizer.segmenter} if isinstance(self.tokenizer, WordLevelTokenizer) else {}

    @abc.abstractmethod
    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the results of texts, in their order."""

    def tokens(self, texts: Sequence[Any], pairs: Optional[Sequence[Any]] = None, **options: Any) -> dict[str, Any]:
        """Return the tokeniser's columns of texts, or pairs, cut to ``max_length``; the first cut is warned of.

        Args:
            texts: the texts.
            pairs: the second ones.
            **options: of :meth:`core.text.PretrainedTokenizer.batch`.
        """
        columns: dict[str, Any] = self.tokenizer.batch(
            texts, pairs, self.max_length, return_num_truncated_tokens=True, **options
        )
        surplus = columns.pop("num_truncated_tokens")
        if any(surplus) and not self._warned_of_cut:
            self._warned_of_cut = True
            most = self.max_length + max(surplus)
            text = f"a text of {most} tokens is cut to {self.max_length}, which the network was trained for"
            warnings.warn(f"{self.path}: {text}; so are all longer ones", stacklevel=2)
        return columns

    def computed(
        self, columns: Mapping[str, Sequence[Any]], batch_size: int
    ) -> Iterator[tuple[list[int], Sequence[np.ndarray]]]:
        """Go through the rows of a tokeniser's columns, those of alike length together.

        Args:
            columns: the tokeniser's.
            batch_size: so many rows go through the network at once.

        Yields:
            The numbers of some rows, and the network's results of them, padded.
        """
        order = np.argsort([len(ids) for ids in columns["input_ids"]], kind="stable")
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size].tolist()
            yield rows, self.run(self.batch({name: [column[row] for row in rows] for name, column in columns.items()}))

    def batch(self, columns: dict[str, list[Any]]) -> dict[str, np.ndarray]:
        """Return the network's arrays of some texts' columns, padded."""
        longest = max(1, *map(len, columns["input_ids"]))
        length = rounded_up(longest, self.multiple if len(columns["input_ids"]) == 1 else 1)
        if length > self.max_length:
            length = max(self.max_length, longest)
        fills = {"input_ids": self.tokenizer.pad_token_id, "token_type_ids": self.tokenizer.pad_token_type_id}
        arrays = {}
        for name, value in fills.items():
            if name in columns:
                arrays[name] = np.full((len(columns[name]), length), value, np.int64)
                for row, ids in zip(arrays[name], columns[name]):
                    row[: len(ids)] = ids
        return arrays


def rounded_up(length: int, multiple: int) -> int:
    """Return how long a batch is made, so that few lengths occur and little is padded.

    Args:
        length: of its longest text, tokens, at least 1.
        multiple: the result is one of so many, or of a sixteenth of the length where that is more.
    """
    step = max(multiple, (1 << (length.bit_length() - 1)) // 16)
    return length + -length % step


class WholeTextReader(TextReader):
    """Reads texts one by one: each is a row of the network's batch, and is cut where it is too long."""

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        if not texts:
            return []
        for text in texts:
            parts = text if isinstance(text, tuple) else (text, "")
            if len(parts) != 2 or not all(isinstance(part, str) for part in parts):
                raise TypeError(f"a text to read is a string, or a tuple of two, not {shown(text)}")
        columns = self.encode(texts)
        found: dict[int, Any] = {}
        for rows, outputs in self.computed(columns, batch_size):
            for place, row in enumerate(rows):
                here = {name: column[row] for name, column in columns.items()}
                found[row] = self.decode(texts[row], here, [output[place] for output in outputs])
        return [found[row] for row in range(len(texts))]

    def encode(self, texts: Sequence[Text]) -> dict[str, list[Any]]:
        """Return the tokeniser's columns of texts; they are all pairs, or none is.

        Raises:
            ValueError: some are pairs and others are not.
        """
        pairs = {isinstance(text, tuple) for text in texts}
        if len(pairs) > 1:
            raise ValueError("read texts or pairs of texts, not both at once")
        first = [text[0] if isinstance(text, tuple) else text for text in texts]
        second = [text[1] for text in texts] if pairs == {True} else None
        return self.tokens(first, second, return_offsets_mapping=self.placed)

    @abc.abstractmethod
    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Any:
        """Return the result of a text.

        Args:
            text: as given.
            columns: what the tokeniser made of it: ids, and where the reader is ``placed`` "offset_mapping".
            outputs: the network's results of it; those of tokens are longer than the text where it was padded.
        """
