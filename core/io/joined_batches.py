"""Batches of several data sets in one order: each batch is of one of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from core.io.sampler import Sampler


class JoinedBatchSampler(Sampler):
    """The batches of several samplers as indices into a :class:`core.io.ConcatDataset` of their data sets.

    With ``shuffle``, the order of the batches depends on nothing but (seed, epoch), as that of a
    :class:`core.io.GroupBatchSampler` does; a data set with twice the batches has twice the steps.

    Args:
        samplers: of each data set what gives the indices of its batches.
        sizes: of each data set its number of samples.
        shuffle: give the batches of all data sets in random order, instead of one data set after the other.
        seed: any non-negative integer.

    Attributes:
        batch_size: the most samples of a batch.

    Raises:
        ValueError: there are no samplers, or not as many as sizes.
    """

    def __init__(self, samplers: Iterable[Any], sizes: Sequence[int], shuffle: bool = False, seed: int = 0) -> None:
        super().__init__(sizes)
        self.samplers = list(samplers)
        if not self.samplers or len(self.samplers) != len(sizes):
            raise ValueError(f"JoinedBatchSampler: {len(self.samplers)} samplers for {len(sizes)} sizes; give one each")
        self.starts = [0, *itertools.accumulate(sizes)][:-1]
        self.shuffle = shuffle
        self.seed = seed
        self.epoch = 0
        self.batch_size = max(getattr(sampler, "batch_size", 1) or 1 for sampler in self.samplers)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose batches the next iteration gives."""
        self.epoch = epoch
        for sampler in self.samplers:
            if hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[list[int]]:
        parts = zip(self.samplers, self.starts)
        batches = [[start + index for index in batch] for sampler, start in parts for batch in sampler]
        if not self.shuffle:
            return iter(batches)
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, self.epoch])))
        return (batches[place] for place in generator.permutation(len(batches)).tolist())

    def __len__(self) -> int:
        return sum(len(sampler) for sampler in self.samplers)
