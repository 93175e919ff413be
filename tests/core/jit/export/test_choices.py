"""What an export compares of results that are chosen: boxes, places, and what follows from comparisons in 16 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit.export import check
from core.jit.exported.reader import read_program
from core.jit.exported.rounding import chosen_results, given_to_choices
from core.static import InputSpec


class Best(nn.Layer):
    """Gives scores, the two best ones times two, and their places."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 6)

    def forward(self, x: Any) -> Any:
        scores = self.fc(x)
        values, places = core.topk(scores, 2)
        return scores, values * 2, places


class Thresholded(nn.Layer):
    """Gives scores of 400 pixels that are above their median, 1000 times as large, and 0 for the others."""

    def __init__(self) -> None:
        super().__init__()
        layers = [layer for _ in range(3) for layer in (nn.Conv2D(16, 16, 3, padding=1), nn.BatchNorm2D(16), nn.ReLU())]
        self.body = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        scores = self.body(x).astype("float32").mean(axis=1).flatten(1)
        return core.where(scores > 0.4, scores * 1000, core.zeros_like(scores)), scores


def test_results_behind_a_choice_and_what_it_is_made_by(tmp_path: Path) -> None:
    made = Best()
    made.eval()
    core.jit.save(made, tmp_path / "best", [InputSpec([None, 4])])
    program = read_program(tmp_path / "best")
    assert chosen_results(program) == {1, 2}
    read = next(node.inputs[0] for node in program.nodes if node.operator == "topk")
    assert given_to_choices(program, program) == [(read, read)]


@pytest.mark.bfloat16
def test_comparisons_of_what_is_computed_in_16_bits_are_choices(tmp_path: Path) -> None:
    core.seed(0)
    made = Thresholded()
    made.eval()
    specs = [InputSpec([2, 16, 20, 20])]
    core.jit.save(made, tmp_path / "wide", specs)
    assert chosen_results(read_program(tmp_path / "wide")) == set()
    with core.amp.auto_cast(dtype="bfloat16"):
        core.jit.save(made, tmp_path / "narrow", specs)
    program = read_program(tmp_path / "narrow")
    assert chosen_results(program) == {0} and program.fuse
    x = np.random.default_rng(1).standard_normal((2, 16, 20, 20), dtype=np.float32)
    wanted, scores = core.jit.Predictor(tmp_path / "wide").run(x)
    found = core.jit.Predictor(tmp_path / "narrow").run(x)
    np.testing.assert_allclose(found[1], scores, rtol=0, atol=0.04 * scores.max())
    clear = np.abs(scores - 0.4) > 0.04 * scores.max()
    np.testing.assert_array_equal(found[0][clear] > 0, wanted[clear] > 0)


@pytest.mark.bfloat16
def test_wrong_numbers_before_a_choice_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(check.EngineProgram):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.wrong = len(args) == 5

        def __call__(self, inputs: Any) -> Any:
            return [result * (1.1 if self.wrong else 1) for result in super().__call__(inputs)]

    monkeypatch.setattr(check, "EngineProgram", Wrong)
    message = (
        r"Thresholded: compiled, of what is chosen by, result 0 differs from the uncompiled program's by 0\.\d+ of its"
    )
    with core.amp.auto_cast(dtype="bfloat16"), pytest.raises(ValueError, match=message):
        core.jit.save(Thresholded(), tmp_path / "net", [InputSpec([2, 16, 20, 20])])
    assert not (tmp_path / "net").exists()
