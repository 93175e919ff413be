"""The loader with its last stage, Tensors, replaced by arrays where a test is about reading."""

# ruff: noqa: NPY002 -- the global generator is what is tested

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from core.io import DataLoader, Dataset, IterableDataset, TensorDataset, default_collate_fn, get_worker_info
from core.io import loader as loader_module
from core.io.prefetch import prefetched
from core.io.randomness import choice, current_epoch, integer, permutation, sample_scope, uniform


@pytest.fixture(autouse=True)
def _arrays_instead_of_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader_module, "to_tensors", lambda batch: batch)


class Noisy(Dataset):
    """Sample i is (i, a random number)."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __getitem__(self, index: int) -> tuple[int, float]:
        self.read.append(index)
        return index, uniform()

    def __len__(self) -> int:
        return 10


class Stream(IterableDataset):
    def __iter__(self) -> Iterator[np.ndarray]:
        return (np.full(2, i) for i in range(5))


def collected(batches: Any) -> list[tuple[list[int], list[float]]]:
    return [(indices.tolist(), noise.tolist()) for indices, noise in batches]


@pytest.mark.parametrize("ahead", [False, True])
def test_batches_in_order(ahead: bool) -> None:
    images = np.arange(20, dtype=np.float32).reshape(5, 2, 2)
    dataset = TensorDataset([images, np.arange(5)])
    loader = DataLoader(dataset, batch_size=2, use_buffer_reader=ahead)
    assert len(loader) == 3
    batches = list(loader)
    np.testing.assert_array_equal(batches[1][0], images[2:4])
    np.testing.assert_array_equal(batches[2][1], [4])
    assert len(list(DataLoader(dataset, batch_size=2, drop_last=True, use_buffer_reader=ahead)())) == 2


def test_seed_makes_order_and_noise_repeatable() -> None:
    loader = DataLoader(Noisy(), batch_size=3, shuffle=True, seed=7)
    loader.set_epoch(1)
    first = collected(loader)
    np.random.rand(5)
    assert collected(loader) == first
    assert collected(DataLoader(Noisy(), batch_size=3, shuffle=True, seed=7, use_buffer_reader=False)) != first
    loader.set_epoch(2)
    assert collected(loader) != first


def test_noise_belongs_to_the_sample_not_to_the_reading_order() -> None:
    ordered = dict(zip(*map(np.concatenate, zip(*DataLoader(Noisy(), batch_size=4, seed=1)))))
    shuffled = dict(zip(*map(np.concatenate, zip(*DataLoader(Noisy(), batch_size=3, shuffle=True, seed=1)))))
    assert ordered == shuffled
    assert len(set(ordered.values())) == 10


def test_skipping_batches_reads_nothing_of_them() -> None:
    dataset = Noisy()
    loader = DataLoader(dataset, batch_size=3, shuffle=True, seed=7)
    whole = collected(loader)
    dataset.read.clear()
    assert collected(loader.batches(start=2)) == whole[2:]
    assert len(dataset.read) == 4


def test_streams() -> None:
    batches = list(DataLoader(Stream(), batch_size=2))
    assert [batch.tolist() for batch in batches] == [[[0, 0], [1, 1]], [[2, 2], [3, 3]], [[4, 4]]]
    assert len(list(DataLoader(Stream(), batch_size=2, drop_last=True))) == 2
    assert [batch.tolist() for batch in DataLoader(Stream(), batch_size=2).batches(2)] == [[[4, 4]]]
    with pytest.raises(TypeError, match="length of a DataLoader over an IterableDataset is not known"):
        len(DataLoader(Stream()))
    with pytest.raises(ValueError, match="shuffle=True needs numbered samples"):
        DataLoader(Stream(), shuffle=True)


def test_no_batching_and_own_batches() -> None:
    assert list(DataLoader(TensorDataset([np.arange(3)]), batch_size=None)) == [[0], [1], [2]]
    loader = DataLoader(Noisy(), batch_sampler=[[0, 9], [5]], collate_fn=lambda batch: [i for i, _ in batch])
    assert list(loader) == [[0, 9], [5]]
    assert len(loader) == 2
    with pytest.raises(ValueError, match="batch_sampler excludes batch_size, shuffle and drop_last"):
        DataLoader(Noisy(), batch_sampler=[[0]], batch_size=4)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="dataset must be a Dataset or an IterableDataset, not int"):
        DataLoader(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size must be a positive integer, not 0"):
        DataLoader(Noisy(), batch_size=0)
    assert get_worker_info() is None


def test_an_error_in_a_sample_reaches_the_caller_and_the_thread_ends() -> None:
    class Broken(Noisy):
        def __getitem__(self, index: int) -> tuple[int, float]:
            if index == 4:
                raise OSError("photo 4 is truncated")
            return super().__getitem__(index)

    seen = []
    with pytest.raises(OSError, match="photo 4 is truncated"):
        for batch in DataLoader(Broken(), batch_size=2):
            seen.append(batch)
    assert len(seen) == 2
    assert not [thread for thread in threading.enumerate() if thread.name == "DataLoader reader"]


def test_reading_ahead_is_bounded_and_stops() -> None:
    made: list[int] = []

    def source() -> Iterator[int]:
        for item in range(100):
            made.append(item)
            yield item

    ahead = prefetched(source(), 2)
    assert next(ahead) == 0
    deadline = time.monotonic() + 5
    while len(made) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(made) == 4  # one taken, two waiting, one made and not yet queued
    ahead.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "DataLoader reader"]


def test_collate_structures() -> None:
    batch = default_collate_fn([{"x": np.zeros(2), "y": (1, "a")}, {"x": np.ones(2), "y": (2, "b")}])
    np.testing.assert_array_equal(batch["x"], [[0, 0], [1, 1]])
    assert batch["y"][0].tolist() == [1, 2] and batch["y"][0].dtype == np.int64
    assert batch["y"][1] == ["a", "b"]
    with pytest.raises(ValueError, match=r"different shapes: \(2,\), \(3,\)"):
        default_collate_fn([np.zeros(2), np.zeros(3)])
    with pytest.raises(ValueError, match=r"different numbers of fields: \[1, 2\]"):
        default_collate_fn([(1,), (1, 2)])
    with pytest.raises(TypeError, match="a sample holds a object"):
        default_collate_fn([object()])


def test_draws_outside_a_sample_come_from_numpy() -> None:
    np.random.seed(5)
    expected = [np.random.uniform(0, 2), np.random.randint(1, 9), np.random.permutation(4).tolist()]
    np.random.seed(5)
    assert [uniform(0, 2), integer(1, 9), permutation(4)] == expected
    with sample_scope(0, 0, 3):
        inside = [uniform(), integer(0, 100), permutation(5), choice(9, 2, False)]
    with sample_scope(0, 0, 3):
        assert [uniform(), integer(0, 100), permutation(5), choice(9, 2, False)] == inside


def test_data_sets_and_samplers_do_not_load_the_engine() -> None:
    code = """
import sys, numpy, core.io, core.vision.transforms, PaddleClas.data
dataset = core.io.TensorDataset([numpy.zeros((4, 2)), numpy.arange(4)])
batches = core.io.BatchSampler(dataset, shuffle=True, batch_size=2)
for batch in batches:
    core.io.default_collate_fn([dataset[i] for i in batch])
core.io.DataLoader(dataset, batch_size=2)
assert not {'mxnet', 'numba', 'core.kernels'} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_epoch_that_is_read_is_known() -> None:
    assert current_epoch() is None
    with sample_scope(0, 7, 3):
        assert current_epoch() == 7
    assert current_epoch() is None
