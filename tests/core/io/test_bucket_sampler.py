from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from core.io import (
    BatchSampler,
    BucketStream,
    DataLoader,
    DistributedBatches,
    GroupBatchSampler,
    JoinedBatchSampler,
    LengthBucketSampler,
    LineDataset,
    ShuffledStream,
    SizeBucketSampler,
    TensorDataset,
)
from tests.core.io.worker_datasets import Records

LENGTHS = [5, 1, 9, 2, 7, 3, 8, 2, 6, 4]


def test_groups_by_hand() -> None:
    groups = "abaabbc"
    assert list(GroupBatchSampler(groups, 2)) == [[0, 2], [1, 4], [3], [5], [6]]
    assert len(GroupBatchSampler(groups, 2)) == 5
    assert list(GroupBatchSampler(groups, 2, drop_last=True)) == [[0, 2], [1, 4]]
    assert len(GroupBatchSampler(groups, 2, drop_last=True)) == 2


def test_batches_of_two_data_sets_in_one_order() -> None:
    parts = [GroupBatchSampler("aab", 2), BatchSampler(range(3), batch_size=2)]
    assert list(JoinedBatchSampler(parts, [3, 3])) == [[0, 1], [2], [3, 4], [5]]
    shuffled = JoinedBatchSampler(parts, [3, 3], shuffle=True, seed=5)
    orders = []
    for epoch in (0, 1, 0):
        shuffled.set_epoch(epoch)
        orders.append(list(shuffled))
    assert orders[0] == orders[2] != orders[1] and len(shuffled) == 4 and shuffled.batch_size == 2
    assert sorted(orders[1]) == [[0, 1], [2], [3, 4], [5]]
    with pytest.raises(ValueError, match="JoinedBatchSampler: 2 samplers for 1 sizes; give one each"):
        JoinedBatchSampler(parts, [3])


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


def test_a_budget_of_tokens_counts_padding_up_to_the_bucket() -> None:
    # of the lengths 5 1 9 2 7 3 8 2 6 4 go 1 2 3 2 into bucket 3, 5 6 4 into 6, 9 7 8 into 9
    sampler = LengthBucketSampler(LENGTHS, max_tokens=12, buckets=[3, 6, 9], longest="error")
    assert list(sampler) == [[2], [4], [6], [1, 3, 5, 7], [0, 8], [9]]
    assert len(sampler) == 6
    assert sampler.shapes() == [(1, 6), (1, 9), (2, 6), (4, 3)]
    assert sampler.sample_counts() == [1, 2, 4]
    few = LengthBucketSampler(LENGTHS, max_tokens=18, max_samples=3, buckets=[3, 6, 9], longest="error", drop_last=True)
    assert list(few) == [[2, 4], [1, 3, 5], [0, 8, 9]] and len(few) == 3
    assert few.shapes() == [(2, 9), (3, 3), (3, 6)]
    greedy = LengthBucketSampler(LENGTHS, max_tokens=18, max_samples=3, buckets=[3, 9])
    assert list(greedy) == [[0, 2], [1, 3, 5], [4, 6], [8, 9], [7]] and len(greedy) == 5
    assert greedy.shapes() is None and greedy.sample_counts() is None


def test_samples_beyond_the_last_bucket_are_cut_or_dropped() -> None:
    cut = LengthBucketSampler(LENGTHS, batch_size=2, buckets=[3, 6], longest="truncate")
    assert list(cut) == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 9]]
    assert cut.shapes() == [(2, 3), (2, 6)] and cut.dropped == 0
    dropped = LengthBucketSampler(LENGTHS, batch_size=2, buckets=[3, 6], longest="drop")
    assert list(dropped) == [[1, 3], [5, 7], [0, 8], [9]]
    assert len(dropped) == 4 and dropped.dropped == 3


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("longest", ["truncate", "drop"])
def test_announced_shapes_and_numbers_hold_in_every_epoch(longest: str, drop_last: bool) -> None:
    lengths = np.random.default_rng(0).integers(0, 90, size=1000)
    sampler = LengthBucketSampler(
        lengths, max_tokens=300, max_samples=40, buckets=[5, 20, 60], shuffle=True, drop_last=drop_last, longest=longest
    )
    visits = set()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        batches = list(sampler)
        padded = [[5, 20, 60][min(np.searchsorted([5, 20, 60], lengths[batch].max()), 2)] for batch in batches]
        assert set(zip(map(len, batches), padded)) == set(sampler.shapes() or ())
        assert len(batches) == len(sampler) and all(len(batch) * size <= 300 for batch, size in zip(batches, padded))
        seen = list(itertools.chain(*batches))
        assert len(seen) == len(set(seen)) and (drop_last or len(seen) == 1000 - sampler.dropped)
        visits.add(tuple(seen))
    assert len(visits) == 3


@pytest.mark.parametrize("drop_last", [False, True])
def test_processes_share_the_batches(drop_last: bool) -> None:
    whole = LengthBucketSampler(LENGTHS, 2, buckets=[3, 6], shuffle=True, seed=1)  # 6 batches
    shares = [DistributedBatches(whole, 4, rank, drop_last) for rank in range(4)]
    for epoch in (0, 1):
        for share in shares:
            share.set_epoch(epoch)
        batches = list(whole)
        given = [list(share) for share in shares]
        assert [len(share) for share in shares] == [len(part) for part in given] == [1 if drop_last else 2] * 4
        assert [part[0] for part in given] == batches[:4]
        assert drop_last or [part[1] for part in given] == [batches[4], batches[5], batches[0], batches[1]]
    assert list(DistributedBatches(BatchSampler(range(3), batch_size=2))) == [[0, 1], [2]]
    loader = DataLoader(TensorDataset([np.arange(10)]), batch_sampler=shares[0])
    assert len(list(loader.batches(start=1))) == len(shares[0]) - 1


def test_a_stream_is_gathered_by_length() -> None:
    class Words(LineDataset):
        def records(self) -> Any:
            yield from "a bbb cc dddd e ffff gg hhhhhh i jjj".split()

    def stream(**options: Any) -> list[Any]:
        return list(BucketStream(Words("none"), len, [2, 4], **{"max_tokens": 8, **options}))

    with pytest.raises(ValueError, match="record 7 has the length 6, and the last bucket is 4; add a bucket, or pass"):
        stream()
    first = [["bbb", "dddd"], ["a", "cc", "e", "gg"]]
    assert stream(longest="drop") == [*first, ["ffff", "jjj"], ["i"]]
    assert stream(longest="truncate") == [*first, ["ffff", "hhhhhh"], ["i"], ["jjj"]]
    assert stream(longest="truncate", drop_last=True) == [*first, ["ffff", "hhhhhh"]]
    assert stream(longest="drop", max_samples=1) == [[word] for word in "a bbb cc dddd e ffff gg i jjj".split()]
    assert stream(longest="drop", max_tokens=None, batch_size=3)[0] == ["a", "cc", "e"]
    stream_of = BucketStream(Words("none"), len, [2, 4], max_tokens=8, drop_last=True)
    assert stream_of.shapes() == [(4, 2), (2, 4)] and BucketStream(Words("none"), len, [2], 3).shapes() is None


def number_of_digits(number: int) -> int:
    return len(str(number))


def plain_lists(samples: list[tuple[int, float, int]]) -> list[list[float]]:
    return [list(sample[:2]) for sample in samples]  # without the process


def test_a_gathered_stream_is_the_same_for_any_number_of_workers_and_resumes() -> None:
    stream = BucketStream(ShuffledStream(Records(40), 5), number_of_digits, [1, 2], batch_size=3)
    runs = []
    for workers in (0, 2):
        loader = DataLoader(stream, batch_size=None, collate_fn=plain_lists, num_workers=workers, seed=2)
        runs.append(list(loader))
        assert list(loader.batches(start=5)) == runs[-1][5:]
    assert runs[0] == runs[1]
    assert sorted(sample[0] for batch in runs[0] for sample in batch) == list(range(40))
    assert all(len({len(str(sample[0])) for sample in batch}) == 1 for batch in runs[0])


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
        (lambda: LengthBucketSampler([3, float("nan")], 2), "sample 1 has the length nan, which is no number of"),
        (lambda: LengthBucketSampler([[3], [4, 5]], 2), "lengths must be a flat list of integers"),
        (lambda: LengthBucketSampler(LENGTHS, 2, max_samples=3), "max_samples goes with max_tokens; batch_size says"),
        (lambda: LengthBucketSampler(LENGTHS, max_tokens=-3), "max_tokens must be a positive integer, not -3"),
        (
            lambda: LengthBucketSampler(LENGTHS, 2, buckets=[3, 6], longest="error"),
            "sample 2 has the length 9, and the last bucket is 6; add a bucket, or pass longest='truncate' or 'drop'",
        ),
        (
            lambda: LengthBucketSampler(LENGTHS, max_tokens=8, buckets=[4, 9], longest="drop"),
            "a sample of the last bucket, 9, does not fit into max_tokens 8; allow more, or leave the bucket out",
        ),
        (lambda: LengthBucketSampler(LENGTHS, 2, longest="cut"), "longest must be 'truncate', 'drop', 'error' or None"),
        (
            lambda: LengthBucketSampler([7, 8], 2, buckets=[3], longest="drop"),
            "every sample is longer than the last bucket, 3, and is dropped",
        ),
        (lambda: BucketStream(Records(), len, [4, 2], 2), r"Stream: buckets must be in ascending order: \[4, 2\]"),
        (lambda: BucketStream(Records(), len, [4]), "BucketStream needs either batch_size or max_tokens, not both"),
        (lambda: BucketStream(Records(), len, [4], max_tokens=3), "a record of the last bucket, 4, does not fit into"),
        (lambda: BucketStream(Records(), len, [4], 0), "BucketStream: batch_size must be a positive integer, not 0"),
        (lambda: BucketStream(Records(), len, [4], 2, longest="x"), "longest must be 'truncate', 'drop' or 'error'"),
        (lambda: list(BucketStream(Records(), float, [4], 2)), "record 0 has the length [01].0, no number of tokens"),
        (lambda: DistributedBatches([[0]], 2, 2), "DistributedBatches: rank 2 is not one of 0 ... 1"),
        (lambda: GroupBatchSampler([], 2), "GroupBatchSampler: there are no samples"),
        (lambda: GroupBatchSampler("ab", 0), "GroupBatchSampler: batch_size must be a positive integer, not 0"),
        (lambda: SizeBucketSampler([(1, 0)], [(1, 1)], 2), "sizes must be pairs of a positive height and width"),
        (lambda: SizeBucketSampler([(1, 1)], [], 2), "buckets must be pairs of a positive height and width, at least"),
    ],
)
def test_wrong_arguments_are_named(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
