"""Batch samplers: which samples make up which batch."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sized
from typing import Any, Optional

import numpy as np

from core.io.sampler import RandomSampler, Sampler, SequenceSampler


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
        count = len(self.sampler)  # type: ignore[arg-type]  # TypeError where a user's sampler has none
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
        self.nranks, self.local_rank = _share("DistributedBatchSampler", num_replicas, rank)
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


class DistributedBatches(Sampler):
    """The batches of one process out of several, where a batch sampler makes the same ones in all of them.

    Such are the samplers of groups, lengths and sizes, whose batches depend on (seed, epoch) alone. Batches go to the
    processes in turn. So that all make the same number, the list is repeated from its start until it divides evenly.

    Args:
        batch_sampler: makes the batches of all processes, and has a length.
        num_replicas: how many processes; None: the environment's ``PADDLE_TRAINERS_NUM``, else 1.
        rank: which of them this is; None: the environment's ``PADDLE_TRAINER_ID``, else 0.
        drop_last: leave out the batches that do not divide evenly, instead of repeating others.

    Raises:
        ValueError: ``num_replicas`` is not a positive integer, or ``rank`` is not below it.
    """

    def __init__(
        self,
        batch_sampler: Any,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
        drop_last: bool = False,
    ) -> None:
        super().__init__()
        self.batch_sampler = batch_sampler
        self.batch_size: Optional[int] = getattr(batch_sampler, "batch_size", None)
        self.max_tokens: Optional[int] = getattr(batch_sampler, "max_tokens", None)
        self.nranks, self.local_rank = _share("DistributedBatches", num_replicas, rank)
        self.drop_last = drop_last

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose batches the next iteration gives."""
        self.batch_sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[list[int]]:
        batches = list(self.batch_sampler)
        mine = range(self.local_rank, self._count(len(batches)) * self.nranks, self.nranks)
        return (batches[place % len(batches)] for place in mine)

    def __len__(self) -> int:
        return self._count(len(self.batch_sampler))

    def _count(self, total: int) -> int:
        return total // self.nranks if self.drop_last else math.ceil(total / self.nranks)


def _share(owner: str, num_replicas: Optional[int], rank: Optional[int]) -> tuple[int, int]:
    """Return how many processes there are and which of them this is, checked."""
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", "1")) if num_replicas is None else num_replicas
    own = int(os.environ.get("PADDLE_TRAINER_ID", "0")) if rank is None else rank
    if not isinstance(count, int) or count <= 0:
        raise ValueError(f"{owner}: num_replicas must be a positive integer, not {count!r}")
    if not isinstance(own, int) or not 0 <= own < count:
        raise ValueError(f"{owner}: rank {own!r} is not one of 0 ... {count - 1}")
    return count, own


def check_batch_size(owner: str, batch_size: object) -> None:
    """Refuse a batch size that is not a positive integer; as :func:`check_positive`."""
    check_positive(owner, "batch_size", batch_size)


def check_positive(owner: str, name: str, value: object) -> None:
    """Refuse a number that is not a positive integer.

    Args:
        owner: who asks, for the message.
        name: of the argument.
        value: to check.

    Raises:
        ValueError: it is not a positive integer.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{owner}: {name} must be a positive integer, not {value!r}")
