"""Samplers: in which order, and in which batches, the samples of a data set are visited."""

from __future__ import annotations

import math
import os
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
    """The samples in random order, drawn anew from numpy's global generator at each iteration.

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


class BatchSampler(Sampler):
    """Lists of indices, one list per batch.

    Args:
        dataset: the data set; give either this or ``sampler``.
        sampler: an order of visit.
        shuffle: with ``dataset``: visit it in random order.
        batch_size: samples per batch.
        drop_last: leave out the last batch when it is not full.

    Raises:
        ValueError: both or neither of ``dataset`` and ``sampler`` are given, ``batch_size`` is not a positive integer,
            or ``shuffle`` is asked of a sampler.
        TypeError: ``shuffle`` or ``drop_last`` is not a bool.
    """

    def __init__(
        self,
        dataset: Optional[Sized] = None,
        sampler: Optional[Sampler] = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset)
        if (dataset is None) == (sampler is None):
            raise ValueError("BatchSampler needs either dataset or sampler, not both")
        check_batch_size("BatchSampler", batch_size)
        for name, value in (("shuffle", shuffle), ("drop_last", drop_last)):
            if not isinstance(value, bool):
                raise TypeError(f"BatchSampler: {name} must be True or False, not {value!r}")
        if sampler is not None:
            if shuffle:
                raise ValueError("BatchSampler: shuffle=True has no meaning with a sampler; give a RandomSampler")
            self.sampler = sampler
        elif dataset is not None:
            self.sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last

    def set_epoch(self, epoch: int) -> None:
        """Tell the sampler the epoch, when its order depends on one."""
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of one process out of several, which together visit each sample once.

    The list of samples is repeated from its start until it divides evenly, so that all processes make the same
    number of batches, and then shuffled. Consecutive blocks of ``batch_size`` samples go to the processes in turn;
    what is left at the end is cut into equal pieces.

    Args:
        dataset: the data set.
        batch_size: samples per batch and process.
        num_replicas: how many processes; None: the environment's ``PADDLE_TRAINERS_NUM``, else 1.
        rank: which of them this is; None: the environment's ``PADDLE_TRAINER_ID``, else 0.
        shuffle: visit in an order drawn from the epoch's number.
        drop_last: leave out the last batch when it is not full.

    Raises:
        ValueError: ``batch_size`` or ``num_replicas`` is not a positive integer, or ``rank`` is not below it.
    """

    def __init__(
        self,
        dataset: Sized,
        batch_size: int,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset=dataset, shuffle=False, batch_size=batch_size, drop_last=drop_last)
        self.dataset = dataset
        self.shuffle = shuffle
        self.nranks = int(os.environ.get("PADDLE_TRAINERS_NUM", "1")) if num_replicas is None else num_replicas
        self.local_rank = int(os.environ.get("PADDLE_TRAINER_ID", "0")) if rank is None else rank
        if not isinstance(self.nranks, int) or self.nranks <= 0:
            raise ValueError(f"DistributedBatchSampler: num_replicas must be a positive integer, not {self.nranks!r}")
        if not isinstance(self.local_rank, int) or not 0 <= self.local_rank < self.nranks:
            raise ValueError(f"DistributedBatchSampler: rank {self.local_rank!r} is not one of 0 ... {self.nranks - 1}")
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / self.nranks)
        self.total_size = self.num_samples * self.nranks

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose order the next iteration gives; iterating advances it by one."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        order = np.resize(np.arange(len(self.dataset)), self.total_size)
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        mine = self._share(order)
        for start in range(0, len(mine), self.batch_size):
            batch = mine[start : start + self.batch_size].tolist()
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def _share(self, order: np.ndarray) -> np.ndarray:
        rest = self.total_size % (self.batch_size * self.nranks)
        whole = order[: self.total_size - rest].reshape(-1, self.nranks, self.batch_size)
        tail = order[self.total_size - rest :].reshape(self.nranks, -1)
        return np.concatenate([whole[:, self.local_rank].reshape(-1), tail[self.local_rank]])

    def __len__(self) -> int:
        if self.drop_last:
            return self.num_samples // self.batch_size
        return math.ceil(self.num_samples / self.batch_size)


def check_batch_size(owner: str, batch_size: object) -> None:
    """Refuse a batch size that is not a positive integer.

    Args:
        owner: who asks, for the message.
        batch_size: the value to check.

    Raises:
        ValueError: it is not a positive integer.
    """
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
        raise ValueError(f"{owner}: batch_size must be a positive integer, not {batch_size!r}")
