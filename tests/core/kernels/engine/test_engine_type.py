"""The engine computes on the calling thread, and says nothing about it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import core
from core.jit.running.frozen_program import FROZEN_CALLS
from core.kernels.dispatch.operator import REGISTRY, HostOperator
from core.kernels.engine import startup
from core.tensor import apply
from tests.sampling import sampled

CODE = """
import os
import sys
import core
print((core.ones([2]) + 1).tolist())
print(os.environ.get('MXNET_ENGINE_TYPE'), os.environ.get('MXNET_CPU_TEMP_COPY'))
assert 'numba' not in sys.modules  # which takes a third of the time to start
"""


@pytest.mark.parametrize("chosen", [None, pytest.param("ThreadedEnginePerDevice", marks=pytest.mark.exhaustive)])
def test_a_program_says_nothing_and_may_choose_the_engine(chosen: object) -> None:
    own = ("MXNET_ENGINE_TYPE", "MXNET_CPU_TEMP_COPY")
    environment = {key: value for key, value in os.environ.items() if key not in own}
    if chosen is not None:
        environment["MXNET_ENGINE_TYPE"] = str(chosen)
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    expected = chosen or ("None" if startup.has_gpus() else "NaiveEngine")
    pieces = "1" if expected == "NaiveEngine" else "None"  # of scratch memory, that operators use in turn
    assert done.stdout == f"[2.0, 2.0]\n{expected} {pieces}\n"


def test_a_driver_alone_gives_the_engine_no_gpu(tmp_path: Path) -> None:
    driver, packages = tmp_path / "driver", tmp_path / "site-packages [1]"
    (packages / "mxnet-1.9.1.dist-info").mkdir(parents=True)
    assert not startup.has_gpus(str(driver), str(packages))
    driver.mkdir()
    assert not startup.has_gpus(str(driver), str(packages))  # the build for CPUs, on a machine with a GPU
    (packages / "mxnet_cu117-1.9.1.dist-info").mkdir()
    assert startup.has_gpus(str(driver), str(packages))
    driver.rmdir()
    assert not startup.has_gpus(str(driver), str(packages))


THREADS = """
import ctypes, os, threading
import numpy as np
import core
openmp = ctypes.CDLL("libgomp.so.1")
counts = [openmp.omp_get_max_threads()]
core.nn.functional.relu(core.nn.Conv2D(8, 8, 3)(core.ones([2, 8, 9, 9]))).sum().backward()
counts.append(openmp.omp_get_max_threads())
core.kernels.numeric.products.panels(np.ones((64, 64), "f4"))
counts.append(openmp.omp_get_max_threads())
other = threading.Thread(target=lambda: counts.append(openmp.omp_get_max_threads()))
other.start(); other.join()
print(counts, len(os.sched_getaffinity(0)))
"""


NUMBA_FIRST = """
import numba
import numpy as np

@numba.njit(parallel=True)
def added(x):
    for i in numba.prange(len(x)):
        x[i] += 1

%s
import core
print(core.nn.functional.dropout(core.ones([8]), 0.0).sum().item(), numba.get_num_threads())
added(np.ones(8))
print(numba.get_num_threads())
"""


@pytest.mark.exhaustive
def test_numba_may_be_imported_before() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "3"}
    environment.pop("NUMBA_NUM_THREADS", None)
    command = [sys.executable, "-c", NUMBA_FIRST % ""]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "8.0 3\n3\n"
    command = [sys.executable, "-c", NUMBA_FIRST % "added(np.ones(8))"]
    done = subprocess.run(command, capture_output=True, text=True, env={**environment, "NUMBA_NUM_THREADS": "2"})
    output = "ImportError: numba has started 2 threads, and core computes with 3: import core before numba computes"
    assert done.stderr.splitlines()[-1] == output


@pytest.mark.parametrize("chosen", sampled([None, "3", "1", "2"], 1000, group=lambda chosen: chosen in (None, "3")))
def test_the_number_of_threads_never_changes(chosen: object) -> None:
    ours = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    if chosen is not None:
        environment["OMP_NUM_THREADS"] = str(chosen)
    code = "import core.kernels.numeric.products" + THREADS
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    counts, processors = done.stdout.rsplit(" ", 1)
    wanted = int(processors) if chosen is None else int(str(chosen))
    assert counts == str([wanted] * 4)


WAITING = """
import ctypes, os, sys
load = float(sys.argv[1]) * os.cpu_count()
os.getloadavg = lambda: (load, 0.0, 0.0)
import core.kernels.engine.startup
print(os.environ.get("OMP_WAIT_POLICY"))
openmp = ctypes.CDLL("libgomp.so.1")
if hasattr(openmp, "omp_display_env"):  # of GCC 12 on
    openmp.omp_display_env(1)
"""


@pytest.mark.parametrize(
    ("load", "own", "policy", "turns"),
    [
        ("1.4", {}, "None", None),
        ("1.6", {}, "passive", "0"),
        ("1.6", {"OMP_WAIT_POLICY": "active"}, "active", None),
        ("1.6", {"GOMP_SPINCOUNT": "77"}, "None", "77"),
    ],
)
def test_threads_sleep_at_once_on_a_busy_machine(load: str, own: dict[str, str], policy: str, turns: object) -> None:
    ours = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    environment = {**{key: value for key, value in os.environ.items() if key not in ours}, **own}
    command = [sys.executable, "-c", WAITING, load]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == f"{policy}\n"
    if turns is not None and "GOMP_SPINCOUNT" in done.stderr:
        assert f"GOMP_SPINCOUNT = '{turns}'" in done.stderr


def test_a_program_without_an_error_stream_starts() -> None:
    done = subprocess.run(["bash", "-c", f'exec 2>&-; exec {sys.executable} -c "{CODE}"'], stdout=subprocess.PIPE)
    assert done.returncode == 0 and done.stdout.startswith(b"[2.0, 2.0]")


@pytest.mark.skipif(os.environ.get("MXNET_ENGINE_TYPE") != "NaiveEngine", reason="the engine has threads of its own")
def test_kernels_of_ours_in_a_program_run_on_the_calling_thread() -> None:
    seen = []

    def note(x: np.ndarray) -> tuple[np.ndarray]:
        seen.append(threading.get_ident())
        return (x + 1,)

    operator = HostOperator("note_thread", note, infer=lambda metas, options: [metas[0]], differentiable=False)
    compiled = core.jit.to_static(lambda x: apply(operator, x * 2) * 3)
    try:
        with core.no_grad():
            np.testing.assert_array_equal(compiled(core.ones([2])).numpy(), [9.0, 9.0])
    finally:
        del REGISTRY["note_thread"]
    assert set(seen) == {threading.get_ident()}


def test_many_threads_compute_right_numbers() -> None:
    weight = core.to_tensor(np.random.RandomState(0).randn(64, 64).astype("f4"))
    image = core.to_tensor(np.random.RandomState(1).randn(2, 8, 16, 16).astype("f4"))
    kernel = core.to_tensor(np.random.RandomState(2).randn(8, 8, 3, 3).astype("f4"))
    compiled = core.jit.to_static(lambda x: core.nn.functional.relu(core.nn.functional.conv2d(x, kernel, padding=1)))
    with core.no_grad():
        expected = (
            (weight @ weight).numpy(),
            core.nn.functional.relu(core.nn.functional.conv2d(image, kernel, padding=1)).numpy(),
        )
    wrong: list[str] = []

    def work() -> None:
        for _ in range(20):
            with core.no_grad():
                if not np.allclose((weight @ weight).numpy(), expected[0], rtol=1e-5, atol=1e-5):
                    wrong.append("product")
                if not np.allclose(compiled(image).numpy(), expected[1], rtol=1e-4, atol=1e-4):
                    wrong.append("convolution")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


POOLING = """
import core, sys
pool, x = core.nn.AvgPool2D(2, 2), core.ones([1, 3, 8, 8])
x.stop_gradient = False
core.jit.to_static(lambda x: pool(x * 2).sum())(x).backward()
print(float(x.grad.sum()))
"""


def test_average_pooling_trains_without_a_word() -> None:
    done = subprocess.run([sys.executable, "-c", POOLING], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("96.0\n", "")


def test_only_chatter_is_kept_from_the_error_stream(capfd: pytest.CaptureFixture[str]) -> None:
    with startup.without_chatter():
        os.write(2, b"one\n[11:17:58] ../src/operator/nn/mkldnn/mkldnn_pooling.cc:58: MKLDNN Pooling: training\ntwo")
    assert capfd.readouterr().err == "one\ntwo"


def test_weights_are_read_while_other_threads_compute_with_them() -> None:
    random = np.random.RandomState(0)
    numbers = random.randn(8, 8, 3, 3).astype("f4")
    image, kernel = core.to_tensor(random.randn(2, 8, 16, 16).astype("f4")), core.to_tensor(numbers)
    with core.no_grad():
        expected = core.nn.functional.conv2d(image, kernel, padding=1).numpy()
    wrong: list[str] = []
    done = threading.Event()

    def compute() -> None:
        for _ in range(10):
            compiled = core.jit.to_static(lambda x: core.nn.functional.conv2d(x, kernel, padding=1))
            with core.no_grad():
                for _ in range(FROZEN_CALLS - 1):
                    if not np.allclose(compiled(image).numpy(), expected, atol=1e-4):
                        wrong.append("convolution")
        done.set()

    def read() -> None:
        while not done.is_set():
            if not np.array_equal(kernel.numpy(), numbers):
                wrong.append("weight")

    threads = [threading.Thread(target=work) for work in (compute, read, compute)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
