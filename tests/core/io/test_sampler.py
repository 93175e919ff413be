# ruff: noqa: NPY002 -- the global generator is what is tested
from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.io import (
    BatchSampler,
    DistributedBatchSampler,
    EpochRandomSampler,
    RandomSampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

TEN = range(10)


def test_sequence_and_random() -> None:
    assert list(SequenceSampler(TEN)) == list(range(10))
    np.random.seed(3)
    first = list(RandomSampler(TEN))
    np.random.seed(3)
    assert list(RandomSampler(TEN)) == first
    assert sorted(first) == list(range(10)) and first != list(range(10))
    assert len(set(RandomSampler(TEN, num_samples=4))) == 4
    assert len(list(RandomSampler(TEN, replacement=True, num_samples=25))) == 25
    assert list(RandomSampler(TEN, num_samples=3, generator=itertools.count(5))) == [5, 6, 7]


def test_random_sampler_errors() -> None:
    with pytest.raises(ValueError, match="num_samples 11 exceeds the 10 samples"):
        RandomSampler(TEN, num_samples=11)
    with pytest.raises(ValueError, match="num_samples must be a positive integer, not 0"):
        RandomSampler(TEN, num_samples=0)
    with pytest.raises(TypeError, match="replacement must be True or False, not 1"):
        RandomSampler(TEN, replacement=1)  # type: ignore[arg-type]


def test_epoch_random_depends_on_seed_and_epoch_alone() -> None:
    sampler = EpochRandomSampler(TEN, seed=1)
    orders = []
    for epoch in (0, 1, 0):
        np.random.seed(epoch)
        sampler.set_epoch(epoch)
        orders.append(list(sampler))
    assert orders[0] == orders[2] != orders[1]
    assert sorted(orders[0]) == list(range(10))
    assert list(EpochRandomSampler(TEN, seed=2)) != orders[0]


def test_subset_and_weighted() -> None:
    assert sorted(SubsetRandomSampler([3, 5, 9])) == [3, 5, 9]
    with pytest.raises(ValueError, match="no indices"):
        SubsetRandomSampler([])
    np.random.seed(0)
    drawn = np.bincount(list(WeightedRandomSampler([1.0, 0.0, 3.0], 4000)), minlength=3)
    assert drawn[1] == 0 and abs(drawn[2] / 4000 - 0.75) < 0.03
    with pytest.raises(ValueError, match="need as many positive weights; there are 2"):
        WeightedRandomSampler([1.0, 0.0, 3.0], 3, replacement=False)
    with pytest.raises(ValueError, match="not all zero"):
        WeightedRandomSampler([0.0, 0.0], 1)


def test_batches() -> None:
    assert list(BatchSampler(TEN, batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(BatchSampler(TEN, batch_size=4, drop_last=True)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert len(BatchSampler(TEN, batch_size=4)) == 3
    assert len(BatchSampler(TEN, batch_size=4, drop_last=True)) == 2
    sampler = BatchSampler(sampler=EpochRandomSampler(TEN, seed=5), batch_size=5)
    sampler.set_epoch(2)
    second = list(sampler)
    sampler.set_epoch(0)
    assert list(sampler) != second


def test_batch_sampler_errors() -> None:
    with pytest.raises(ValueError, match="either dataset or sampler"):
        BatchSampler()
    with pytest.raises(ValueError, match="batch_size must be a positive integer, not 0"):
        BatchSampler(TEN, batch_size=0)
    with pytest.raises(TypeError, match="shuffle must be True or False, not 'yes'"):
        BatchSampler(TEN, shuffle="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shuffle=True has no meaning with a sampler"):
        BatchSampler(sampler=SequenceSampler(TEN), shuffle=True)


@pytest.mark.parametrize(("count", "batch_size", "replicas"), [(10, 2, 3), (7, 2, 2), (3, 4, 2), (12, 3, 2)])
@pytest.mark.parametrize("shuffle", [False, True])
def test_distributed_shares_cover_every_sample(count: int, batch_size: int, replicas: int, shuffle: bool) -> None:
    shares = []
    for rank in range(replicas):
        sampler = DistributedBatchSampler(range(count), batch_size, replicas, rank, shuffle=shuffle)
        sampler.set_epoch(4)
        batches = list(sampler)
        assert len(batches) == len(sampler)
        shares.append([index for batch in batches for index in batch])
    assert len({len(share) for share in shares}) == 1
    assert set(itertools.chain(*shares)) == set(range(count))
    assert sum(map(len, shares)) - count < replicas


def test_distributed_blocks_by_hand() -> None:
    batches = [list(DistributedBatchSampler(range(11), 2, num_replicas=2, rank=rank)) for rank in (0, 1)]
    assert batches == [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 0]]]
    with pytest.raises(ValueError, match=r"rank 2 is not one of 0 \.\.\. 1"):
        DistributedBatchSampler(TEN, 2, num_replicas=2, rank=2)


def test_distributed_shuffle_is_paddles() -> None:
    """Computed with paddlepaddle 2.6.2."""
    sampler = DistributedBatchSampler(range(10), 1, num_replicas=3, rank=0, shuffle=True)
    sampler.set_epoch(3)
    assert list(sampler) == [[5], [2], [7], [9]]
    assert sampler.epoch == 4
