"""The loader: batches of Tensors from a data set."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Generator, Iterator, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.io.batch_sampler import BatchSampler, check_batch_size
from core.io.collate import default_collate_fn, default_convert_fn, to_tensors
from core.io.dataset import Dataset, IterableDataset
from core.io.prefetch import prefetched
from core.io.reading import Reader
from core.io.sampler import EpochRandomSampler
from core.io.workers.pool import Workers

LEAST_LIMIT = 32
"""So many workers are allowed on any machine; otherwise four for each processor. Each is a Python of its own."""


class DataLoader:
    """Iterate over a data set in batches of Tensors.

    Args:
        dataset: a Dataset or an IterableDataset.
        feed_list: for static graphs, which core does not have; must be None.
        places: accepted and ignored: Tensors are made on the current device.
        return_list: must be True; batches are lists of Tensors, or what ``collate_fn`` returns.
        batch_sampler: lists of indices; excludes ``batch_size``, ``shuffle`` and ``drop_last``.
        batch_size: samples per batch; None: each item of the data set is handed on as it is.
        shuffle: visit the samples in random order, a new one each epoch.
        drop_last: leave out the last batch when it is not full.
        collate_fn: makes a batch from a list of samples; None: :func:`default_collate_fn`.
        num_workers: how many processes read; 0: this one does. They share no memory with it and have no engine, so data
            set and functions are sent to them by pickle. Batches and their order do not depend on how many there are.
        use_buffer_reader: read ahead: in a thread, or ``prefetch_factor`` batches per worker instead of one.
        prefetch_factor: how many batches to read ahead, per worker.
        use_shared_memory: bring batches from workers through shared memory, where there is enough; else through a pipe.
        timeout: seconds that a worker may take for a batch before it is taken for hung; 0: a minute for each sample.
        worker_init_fn: called in each worker with its number before it reads.
        persistent_workers: keep the workers, and their copies of the data set, from one epoch to the next.
        seed: makes order and augmentation a function of (seed, epoch, sample index) alone; see :meth:`set_epoch`. None:
            both follow from numpy's global generator.

    Raises:
        NotImplementedError: an option is asked for that is not built; the message names it.
        ValueError: options exclude each other or are out of range.
        TypeError: an argument is of the wrong kind. Iterating raises it for what cannot be sent to a worker.
        WorkerError: while iterating: a worker could not start, died, or did not get on.
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
        _check_options(
            feed_list, return_list, num_workers, prefetch_factor, timeout, worker_init_fn, persistent_workers
        )
        if not hasattr(dataset, "__getitem__") and not isinstance(dataset, IterableDataset):
            kind = type(dataset).__name__
            raise TypeError(f"DataLoader: dataset must be a Dataset or an IterableDataset, not {kind}")
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(f"DataLoader: collate_fn must be callable, not {collate_fn!r}")
        self.dataset = dataset
        self.num_workers = num_workers
        self.use_buffer_reader = use_buffer_reader
        self.prefetch_factor = prefetch_factor
        self.use_shared_memory = use_shared_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.persistent_workers = persistent_workers
        self.drop_last = drop_last
        self.seed = seed
        self.epoch = 0
        self.batch_size = batch_size
        self.batch_sampler = self._choose_sampler(batch_sampler, batch_size, shuffle, drop_last)
        makes_batches = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate_fn if makes_batches else default_convert_fn)
        self._makes_batches = makes_batches
        self._workers: Optional[Workers] = None

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
        with contextlib.closing(self._array_batches(start)) as arrays:
            for batch in arrays:
                yield to_tensors(batch)

    def __iter__(self) -> DataLoaderIterator:
        return DataLoaderIterator(self)

    def __call__(self) -> DataLoaderIterator:
        """Return an iterator over the batches, as ``iter`` does."""
        return DataLoaderIterator(self)

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

    def _array_batches(self, start: int) -> Generator[Any, None, None]:
        """Batches of numpy arrays, from whoever reads them."""
        if self.num_workers == 0:
            arrays = self._read_here(start)
            yield from prefetched(arrays, self.prefetch_factor) if self.use_buffer_reader else arrays
            return
        seed = self.seed
        if seed is None:  # as Paddle does: what workers draw follows from numpy's global generator
            seed = int(np.random.randint(1 << 31))  # noqa: NPY002
        workers = self._workers
        if workers is None or workers.busy:
            workers = self._start_workers()
        keep = self.persistent_workers and self._workers in (None, workers)
        if keep and self._workers is None:
            self._workers = workers
        try:
            if isinstance(self.dataset, IterableDataset):
                batches = workers.stream(seed, self.epoch, start)
            else:
                batches = workers.read(self._groups(start), seed, self.epoch, start)
            with contextlib.closing(batches):
                yield from batches
        except GeneratorExit:
            raise
        except BaseException:
            keep = False
            raise
        finally:
            if not keep:
                workers.close()
                if self._workers is workers:
                    self._workers = None

    def _read_here(self, start: int) -> Iterator[Any]:
        reader = self._reader(owns_random_state=not self.use_buffer_reader)
        epoch = self.epoch
        if isinstance(self.dataset, IterableDataset):
            yield from reader.stream(self.seed, epoch, start)
            return
        for number, group in enumerate(self._groups(start), start):
            yield reader.batch(group, self.seed, epoch, number)

    def _groups(self, start: int) -> Iterator[Any]:
        groups = self.batch_sampler if self._makes_batches else range(len(self.dataset))
        return itertools.islice(iter(groups), start, None)

    def _reader(self, owns_random_state: bool) -> Reader:
        return Reader(
            self.dataset, self.collate_fn, self._makes_batches, self.batch_size or 1, self.drop_last, owns_random_state
        )

    def _start_workers(self) -> Workers:
        return Workers(
            self._reader(owns_random_state=True),
            self.num_workers,
            self.prefetch_factor if self.use_buffer_reader else 1,
            self.timeout,
            self.worker_init_fn,
            self.use_shared_memory,
        )


def _check_options(
    feed_list: Any,
    return_list: bool,
    num_workers: int,
    prefetch_factor: int,
    timeout: float,
    worker_init_fn: Any,
    persistent_workers: bool,
) -> None:
    unbuilt = [
        name
        for name, wanted in (("feed_list", feed_list is not None), ("return_list=False", not return_list))
        if wanted
    ]
    if unbuilt:
        raise NotImplementedError(
            f"DataLoader: {', '.join(unbuilt)} belongs to static graphs, which core does not have; "
            "iterate over the loader's batches"
        )
    if not isinstance(num_workers, int) or isinstance(num_workers, bool) or num_workers < 0:
        raise ValueError(f"DataLoader: num_workers must be a non-negative integer, not {num_workers!r}")
    most = max(LEAST_LIMIT, 4 * (os.cpu_count() or 1))
    if num_workers > most:
        count = os.cpu_count() or 1
        raise ValueError(f"DataLoader: num_workers {num_workers} is more than {most}, the most for {count} processors")
    if not isinstance(prefetch_factor, int) or prefetch_factor < 1:
        raise ValueError(f"DataLoader: prefetch_factor must be a positive integer, not {prefetch_factor!r}")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < 1e9:
        raise ValueError(f"DataLoader: timeout must be a number of seconds, 0 or more, not {timeout!r}")
    if worker_init_fn is not None and not callable(worker_init_fn):
        raise TypeError(f"DataLoader: worker_init_fn must be callable, not {worker_init_fn!r}")
    if persistent_workers and num_workers == 0:
        raise ValueError("DataLoader: persistent_workers=True needs workers; pass num_workers=1 or more")


class DataLoaderIterator(Iterator[Any]):
    """The batches of one epoch; closing it, or forgetting it, ends its workers.

    Args:
        loader: where the batches come from.
    """

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._batch_sampler = loader.batch_sampler
        self._batches = loader.batches()

    def __next__(self) -> Any:
        return next(self._batches)

    def close(self) -> None:
        """End the iteration, and its workers."""
        self._batches.close()
