"""An exported program that is run operation by operation holds no longer what nothing reads any more."""

from __future__ import annotations

import json
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.jit.exported import interpreter
from core.jit.exported.interpreter import replay
from core.jit.exported.program import ExportedProgram
from core.jit.exported.reader import read_program
from core.kernels.dispatch import dispatcher
from tests.program_texts import content, operation, sized, write

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def program(folder: Path, operations: list[Any], **changes: Any) -> ExportedProgram:
    write(folder, json.dumps(content(operations, **changes)))
    return read_program(folder)


def found(given: ExportedProgram, alone: bool) -> dict[str, Any]:
    with dispatcher.gradient_mode(False):
        return replay(given, {"x": core.to_tensor(ROWS)._value}, outputs_alone=alone)


def wide(operator: str, inputs: list[str], name: str) -> Any:
    return operation(operator, inputs, name, [None, 3])


@pytest.mark.parametrize(("alone", "most"), [(False, 7), (True, 2)])
def test_values_go_once_nothing_reads_them(
    alone: bool, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[int] = []
    made: list[weakref.ref[Any]] = []
    run = interpreter._run

    def watched(*given: Any) -> list[Any]:
        alive.append(sum(reference() is not None for reference in made))
        outputs = run(*given)
        made.extend(weakref.ref(value) for value in outputs)
        return outputs

    names = [f"v{number}" for number in range(8)]
    operations = [wide("relu", ["x"], "v0"), *(wide("exp", [one], other) for one, other in zip(names[:6], names[1:7]))]
    given = program(tmp_path, [*operations, wide("add", ["v0", "v6"], "v7")])
    monkeypatch.setattr(interpreter, "_run", watched)
    values = found(given, alone)
    assert len(alive) == 8 and max(alive) == most
    assert list(values) == (["v7"] if alone else ["x", *names])
    expected = first = np.maximum(ROWS, 0)
    with np.errstate(over="ignore"):
        for _ in range(6):
            expected = np.exp(expected)
    np.testing.assert_array_equal(core.Tensor(values["v7"]).numpy(), first + expected)


def test_sizes_and_guards_read_values_too(tmp_path: Path) -> None:
    rows, columns = sized(["size", "a", 0]), sized(["size", "a", 1])
    operations = [
        wide("relu", ["x"], "a"),
        wide("exp", ["x"], "b"),
        operation("full", [], "c", [None], shape=[rows], value=1.0, dtype="float32"),
    ]
    guard = {"sign": "==", "first": columns, "second": 3, "outcome": True, "line": "", "text": "", "position": 3}
    values = found(program(tmp_path, operations, guards=[guard]), True)
    assert {name: value.meta[0] for name, value in values.items()} == {"c": (2,)}
