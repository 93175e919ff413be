"""Dropout in programs for any size and in exported ones, where what was drawn has the form that the loader chooses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.jit.tracing.symbolic import replay, trace_symbolic
from core.kernels.lowerings.dropout import FEWEST_ELEMENTS
from core.static import InputSpec


class Dropping(core.nn.Layer):
    """Dropout in training form."""

    def forward(self, x: core.Tensor) -> core.Tensor:
        return F.dropout(x, 0.25)


@pytest.mark.parametrize("rows", [3, FEWEST_ELEMENTS // 4])
def test_a_program_for_any_size_draws_what_eager_code_draws(rows: int) -> None:
    program = trace_symbolic(lambda x: F.dropout(x, 0.25), [InputSpec([None, 4], "float32")])
    assert [operation.operator.name for operation in program.operations] == ["dropout_draw", "drop_elements"]
    x = core.ones([rows, 4])
    core.seed(3)
    (value,) = replay(program, [x._value])
    core.seed(3)
    np.testing.assert_array_equal(core.Tensor(value).numpy(), F.dropout(x, 0.25).numpy())


@pytest.mark.parametrize("rows", [3, FEWEST_ELEMENTS // 4])
def test_an_exported_program_drops_as_often(rows: int, tmp_path: Path) -> None:
    core.jit.save(Dropping(), str(tmp_path / "model"), [InputSpec([None, 4], "float32")])
    loaded = core.jit.load(str(tmp_path / "model"))
    x = core.to_tensor(np.random.default_rng(0).uniform(1, 2, (rows, 4)).astype(np.float32), stop_gradient=False)
    y = loaded(x)
    y.sum().backward()
    mask = (y.numpy() != 0) * np.float32(1 / 0.75)
    np.testing.assert_allclose(y.numpy(), x.numpy() * mask, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), mask, rtol=1e-6)
    assert (mask != 0).mean() == pytest.approx(0.75, abs=4 * (0.75 * 0.25 / mask.size) ** 0.5)
