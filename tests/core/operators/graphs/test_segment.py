"""Segments and messages along edges against numpy loops (core.geometric, core.incubate)."""

from __future__ import annotations

import gc
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import geometric, incubate
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.graphs import repeated_edges
from core.operators.graphs import _edges as edges
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

T = core.to_tensor
ROWS = np.random.default_rng(0).permutation(15).reshape(5, 3) / 7 + 0.3
IDS = np.array([0, 0, 1, 3, 3])
SOURCE, TARGET = np.array([0, 1, 2, 0, 4]), np.array([1, 2, 1, 0, 0])
REDUCE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sum": lambda rows: rows.sum(0),
    "mean": lambda rows: rows.mean(0),
    "max": lambda rows: rows.max(0),
    "min": lambda rows: rows.min(0),
}


def reduced(rows: np.ndarray, target: np.ndarray, size: int, operation: str) -> np.ndarray:
    result = np.zeros((size, *rows.shape[1:]), rows.dtype)
    for row in set(target.tolist()):
        result[row] = REDUCE[operation](rows[target == row])
    return result


@pytest.mark.parametrize("operation", REDUCE)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32"])
def test_segments(operation: str, dtype: str) -> None:
    rows = (ROWS * 7).round().astype(dtype)
    if operation == "mean" and dtype.startswith("int"):
        rows = rows // 2 * 2
    for package in (geometric, incubate):
        result = getattr(package, f"segment_{operation}")(T(rows), T(IDS.astype("int32")))
        np.testing.assert_allclose(result.numpy(), reduced(rows.astype("float64"), IDS, 4, operation), rtol=1e-3)


@pytest.mark.parametrize("operation", REDUCE)
def test_messages(operation: str) -> None:
    x, y = T(ROWS), ROWS[:, :1] + 1
    args = (T(SOURCE), T(TARGET))
    expected = reduced(ROWS[SOURCE], TARGET, 5, operation)
    np.testing.assert_allclose(geometric.send_u_recv(x, *args, operation).numpy(), expected)
    np.testing.assert_allclose(incubate.graph_send_recv(x, *args, operation, 3).numpy(), expected[:3])
    for name, function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)):
        messages = function(ROWS[SOURCE], y)
        got = geometric.send_ue_recv(x, T(y), *args, name, operation, out_size=4)
        np.testing.assert_allclose(got.numpy(), reduced(messages, TARGET, 4, operation), rtol=1e-12)
        pairs = geometric.send_uv(x, T(ROWS + 1), *args, name)
        np.testing.assert_allclose(pairs.numpy(), function(ROWS[SOURCE], ROWS[TARGET] + 1))


def test_features_of_several_axes_and_of_one() -> None:
    cube = np.random.default_rng(0).standard_normal((5, 2, 3))
    for rows in (cube, cube[:, 0, 0]):
        got = geometric.send_u_recv(T(rows), T(SOURCE), T(TARGET), "max")
        np.testing.assert_allclose(got.numpy(), reduced(rows[SOURCE], TARGET, 5, "max"))
    weight = np.arange(1.0, 6.0)
    got = geometric.send_ue_recv(T(cube), T(weight), T(SOURCE), T(TARGET), "mul")
    np.testing.assert_allclose(got.numpy(), reduced(cube[SOURCE] * weight[:, None, None], TARGET, 5, "sum"))


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div"])
@pytest.mark.parametrize("reduce", REDUCE)
def test_edge_features_of_every_shape(operation: str, reduce: str) -> None:
    generator = np.random.default_rng(1)
    cube = generator.uniform(0.5, 2, (5, 2, 3))
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[operation]
    for x, shape in ((cube, (5, 2, 3)), (cube, (5, 2, 1)), (cube, (5, 1, 3)), (cube, (5, 1, 1)), (cube[:, 0], (5, 3))):
        y = generator.uniform(0.5, 2, shape)
        expected = reduced(function(x[SOURCE], y), TARGET, 6, reduce)

        def send(x: core.Tensor, y: core.Tensor, *ends: core.Tensor) -> core.Tensor:
            return geometric.send_ue_recv(x, y, *ends, operation, reduce, 6)

        np.testing.assert_allclose(send(T(x), T(y), T(SOURCE), T(TARGET)).numpy(), expected, rtol=1e-12)
        check_compiled(send, x, y, SOURCE, TARGET)


def test_wide_rows_of_many_edges() -> None:
    generator = np.random.default_rng(0)
    x, ends = generator.standard_normal((300, 40)).astype("float32"), generator.integers(0, 300, (2, 3000))
    for operation in REDUCE:
        got = geometric.send_u_recv(T(x), T(ends[0]), T(ends[1]), operation)
        expected = reduced(x.astype("float64")[ends[0]], ends[1], 300, operation)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-4)


def test_no_edges_and_no_rows() -> None:
    none = core.zeros([0], "int64")
    for operation in REDUCE:
        np.testing.assert_array_equal(geometric.send_u_recv(T(ROWS), none, none, operation).numpy(), np.zeros((5, 3)))
        assert geometric.send_u_recv(core.zeros([5, 0]), T(SOURCE), T(TARGET), operation).shape == [5, 0]
        assert getattr(geometric, f"segment_{operation}")(core.zeros([0, 3]), none).shape == [0, 3]


def test_nan_stays_visible() -> None:
    rows = np.array([[1.0], [np.nan], [3.0]])
    for operation in REDUCE:
        assert np.isnan(getattr(geometric, f"segment_{operation}")(T(rows), T([0, 0, 0])).numpy()).all()


@pytest.mark.parametrize("operation", REDUCE)
def test_derivatives_and_compilation(operation: str) -> None:
    segment = getattr(geometric, f"segment_{operation}")
    check_gradients(lambda x: segment(x, T(IDS)) ** 2, ROWS)

    def send(x: core.Tensor, source: core.Tensor, target: core.Tensor) -> core.Tensor:
        return geometric.send_u_recv(x, source, target, operation, 4) ** 2

    check_gradients(send, ROWS, SOURCE, TARGET)
    check_compiled(send, ROWS, SOURCE, TARGET)
    check_gradients(
        lambda x, y: geometric.send_ue_recv(x, y, T(SOURCE), T(TARGET), "mul", operation) ** 2, ROWS, ROWS[:, :1]
    )


def test_derivatives_of_pairs() -> None:
    check_gradients(lambda x, y: geometric.send_uv(x, y, T(SOURCE), T(TARGET), "div") ** 2, ROWS, ROWS + 1)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (
            lambda: geometric.segment_sum(T(ROWS), T([0, 1])),
            OperatorError,
            "segment_sum: segment_ids must have one number",
        ),
        (
            lambda: geometric.segment_max(T(ROWS), T([0, 1, 0, 1, 1])),
            OperatorError,
            "segment_max: segment_ids must .* never fall",
        ),
        (lambda: geometric.segment_min(T(ROWS), T([-1, 0, 0, 1, 1])), OperatorError, "must start at 0 or above"),
        (
            lambda: geometric.send_u_recv(T(ROWS), T([5]), T([0])),
            OperatorIndexError,
            "send_u_recv: src_index 5 is outside an axis of size 5",
        ),
        (
            lambda: geometric.send_u_recv(T(ROWS), T([0]), T([2]), out_size=2),
            OperatorIndexError,
            "dst_index 2 is outside",
        ),
        (lambda: geometric.send_u_recv(T(ROWS), T([0, 1]), T([2])), OperatorError, "must be 1-D and equally long"),
        (
            lambda: geometric.send_u_recv(T(ROWS), T([0]), T([0]), "median"),
            OperatorError,
            "reduce_op 'median' is unknown",
        ),
        (lambda: geometric.send_u_recv(T(1.0), T([0]), T([0])), OperatorError, "x is 0-D, it has no rows"),
        (
            lambda: geometric.send_ue_recv(T(ROWS), T([1.0, 2.0]), T([0]), T([0])),
            OperatorError,
            "one row for each of 1 edges",
        ),
        (
            lambda: geometric.send_uv(T(ROWS), T(ROWS), T([0]), T([0]), "pow"),
            OperatorError,
            "message_op 'pow' is unknown",
        ),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_segment_ids_cannot_be_read_inside_a_program() -> None:
    with pytest.raises(OperatorError, match="the value of a tensor cannot be read while a program is being compiled"):
        to_static(geometric.segment_sum)(T(ROWS), T(IDS))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_edges_that_come_again_are_grouped_and_give_the_same(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.RandomState(0)
    count = 2 * repeated_edges.FEWEST_EDGES
    rows, factors = random.randn(90, 3), random.randn(count, 1)
    source, target = (T(random.randint(0, 90, count).astype(dtype)) for _ in range(2))
    grouped: list[Any] = []
    original = edges.grouped_edges
    monkeypatch.setattr(edges, "grouped_edges", lambda *given: grouped.append(given) or original(*given))
    for name in ("sum", "mean"):
        found = []
        for _ in range(3):
            x, y = T(rows, stop_gradient=False), T(factors, stop_gradient=False)
            results = [
                geometric.send_u_recv(x, source, target, name),
                geometric.send_ue_recv(x, y, source, target, "mul", name),
            ]
            (results[0] ** 2 + results[1] ** 2).sum().backward()
            found.append([tensor.numpy() for tensor in (*results, x.grad, y.grad)])
        for other in found[1:]:
            for first, again in zip(found[0], other):
                np.testing.assert_allclose(again, first, rtol=1e-12, atol=1e-12)
    assert len(grouped) == 1  # once for both functions, and for all calls

    ends = np.stack([source.numpy(), target.numpy()])
    target.set_value(ends[1][::-1].copy())  # written in place: what was grouped is no longer true
    expected = np.zeros_like(rows)
    np.add.at(expected, ends[1][::-1], rows[ends[0]])
    for _ in range(3):
        np.testing.assert_allclose(geometric.send_u_recv(T(rows), source, target).numpy(), expected)
    wider = geometric.send_u_recv(T(rows), source, target, out_size=100)
    np.testing.assert_allclose(wider.numpy()[:90], expected)
    with pytest.raises(OperatorIndexError, match="dst_index"):
        geometric.send_u_recv(T(rows), source, target, out_size=5)


def test_grouped_edges_are_freed_with_their_tensor() -> None:
    source, target = (T(np.zeros(repeated_edges.FEWEST_EDGES, np.int64)) for _ in range(2))
    for _ in range(2):
        geometric.send_u_recv(T(ROWS), source, target)
    before = len(repeated_edges._met)
    del source
    gc.collect()
    assert len(repeated_edges._met) == before - 1
