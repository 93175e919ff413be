"""Unmodified model files of the official toolkits run on core, and give the real Paddle's numbers.

The files come from the wheels on the package index (wheels.py), unpacked outside of the repository; where no index can
be reached, these tests are skipped. Small models run every time, the others with ``-m foreign``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
try:
    import run
    import wheels
    from cases import CASES, REFUSED
finally:
    del sys.path[:2]

unreachable: list[str] = []


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Return a function that runs a toolkit's models, in one process, and returns the folder of what they answered."""
    done: dict[tuple[str, bool], Path] = {}

    def answers(toolkit: str, light: bool) -> Path:
        if (toolkit, light) not in done:
            try:
                if unreachable:
                    raise wheels.NoIndex(unreachable[0])
                for wheel in ("six", toolkit):
                    wheels.unpacked(wheel)
            except wheels.NoIndex as error:
                unreachable.append(str(error))
                pytest.skip(str(error))
            folder = tmp_path_factory.mktemp(toolkit)
            every = {**CASES, **REFUSED}
            names = [name for name, case in every.items() if case.toolkit == toolkit and case.light == light]
            command = [sys.executable, str(HERE / "run.py"), str(folder), "core", *names]
            subprocess.run(command, check=True, timeout=1200, stdout=subprocess.DEVNULL)
            done[toolkit, light] = folder
        return done[toolkit, light]

    return answers


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if case.light else pytest.mark.foreign) for name, case in CASES.items()]
)
def test_official_files_give_paddles_numbers(name, folders):
    folder = folders(CASES[name].toolkit, CASES[name].light)
    error = folder / f"{name}.txt"
    assert not error.exists(), error.read_text(encoding="utf-8")
    answers, reference = np.load(folder / f"{name}.npz"), np.load(run.REFERENCES / f"{name}.npz")
    np.testing.assert_array_equal(answers["shapes"], reference["shapes"])
    for key in (key for key in reference if key.startswith("output")):
        largest = max(1.0, np.abs(reference[key]).max())
        assert np.abs(answers[key] - reference[key]).max() <= 1e-4 * largest
        if CASES[name].compiles:
            assert np.abs(answers[key.replace("output", "compiled")] - reference[key]).max() <= 1e-4 * largest
    np.testing.assert_array_equal(answers["receivers"], reference["receivers"])
    # Where rounding turns one ReLU or maximum the other way, all gradients before it change by a little; those behind
    # it do not. A wrong derivative would change them by much.
    scale = np.maximum(reference["norms"], 1e-3 * reference["norms"].max())
    errors = np.abs(answers["products"] - reference["products"]) / scale
    assert errors.max() <= 0.05 and np.mean(errors <= 2e-4) >= 0.15


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_run_says_why(name, folders):
    folder = folders(REFUSED[name].toolkit, REFUSED[name].light)
    assert "'_SpectralNorm' object has no attribute '_helper'" in (folder / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_references_are_sharper_than_the_tolerance(name):
    reference = np.load(run.REFERENCES / f"{name}.npz")
    outputs = [reference[key] for key in reference if key.startswith("output")]
    largest = max(np.abs(output).max() for output in outputs)
    assert reference["noise"] <= 0.7e-4 * max(1.0, largest) and largest > 0.1
