"""Data sets: something with samples, and the ways to combine and split them."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, Optional

from core.io.randomness import permutation


class Dataset:
    """A map-style data set: sample number ``i`` is ``dataset[i]``, and ``len(dataset)`` says how many there are.

    A sample is an array, a number, a string, or a tuple, list or dict of these. Subclasses write ``__getitem__`` and
    ``__len__``.
    """

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__(index)")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__()")


class UnknownLengthError(RuntimeError, TypeError):
    """A stream was asked for its length; a TypeError too, so that ``list(stream)`` goes on without one."""


class IterableDataset(Dataset):
    """A data set that can only be read from front to back, such as a log or a stream. Subclasses write ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__()")

    def __getitem__(self, index: int) -> Any:
        raise RuntimeError(
            f"{type(self).__name__} is an IterableDataset, without a sample number {index!r}; iterate over it"
        )

    def __len__(self) -> int:
        raise UnknownLengthError(
            f"{type(self).__name__} is an IterableDataset: its length is not known; iterate over it"
        )


class StreamDataset(IterableDataset):
    """An iterable data set in two parts: records, which are cheap to read, and a transform that makes samples of them.

    A loader's workers all read the records, and each transforms only those of its own batches. Subclasses write
    ``records``.

    Args:
        transform: makes a sample of a record; None: records are the samples.
    """

    def __init__(self, transform: Optional[Callable[[Any], Any]] = None) -> None:
        self.transform = transform

    def records(self) -> Iterator[Any]:
        """Iterate over the raw records."""
        raise NotImplementedError(f"{type(self).__name__} must define records()")

    def __iter__(self) -> Iterator[Any]:
        for record in self.records():
            yield record if self.transform is None else self.transform(record)


class TensorDataset(Dataset):
    """Samples cut from arrays or Tensors along their first axis.

    Args:
        tensors: arrays or Tensors with the same first dimension N; sample i is ``(tensors[0][i], tensors[1][i], ...)``.

    Raises:
        ValueError: no tensors are given, one has no axis, or their first dimensions differ.
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        tensors = list(tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor")
        for position, tensor in enumerate(tensors):
            if len(tensor.shape) == 0:
                raise ValueError(f"TensorDataset: tensor {position} is 0-D and has no samples")
        lengths = [int(tensor.shape[0]) for tensor in tensors]
        if len(set(lengths)) > 1:
            raise ValueError(f"TensorDataset: the first dimensions differ: {lengths}")
        self.tensors = tensors

    def __getstate__(self) -> dict[str, Any]:
        """Arrays instead of Tensors: a worker process has no engine."""
        arrays = [tensor.numpy() if hasattr(tensor, "stop_gradient") else tensor for tensor in self.tensors]
        return {**self.__dict__, "tensors": arrays}

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class ComposeDataset(Dataset):
    """Data sets of equal length side by side: sample i joins the fields of sample i of each.

    Args:
        datasets: map-style data sets of equal length.

    Raises:
        ValueError: the list is empty or the lengths differ.
        TypeError: one of them is an IterableDataset.
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = _map_style("ComposeDataset", datasets)
        lengths = [len(dataset) for dataset in self.datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"ComposeDataset: the data sets have different lengths: {lengths}")

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        fields: list[Any] = []
        for dataset in self.datasets:
            sample = dataset[index]
            fields.extend(sample if isinstance(sample, (tuple, list)) else [sample])
        return tuple(fields)

    def __len__(self) -> int:
        return len(self.datasets[0])


class ChainDataset(IterableDataset):
    """Iterable data sets one after another.

    Args:
        datasets: the IterableDatasets, in order.

    Raises:
        ValueError: the list is empty.
        TypeError: one of them is not an IterableDataset.
    """

    def __init__(self, datasets: Sequence[IterableDataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ChainDataset needs at least one data set")
        for position, dataset in enumerate(self.datasets):
            if not isinstance(dataset, IterableDataset):
                kind = type(dataset).__name__
                raise TypeError(f"ChainDataset: data set {position} is a {kind}, not an IterableDataset")

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datasets)


class ConcatDataset(Dataset):
    """Map-style data sets one after another.

    Args:
        datasets: the data sets, in order.

    Raises:
        ValueError: the list is empty.
        TypeError: one of them is an IterableDataset.
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = _map_style("ConcatDataset", datasets)
        self.cumulative_sizes = list(itertools.accumulate(len(dataset) for dataset in self.datasets))

    def __getitem__(self, index: int) -> Any:
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"sample {index} is outside a ConcatDataset of {len(self)} samples")
        part = bisect.bisect_right(self.cumulative_sizes, position)
        return self.datasets[part][position - (self.cumulative_sizes[part - 1] if part else 0)]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


class Subset(Dataset):
    """Some samples of a data set, in the order given.

    Args:
        dataset: a map-style data set.
        indices: which of its samples; sample i of the subset is ``dataset[indices[i]]``.
    """

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Dataset, lengths: Sequence[float], generator: Optional[Any] = None) -> list[Subset]:
    """Split a data set at random into parts that do not overlap.

    Args:
        dataset: a map-style data set of N samples.
        lengths: the parts' sizes, which sum to N; or fractions that sum to 1 (what rounding down leaves over goes, one
            sample each, to the first parts).
        generator: a ``numpy.random.RandomState`` or ``Generator`` that draws the permutation; None: numpy's global one.

    Returns:
        One Subset per length.

    Raises:
        ValueError: the lengths neither sum to N nor are fractions that sum to 1.
    """
    total = len(dataset)
    sizes = _sizes_of_fractions(lengths, total) if _are_fractions(lengths) else [int(length) for length in lengths]
    if sum(sizes) != total or min(sizes, default=-1) < 0:
        raise ValueError(
            f"random_split: lengths {list(lengths)} sum to {sum(lengths)}; the data set has {total} samples"
        )
    order = permutation(total) if generator is None else generator.permutation(total).tolist()
    ends = list(itertools.accumulate(sizes))
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends)]


def _are_fractions(lengths: Sequence[float]) -> bool:
    return all(0 <= length <= 1 for length in lengths) and math.isclose(sum(lengths), 1.0)


def _sizes_of_fractions(fractions: Sequence[float], total: int) -> list[int]:
    sizes = [math.floor(total * fraction) for fraction in fractions]
    for position in range(total - sum(sizes)):
        sizes[position % len(sizes)] += 1
    return sizes


def _map_style(name: str, datasets: Iterable[Dataset]) -> list[Dataset]:
    found = list(datasets)
    if not found:
        raise ValueError(f"{name} needs at least one data set")
    for position, dataset in enumerate(found):
        if isinstance(dataset, IterableDataset):
            raise TypeError(f"{name}: data set {position} is an IterableDataset; only map-style data sets fit")
    return found
