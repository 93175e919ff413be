"""The loader: batches of Tensors from a data set."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Callable, NamedTuple, Optional

from core.io.batch_sampler import BatchSampler, check_batch_size
from core.io.collate import default_collate_fn, default_convert_fn, to_tensors
from core.io.dataset import Dataset, IterableDataset
from core.io.prefetch import prefetched
from core.io.randomness import sample_scope
from core.io.sampler import EpochRandomSampler


class WorkerInfo(NamedTuple):
    """What a worker process knows about itself: its number, how many there are, and its copy of the data set."""

    id: int
    num_workers: int
    dataset: Dataset


def get_worker_info() -> Optional[WorkerInfo]:
    """Return what this worker process knows about itself, or None in the parent process."""
    return None


class DataLoader:
    """Iterate over a data set in batches of Tensors.

    Args:
        dataset: a Dataset or an IterableDataset.
        feed_list: for static graphs, not built here; must be None.
        places: accepted and ignored: Tensors are made on the current device.
        return_list: must be True; batches are lists of Tensors, or what ``collate_fn`` returns.
        batch_sampler: lists of indices; excludes ``batch_size``, ``shuffle`` and ``drop_last``.
        batch_size: samples per batch; None: each item of the data set is handed on as it is.
        shuffle: visit the samples in random order, a new one each epoch.
        drop_last: leave out the last batch when it is not full.
        collate_fn: makes a batch from a list of samples; None: :func:`default_collate_fn`.
        num_workers: worker processes; only 0 (read in this process) is built.
        use_buffer_reader: read ahead in a thread.
        prefetch_factor: how many batches to read ahead.
        use_shared_memory: accepted; concerns worker processes only.
        timeout: concerns worker processes; must be 0.
        worker_init_fn: concerns worker processes; must be None.
        persistent_workers: concerns worker processes; must be False.
        seed: makes order and augmentation a function of (seed, epoch, sample index) alone; see :meth:`set_epoch`. None:
            both come from numpy's global generator.

    Raises:
        NotImplementedError: an option is asked for that is not built; the message names it.
        ValueError: options exclude each other or are out of range.
        TypeError: ``dataset`` or ``collate_fn`` is of the wrong kind.
    """

    def __init__(
        self,
        dataset: Dataset,
        feed_list: Optional[Sequence[Any]] = None,
        places: Any = None,
        return_list: bool = True,
        batch_sampler: Any = None,
        batch_size: Optional[int] = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Optional[Callable[[list[Any]], Any]] = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        prefetch_factor: int = 2,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Optional[Callable[[int], None]] = None,
        persistent_workers: bool = False,
        *,
        seed: Optional[int] = None,
    ) -> None:
        _refuse_unbuilt(feed_list, return_list, num_workers, timeout, worker_init_fn, persistent_workers)
        if not hasattr(dataset, "__getitem__") and not isinstance(dataset, IterableDataset):
            kind = type(dataset).__name__
            raise TypeError(f"DataLoader: dataset must be a Dataset or an IterableDataset, not {kind}")
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(f"DataLoader: collate_fn must be callable, not {collate_fn!r}")
        if not isinstance(prefetch_factor, int) or prefetch_factor < 1:
            raise ValueError(f"DataLoader: prefetch_factor must be a positive integer, not {prefetch_factor!r}")
        self.dataset = dataset
        self.num_workers = num_workers
        self.use_buffer_reader = use_buffer_reader
        self.prefetch_factor = prefetch_factor
        self.drop_last = drop_last
        self.seed = seed
        self.epoch = 0
        self.batch_size = batch_size
        self.batch_sampler = self._choose_sampler(batch_sampler, batch_size, shuffle, drop_last)
        makes_batches = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate_fn if makes_batches else default_convert_fn)
        self._makes_batches = makes_batches

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that the next iteration reads, for orders and augmentation that depend on it."""
        self.epoch = epoch
        if hasattr(self.batch_sampler, "set_epoch"):
            self.batch_sampler.set_epoch(epoch)

    def batches(self, start: int = 0) -> Generator[Any, None, None]:
        """Iterate over the epoch's batches from number ``start`` on, without reading the samples before it.

        Args:
            start: how many batches to skip.

        Returns:
            An iterator of batches with Tensors inside.
        """
        arrays = self._array_batches(start)
        if self.use_buffer_reader:
            with contextlib.closing(prefetched(arrays, self.prefetch_factor)) as ahead:
                for batch in ahead:
                    yield to_tensors(batch)
        else:
            for batch in arrays:
                yield to_tensors(batch)

    def __iter__(self) -> Iterator[Any]:
        return self.batches()

    def __call__(self) -> Iterator[Any]:
        """Return an iterator over the batches, as ``iter`` does."""
        return self.batches()

    def __len__(self) -> int:
        if isinstance(self.dataset, IterableDataset):
            raise TypeError("the length of a DataLoader over an IterableDataset is not known")
        return len(self.dataset) if self.batch_sampler is None else len(self.batch_sampler)

    def _choose_sampler(self, batch_sampler: Any, batch_size: Optional[int], shuffle: bool, drop_last: bool) -> Any:
        iterable = isinstance(self.dataset, IterableDataset)
        if iterable and (shuffle or batch_sampler is not None):
            option = "batch_sampler" if batch_sampler is not None else "shuffle=True"
            raise ValueError(f"DataLoader: {option} needs numbered samples; an IterableDataset has none")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or drop_last:
                raise ValueError("DataLoader: batch_sampler excludes batch_size, shuffle and drop_last")
            return batch_sampler
        if batch_size is None:
            if shuffle or drop_last:
                raise ValueError("DataLoader: batch_size=None excludes shuffle and drop_last")
            return None
        check_batch_size("DataLoader", batch_size)
        if iterable:
            return None
        if shuffle and self.seed is not None:
            order = EpochRandomSampler(self.dataset, self.seed)
            return BatchSampler(sampler=order, batch_size=batch_size, drop_last=drop_last)
        return BatchSampler(self.dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)

    def _array_batches(self, start: int) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            yield from self._batches_of_stream(start)
            return
        epoch = self.epoch
        groups = self.batch_sampler if self._makes_batches else range(len(self.dataset))
        for group in itertools.islice(iter(groups), start, None):
            if self._makes_batches:
                yield self.collate_fn([self._sample(index, epoch) for index in group])
            else:
                yield self.collate_fn(self._sample(group, epoch))

    def _batches_of_stream(self, start: int) -> Iterator[Any]:
        stream = self._samples_of_stream()
        if not self._makes_batches:
            yield from (self.collate_fn(sample) for sample in itertools.islice(stream, start, None))
            return
        size = self.batch_size or 1
        stream = itertools.islice(stream, start * size, None)
        while batch := list(itertools.islice(stream, size)):
            if len(batch) == size or not self.drop_last:
                yield self.collate_fn(batch)

    def _samples_of_stream(self) -> Iterator[Any]:
        stream = iter(self.dataset)
        for index in itertools.count():
            with self._scope(index, self.epoch):
                try:
                    sample = next(stream)
                except StopIteration:
                    return
            yield sample

    def _sample(self, index: int, epoch: int) -> Any:
        with self._scope(index, epoch):
            return self.dataset[index]

    def _scope(self, index: int, epoch: int) -> AbstractContextManager[None]:
        return contextlib.nullcontext() if self.seed is None else sample_scope(self.seed, epoch, int(index))


def _refuse_unbuilt(
    feed_list: Any, return_list: bool, num_workers: int, timeout: float, worker_init_fn: Any, persistent_workers: bool
) -> None:
    if not isinstance(num_workers, int) or num_workers < 0:
        raise ValueError(f"DataLoader: num_workers must be a non-negative integer, not {num_workers!r}")
    asked = {
        "feed_list": feed_list is not None,
        "return_list=False": not return_list,
        f"num_workers={num_workers}": num_workers > 0,
        f"timeout={timeout}": timeout != 0,
        "worker_init_fn": worker_init_fn is not None,
        "persistent_workers=True": persistent_workers,
    }
    unbuilt = [name for name, wanted in asked.items() if wanted]
    if unbuilt:
        raise NotImplementedError(
            f"DataLoader: {', '.join(unbuilt)} is not built; data is read in this process (num_workers=0), "
            "ahead of time in a thread"
        )
