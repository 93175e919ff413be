"""Children of a process that has computed: computing is an error that says so, reading goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.kernels.engine import forked

ROOT = Path(__file__).parents[4]
COMPUTED = [float(sum(range(16 * 16 * 9 - 144, 16 * 16 * 9))), [0, 1, 1, 3]]
REFUSED = f"RuntimeError: {forked.MESSAGE}"
READ = [[4, 6, 3], True, [[0.0, 1.0], [2.0]], [[0.0, 1.0], [2.0]]]


@pytest.mark.parametrize(
    ("chosen", "before"),
    [
        (None, "convolution"),
        ("ThreadedEnginePerDevice", "kernels"),
        *[
            pytest.param(chosen, before, marks=pytest.mark.exhaustive)
            for chosen, before in (
                (None, "kernels"),
                ("ThreadedEnginePerDevice", "convolution"),
                ("ThreadedEngine", "convolution"),
                ("ThreadedEngine", "kernels"),
            )
        ],
    ],
)
def test_children_read_and_say_that_they_cannot_compute(chosen: object, before: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "MXNET_ENGINE_TYPE"}
    environment["PYTHONPATH"] = str(ROOT)
    if chosen is not None:
        environment["MXNET_ENGINE_TYPE"] = str(chosen)
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("forked_program.py")), before]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=200)
    assert (done.stderr, done.returncode) == ("", 0)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found == [COMPUTED, REFUSED, REFUSED, READ, READ, REFUSED, COMPUTED]


def test_the_message_is_one_line_that_says_what_to_do() -> None:
    assert "\n" not in forked.MESSAGE
    assert "multiprocessing.get_context('spawn')" in forked.MESSAGE


LATE = """
import os, sys
from core.kernels.graphs.adjacency import compress
import numpy as np
compress(np.array([0]), np.array([0]), 1)
child = os.fork()
if child == 0:
    try:
        import core.kernels.engine.engine
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert "mxnet" not in sys.modules
"""


def test_a_child_that_cannot_compute_does_not_start_the_engine() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", LATE], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == (forked.MESSAGE + "\n", "")
