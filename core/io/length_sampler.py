"""Batches of samples of similar length: of so many samples, or of as many as fit into a budget of tokens."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Optional, Union

import numpy as np

from core.io.batch_sampler import check_positive
from core.io.bucket_sampler import GroupBatchSampler
from core.io.ragged.sizes import check_buckets


class LengthBucketSampler(GroupBatchSampler):
    """Batches of samples of similar length, for sequences that are padded to the longest of their batch, or its bucket.

    Args:
        lengths: the length of each of the N samples.
        batch_size: samples per batch; give either this or ``max_tokens``.
        max_tokens: the largest size of a padded batch: samples times the length to which they are padded. Shorter
            samples make larger batches.
        buckets: how many buckets to make, which hold as many samples each as lengths allow; or the greatest length of
            each bucket, in ascending order, longer samples having a bucket of their own.
        shuffle: visit samples and batches in random order.
        drop_last: leave out the last batch of each bucket when it is not full.
        seed: any non-negative integer.
        max_samples: the most samples of a batch that ``max_tokens`` allows.
        longest: batches are padded to the length of their bucket, so that they have few shapes, and samples longer than
            the last one are cut ("truncate"), left out ("drop") or refused ("error"). None: batches are padded to their
            longest sample.
        size: the name that the length has in a :class:`Collate`.

    Attributes:
        boundaries: the greatest length of each bucket.
        dropped: how many samples are left out because they are too long.

    Raises:
        ValueError: there are no lengths, one is negative, no number or too long, both or neither of ``batch_size`` and
            ``max_tokens`` are given, or the buckets are not in ascending order or do not fit into ``max_tokens``.
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
        max_samples: Optional[int] = None,
        longest: Optional[str] = None,
        size: str = "length",
    ) -> None:
        if (batch_size is None) == (max_tokens is None):
            raise ValueError("LengthBucketSampler needs either batch_size or max_tokens, not both")
        if max_samples is not None:
            if max_tokens is None:
                raise ValueError("LengthBucketSampler: max_samples goes with max_tokens; batch_size says it alone")
            check_positive("LengthBucketSampler", "max_samples", max_samples)
        if max_tokens is not None:
            check_positive("LengthBucketSampler", "max_tokens", max_tokens)
        self.lengths = checked_lengths("LengthBucketSampler", lengths)
        self.boundaries = _boundaries(self.lengths, buckets)
        self.longest = longest
        self.size = size
        kept = self.lengths
        self.dropped = 0
        if longest is not None:
            check_longest(self.lengths, int(self.boundaries[-1]), longest)
            kept = np.minimum(self.lengths, self.boundaries[-1])
            self.dropped = int((kept < self.lengths).sum()) if longest == "drop" else 0
        elif max_tokens is not None and self.lengths.max() > max_tokens:
            index = int(self.lengths.argmax())
            raise ValueError(
                f"LengthBucketSampler: sample {index} of length {self.lengths[index]} does not fit into max_tokens "
                f"{max_tokens}; cut it, leave it out, or allow more"
            )
        groups = np.searchsorted(self.boundaries, kept)
        if self.dropped:
            groups = np.where(kept < self.lengths, -1, groups)
        super().__init__(groups.tolist(), batch_size or max_samples or len(lengths), shuffle, drop_last, seed)
        self.max_tokens = max_tokens
        self.max_samples = max_samples
        self._bucket_of_group = groups[np.unique(self._group_numbers, return_index=True)[1]]
        if longest is not None and max_tokens is not None:
            self._batch_sizes = self._sizes_that_fit(max_tokens)[self._bucket_of_group]
        if self.dropped:
            self._batch_sizes = np.where(self._bucket_of_group < 0, 0, self._batch_sizes)

    def shapes(self) -> Optional[list[tuple[int, int]]]:
        """Return every shape of a padded batch, as (samples, length); None where batches are not padded to buckets."""
        if self.longest is None:
            return None
        counts = self._batch_counts()
        return sorted({(samples, int(self.boundaries[self._bucket_of_group[group]])) for group, samples, _ in counts})

    def sample_counts(self) -> Optional[list[int]]:
        """Return how many samples a batch may have; None where ``max_tokens`` and the longest sample decide."""
        return None if self._is_greedy else super().sample_counts()

    def __len__(self) -> int:
        return sum(1 for _ in self) if self._is_greedy else super().__len__()

    @property
    def _is_greedy(self) -> bool:
        return self.max_tokens is not None and self.longest is None

    def _sizes_that_fit(self, max_tokens: int) -> np.ndarray:
        sizes = max_tokens // self.boundaries
        if sizes[-1] == 0:
            raise ValueError(
                f"LengthBucketSampler: a sample of the last bucket, {self.boundaries[-1]}, does not fit into "
                f"max_tokens {max_tokens}; allow more, or leave the bucket out"
            )
        return sizes if self.max_samples is None else np.minimum(sizes, self.max_samples)

    def _batches(self, order: np.ndarray) -> list[list[int]]:
        if not self._is_greedy:
            return super()._batches(order)
        assert self.max_tokens is not None
        full: list[list[int]] = []
        begun: dict[Hashable, tuple[list[int], int]] = {}
        for index in order.tolist():
            group = self.groups[index]
            batch, longest = begun.get(group, ([], 0))
            longest = max(longest, int(self.lengths[index]))
            if batch and (longest * (len(batch) + 1) > self.max_tokens or len(batch) == self.max_samples):
                full.append(batch)
                batch, longest = [], int(self.lengths[index])
            batch.append(index)
            begun[group] = batch, longest
        return full if self.drop_last else full + [batch for batch, _ in begun.values()]


def checked_lengths(owner: str, lengths: Any) -> np.ndarray:
    """Return lengths as an array.

    Args:
        owner: what messages begin with.
        lengths: N non-negative integers.

    Raises:
        ValueError: they are not.
    """
    try:
        values = np.asarray(lengths)
    except ValueError:  # lists of different lengths
        values = np.zeros((0, 0))
    if values.dtype.kind == "f" and values.ndim == 1 and not np.isfinite(values).all():
        index = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{owner}: sample {index} has the length {values[index]}, which is no number of tokens")
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iu":
        raise ValueError(f"{owner}: lengths must be a flat list of integers, one for each sample")
    if values.min() < 0:
        index = int(values.argmin())
        raise ValueError(f"{owner}: sample {index} has a negative length, {values[index]}")
    return values


def check_longest(lengths: np.ndarray, last: int, longest: str) -> None:
    """Refuse samples that are too long, where that is asked for.

    Args:
        lengths: of the samples.
        last: the last bucket.
        longest: "truncate", "drop" or "error".

    Raises:
        ValueError: ``longest`` is something else, it is "error" and a sample is longer, or all are and are dropped.
    """
    if longest not in ("truncate", "drop", "error"):
        raise ValueError(f"LengthBucketSampler: longest must be 'truncate', 'drop', 'error' or None, not {longest!r}")
    if longest == "error" and lengths.max() > last:
        index = int(lengths.argmax())
        raise ValueError(
            f"LengthBucketSampler: sample {index} has the length {lengths[index]}, and the last bucket is {last}; "
            "add a bucket, or pass longest='truncate' or 'drop'"
        )
    if longest == "drop" and lengths.min() > last:
        raise ValueError(f"LengthBucketSampler: every sample is longer than the last bucket, {last}, and is dropped")


def _boundaries(lengths: np.ndarray, buckets: Any) -> np.ndarray:
    if isinstance(buckets, int):
        if buckets < 1:
            raise ValueError(f"LengthBucketSampler: buckets must be positive, not {buckets}")
        ordered = np.sort(lengths)
        ends = [math.ceil(len(ordered) * (bucket + 1) / buckets) - 1 for bucket in range(buckets)]
        return np.unique(ordered[ends])
    return np.array(check_buckets("LengthBucketSampler", buckets))
