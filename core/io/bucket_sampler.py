"""Batches of samples that are alike, such as images of similar shape, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Optional

import numpy as np

from core.io.batch_sampler import check_batch_size
from core.io.sampler import Sampler


class GroupBatchSampler(Sampler):
    """Batches that hold samples of one group each.

    With ``shuffle``, samples within their group and the order of the batches depend on nothing but (seed, epoch), so
    that a resumed run repeats them.

    Args:
        groups: the group of each of the N samples.
        batch_size: samples per batch.
        shuffle: visit samples and batches in random order.
        drop_last: leave out the batches that are not full: at most one per group.
        seed: any non-negative integer.

    Raises:
        ValueError: ``batch_size`` is not a positive integer, or there are no samples.
    """

    def __init__(
        self, groups: Sequence[Hashable], batch_size: int, shuffle: bool = False, drop_last: bool = False, seed: int = 0
    ) -> None:
        super().__init__(groups)
        name = type(self).__name__
        check_batch_size(name, batch_size)
        if len(groups) == 0:
            raise ValueError(f"{name}: there are no samples")
        self.groups = groups
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.seed = seed
        self.epoch = 0
        numbers: dict[Hashable, int] = {}
        self._group_numbers = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
        self._batch_sizes = np.full(len(numbers), batch_size)  # 0: the group is left out

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose batches the next iteration gives."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, self.epoch])))
        count = len(self.groups)
        batches = self._batches(generator.permutation(count) if self.shuffle else np.arange(count))
        places = generator.permutation(len(batches)).tolist() if self.shuffle else range(len(batches))
        return (batches[place] for place in places)

    def __len__(self) -> int:
        return sum(count for _, _, count in self._batch_counts())

    def sample_counts(self) -> Optional[list[int]]:
        """Return how many samples a batch may have, in ascending order; None where that is not known beforehand."""
        return sorted({samples for _, samples, _ in self._batch_counts()})

    def _batch_counts(self) -> list[tuple[int, int, int]]:
        """Return how many batches there are of which size: group number, samples of a batch, number of batches."""
        counts = []
        samples = np.bincount(self._group_numbers).tolist()
        for group, (count, size) in enumerate(zip(samples, self._batch_sizes.tolist())):
            if size:
                counts += [(group, size, count // size), (group, count % size, int(not self.drop_last))]
        return [(group, samples, number) for group, samples, number in counts if samples and number]

    def _batches(self, order: np.ndarray) -> list[list[int]]:
        """Gather samples into their groups' batches; a batch is where it became full."""
        order = order[self._batch_sizes[self._group_numbers[order]] > 0]
        groups = self._group_numbers[order]
        places = np.argsort(groups, kind="stable")  # of the samples in the order, group by group
        groups = groups[places]
        first = np.searchsorted(groups, groups)  # where each one's group begins
        begins = np.flatnonzero((np.arange(len(groups)) - first) % self._batch_sizes[groups] == 0)
        ends = np.append(begins[1:], len(groups))[: len(begins)]
        full = ends - begins == self._batch_sizes[groups[begins]]
        chosen = [np.flatnonzero(full)[np.argsort(places[ends[full] - 1])]]
        if not self.drop_last:
            chosen.append(np.flatnonzero(~full)[np.argsort(places[begins[~full]])])
        samples, batches = order[places].tolist(), np.concatenate(chosen)
        return [samples[begin:end] for begin, end in zip(begins[batches].tolist(), ends[batches].tolist())]


class SizeBucketSampler(GroupBatchSampler):
    """Batches of images of similar shape, each batch for one of a few sizes.

    An image belongs to the size whose aspect ratio is nearest its own, by the ratio of the two ratios. A data set asks
    :meth:`size_of` for the size to which it should bring a sample.

    Args:
        sizes: (height, width) of each of the N images, in pixels.
        buckets: (height, width) of the sizes to choose from.
        batch_size: samples per batch.
        shuffle: visit samples and batches in random order.
        drop_last: leave out the last batch of each size when it is not full.
        seed: any non-negative integer.

    Raises:
        ValueError: there are no images or no buckets, or one is not a pair of positive numbers.
    """

    def __init__(
        self,
        sizes: Sequence[Sequence[int]],
        buckets: Sequence[Sequence[int]],
        batch_size: int,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: int = 0,
    ) -> None:
        ratios, choices = (_log_ratios(name, pairs) for name, pairs in (("sizes", sizes), ("buckets", buckets)))
        nearest = np.abs(ratios[:, None] - choices).argmin(axis=1)
        super().__init__(nearest.tolist(), batch_size, shuffle, drop_last, seed)
        self.buckets = [(int(height), int(width)) for height, width in buckets]

    def size_of(self, index: int) -> tuple[int, int]:
        """Return the (height, width) to which the batches of a sample belong."""
        return self.buckets[int(self.groups[index])]  # type: ignore[call-overload]  # groups may be any sequence or array


def _log_ratios(name: str, pairs: Sequence[Sequence[int]]) -> np.ndarray:
    values = np.asarray(pairs, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != 2 or not (values > 0).all():
        raise ValueError(f"SizeBucketSampler: {name} must be pairs of a positive height and width, at least one")
    return np.log(values[:, 0] / values[:, 1])
