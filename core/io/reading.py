"""Reading batches from a data set: what a loader does in this process, and its workers in theirs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Callable, Optional

import numpy as np

from core.io.batch import SampleError
from core.io.collate import collate, default_collate_fn
from core.io.dataset import Dataset, StreamDataset
from core.io.ragged.collate import Collate
from core.io.randomness import batch_scope, sample_scope, seed_global_generators
from core.io.workers import worker_info

_END = object()


@dataclasses.dataclass
class _Numbering:
    """Numbers of the things in a stream, which its share for this worker, if it chose one, has every so often."""

    first: int
    worker: int
    workers: int

    def __call__(self, position: int) -> int:
        number = self.first + position
        return number * self.workers + self.worker if worker_info.process.asked else number


@dataclasses.dataclass
class Reader:
    """A data set with all that turns its samples into batches of arrays.

    Attributes:
        dataset: where samples come from.
        collate_fn: makes a batch of a list of samples, or of one sample when ``makes_batches`` is False.
        makes_batches: whether samples are gathered at all.
        batch_size: how many samples of a stream make a batch.
        drop_last: leave out a stream's last batch when it is not full.
        owns_random_state: nobody else draws from numpy's and Python's global generators, so these are seeded.
        empty: makes the arrays that the default collate function fills.
        progress: how many samples have been read, and which one is being read.
    """

    dataset: Dataset
    collate_fn: Callable[[Any], Any]
    makes_batches: bool
    batch_size: int
    drop_last: bool
    owns_random_state: bool
    empty: Callable[[tuple[int, ...], np.dtype], np.ndarray] = np.empty
    progress: tuple[int, Any] = (0, None)

    def batch(self, group: Any, seed: Optional[int], epoch: int, number: int) -> Any:
        """Return the batch of the samples with the indices ``group``.

        Args:
            group: a list of indices, or one index when no batches are made.
            seed: the run's seed; None: draws come from the global generators as they are.
            epoch: the epoch's number.
            number: the batch's number in the epoch.

        Returns:
            What ``collate_fn`` made.
        """
        with self._batch_scope(seed, epoch, number):
            if not self.makes_batches:
                return self._collate(self._sample(group, seed, epoch), seed, epoch, number)
            try:
                return self._collate([self._sample(index, seed, epoch) for index in group], seed, epoch, number)
            except SampleError as error:
                raise ValueError(f"sample {group[error.position]}: {error.text}") from None

    def stream(self, seed: Optional[int], epoch: int, start: int, worker: int = 0, workers: int = 1) -> Iterator[Any]:
        """Iterate over a worker's batches of an IterableDataset.

        A data set that asked for the worker's info has chosen its share itself: all of its batches are given, from the
        first one on. Otherwise each worker reads the same samples, and gives every ``workers``-th batch of those from
        number ``start`` on, so that the workers in turn give each batch once.

        Args:
            seed: the run's seed; None: draws come from the global generators as they are.
            epoch: the epoch's number.
            start: how many batches to skip.
            worker: this worker's number.
            workers: how many there are.

        Returns:
            Batches.
        """
        size = self.batch_size if self.makes_batches else 1
        records = self._records()
        if seed is not None and self.owns_random_state:  # shares must not have the same noise
            worker_info.process.when_asked = functools.partial(seed_global_generators, seed, epoch, 0, 2, worker)
        for number in itertools.count():
            numbered = _Numbering(number * size, worker, workers)
            batch_number = _Numbering(number, worker, workers)(0)
            with self._batch_scope(seed, epoch, batch_number):
                found = self._next_records(records, size, seed, epoch, numbered, number == 0)
            complete = len(found) == size
            mine = worker_info.process.asked or (number >= start and number % workers == worker)
            if found and mine and (complete or not self.drop_last):
                with self._batch_scope(seed, epoch, batch_number, purpose=1):
                    samples = self._transformed(found, seed, epoch, numbered)
                    batch = self._collate(samples if self.makes_batches else samples[0], seed, epoch, batch_number)
                yield batch
            if not complete:
                return

    def _records(self) -> Iterator[Any]:
        if isinstance(self.dataset, StreamDataset):
            return iter(self.dataset.records())
        return iter(self.dataset)

    def _next_records(
        self, records: Iterator[Any], count: int, seed: Optional[int], epoch: int, numbered: _Numbering, first: bool
    ) -> list[Any]:
        found: list[Any] = []
        apart = (1,) if isinstance(self.dataset, StreamDataset) else ()  # the transform draws from the sample's own
        while len(found) < count:
            position = len(found)
            self.progress = (self.progress[0] + 1, numbered(position))
            before = worker_info.process.asked
            with self._sample_scope(seed, epoch, functools.partial(numbered, position), apart):
                record = next(records, _END)
            if worker_info.process.asked and not before and not (first and position == 0):
                raise RuntimeError(
                    f"{type(self.dataset).__name__} asked get_worker_info() after it had given a sample; a stream that "
                    "chooses its own share must ask before its first one"
                )
            if record is _END:
                break
            found.append(record)
        return found

    def _transformed(self, records: list[Any], seed: Optional[int], epoch: int, numbered: _Numbering) -> list[Any]:
        if not isinstance(self.dataset, StreamDataset) or self.dataset.transform is None:
            return records
        samples = []
        for position, record in enumerate(records):
            self.progress = (self.progress[0] + 1, numbered(position))
            with self._sample_scope(seed, epoch, numbered(position)):
                samples.append(self.dataset.transform(record))
        return samples

    def _collate(self, samples: Any, seed: Optional[int], epoch: int, number: int) -> Any:
        if self.collate_fn is default_collate_fn:
            return collate(samples, self.empty)
        with self._sample_scope(seed, epoch, number, (2,)):  # one that mixes samples draws for the batch
            if isinstance(self.collate_fn, Collate):
                return self.collate_fn.collate(samples, self.empty)
            return self.collate_fn(samples)

    def _sample(self, index: Any, seed: Optional[int], epoch: int) -> Any:
        self.progress = (self.progress[0] + 1, index)
        with self._sample_scope(seed, epoch, index):
            return self.dataset[index]

    def _sample_scope(
        self, seed: Optional[int], epoch: int, index: Any, purpose: tuple[int, ...] = ()
    ) -> AbstractContextManager[None]:
        return contextlib.nullcontext() if seed is None else sample_scope(seed, epoch, index, purpose)

    def _batch_scope(
        self, seed: Optional[int], epoch: int, number: int, purpose: int = 0
    ) -> AbstractContextManager[None]:
        if seed is None or not self.owns_random_state:
            return contextlib.nullcontext()
        return batch_scope(seed, epoch, number, purpose)
