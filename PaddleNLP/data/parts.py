"""Parts of a data set by line numbers, without texts that other parts have, too.

A file that comes without a train, a dev and a test part is cut by a rule of the config. Equal texts, white
space aside, never come into two parts: what is judged was not seen in training.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import pydantic

from core.train.config.schema import Section
from PaddleNLP.data.dataset import TextDataset
from PaddleNLP.data.encoded import texts_of

if TYPE_CHECKING:
    from typing_extensions import Self


class PartSection(Section):
    """Which lines of a file belong to a split; the number of its first line is 0."""

    every: pydantic.PositiveInt = pydantic.Field(
        1, le=1000, description="lines are dealt in turn, as to so many players: line i goes to player i modulo every"
    )
    keep: list[pydantic.NonNegativeInt] = pydantic.Field(
        [0], min_length=1, description="the players whose lines are kept; a repeated text counts for its first line"
    )
    apart_from: list[dict[str, Any]] = pydantic.Field(
        [], description="data sets, as in dataset; samples with a text that one of them has are left out"
    )

    @pydantic.model_validator(mode="after")
    def _dealt(self) -> Self:
        beyond = [player for player in self.keep if player >= self.every]
        if beyond:
            raise ValueError(f"keep has {beyond[0]}, but every deals to players from 0 to {self.every - 1}")
        return self


class _Chosen(Sequence[Any]):
    """Some rows of a column."""

    def __init__(self, values: Sequence[Any], rows: array[int]) -> None:
        self.values, self.rows = values, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        found = self.rows[index]
        return [self.values[row] for row in found] if isinstance(index, slice) else self.values[found]


def part_of(
    dataset: TextDataset, every: int = 1, keep: Iterable[int] = (0,), foreign: AbstractSet[str] = frozenset()
) -> TextDataset:
    """Return the samples of some lines whose texts occur in no other line, and in no other data set.

    A text belongs to the line in which it occurs first, with whatever second text. A sample stays if its line is kept,
    its texts belong to lines that are kept, and no sample before it has the same texts.

    Args:
        dataset: a data set of texts or tokens.
        every: see :class:`PartSection`, as for ``keep``.
        keep: which lines.
        foreign: texts that are left out, as :func:`texts_in` gives them.

    Raises:
        ValueError: nothing is left.
    """
    kept = frozenset(keep)
    owned: dict[str, bool] = {}
    seen: set[tuple[str, ...]] = set()
    rows = array("q")
    for number in range(len(dataset)):
        line = number if dataset.lines is None else dataset.lines[number] - 1
        own = line % every in kept
        keys = _keys(dataset.sample(number))
        for key in keys:
            owned.setdefault(key, own)
        if own and keys not in seen and all(owned[key] and key not in foreign for key in keys):
            rows.append(number)
            seen.add(keys)
    if not rows:
        raise ValueError(f"{dataset.path or type(dataset).__name__}: no sample is left of its part")
    return _with_rows(dataset, rows)


def texts_in(datasets: Iterable[TextDataset]) -> frozenset[str]:
    """Return all texts of data sets without white space, by which texts are compared."""
    return frozenset(
        text for dataset in datasets for number in range(len(dataset)) for text in _keys(dataset.sample(number))
    )


def _keys(sample: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple("".join(text.split()) for text in texts_of([sample]))


def _with_rows(dataset: TextDataset, rows: array[int]) -> TextDataset:
    found = copy.copy(dataset)
    found.columns = {name: _Chosen(values, rows) for name, values in dataset.columns.items()}
    found.lines = array("q", (row + 1 if dataset.lines is None else dataset.lines[row] for row in rows))
    found._count = len(rows)
    return found
