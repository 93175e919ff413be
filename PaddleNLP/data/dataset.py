"""What a data set of texts is: samples that are plain mappings, kept in a few large blocks of memory."""

from __future__ import annotations

import abc
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np

from core.io import Dataset

Sample = dict[str, Any]
"""One sample: "text", perhaps "text_pair", "label"; or "tokens" and "tags"; or the fields of SQuAD."""

Transform = Callable[[Sample], Any]
Value = TypeVar("Value")


class Column(Sequence[Value]):
    """A value of each sample, made of a few large blocks of memory when it is asked for.

    Attributes:
        what: What the values are, for messages.
    """

    what = "values"

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} {self.what}, no number {index}")
        return self._at(number)

    @abc.abstractmethod
    def _at(self, number: int) -> Value: ...


class Texts(Column[str]):
    """Many texts as one block of UTF-8: a list of short texts takes several times the memory, and workers copy it.

    Args:
        texts: the texts.
    """

    what = "texts"

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._content = bytearray()
        self._ends = array("q", [0])
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add a text at the end."""
        self._content += text.encode("utf-8")
        self._ends.append(len(self._content))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _at(self, number: int) -> str:
        return self._content[self._ends[number] : self._ends[number + 1]].decode("utf-8")


class TextLists(Column[list[str]]):
    """Many lists of texts, such as the tokens of sentences, as one block of memory.

    Args:
        lists: the lists.
    """

    what = "lists"

    def __init__(self, lists: Iterable[Iterable[str]] = ()) -> None:
        self._texts = Texts()
        self._ends = array("q", [0])
        for texts in lists:
            self.append(texts)

    def append(self, texts: Iterable[str]) -> None:
        """Add a list at the end."""
        for text in texts:
            self._texts.append(text)
        self._ends.append(len(self._texts))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _at(self, number: int) -> list[str]:
        return self._texts[self._ends[number] : self._ends[number + 1]]


class Names(Sequence[str]):
    """A name of each sample, of few different ones.

    Args:
        names: the different names.
        numbers: of each sample which of them.
    """

    def __init__(self, names: Sequence[str], numbers: Iterable[int] = ()) -> None:
        self.names = list(names)
        self.numbers = array("i", numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        found = self.numbers[index]
        return [self.names[number] for number in found] if isinstance(index, slice) else self.names[found]


class NameLists(Column[list[str]]):
    """A list of names of each sample, such as the tags of its tokens, of few different ones.

    Args:
        names: the different names.
        numbers: of all lists, one after the other, which names.
        ends: where each list ends, after a 0.
    """

    what = "lists"

    def __init__(self, names: Sequence[str], numbers: Iterable[int] = (), ends: Iterable[int] = (0,)) -> None:
        self.names = list(names)
        self.numbers = array("i", numbers)
        self.ends = array("q", ends)

    def append(self, numbers: Iterable[int]) -> None:
        """Add a list at the end."""
        self.numbers.extend(numbers)
        self.ends.append(len(self.numbers))

    def __len__(self) -> int:
        return len(self.ends) - 1

    def _at(self, number: int) -> list[str]:
        return [self.names[found] for found in self.numbers[self.ends[number] : self.ends[number + 1]]]


class TextDataset(Dataset):
    """Sample i is a plain mapping: of each column the value of row i; after the transform.

    Args:
        columns: of each field the values of all samples, such as :class:`Texts`, :class:`Names` or an ``array``.
        labels: the names of the classes or tags in the order of their numbers; empty where a label is a number, or
            where there is none.
        path: the file, for messages.
        lines: of each sample its line in that file.
        transform: what to do with a sample; None: nothing.

    Attributes:
        multi_label: whether "label" is the list of all classes that a sample belongs to.

    Raises:
        ValueError: there are no samples, or the columns differ in length.
    """

    multi_label = False

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]],
        labels: Sequence[str] = (),
        path: str = "",
        lines: Optional[Sequence[int]] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        counts = {name: len(values) for name, values in columns.items()}
        if len(set(counts.values())) > 1:
            raise ValueError(f"{path or type(self).__name__}: columns of different lengths: {counts}")
        self.columns = dict(columns)
        self.labels = list(labels)
        self.path = path
        self.lines = lines
        self.transform = transform
        self._count = next(iter(counts.values()), 0)
        if not self._count:
            raise ValueError(f"{path or type(self).__name__}: there are no samples")

    def __len__(self) -> int:
        return self._count

    def sample(self, index: int) -> Sample:
        """Return a sample before the transform."""
        if not -self._count <= index < self._count:
            raise IndexError(f"{type(self).__name__} has {self._count} samples, no number {index}")
        return {name: values[index] for name, values in self.columns.items()}

    def __getitem__(self, index: int) -> Any:
        sample = self.sample(index)
        return sample if self.transform is None else self.transform(sample)

    def place(self, index: int) -> str:
        """Return where a sample is from, for messages: ``train.tsv:7``."""
        number = index + 1 if self.lines is None else self.lines[index]
        return f"{self.path or type(self).__name__}:{number}"


Labels = Union[str, list[str], dict[str, str], None]
"""Classes as a config gives them: a label file, the names, or of each word that a file has the name; None: as found."""


def shuffled_labels(dataset: TextDataset, seed: int = 0) -> TextDataset:
    """Return a data set whose labels are dealt to its samples at random: nothing can be learned from it.

    Args:
        dataset: the data set, which stays as it is.
        seed: of the order.

    Raises:
        ValueError: it has no labels.
    """
    if "label" not in dataset.columns:
        raise ValueError(f"{dataset.path or type(dataset).__name__}: there are no labels to shuffle")
    order = np.random.default_rng(seed).permutation(len(dataset))
    dealt = [dataset.columns["label"][int(index)] for index in order]
    found = TextDataset({**dataset.columns, "label": dealt}, dataset.labels, dataset.path, dataset.lines)
    found.transform, found.multi_label = dataset.transform, dataset.multi_label
    return found
