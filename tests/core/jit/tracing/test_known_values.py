"""Numbers that a compiled function reads: those that follow from no input, and when it is traced anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError
from core.static import InputSpec

EDGES = [[0, 2], [3, 2], [1, 0], [2, 0], [0, 2]]


def rows_of_nodes(x: core.Tensor, edges: core.Tensor) -> core.Tensor:
    """Sum the rows that edges bring, over the nodes where some end; how many these are depends on the edges."""
    nodes, places = core.unique(edges[:, 1], return_inverse=True)
    return core.geometric.segment_sum(x[edges[:, 0]][places.argsort()], places.sort()) * nodes.shape[0]


def test_what_depends_on_no_input_is_worked_out_while_tracing(tmp_path: Path) -> None:
    x, edges = core.to_tensor(np.arange(8.0, dtype="float32").reshape([4, 2])), core.to_tensor(EDGES)

    def forward(x: core.Tensor) -> core.Tensor:
        return rows_of_nodes(x, edges)

    expected = forward(x).tolist()
    assert to_static(forward)(x).tolist() == expected
    core.jit.save(forward, str(tmp_path / "graph"), [InputSpec([4, 2], "float32")])
    assert core.jit.load(str(tmp_path / "graph"))(x).tolist() == expected


def test_a_program_whose_numbers_were_read_is_traced_anew_where_they_change() -> None:
    factor = core.to_tensor([2.0, 5.0])
    traced = []

    @to_static
    def scaled(x: core.Tensor) -> core.Tensor:
        traced.append(1)
        return x * float((factor * 3)[0]) + factor.numpy()[1]

    x = core.ones([2])
    assert scaled(x).tolist() == scaled(x).tolist() == [11, 11] and len(traced) == 1
    factor.set_value(np.array([4.0, 5.0], "float32"))
    assert scaled(x).tolist() == [17, 17] and len(traced) == 2
    core.zeros([3]).set_value(np.ones(3))  # memory elsewhere
    assert scaled(x).tolist() == [17, 17] and len(traced) == 2


@pytest.mark.parametrize("kind", ["input", "parameter", "draw"])
def test_what_follows_from_an_input_a_parameter_or_a_draw_cannot_be_read(kind: str) -> None:
    parameter = core.create_parameter([1], "float32")

    def scaled(x: core.Tensor) -> core.Tensor:
        return x * float({"input": x.sum(), "parameter": parameter * 2, "draw": core.rand([1])}[kind])

    with pytest.raises(OperatorError, match="the value of a tensor cannot be read while a program is being compiled"):
        to_static(scaled)(core.ones([2]))


def test_what_is_as_large_as_an_input_says_cannot_be_compiled() -> None:
    with pytest.raises(OperatorError, match="unique: the output shape depends on data"):
        to_static(core.unique)(core.ones([2]))


def test_a_value_that_is_counted_up_inside_is_no_reason_to_trace_anew() -> None:
    calls = core.to_tensor(0.0)
    traced = []

    @to_static
    def counted(x: core.Tensor) -> core.Tensor:
        traced.append(calls.item())
        calls.update(calls + 1)
        return x * calls

    assert [counted(core.ones([1])).item() for _ in range(3)] == [1, 2, 3] and traced == [0]
