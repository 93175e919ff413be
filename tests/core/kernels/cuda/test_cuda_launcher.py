"""The launcher of CUDA kernels: what it refuses, what it asks of a back end, and what MXNet's library gets."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.cuda import message_passing
from core.kernels.cuda.launcher import Launcher, MXNetProgram, signatures
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.engine import engine
from core.kernels.engine.engine import from_numpy, mx
from core.operators.graphs._edges import Edges
from core.operators.graphs.message_passing import gather_reduce


class Recorder:
    """Stands for a back end; notes what it is asked to start."""

    def __init__(self) -> None:
        self.numbers: list[str] = []
        self.started: list[tuple[str, list[Any], int, int]] = []

    def __call__(self, number: str) -> Any:
        self.numbers.append(number)
        return lambda *started: self.started.append(started)


def test_the_launcher_starts_enough_threads_and_compiles_once() -> None:
    recorder = Recorder()
    launch = Launcher(recorder)
    rows, ids, table = np.arange(3), np.zeros(2, np.int32), np.zeros(1, np.float32)
    for width in (1, 128, 129, 10**9, 0):
        message_passing.add_ends(launch, table, table, rows, ids, ids, width, table)
    assert recorder.numbers == ["float"]
    assert [(name, blocks, threads) for name, _, blocks, threads in recorder.started] == [
        ("add_ends", blocks, 256) for blocks in (1, 1, 2, 65536)
    ]
    assert recorder.started[0][1][5:7] == [2, 1]


@pytest.mark.parametrize(
    ("position", "wrong", "message"),
    [
        (0, np.zeros(3, np.int32), "gather_sum: kernels compute in float32 or float64, got int32"),
        (1, np.zeros(3, np.int32), "gather_sum: indptr must be int64, got int32"),
        (2, np.zeros(2, np.int64), "gather_sum: neighbors must be int32, got int64"),
        (5, np.zeros(2), "gather_sum: result must be float32, got float64"),
    ],
)
def test_arrays_of_another_type_are_refused(position: int, wrong: np.ndarray, message: str) -> None:
    given: list[Any] = [np.zeros(3, np.float32), np.arange(3), np.zeros(2, np.int32), False, 1, np.zeros(2, np.float32)]
    given[position] = wrong
    with pytest.raises(OperatorTypeError, match=f"^{message}$"):
        message_passing.gather_sum(Launcher(Recorder()), *given)


def engine_arrays() -> list[Any]:
    table, indptr, neighbors = np.zeros(3, np.float32), np.arange(3), np.zeros(2, np.int32)
    return [from_numpy(table), from_numpy(indptr), from_numpy(neighbors), True, 1, from_numpy(table[:2])]


def test_an_engine_without_cuda_is_one_clear_line() -> None:
    if mx.runtime.Features().is_enabled("CUDA"):
        pytest.skip("the installed mxnet has CUDA")
    with pytest.raises(RuntimeError, match="^CUDA kernels cannot be used: the installed mxnet has no CUDA; install"):
        message_passing.gather_sum(Launcher(), *engine_arrays())


class Library:
    """Stands for the engine's library; notes what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """Let the engine believe that it has CUDA, as far as its own library."""
    stand_in = Library()
    monkeypatch.setattr(mx.runtime.Features, "is_enabled", lambda self, feature: True)
    monkeypatch.setattr(mx.rtc, "_LIB", stand_in)
    monkeypatch.setattr(mx.rtc, "check_call", lambda code: None)
    yield stand_in
    gc.collect()  # what is still to be handed back goes to the placeholder, too


def test_arrays_on_the_cpu_are_refused(library: Library) -> None:
    with pytest.raises(OperatorError, match=r"^gather_sum: arrays must live on a GPU, got one on cpu\(0\)$"):
        message_passing.gather_sum(Launcher(), *engine_arrays())


def test_the_engine_is_told_of_every_kernel(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx.ndarray.NDArray, "context", mx.gpu(1))
    program = MXNetProgram("double")
    made = {"NUMBER": "float64", "int": "int32", "long long": "int64"}
    for name, parameters in signatures().items():
        arguments = [from_numpy(np.zeros(4, made[item.type])) if item.array else 3 for item in parameters]
        program(name, arguments, 5, 256)
    (module, source, options, *_), *pairs = [call for call in library.calls if "Free" not in call[0]]
    assert module == "MXRtcCudaModuleCreate" and b"gather_multiply_sum" in source.value and options == 1
    codes = {"NUMBER": 1, "int": 4, "long long": 6}
    for (name, parameters), create, call in zip(signatures().items(), pairs[::2], pairs[1::2]):
        assert create[0] == "MXRtcCudaKernelCreate" and create[2].value.decode() == name
        assert list(create[4]) == [item.array for item in parameters]
        assert list(create[5]) == [item.constant for item in parameters]
        assert list(create[6]) == [codes[item.type] for item in parameters]
        assert call[0] == "MXRtcCudaKernelCall" and call[2] == 1
        assert [number.value for number in call[4:11]] == [5, 1, 1, 256, 1, 1, 0]


def test_operators_on_tensors_of_a_gpu_return_what_the_host_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = Edges.from_index(np.array([0, 1, 2, 2]), np.array([1, 2, 0, 1]), 3, 4)
    x = core.to_tensor(np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32))

    def reduced() -> list[np.ndarray]:
        return [gather_reduce(x, edges, reduce).numpy() for reduce in ("mean", "max")]

    expected, view = reduced(), engine.view
    monkeypatch.setattr(engine, "on_cpu", lambda: False)
    monkeypatch.setattr(engine, "view", lambda *given: view(*given).copy())  # as from another memory
    for got, wanted in zip(reduced(), expected):
        np.testing.assert_array_equal(got, wanted)
