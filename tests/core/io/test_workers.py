"""Worker processes: what they read is what this process would read, and nothing that befalls them goes unnoticed."""

# ruff: noqa: NPY002 -- global generators are part of what is tested
from __future__ import annotations

import functools
import io
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from core.io import Collate, DataLoader, Stack, TensorDataset, WorkerError
from core.io import loader as loader_module
from core.io.workers import pool as workers_module
from core.io.workers.pool import WorkerTraceback
from tests.core.io import worker_datasets as datasets


@pytest.fixture(autouse=True)
def _arrays_instead_of_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader_module, "to_tensors", lambda batch: batch)


def plain(value: Any) -> Any:
    """Return a batch as plain Python, so that == compares it."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def ends_within(seconds: float, done: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
    return done()


def is_alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


# --- the same batches, whoever reads them --------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_order_and_noise_do_not_depend_on_the_number_of_workers(count: int) -> None:
    here = DataLoader(datasets.Noisy(), batch_size=3, shuffle=True, seed=7, use_buffer_reader=False)
    there = DataLoader(datasets.Noisy(), batch_size=3, shuffle=True, seed=7, num_workers=count)
    before = np.random.get_state()[1].tolist()
    for epoch in (0, 3):
        here.set_epoch(epoch)
        there.set_epoch(epoch)
        whole = plain(list(here))
        assert plain(list(there)) == whole
        assert plain(list(there.batches(start=2))) == whole[2:] == plain(list(here.batches(start=2)))
    assert np.random.get_state()[1].tolist() == before
    assert len({number for batch in whole for number in batch[2][2]}) == 10


def test_what_a_batch_draws_before_it_is_collated_does_not_depend_on_the_reader() -> None:
    options = {"batch_size": 4, "collate_fn": Collate([Stack(), Stack()], before=datasets.drawn_with), "seed": 7}
    whole = [plain(list(batch)) for batch in DataLoader(datasets.Noisy(), **options)]
    assert [plain(list(batch)) for batch in DataLoader(datasets.Noisy(), num_workers=2, **options)] == whole
    drawn = [batch[1][2] for batch in whole]
    assert len({number for batch in drawn for number in batch}) == len(drawn) == 3


def test_without_a_seed_noise_follows_from_numpys_generator() -> None:
    loaders = [DataLoader(datasets.Noisy(), batch_size=3, num_workers=count) for count in (1, 2)]
    runs = []
    for loader in (*loaders, loaders[0]):
        np.random.seed(4)
        runs.append(plain(list(loader)))
    assert runs[0] == runs[1] == runs[2] != plain(list(loaders[0]))


def test_samples_go_round_without_batches() -> None:
    loader = DataLoader(datasets.Noisy(5), batch_size=None, num_workers=2, seed=0)
    assert [sample[0] for sample in loader] == [0, 1, 2, 3, 4]
    assert [sample[0] for sample in loader.batches(3)] == [3, 4]


@pytest.mark.parametrize(
    ("shared", "size", "collate"),
    [(True, 20000, None), (True, 10, datasets.as_lists), (False, 10, None), (False, 20000, datasets.as_lists)],
)
def test_every_structure_arrives(shared: bool, size: int, collate: Any) -> None:
    options = {"batch_size": 2, "collate_fn": collate}
    expected = list(DataLoader(datasets.Structured(size), **options))
    found = list(DataLoader(datasets.Structured(size), num_workers=2, use_shared_memory=shared, **options))
    assert plain(found) == plain(expected)
    first = found[0]["image"] if collate is None else found[0][0]["image"]
    first += 1  # batches belong to the caller


def test_variable_shapes_reuse_and_outgrow_memory() -> None:
    loader = DataLoader(datasets.Growing(), batch_size=None, num_workers=2, persistent_workers=True)
    kept = []
    for _ in range(2):
        for index, sample in enumerate(loader):
            assert plain(sample) == plain(datasets.Growing()[index])
            if index % 3 == 0:
                kept.append((index, sample))
    for index, sample in kept:  # nobody wrote into what is still held
        assert plain(sample) == plain(datasets.Growing()[index])


@pytest.mark.parametrize("limit", [0, 1 << 21])
def test_where_shared_memory_is_small_batches_go_through_the_pipe(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "SHARED_MEMORY", limit)
    batches = list(DataLoader(datasets.Growing(), batch_size=None, num_workers=2))
    assert plain(batches) == plain([datasets.Growing()[index] for index in range(9)])


def test_where_the_system_refuses_memory_batches_go_through_the_pipe() -> None:
    loader = DataLoader(datasets.Growing(), batch_size=None, num_workers=1, worker_init_fn=datasets.allow_no_files)
    assert plain(list(loader)) == plain([datasets.Growing()[index] for index in range(9)])


def test_workers_have_no_engine_and_are_other_processes() -> None:
    pids, engines = zip(*DataLoader(datasets.Process(), batch_size=4, num_workers=2))
    assert os.getpid() not in np.concatenate(pids) and len(set(np.concatenate(pids))) == 2
    assert not np.concatenate(engines).any()


def test_tensors_of_a_data_set_become_arrays_before_they_leave() -> None:
    import core

    values = np.arange(12, dtype=np.float32).reshape(6, 2)
    loader = DataLoader(TensorDataset([core.to_tensor(values), np.arange(6)]), batch_size=3, num_workers=2)
    assert plain(list(loader)) == plain([[values[:3], np.arange(3)], [values[3:], np.arange(3, 6)]])


def test_large_arrays_are_shared_until_written_to() -> None:
    dataset = datasets.Shared(1 << 19)
    assert list(DataLoader(dataset, batch_size=None, num_workers=2)) == [7.0 * (1 << 19), 1.0 * (1 << 19)]
    assert dataset.array[0] == 1


# --- streams -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", [datasets.Counting(11), datasets.Records(13)], ids=["iterable", "stream"])
@pytest.mark.parametrize("drop_last", [False, True])
def test_streams_are_shared_out(dataset: Any, drop_last: bool) -> None:
    options: dict[str, Any] = {"batch_size": 3, "drop_last": drop_last, "seed": 5}
    here = [batch[:2] for batch in DataLoader(dataset, use_buffer_reader=False, **options)]
    numbers = np.concatenate([batch[0] for batch in here]).tolist()
    assert len(numbers) == (dataset.length // 3 * 3 if drop_last else dataset.length)
    assert set(numbers) <= set(range(dataset.length)) and len(set(numbers)) == len(numbers)
    for count in (1, 2, 3):
        loader = DataLoader(dataset, num_workers=count, **options)
        assert plain([batch[:2] for batch in loader]) == plain(here)
        assert plain([batch[:2] for batch in loader.batches(start=2)]) == plain(here[2:])
    assert list(loader.batches(start=9)) == []


def test_records_are_transformed_by_one_worker_each() -> None:
    batches = list(DataLoader(datasets.Records(12), batch_size=2, num_workers=2, seed=0))
    assert [len(set(batch[2])) for batch in batches] == [1] * 6
    assert len({batch[2][0] for batch in batches[::2]}) == len({batch[2][0] for batch in batches[1::2]}) == 1
    assert batches[0][2][0] != batches[1][2][0]


@pytest.mark.parametrize("initialize", [None, datasets.choose_share])
def test_streams_that_choose_their_share(initialize: Any) -> None:
    dataset = datasets.Counting(11, ask="no" if initialize else "yes")
    alone = dict(zip(*map(np.concatenate, list(zip(*DataLoader(datasets.Counting(11), batch_size=2, seed=5)))[:2])))
    loader = DataLoader(dataset, batch_size=2, num_workers=2, seed=5, worker_init_fn=initialize)
    batches = list(loader)
    assert [batch[0].tolist() for batch in batches] == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9]]
    assert dict(zip(*map(np.concatenate, list(zip(*batches))[:2]))) == alone
    assert len(set(np.concatenate([batch[2] for batch in batches]))) == 11
    assert plain(list(loader.batches(start=3))) == plain(batches[3:])


def test_a_stream_must_choose_before_its_first_sample() -> None:
    with pytest.raises(RuntimeError, match=r"Counting asked get_worker_info\(\) after it had given a sample"):
        list(DataLoader(datasets.Counting(ask="late"), num_workers=2))


# --- errors of the user's code ---------------------------------------------------------------------------------------


def raised_by(loader: DataLoader, kind: type[BaseException], match: str, batches: int = 2) -> BaseException:
    """Return the error that ends an iteration, after as many good batches."""
    seen = []
    with pytest.raises(kind, match=match) as caught:
        for batch in loader:
            seen.append(batch)
    assert len(seen) == batches
    return caught.value


@pytest.mark.parametrize("count", [1, 2])
def test_an_exception_arrives_with_its_traceback_after_the_batches_before_it(count: int) -> None:
    loader = DataLoader(datasets.Doing(datasets.break_down), batch_size=2, num_workers=count)
    error = raised_by(loader, OSError, "^photo 5 is truncated$")
    assert isinstance(error.__cause__, WorkerTraceback)
    assert "while it read batch 2 (samples 4, 5):" in str(error.__cause__)
    assert "in break_down\n" in str(error.__cause__)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (datasets.be_peculiar, "stopped while it read batch 5 .samples 5.: .*PeculiarError: 1 is not 2"),
        (datasets.leave, "SystemExit: 4"),
        (datasets.stop, "StopIteration"),
        (datasets.nest, "a worker process cannot start workers of its own; use num_workers=0 in it"),
    ],
)
def test_exceptions_that_cannot_be_raised_here_are_named(action: Any, message: str) -> None:
    raised_by(DataLoader(datasets.Doing(action), num_workers=2), WorkerError, message, batches=5)


def test_memory_errors_say_what_helps() -> None:
    loader = DataLoader(
        datasets.Doing(datasets.take_too_much), num_workers=1, worker_init_fn=datasets.allow_little_memory
    )
    raised_by(loader, MemoryError, r"ran out of memory while it read batch 5 \(samples 5\); use fewer workers", 5)


def test_errors_of_a_stream_and_of_collation() -> None:
    error = raised_by(
        DataLoader(datasets.Growing(), batch_size=2, num_workers=2), ValueError, r"shapes: \(1, 5000\), \(2, 5000\)", 0
    )
    assert "while it read batch 0 (samples 0, 1)" in str(error.__cause__)
    broken = DataLoader(datasets.Counting(), collate_fn=datasets.fail_to_start, num_workers=1)
    assert "while it read its stream" in str(raised_by(broken, ValueError, "no camera", 0).__cause__)


@pytest.mark.parametrize(
    ("dataset", "initialize", "kind", "message"),
    [
        (datasets.Noisy(), datasets.fail_to_start, ValueError, "no camera [01]"),
        (datasets.FailsToLoad(), None, FileNotFoundError, "no index file 'train.idx'"),
    ],
)
def test_errors_while_starting(dataset: Any, initialize: Any, kind: Any, message: str) -> None:
    error = raised_by(DataLoader(dataset, num_workers=2, worker_init_fn=initialize), kind, message, 0)
    assert "while it started:" in str(error.__cause__)


# --- what befalls a process ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    ("action", "message"),
    [
        (datasets.exit_3, r"died while it read batch 2 \(samples 4, 5\): it exited with code 3"),
        (datasets.kill, r"killed by SIGKILL, as happens when the machine runs out of memory; use fewer workers, small"),
        (datasets.crash, r"died while it read batch 2 \(samples 4, 5\): it was ended by SIGSEGV"),
    ],
)
def test_a_dead_worker_is_an_error(action: Any, message: str, persistent: bool) -> None:
    loader = DataLoader(datasets.Doing(action), batch_size=2, num_workers=2, persistent_workers=persistent)
    for _ in range(2):
        with pytest.raises(WorkerError, match=r"DataLoader worker [01] \(pid \d+\) .*" + message) as caught:
            list(loader)
    if action is datasets.crash:
        assert "in crash" in str(caught.value.__cause__)


def test_another_worker_reads_what_a_dead_one_did_not(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = {"batch_size": 2, "shuffle": True, "seed": 3}
    expected = list(DataLoader(datasets.Noisy(), num_workers=0, **settings))
    loader = DataLoader(datasets.DyingOnce(tmp_path / "mark"), num_workers=2, **settings)
    for found, batch in zip(list(loader), expected):
        for field, other in zip(found[:2], batch[:2]):
            np.testing.assert_array_equal(field, other)
    assert re.search(r"worker [01] \(pid \d+\) died while it read batch .* was killed by SIGKILL.*anew", caplog.text)


def test_a_worker_that_dies_in_the_middle_of_a_message_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    batches = iter(DataLoader(datasets.Speaking(), batch_size=None, num_workers=1, use_shared_memory=False))
    pid = next(batches)
    blocked = f"/proc/{pid}/task/{pid}/stat"
    assert ends_within(10, lambda: Path(blocked).read_text().rpartition(")")[2].split()[0] == "S")
    time.sleep(0.3)  # it sleeps because the pipe is full
    os.kill(pid, signal.SIGKILL)
    assert next(batches).size and f"(pid {pid}) died while it read batch 1 (samples 1): it was killed" in caplog.text


def test_a_worker_that_does_not_get_on_is_an_error_with_its_stack() -> None:
    loader = DataLoader(datasets.Doing(datasets.wait_long, at=3), batch_size=2, num_workers=2, timeout=1.5)
    message = r"did not get on for 1.5 s while it read batch 1 \(samples 2, 3\).*pass a larger timeout="
    error = raised_by(loader, WorkerError, message, 1)
    assert "in wait_long" in str(error.__cause__)


def test_without_a_timeout_time_counts_per_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    list(DataLoader(datasets.Noisy(), num_workers=1))  # the next start is quick
    monkeypatch.setattr(workers_module, "WATCH", 2.0)
    monkeypatch.setattr(workers_module, "_ASK", 0.2)
    assert len(list(DataLoader(datasets.Slow(0.3, 9), batch_size=9, num_workers=1))) == 1
    hold = DataLoader(datasets.Doing(datasets.hold_the_interpreter, at=1), batch_size=2, num_workers=1)
    error = raised_by(hold, WorkerError, "did not get on for 2 s while it read batch 0", 0)
    assert "in hold_the_interpreter" in str(error.__cause__)


def test_a_start_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "WATCH", 1.0)
    loader = DataLoader(datasets.Noisy(), num_workers=1, worker_init_fn=datasets.wait_at_start)
    error = raised_by(loader, WorkerError, "did not get on for 1 s while it started", 0)
    assert "in wait_at_start" in str(error.__cause__)


# --- beginnings and endings ------------------------------------------------------------------------------------------


def pids_of(loader: DataLoader) -> set[int]:
    return set(np.concatenate([pids for pids, _ in loader]).tolist())


def test_persistent_workers_serve_many_epochs() -> None:
    loader = DataLoader(datasets.Process(), num_workers=2, persistent_workers=True)
    first = pids_of(loader)
    with_break = iter(loader)
    next(with_break)
    with_break.close()  # type: ignore[attr-defined]
    assert pids_of(loader) == first and len(first) == 2
    outer = iter(loader)
    next(outer)
    assert pids_of(loader).isdisjoint(first)  # a second iteration at the same time has workers of its own
    assert len(list(outer)) == 7
    del loader, outer, with_break
    assert ends_within(5, lambda: not any(map(is_alive, first)))


def test_persistent_workers_follow_the_epoch() -> None:
    here = DataLoader(datasets.Noisy(), batch_size=3, shuffle=True, seed=1)
    there = DataLoader(datasets.Noisy(), batch_size=3, shuffle=True, seed=1, num_workers=2, persistent_workers=True)
    streams = DataLoader(datasets.Counting(), batch_size=3, seed=1, num_workers=2, persistent_workers=True)
    numbers = []
    for epoch in range(3):
        here.set_epoch(epoch)
        there.set_epoch(epoch)
        streams.set_epoch(epoch)
        abandoned = there.batches()
        next(abandoned)
        abandoned.close()
        assert plain([batch[:2] for batch in there]) == plain([batch[:2] for batch in here])
        numbers.append([plain(batch[:2]) for batch in streams])
    assert [batch[0] for batch in numbers[0]] == [batch[0] for batch in numbers[1]]
    assert numbers[0] != numbers[1] != numbers[2]


def test_workers_end_with_the_iteration() -> None:
    assert ends_within(5, lambda: not any(map(is_alive, pids_of(DataLoader(datasets.Process(), num_workers=2)))))


@pytest.mark.parametrize("action", [datasets.wait_long, datasets.hold_the_interpreter])
def test_dropping_an_iterator_does_not_wait_for_samples(action: Any) -> None:
    batches = iter(DataLoader(datasets.Doing(action, at=1), num_workers=2))
    next(batches)
    began = time.monotonic()
    del batches
    assert time.monotonic() - began < 5


def test_waiting_does_not_burn_time() -> None:
    loader = DataLoader(datasets.Slow(0.5, 2), num_workers=1)
    began = time.process_time()
    list(loader)
    assert time.process_time() - began < 0.4


def test_no_thread_and_no_handle_stays() -> None:
    list(DataLoader(datasets.Growing(), batch_size=None, num_workers=2))  # starts what all workers come from
    handles, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(2):
        list(DataLoader(datasets.Growing(), batch_size=None, num_workers=2))
    assert len(os.listdir("/proc/self/fd")) == handles
    assert threading.active_count() == threads


# --- what cannot be sent to a worker, and wrong options --------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (
            lambda x: x,
            r"dataset\.held is a lambda, and .*; define a function at the top level of a module, or use num_w",
        ),
        (
            {"files": [io.BytesIO(), open(os.devnull)]},
            r"dataset\.held\['files'\]\[1\] is a TextIOWrapper \(cannot pickle",
        ),
        (functools.partial(print, threading.Lock()), r"dataset\.held\.args\[0\] is a lock .*make it when a sample is"),
        ((n for n in range(3)), r"dataset\.held is a generator .* leave it out in __getstate__, or use num_workers=0"),
    ],
)
def test_what_cannot_be_pickled_is_named(held: Any, message: str) -> None:
    with pytest.raises(TypeError, match="^DataLoader: " + message):
        list(DataLoader(datasets.Holding(held), num_workers=1))


def test_local_classes_and_functions_are_named() -> None:
    class Local(datasets.Noisy):
        pass

    with pytest.raises(TypeError, match=r"dataset is .*<locals>.Local, defined inside a function, and cannot be sent"):
        list(DataLoader(Local(), num_workers=1))

    def collate(samples: Any) -> Any:
        return samples

    with pytest.raises(TypeError, match=r"collate_fn is .*<locals>.collate, defined inside a function, and cannot be"):
        list(DataLoader(datasets.Noisy(), collate_fn=collate, num_workers=1))


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"num_workers": -1}, ValueError, "num_workers must be a non-negative integer, not -1"),
        ({"num_workers": 10**6}, ValueError, r"num_workers 1000000 is more than \d+, the most for \d+ processors"),
        ({"num_workers": True}, ValueError, "num_workers must be a non-negative integer, not True"),
        ({"prefetch_factor": 0}, ValueError, "prefetch_factor must be a positive integer, not 0"),
        ({"timeout": -2}, ValueError, "timeout must be a number of seconds, 0 or more, not -2"),
        ({"worker_init_fn": 3}, TypeError, "worker_init_fn must be callable, not 3"),
        ({"persistent_workers": True}, ValueError, "persistent_workers=True needs workers; pass num_workers=1 or more"),
        ({"feed_list": ["x"]}, NotImplementedError, "feed_list belongs to static graphs"),
        ({"return_list": False}, NotImplementedError, "return_list=False belongs to static graphs"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], kind: Any, message: str) -> None:
    with pytest.raises(kind, match="DataLoader: " + message):
        DataLoader(datasets.Noisy(), **options)
