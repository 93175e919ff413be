"""Samplers: in which order the samples of a data set are visited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any, Optional

import numpy as np

from core.io.randomness import choice, permutation


class Sampler:
    """An order of visit: iterating gives sample indices. Subclasses write ``__iter__``.

    Args:
        data_source: the data set, or anything with a length.
    """

    def __init__(self, data_source: Optional[Sized] = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__()")


class SequenceSampler(Sampler):
    """The samples in their order: 0, 1, ..., N-1.

    Args:
        data_source: the data set.
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        super().__init__(data_source)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """The samples in random order, drawn again from numpy's global generator at each iteration.

    Args:
        data_source: the data set.
        replacement: draw each index independently, so that samples may repeat.
        num_samples: how many indices to draw; None: as many as there are samples.
        generator: an iterator of indices to take instead of drawing them.

    Raises:
        TypeError: ``replacement`` is not a bool.
        ValueError: ``num_samples`` is not a positive integer, or exceeds the data set without replacement.
    """

    data_source: Sized

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: Optional[int] = None,
        generator: Optional[Any] = None,
    ) -> None:
        super().__init__(data_source)
        if not isinstance(replacement, bool):
            raise TypeError(f"RandomSampler: replacement must be True or False, not {replacement!r}")
        if num_samples is not None and (not isinstance(num_samples, int) or num_samples <= 0):
            raise ValueError(f"RandomSampler: num_samples must be a positive integer, not {num_samples!r}")
        if num_samples is not None and not replacement and num_samples > len(data_source):
            raise ValueError(
                f"RandomSampler: num_samples {num_samples} exceeds the {len(data_source)} samples of the data set; "
                "pass replacement=True to draw more"
            )
        self.replacement = replacement
        self.generator = generator
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """How many indices one iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count = len(self.data_source)
        if self.generator is not None:
            for _ in range(self.num_samples):
                try:
                    yield int(next(self.generator))
                except StopIteration:
                    return
        elif self.replacement:
            yield from choice(count, self.num_samples, replacement=True)
        else:
            yield from permutation(count)[: self.num_samples]

    def __len__(self) -> int:
        return self.num_samples


class EpochRandomSampler(Sampler):
    """The samples in a random order that depends on nothing but (seed, epoch), so that a resumed run repeats it.

    Args:
        data_source: the data set.
        seed: any non-negative integer.
    """

    data_source: Sized

    def __init__(self, data_source: Sized, seed: int = 0) -> None:
        super().__init__(data_source)
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose order the next iteration gives."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, self.epoch])))
        return iter(generator.permutation(len(self.data_source)).tolist())

    def __len__(self) -> int:
        return len(self.data_source)


class SubsetRandomSampler(Sampler):
    """Given indices in random order, without replacement.

    Args:
        indices: the indices to visit.

    Raises:
        ValueError: there are none.
    """

    def __init__(self, indices: Sequence[int]) -> None:
        super().__init__()
        if len(indices) == 0:
            raise ValueError("SubsetRandomSampler: there are no indices to sample from")
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        for position in permutation(len(self.indices)):
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Random indices, index i with a probability proportional to ``weights[i]``.

    Args:
        weights: N non-negative numbers, not all zero.
        num_samples: how many indices to draw.
        replacement: whether an index may be drawn more than once.

    Raises:
        TypeError: ``replacement`` is not a bool.
        ValueError: ``num_samples`` is not positive, a weight is negative or not finite, all are zero, or more samples
            are asked for without replacement than there are positive weights.
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True) -> None:
        super().__init__()
        if not isinstance(num_samples, int) or num_samples <= 0:
            raise ValueError(f"WeightedRandomSampler: num_samples must be a positive integer, not {num_samples!r}")
        if not isinstance(replacement, bool):
            raise TypeError(f"WeightedRandomSampler: replacement must be True or False, not {replacement!r}")
        values = np.asarray(weights.numpy() if hasattr(weights, "numpy") else weights, dtype=np.float64)
        if values.ndim != 1 or not np.isfinite(values).all() or (values < 0).any() or values.sum() <= 0:
            raise ValueError("WeightedRandomSampler: weights must be a flat list of non-negative numbers, not all zero")
        positive = int((values > 0).sum())
        if not replacement and num_samples > positive:
            raise ValueError(
                f"WeightedRandomSampler: {num_samples} samples without replacement need as many positive weights; "
                f"there are {positive}"
            )
        self.weights = values / values.sum()
        self.num_samples = num_samples
        self.replacement = replacement

    def __iter__(self) -> Iterator[int]:
        return iter(choice(len(self.weights), self.num_samples, self.replacement, self.weights))

    def __len__(self) -> int:
        return self.num_samples
