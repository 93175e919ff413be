"""A Predictor called from many threads with inputs of many sizes, and in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.input_spec import InputSpec

ROOT = Path(__file__).resolve().parents[4]


class Small(nn.Layer):
    """Convolutions with a sum, batch norm, a 1-D convolution that is not fused, and a host operator."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2D(2, 4, 3, padding=1), nn.Conv2D(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2D(4)
        self.line = nn.Conv1D(4, 3, 2)
        self.head = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        x = nn.functional.relu(self.first(x))
        x = nn.functional.relu(self.norm(self.second(x)) + x)
        x = self.line(x.mean(axis=3))
        return self.head(core.cumsum(x, axis=2).mean(axis=2))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("threads") / "small"
    spec = InputSpec([None, 2, None, 6], name="x", examples={2: (5, 7)})
    core.jit.save(Small(), path, [spec])
    return path


@pytest.mark.parametrize("calls", [250, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_eight_threads_call_with_mixed_sizes(folder: Path, calls: int) -> None:
    predictor, alone = Predictor(folder, programs=6), Predictor(folder, programs=16, fuse=False)
    generator = np.random.default_rng(1)
    sizes = [(batch, 2, height, 6) for batch in (1, 2, 5) for height in (4, 6, 9)]
    inputs = [generator.standard_normal(size).astype(np.float32) for size in sizes for _ in range(3)]
    expected = [alone.run(x) for x in inputs]
    wrong: list[Any] = []
    most: list[int] = []

    def work(seed: int) -> None:
        chosen = np.random.default_rng(seed).integers(0, len(inputs), calls)
        chosen[::50] = np.random.default_rng(seed).integers(0, len(inputs), calls // 50)
        popular = np.arange(calls) % 40 < 38  # most calls have one of four sizes, so that programs are dropped at times
        for i in np.where(popular, chosen % 12, chosen):
            got = predictor.run(inputs[i])
            most.append(predictor.number_of_programs)
            if got.shape != expected[i].shape or np.abs(got - expected[i]).max() > 1e-5:
                wrong.append((i, got, expected[i]))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 8 * calls and not wrong
    assert max(most) <= 6


def test_first_calls_from_many_threads_at_once(folder: Path) -> None:
    x = np.random.default_rng(2).standard_normal((3, 2, 8, 6)).astype(np.float32)
    expected = Predictor(folder, fuse=False).run(x)
    for _ in range(5):
        predictor = Predictor(folder)
        results: list[Any] = [None] * 8
        barrier = threading.Barrier(8)

        def work(place: int, predictor: Any = predictor, results: Any = results, barrier: Any = barrier) -> None:
            barrier.wait()
            results[place] = predictor.run(x)

        threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5)
        assert predictor.number_of_programs == 2


def test_least_recently_used_sizes_are_dropped_and_sizes_can_be_warmed_up(folder: Path) -> None:
    predictor = Predictor(folder, programs=2, warm_up=[[(2, 2, 5, 6)], [(4, 2, 5, 6)]])
    assert predictor.number_of_programs == 2
    programs = predictor._engine_programs
    predictor.run(np.zeros((2, 2, 5, 6), np.float32))
    predictor.run(np.zeros((1, 2, 5, 6), np.float32))
    assert list(programs) == [((2, 2, 5, 6),), ((1, 2, 5, 6),)]


def test_results_are_the_callers_own(folder: Path) -> None:
    predictor = Predictor(folder)
    x = np.random.default_rng(3).standard_normal((2, 2, 5, 6)).astype(np.float32)
    first = predictor.run(x)
    kept = first.copy()
    predictor.run(-x)
    np.testing.assert_array_equal(first, kept)
    first[:] = 0
    np.testing.assert_array_equal(predictor.run(x), kept)


def test_a_fresh_process_needs_only_the_folder(folder: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(4).standard_normal((3, 2, 5, 6)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    code = (
        "import sys, json, numpy as np\n"
        "import core.jit\n"
        f"predictor = core.jit.Predictor({str(folder)!r})\n"
        f"result = predictor.run({{'x': np.load({str(tmp_path / 'x.npy')!r})}})\n"
        "loaded = [name for name in sys.modules if name.startswith(('core.nn', 'core.io', 'core.vision', 'tests'))]\n"
        "print(json.dumps([result.tolist(), loaded]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    result, loaded = json.loads(done.stdout)
    np.testing.assert_allclose(result, Predictor(folder).run(x), rtol=1e-6, atol=1e-6)
    assert loaded == []
