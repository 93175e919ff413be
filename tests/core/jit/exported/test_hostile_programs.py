"""Exported programs that ask for gigabytes or for ever: refused in one line before anything is allocated."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.memory import MADE
from core.jit.input_spec import InputSpec
from core.kernels.dispatch.errors import OperatorError
from tests.hostile_programs import BOMBS
from tests.hostile_tensors import LARGE
from tests.program_texts import bushy, content, deep, full, operation, sized, with_guard, write

SECONDS = 240  # for all of them, on a machine that is busy; without bounds each would take hours or gigabytes
MEGABYTES = 200
READ_ALL = """
import json, resource, sys
from pathlib import Path
import core.jit
from tests.hostile_programs import BOMBS
from tests.hostile_tensors import LARGE
from tests.program_texts import write

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

found = {}
for name, text in [*[(name, bomb.text) for name, bomb in BOMBS.items()], *LARGE.items()]:
    folder = Path(sys.argv[1]) / str(len(found))
    write(folder, text())
    before = peak()
    messages = []
    for read in (core.jit.Predictor, core.jit.load):
        try:
            read(folder)
            messages.append(None)
        except ValueError as error:
            messages.append(str(error).replace(str(folder), "FOLDER"))
    found[name] = [messages, peak() - before]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What one process says of all of them, and by how many megabytes its peak grew with each."""
    folder = tmp_path_factory.mktemp("hostile")
    root = Path(__file__).parents[4]
    command = [sys.executable, "-c", READ_ALL, str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(read: Any, name: str) -> None:
    messages, growth = read[name]
    for message in messages:
        assert message is not None, "it was loaded"
        assert re.search(BOMBS[name].message, message) and message.startswith("FOLDER/program.json: "), message
        assert "\n" not in message and len(message) < 1000
    assert growth < MEGABYTES


@pytest.mark.parametrize("name", LARGE)
def test_what_is_just_small_enough(read: Any, name: str) -> None:
    messages, growth = read[name]
    assert messages == [None, None] and growth < MEGABYTES


def saved(folder: Path, operations: Any, **changes: Any) -> Path:
    write(folder, json.dumps(content(operations, **changes)))
    return folder


def refuse_rows(folder: Path, rows: int, message: str) -> None:
    """Assert that a program refuses an input of so many rows, in both forms."""
    x = np.ones((rows, 3), np.float32)
    for run in (Predictor(folder).run, lambda x: core.jit.load(folder)(core.to_tensor(x))):
        with pytest.raises(OperatorError, match=message) as caught:
            run(x)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "size",
    [
        ["*", ["-", ["size", "x", 0], 1], 2**25],
        ["*", ["//", ["size", "x", 0], 2], 2**25],
        ["+", 1, ["*", ["-", ["size", "x", 0], 1], ["*", 2**12, 2**13]]],
        ["*", ["-", ["min", ["size", "x", 0], 2], 1], 2**25],
    ],
)
def test_what_is_nothing_at_the_example_and_large_afterwards(tmp_path: Path, size: Any) -> None:
    shape = {"shape": [sized(size)], "value": 1.0, "dtype": "float32"}
    folder = saved(tmp_path / "m", [operation("full", [], "v", [None], **shape)])
    refuse_rows(folder, 2, "it makes 128 MB out of nothing, up to full with a result float32\\[3355443[23]\\]")
    folder = saved(tmp_path / "n", [
        operation("slice", ["x"], "y", [1, 3], ranges=[[0, 1, 1], [0, 3, 1]]),
        operation("reshape", ["y"], "z", [3, 1], newshape=[3, 1]),
        operation("broadcast_to", ["z"], "v", [3, None], shape=[3, sized(["max", 1, size])]),
    ])  # fmt: skip
    refuse_rows(folder, 2, "it makes 384 MB out of such inputs, up to broadcast_to")


def test_sizes_of_a_caller_are_the_callers(tmp_path: Path) -> None:
    rows = 4200

    def function(x: Any) -> Any:
        return core.zeros([x.shape[0], x.shape[0]]) + core.arange(x.shape[0]).astype("float32") + x.sum()

    core.jit.save(function, tmp_path / "m", [InputSpec([None, 1], name="x")])
    x = np.ones((rows, 1), np.float32)
    assert rows * rows * 4 > MADE
    expected = np.broadcast_to(np.arange(rows, dtype=np.float32) + rows, (rows, rows))
    np.testing.assert_array_equal(Predictor(tmp_path / "m").run(x), expected)
    np.testing.assert_array_equal(core.jit.load(tmp_path / "m")(core.to_tensor(x)).numpy(), expected)


def test_weights_and_inputs_give_room(tmp_path: Path) -> None:
    table = nn.Embedding(6, 2**20)
    rows = core.to_tensor(np.arange(20) % 6)
    core.jit.save(lambda x: table(rows).sum() + x.sum(), tmp_path / "m", [InputSpec([None, 1], name="x")])
    core.jit.save(lambda x: x.tile([1, 200, 1]).sum(), tmp_path / "n", [InputSpec([1, 300, 300], name="x")])
    assert Predictor(tmp_path / "m").run(np.ones((1, 1), np.float32)).shape == ()
    predictor = Predictor(tmp_path / "n")
    assert predictor.number_of_programs == 0  # what takes more than it may make of nothing is not run while it loads
    assert predictor.run(np.ones((1, 300, 300), np.float32)) == 200 * 300 * 300


def test_expressions_up_to_the_bounds(tmp_path: Path) -> None:
    for name, expression, value in (("m", deep(63), 64), ("n", bushy(12, "+", 1), 2**12), ("o", 2**31, 2**31)):
        text = with_guard(sized(expression) if isinstance(expression, list) else expression, value)
        write(tmp_path / name, text.replace('"outcome": false', '"outcome": true'))
        assert Predictor(tmp_path / name).run(np.ones((1, 3), np.float32)).shape == (1, 3)


def test_what_is_refused_at_a_callers_sizes_is_one_line(tmp_path: Path) -> None:
    size = {"shape": [sized(["//", 6, ["-", ["size", "x", 0], 2]])], "value": 1.0, "dtype": "float32"}
    folder = saved(tmp_path / "m", [operation("full", [], "v", [None], **size)], examples=[[[3, 3]]])
    assert Predictor(folder).run(np.ones((3, 3), np.float32)).shape == (6,)
    refuse_rows(folder, 2, "a size is worked out as 6 // 0")
    large = {"shape": [sized(["//", ["*", ["size", "x", 0], 2**30], 2**29])], "value": 1.0, "dtype": "float32"}
    folder = saved(tmp_path / "n", [operation("full", [], "v", [None], **large)])
    refuse_rows(folder, 3, "worked out as 3 \\* 1073741824, which is beyond 2\\*\\*31")


def test_what_is_made_of_nothing_before_it_is_needed_counts_together(tmp_path: Path) -> None:
    several = [full(f"v{i}", [2**21]) for i in range(7)]
    sums = [operation("sum", [f"v{i}"], f"s{i}", [], axis=[0], keepdims=False) for i in range(7)]
    total = operation("add_n", [f"s{i}" for i in range(7)], "total", [])
    mixed = [item for pair in zip(several, sums) for item in pair]
    assert Predictor(saved(tmp_path / "m", [*mixed, total])).run(np.ones((1, 3), np.float32)) == 7 * 2**21
