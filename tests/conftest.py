"""What all tests share."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io.randomness import seed_global_generators
from tests import sampling

if "PYTEST_XDIST_WORKER" in os.environ:  # read when the engine loads, after this
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait leave the processor to other workers
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # a shell that starts this in the background ignores Ctrl-C for it, and for every program that a test starts
    signal.signal(signal.SIGINT, signal.default_int_handler)


TOOLKITS = {"tests/" + path.parent.name for path in Path(__file__).parent.glob("P*/conftest.py")}


def pytest_configure(config: pytest.Config) -> None:
    sampling.collects_all = "not exhaustive" not in config.option.markexpr


@pytest.hookimpl(hookwrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, None, None]:
    """Keep the garbage collector from going through the tests themselves, again and again: there are 20,000.

    It also looks less often than by default, which takes a twentieth of the time of all tests.
    """
    gc.disable()
    _import_a_share(session.config)
    yield
    gc.freeze()
    gc.set_threshold(7_000, 20, 20)
    gc.enable()


def _import_a_share(config: pytest.Config) -> None:
    """Let each worker begin with files of its own: pytest rewrites their assertions once, for all workers."""
    worker = getattr(config, "workerinput", None)
    if worker is None or any(".py" in word for word in config.args):
        return
    paths = sorted(path for word in config.args for path in Path(word).rglob("test_*.py"))
    for path in paths[int(worker["workerid"][2:]) :: worker["workercount"]]:
        name = ".".join(path.resolve().relative_to(config.rootpath).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # pytest imports it again and says what is wrong
            importlib.import_module(name)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one worker take all files that are directly in a toolkit's folder: they share the runs of its conftest."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling  # which a run without workers does not need

    class SharedRuns(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            file = str(super()._split_scope(nodeid))
            folder = file.rpartition("/")[0]
            return folder if folder in TOOLKITS else file

    return SharedRuns(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if "core.train.recorder" in sys.modules:  # a learning curve takes longer than a small run
        drawn = "with_curve" in getattr(item, "fixturenames", ())
        drawing = sys.modules["core.drawing"]
        sys.modules["core.train.recorder"].learning_curve = drawing.learning_curve if drawn else _no_curve
    if item.get_closest_marker("bfloat16") is not None and not sys.modules["core"].amp.is_bfloat16_supported():
        pytest.skip("this processor does not compute in bfloat16: it has no AVX-512")


@pytest.fixture(autouse=True, scope="session")
def _files_need_not_survive_a_power_cut() -> Iterator[None]:
    """Do not wait for the disk: small runs write hundreds of files, each of which is forced onto it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True, scope="module")
def _freed_memory_goes_back() -> Iterator[None]:
    """The engine keeps freed memory for the next step; one process for 13,000 tests should not hold all of theirs."""
    yield
    if "core.kernels.engine.engine" in sys.modules:
        sys.modules["core.kernels.engine.engine"].release_freed_memory()


@pytest.fixture(autouse=True)
def _draws_do_not_depend_on_earlier_tests() -> None:
    seed_global_generators(0)
    if "core.kernels.engine.engine" in sys.modules:
        sys.modules["core"].seed(0)


@pytest.fixture
def with_curve() -> None:
    """Let the runs of a test draw their learning curves; those of other tests are a white pixel."""
    importlib.import_module("core.train.recorder")


def _no_curve(rows: object, title: str = "") -> np.ndarray:
    return np.full((1, 1, 3), 255, np.uint8)
