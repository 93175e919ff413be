from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from core.io import DataLoader, GroupBatchSampler, LengthBucketSampler, SizeBucketSampler, TensorDataset

LENGTHS = [5, 1, 9, 2, 7, 3, 8, 2, 6, 4]


def test_groups_by_hand() -> None:
    groups = "abaabbc"
    assert list(GroupBatchSampler(groups, 2)) == [[0, 2], [1, 4], [3], [5], [6]]
    assert len(GroupBatchSampler(groups, 2)) == 5
    assert list(GroupBatchSampler(groups, 2, drop_last=True)) == [[0, 2], [1, 4]]
    assert len(GroupBatchSampler(groups, 2, drop_last=True)) == 2


def test_lengths_by_hand() -> None:
    sampler = LengthBucketSampler(LENGTHS, batch_size=2, buckets=[3, 6])
    assert list(sampler) == [[1, 3], [2, 4], [5, 7], [0, 8], [6], [9]]
    assert list(LengthBucketSampler(LENGTHS, batch_size=5, buckets=1)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert LengthBucketSampler(LENGTHS, batch_size=2, buckets=3).boundaries.tolist() == [3, 6, 9]
    # 3 samples x 3 tokens fit into 10, 4 x 3 and 2 x 6 do not
    sampler = LengthBucketSampler(LENGTHS, max_tokens=10, buckets=[3, 6])
    assert list(sampler) == [[2], [4], [1, 3, 5], [0], [8], [9], [7], [6]]
    assert len(sampler) == 8


@pytest.mark.parametrize("options", [{"batch_size": 3}, {"max_tokens": 16}, {"batch_size": 3, "buckets": [4]}])
def test_shuffled_lengths_are_a_partition_that_depends_on_seed_and_epoch(options: dict[str, Any]) -> None:
    lengths = np.random.default_rng(0).integers(1, 17, size=101)
    sampler = LengthBucketSampler(lengths, shuffle=True, seed=3, **options)
    runs = []
    for epoch in (0, 1, 0):
        sampler.set_epoch(epoch)
        runs.append(list(sampler))
        assert len(sampler) == len(runs[-1])
        assert sorted(itertools.chain(*runs[-1])) == list(range(101))
        for batch in runs[-1]:
            assert len({sampler.groups[index] for index in batch}) == 1
            assert len(batch) * lengths[batch].max() <= options.get("max_tokens", 10**6)
            assert len(batch) <= options.get("batch_size", 101)
    assert runs[0] == runs[2] != runs[1]
    whole = [batch for batch in runs[0] if len(batch) == options.get("batch_size")]
    dropped = LengthBucketSampler(lengths, shuffle=True, seed=3, drop_last=True, **options)
    assert len(list(dropped)) == len(dropped)
    if whole:
        assert sorted(dropped) == sorted(whole)


def test_buckets_save_padding() -> None:
    lengths = np.random.default_rng(0).integers(1, 100, size=1000)

    def padding(sampler: LengthBucketSampler) -> int:
        return sum(int((lengths[batch].max() - lengths[batch]).sum()) for batch in sampler)

    plain = padding(LengthBucketSampler(lengths, 16, buckets=1, shuffle=True))
    assert padding(LengthBucketSampler(lengths, 16, buckets=10, shuffle=True)) < plain / 8


def test_sizes_go_to_the_nearest_aspect_ratio() -> None:
    sizes = [(100, 100), (480, 640), (640, 480), (95, 105), (300, 1000)]
    sampler = SizeBucketSampler(sizes, [(8, 8), (6, 8), (8, 6)], 2)
    assert [sampler.size_of(index) for index in range(5)] == [(8, 8), (6, 8), (8, 6), (8, 8), (6, 8)]
    assert list(sampler) == [[0, 3], [1, 4], [2]]


def test_a_loader_resumes_in_the_middle_of_a_bucketed_epoch() -> None:
    sampler = LengthBucketSampler(LENGTHS, 2, buckets=[3, 6], shuffle=True, seed=1)
    loader = DataLoader(TensorDataset([np.arange(10)]), batch_sampler=sampler)
    loader.set_epoch(4)
    whole = [batch[0].numpy().tolist() for batch in loader]
    assert whole == list(sampler)
    assert [batch[0].numpy().tolist() for batch in loader.batches(start=3)] == whole[3:]
    loader.set_epoch(5)
    assert [batch[0].numpy().tolist() for batch in loader] != whole


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LengthBucketSampler(LENGTHS), "needs either batch_size or max_tokens, not both"),
        (lambda: LengthBucketSampler(LENGTHS, 2, 30), "needs either batch_size or max_tokens, not both"),
        (
            lambda: LengthBucketSampler(LENGTHS, max_tokens=8),
            "sample 2 of length 9 does not fit into max_tokens 8",
        ),
        (lambda: LengthBucketSampler([3, -1], 2), "sample 1 has a negative length, -1"),
        (lambda: LengthBucketSampler([], 2), "lengths must be a flat list of integers"),
        (lambda: LengthBucketSampler([1.5], 2), "lengths must be a flat list of integers"),
        (lambda: LengthBucketSampler(LENGTHS, 2, buckets=0), "buckets must be positive, not 0"),
        (lambda: LengthBucketSampler(LENGTHS, 2, buckets=[6, 3]), r"buckets must be in ascending order: \[6, 3\]"),
        (lambda: GroupBatchSampler([], 2), "GroupBatchSampler: there are no samples"),
        (lambda: GroupBatchSampler("ab", 0), "GroupBatchSampler: batch_size must be a positive integer, not 0"),
        (lambda: SizeBucketSampler([(1, 0)], [(1, 1)], 2), "sizes must be pairs of a positive height and width"),
        (lambda: SizeBucketSampler([(1, 1)], [], 2), "buckets must be pairs of a positive height and width, at least"),
    ],
)
def test_wrong_arguments_are_named(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
