"""Unmodified model files of the official toolkits run on core, and give the real Paddle's numbers.

The files come from the wheels on the package index (wheels.py), unpacked outside of the repository; where no index can
be reached, these tests are skipped. A layer of PGL runs every time, the others with ``-m foreign``.
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
    import compare
    import run
    import wheels
    from cases import CASES, TRAINED
finally:
    del sys.path[:2]

unreachable: list[str] = []


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Return a function that runs a package's models, in one process, and returns the folder of what they answered."""
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
            every = {**CASES, **TRAINED}
            names = [name for name, case in every.items() if case.toolkit == toolkit and case.light == light]
            command = [sys.executable, str(HERE / "run.py"), str(folder), "core", *names]
            subprocess.run(command, check=True, timeout=3600, stdout=subprocess.DEVNULL, cwd=folder)
            done[toolkit, light] = folder
        return done[toolkit, light]

    return answers


def marked(cases):
    found = []
    for name, case in cases.items():
        marks = [] if case.light else [pytest.mark.foreign]
        if getattr(case, "differs", ""):
            marks.append(pytest.mark.xfail(reason=case.differs, raises=AssertionError, strict=True))
        found.append(pytest.param(name, marks=marks))
    return found


def answers_of(name, case, folders):
    folder = folders(case.toolkit, case.light)
    error = folder / f"{name}.txt"
    assert not error.exists(), error.read_text(encoding="utf-8")
    return np.load(folder / f"{name}.npz")


@pytest.mark.parametrize("name", marked(CASES))
def test_official_files_give_paddles_numbers(name, folders):
    answers = answers_of(name, CASES[name], folders)
    compare.check_outputs(answers, np.load(run.REFERENCES / f"{name}.npz"), CASES[name])


@pytest.mark.parametrize("name", marked(TRAINED))
def test_three_training_steps_give_paddles_losses_and_gradients(name, folders):
    answers = answers_of(name, TRAINED[name], folders)
    compare.check_training(answers, np.load(run.REFERENCES / f"{name}.npz"))


def test_the_references_are_sharper_than_the_tolerance():
    for name in CASES:
        reference = np.load(run.REFERENCES / f"{name}.npz")
        outputs = [reference[key] for key in reference if key.startswith("output")]
        largest = max(np.abs(output).max() for output in outputs)
        assert reference["noise"] <= 0.7e-4 * max(1.0, largest) and largest > 0.1, name
