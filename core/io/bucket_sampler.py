"""Batches of samples that are alike: of similar length, or of similar shape, so that little of a batch is padding."""

from __future__ import annotations

import collections
import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Optional, Union

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

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose batches the next iteration gives."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, self.epoch])))
        order = generator.permutation(len(self.groups)) if self.shuffle else np.arange(len(self.groups))
        batches = self._batches(order.tolist())
        places = generator.permutation(len(batches)).tolist() if self.shuffle else range(len(batches))
        return (batches[place] for place in places)

    def __len__(self) -> int:
        counts = collections.Counter(self.groups).values()
        return sum(count // self.batch_size if self.drop_last else -(-count // self.batch_size) for count in counts)

    def _batches(self, order: list[int]) -> list[list[int]]:
        """Gather samples into their groups' batches; a batch stands where it became full."""
        full: list[list[int]] = []
        begun: dict[Hashable, list[int]] = {}
        for index in order:
            batch = begun.setdefault(self.groups[index], [])
            batch.append(index)
            if len(batch) == self.batch_size:
                full.append(begun.pop(self.groups[index]))
        return full if self.drop_last else full + list(begun.values())


class LengthBucketSampler(GroupBatchSampler):
    """Batches of samples of similar length, for sequences that are padded to the longest of their batch.

    Args:
        lengths: the length of each of the N samples.
        batch_size: samples per batch; give either this or ``max_tokens``.
        max_tokens: the largest size of a padded batch: samples times the longest one's length. Shorter samples make
            larger batches.
        buckets: how many buckets to make, which hold as many samples each as lengths allow; or the greatest length of
            each bucket, in ascending order, longer samples having a bucket of their own.
        shuffle: visit samples and batches in random order.
        drop_last: leave out the last batch of each bucket when it is not full.
        seed: any non-negative integer.

    Raises:
        ValueError: there are no lengths, one is negative or above ``max_tokens``, both or neither of ``batch_size`` and
            ``max_tokens`` are given, or the buckets are not in ascending order.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: Optional[int] = None,
        max_tokens: Optional[int] = None,
        buckets: Union[int, Sequence[int]] = 10,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: int = 0,
    ) -> None:
        if (batch_size is None) == (max_tokens is None):
            raise ValueError("LengthBucketSampler needs either batch_size or max_tokens, not both")
        self.lengths = np.asarray(lengths)
        if self.lengths.ndim != 1 or self.lengths.size == 0 or self.lengths.dtype.kind not in "iu":
            raise ValueError("LengthBucketSampler: lengths must be a flat list of integers, one for each sample")
        if self.lengths.min() < 0:
            index = int(self.lengths.argmin())
            raise ValueError(f"LengthBucketSampler: sample {index} has a negative length, {self.lengths[index]}")
        if max_tokens is not None and self.lengths.max() > max_tokens:
            index = int(self.lengths.argmax())
            raise ValueError(
                f"LengthBucketSampler: sample {index} of length {self.lengths[index]} does not fit into max_tokens "
                f"{max_tokens}; cut it, leave it out, or allow more"
            )
        self.boundaries = _boundaries(self.lengths, buckets)
        groups = np.searchsorted(self.boundaries, self.lengths).tolist()
        super().__init__(groups, batch_size or len(lengths), shuffle, drop_last, seed)
        self.max_tokens = max_tokens

    def __len__(self) -> int:
        return super().__len__() if self.max_tokens is None else sum(1 for _ in self)

    def _batches(self, order: list[int]) -> list[list[int]]:
        if self.max_tokens is None:
            return super()._batches(order)
        full: list[list[int]] = []
        begun: dict[Hashable, tuple[list[int], int]] = {}
        for index in order:
            group = self.groups[index]
            batch, longest = begun.get(group, ([], 0))
            longest = max(longest, int(self.lengths[index]))
            if batch and longest * (len(batch) + 1) > self.max_tokens:
                full.append(batch)
                batch, longest = [], int(self.lengths[index])
            begun[group] = [*batch, index], longest
        return full if self.drop_last else full + [batch for batch, _ in begun.values()]


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
        return self.buckets[int(self.groups[index])]  # type: ignore[call-overload]


def _boundaries(lengths: np.ndarray, buckets: Any) -> np.ndarray:
    if isinstance(buckets, int):
        if buckets < 1:
            raise ValueError(f"LengthBucketSampler: buckets must be positive, not {buckets}")
        ordered = np.sort(lengths)
        ends = [math.ceil(len(ordered) * (bucket + 1) / buckets) - 1 for bucket in range(buckets)]
        return np.unique(ordered[ends])
    boundaries = np.asarray(buckets)
    if boundaries.ndim != 1 or (np.diff(boundaries) <= 0).any():
        raise ValueError(f"LengthBucketSampler: buckets must be in ascending order: {list(buckets)}")
    return boundaries


def _log_ratios(name: str, pairs: Sequence[Sequence[int]]) -> np.ndarray:
    values = np.asarray(pairs, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != 2 or not (values > 0).all():
        raise ValueError(f"SizeBucketSampler: {name} must be pairs of a positive height and width, at least one")
    return np.log(values[:, 0] / values[:, 1])
