"""The CUDA kernels of message passing: run as C++ and, where there is one, on a GPU; compiled by nvcc."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from core.kernels.cuda import launcher, message_passing
from core.kernels.cuda.launcher import CuPyProgram, Launcher, signatures
from core.kernels.graphs import message_passing_reference as reference

NODES, ROWS, EDGES = 40, 30, 300
RNG = np.random.default_rng(0)
SOURCE = RNG.integers(0, NODES - 1, EDGES)  # no edge leaves the last node
TARGET = np.minimum(RNG.geometric(0.15, EDGES) - 1, ROWS - 2)  # from rows of dozens of edges down to rows of none
WIDTHS = (1, 3, 64)
HEADS = (1, 8)
GUARD = 8  # elements on both sides of a result, which nobody may touch

# What the CUDA compiler knows by itself, for one thread of the host that plays all threads one after the other.
SHIM = """
#include <cmath>
#define __global__
#define __device__
using std::exp;
static struct { unsigned x; } blockIdx, threadIdx, gridDim, blockDim;
extern "C" void play(unsigned block, unsigned thread, unsigned blocks, unsigned threads)
{
    blockIdx.x = block, threadIdx.x = thread, gridDim.x = blocks, blockDim.x = threads;
}
"""


def grouped(rows: np.ndarray, columns: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where each row's edges begin, int64, and the other ends and the ids of the edges by row, int32."""
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))])
    return starts, columns[order].astype("int32"), order.astype("int32")


INCOMING = grouped(TARGET, SOURCE, ROWS)
OUTGOING = grouped(SOURCE, TARGET, NODES)


def compiler() -> str:
    found = next(filter(None, map(shutil.which, ("g++", "clang++", "c++"))), None)
    if found is None:
        pytest.skip("there is no C++ compiler: apt-get install g++")
    return found


class Machine:
    """What runs kernels, and how arrays come there and back."""

    def __init__(
        self, launch: Launcher, put: Callable[[np.ndarray], Any], fetch: Callable[[Any], np.ndarray], emulated: bool
    ) -> None:
        self.launch, self.put, self.fetch, self.emulated = launch, put, fetch, emulated

    def run(self, kernel: Callable[..., None], given: Sequence[Any], *results: tuple[Any, str]) -> Any:
        """Return what a kernel writes into memory of these shapes and types, and nothing around it."""
        buffers = [
            self.put(np.full(int(np.prod(shape)) + 2 * GUARD, -7 if dtype == "int32" else np.nan, dtype))
            for shape, dtype in results
        ]
        outs = tuple(buffer[GUARD:-GUARD] for buffer in buffers)
        flat = [
            self.put(np.ascontiguousarray(item).reshape(-1)) if isinstance(item, np.ndarray) else item for item in given
        ]
        kernel(self.launch, *flat, outs[0] if len(outs) == 1 else outs)
        found = [self.fetch(buffer) for buffer in buffers]
        for whole in found:
            around = np.r_[whole[:GUARD], whole[-GUARD:]]
            assert (around == -7).all() if whole.dtype == "int32" else np.isnan(around).all()
        shaped = [whole[GUARD:-GUARD].reshape(shape) for whole, (shape, _) in zip(found, results)]
        return shaped[0] if len(shaped) == 1 else shaped


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ctypes.CDLL]:
    """Return the source, compiled as C++ for both types."""
    folder, command = tmp_path_factory.mktemp("cuda"), compiler()
    (folder / "shim.h").write_text(SHIM)
    found = {}
    for number in ("float", "double"):
        library = folder / f"{number}.so"
        subprocess.run(
            [command, "-x", "c++", "-std=c++14", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
             "-include", str(folder / "shim.h"), f"-DNUMBER={number}", str(launcher.SOURCE), "-o", str(library)],
            check=True,
        )  # fmt: skip
        found[number] = ctypes.CDLL(str(library))
    return found


def emulated(libraries: dict[str, ctypes.CDLL], backwards: bool) -> Launcher:
    """Return a launcher whose threads run one after the other, the last one first where that is asked for."""

    class Program:
        def __init__(self, number: str) -> None:
            self.library = libraries[number]

        def __call__(self, name: str, arguments: Sequence[Any], blocks: int, threads: int) -> None:
            given = [
                ctypes.c_void_p(item.ctypes.data) if isinstance(item, np.ndarray) else ctypes.c_longlong(item)
                for item in arguments
            ]
            order = list(itertools.product(range(blocks), range(threads)))
            for block, thread in reversed(order) if backwards else order:
                self.library.play(block, thread, blocks, threads)
                getattr(self.library, name)(*given)

    return Launcher(Program)


@pytest.fixture(params=["emulated", "emulated backwards", "GPU"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Machine:
    if request.param == "GPU":
        cupy = pytest.importorskip("cupy", reason="needs CuPy and a GPU")
        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            pytest.skip(f"there is no GPU: {error}")
        return Machine(Launcher(CuPyProgram), cupy.asarray, cupy.asnumpy, emulated=False)
    monkeypatch.setattr(launcher, "THREADS_OF_A_BLOCK", 4)
    monkeypatch.setattr(launcher, "MOST_BLOCKS", 3)  # so that threads do several things, as in large graphs
    launch = emulated(request.getfixturevalue("libraries"), request.param == "emulated backwards")
    return Machine(launch, np.array, np.asarray, emulated=True)


@pytest.fixture(params=["float32", "float64"])
def dtype(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def check(got: np.ndarray, expected: np.ndarray) -> None:
    tolerance = 2e-5 if got.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("width", WIDTHS)
def test_sums(machine: Machine, dtype: str, width: int) -> None:
    table = drawn(dtype, NODES, width)
    for mean in (False, True):
        given = (table, *INCOMING[:2], mean, width)
        got = machine.run(message_passing.gather_sum, given, ((ROWS, width), dtype))
        check(got, reference.gather_sum(table, SOURCE, TARGET, ROWS, mean))


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("size", WIDTHS)
def test_weighted_sums_and_their_gradients(machine: Machine, dtype: str, heads: int, size: int) -> None:
    table, weight = drawn(dtype, NODES, heads, size), drawn(dtype, EDGES, heads)
    gradient = drawn(dtype, ROWS, heads, size)
    given = (table, weight, *INCOMING, heads, size)
    got = machine.run(message_passing.gather_multiply_sum, given, (gradient.shape, dtype))
    check(got, reference.gather_multiply_sum(table, weight, SOURCE, TARGET, ROWS))
    products = reference.dot_ends(table, gradient, SOURCE, TARGET)
    given = (table, gradient, *INCOMING, heads, size)
    check(machine.run(message_passing.dot_ends, given, (weight.shape, dtype)), products)
    given = (gradient, table, weight, *OUTGOING, heads, size)
    results = ((table.shape, dtype), (weight.shape, dtype))
    of_table, of_weight = machine.run(message_passing.gather_multiply_gradients, given, *results)
    check(of_table, reference.gather_multiply_sum(gradient, weight, TARGET, SOURCE, NODES))
    check(of_weight, products)


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_of_edges_from_their_ends(machine: Machine, dtype: str, width: int) -> None:
    sources, targets = drawn(dtype, NODES, width), drawn(dtype, ROWS, width)
    got = machine.run(message_passing.add_ends, (sources, targets, *INCOMING, width), ((EDGES, width), dtype))
    np.testing.assert_array_equal(got, sources[SOURCE] + targets[TARGET])
    given = (targets, INCOMING[0], INCOMING[2], width)
    got = machine.run(message_passing.edge_expand, given, ((EDGES, width), dtype))
    np.testing.assert_array_equal(got, targets[TARGET])


@pytest.mark.parametrize("heads", HEADS)
def test_softmax_and_its_gradient(machine: Machine, dtype: str, heads: int) -> None:
    logits, gradient = drawn(dtype, EDGES, heads) * 9, drawn(dtype, EDGES, heads)
    logits[::2] += 1000  # whose exp is beyond all numbers
    rows = (INCOMING[0], INCOMING[2], heads)
    softmax = machine.run(message_passing.edge_softmax, (logits, *rows), (logits.shape, dtype))
    check(softmax, reference.edge_softmax(logits, TARGET))
    slopes = machine.run(message_passing.edge_softmax_gradient, (gradient, softmax, *rows), (logits.shape, dtype))
    check(slopes, reference.edge_softmax_gradient(gradient, softmax, TARGET))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("largest", [True, False])
def test_extremes_and_their_gradients(machine: Machine, dtype: str, width: int, largest: bool) -> None:
    table = np.round(drawn(dtype, NODES, width) * 3)  # with equal numbers among them
    table[SOURCE[0], 0] = np.nan
    results = (((ROWS, width), dtype), ((ROWS, width), "int32"))
    found, winners = machine.run(message_passing.gather_extreme, (table, *INCOMING, largest, width), *results)
    expected = reference.gather_extreme(table, SOURCE, TARGET, ROWS, largest)
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(winners, expected[1])
    gradient = drawn(dtype, ROWS, width)
    given = (gradient, winners, *OUTGOING, False, width)
    back = machine.run(message_passing.sum_of_winners, given, (table.shape, dtype))
    check(back, reference.sum_of_winners(gradient, winners, SOURCE, NODES))
    given = (table, winners, *INCOMING, True, width)
    np.testing.assert_array_equal(machine.run(message_passing.sum_of_winners, given, results[0]), found)


def test_graphs_without_edges_or_nodes(machine: Machine, dtype: str) -> None:
    none, ids = np.zeros(0, dtype), np.zeros(0, np.int32)
    for rows in (0, 5):
        empty = (np.zeros(rows + 1, np.int64), ids, ids)
        got = machine.run(message_passing.gather_multiply_sum, (none, none, *empty, 2, 3), ((rows, 2, 3), dtype))
        np.testing.assert_array_equal(got, np.zeros((rows, 2, 3)))
        results = (((rows, 3), dtype), ((rows, 3), "int32"))
        found, winners = machine.run(message_passing.gather_extreme, (none, *empty, True, 3), *results)
        assert not found.any() and (winners == -1).all()
        assert machine.run(message_passing.edge_softmax, (none, empty[0], ids, 3), ((0, 3), dtype)).shape == (0, 3)


@pytest.mark.parametrize("number", ["float", "double"])
@pytest.mark.parametrize("generation", [70, 75, 90])
def test_nvcc_compiles_the_source(generation: int, number: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc")
    known = subprocess.run(["nvcc", "--list-gpu-arch"], check=True, capture_output=True, text=True).stdout.split()
    if f"compute_{generation}" not in known:
        pytest.skip(f"this nvcc does not serve GPUs of generation sm_{generation}")
    compiler()  # which nvcc asks what the source includes
    written = tmp_path / "kernels.ptx"
    options = [f"-arch=compute_{generation}", f"-DNUMBER={number}", "-Werror", "all-warnings"]
    subprocess.run(["nvcc", "-ptx", *options, "-o", str(written), str(launcher.SOURCE)], check=True)
    text = written.read_text()
    assert all(f".visible .entry {name}(" in text for name in signatures())
    assert f".target sm_{generation}" in text and "atom." not in text and "red." not in text
    assert (".f64" in text) == (number == "double")  # nothing is computed in a type that was not asked for


def test_every_kernel_is_read_from_the_source() -> None:
    assert sorted(signatures()) == [
        "add_ends", "dot_ends", "edge_expand", "edge_softmax", "edge_softmax_gradient", "gather_extreme",
        "gather_multiply_sum", "gather_sum", "sum_of_winners",
    ]  # fmt: skip
    first, *_, last = signatures()["gather_extreme"]
    assert first == ("table", "NUMBER", True, True) and last == ("winners", "int", True, False)
    assert signatures()["dot_ends"][5] == ("rows", "long long", False, False)
