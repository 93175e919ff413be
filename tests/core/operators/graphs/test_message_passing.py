"""Messages along edges against numpy loops and finite differences (core.operators.graphs.message_passing)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.operators.graphs._edges import Edges, Rows
from core.operators.graphs.message_passing import (
    add_ends,
    dot_ends,
    edge_expand,
    edge_reduce,
    edge_softmax,
    gather_multiply_reduce,
    gather_reduce,
)
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

T = core.to_tensor
RNG = np.random.default_rng(0)
SOURCES, TARGETS, EDGES = 5, 4, 11
SOURCE = np.array([0, 1, 4, 4, 0, 1, 2, 2, 2, 0, 4])  # node 3 sends nothing, and edge 4 -> 0 exists twice
TARGET = np.array([1, 1, 0, 0, 3, 3, 3, 0, 1, 1, 3])  # node 2 receives nothing
GRAPH = Edges.from_index(SOURCE, TARGET, SOURCES, TARGETS)
X = RNG.permutation(SOURCES * 6).reshape(SOURCES, 2, 3) / 7 - 2
Y = RNG.standard_normal((TARGETS, 2, 3))
WEIGHT = RNG.standard_normal((EDGES, 2))
MESSAGE = RNG.permutation(EDGES * 2).reshape(EDGES, 2) / 9 - 1
REDUCE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sum": lambda rows: rows.sum(0),
    "mean": lambda rows: rows.mean(0),
    "max": lambda rows: rows.max(0),
    "min": lambda rows: rows.min(0),
}


def reduced(messages: np.ndarray, target: np.ndarray, size: int, reduce: str) -> np.ndarray:
    result = np.zeros((size, *messages.shape[1:]), messages.dtype)
    for row in set(target.tolist()):
        result[row] = REDUCE[reduce](messages[target == row])
    return result


def softmax_reference(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    result = np.empty_like(logits)
    for row in set(target.tolist()):
        powers = np.exp(logits[target == row] - logits[target == row].max(0))
        result[target == row] = powers / powers.sum(0)
    return result


def close(got: core.Tensor, expected: np.ndarray, tolerance: float = 1e-12) -> None:
    assert got.shape == list(expected.shape)
    np.testing.assert_allclose(got.astype("float64").numpy(), expected, rtol=tolerance, atol=tolerance)


def test_edges_keep_their_order_in_each_row() -> None:
    assert (GRAPH.num_sources, GRAPH.num_targets, GRAPH.num_edges) == (SOURCES, TARGETS, EDGES)
    for rows, mine, theirs, size in ((GRAPH.incoming, TARGET, SOURCE, 4), (GRAPH.outgoing, SOURCE, TARGET, 5)):
        order = np.argsort(mine, kind="stable")
        np.testing.assert_array_equal(rows.edge_ids.numpy(), order)
        np.testing.assert_array_equal(rows.neighbors.numpy(), theirs[order])
        np.testing.assert_array_equal(np.diff(rows.indptr.numpy()), np.bincount(mine, minlength=size))
    again = Edges.from_index(T(SOURCE), T(TARGET.astype("int32")), SOURCES, TARGETS)
    for first, second in zip((*GRAPH.incoming, *GRAPH.outgoing), (*again.incoming, *again.outgoing)):
        assert first.dtype == second.dtype and (first.numpy() == second.numpy()).all()


@pytest.mark.parametrize("reduce", REDUCE)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-6), ("float16", 2e-3)])
def test_gathered(reduce: str, dtype: str, tolerance: float) -> None:
    for x in (X, X[:, 0], X[:, 0, 0]):
        expected = reduced(x[SOURCE], TARGET, TARGETS, reduce)
        got = gather_reduce(T(x, dtype=dtype), GRAPH, reduce)
        assert got.dtype == dtype
        close(got, expected, tolerance)


@pytest.mark.parametrize("reduce", REDUCE)
def test_reduced_messages(reduce: str) -> None:
    for message in (MESSAGE, MESSAGE[:, 0], MESSAGE[:, :, None] * [1.0, 2.0]):
        close(edge_reduce(T(message), GRAPH, reduce), reduced(message, TARGET, TARGETS, reduce))


def test_multiplied() -> None:
    for x, weight, spread in (
        (X, WEIGHT, WEIGHT[:, :, None]),
        (X, WEIGHT[:, 0], WEIGHT[:, :1, None]),
        (X[:, 0], WEIGHT[:, 0], WEIGHT[:, :1]),
        (X[:, :, 0], WEIGHT, WEIGHT),
        (X[:, 0, 0], WEIGHT[:, 0], WEIGHT[:, 0]),
    ):
        expected = reduced(x[SOURCE] * spread, TARGET, TARGETS, "sum")
        close(gather_multiply_reduce(T(x), T(weight), GRAPH), expected)
        close(gather_multiply_reduce(T(x, dtype="float32"), T(weight, dtype="float32"), GRAPH), expected, 1e-6)


def test_multiplied_and_a_bias() -> None:
    random = np.random.RandomState(0)
    for x, weight, spread in ((X, WEIGHT, WEIGHT[:, :, None]), (X[:, 0], WEIGHT[:, 0], WEIGHT[:, :1])):
        bias = random.randn(*x.shape[1:])
        for reduce in ("sum", "mean"):
            expected = reduced(x[SOURCE] * spread, TARGET, TARGETS, reduce) + bias
            close(gather_multiply_reduce(T(x), T(weight), GRAPH, reduce, T(bias)), expected)
    half = [T(array, dtype="float16") for array in (x, weight)]
    assert gather_multiply_reduce(*half, GRAPH, bias=T(bias, dtype="float32")).dtype == "float32"


def test_the_gradient_of_a_bias_is_the_sum_of_all_rows() -> None:
    """Many rows: the sum is formed in blocks, by threads."""
    rows = 10_000
    edges = Edges.from_index(np.arange(rows), np.arange(rows), rows, rows)
    numbers = np.random.RandomState(0).randn(rows, 3)
    x, weight, bias = (
        T(numbers, stop_gradient=True),
        T(np.ones(rows), stop_gradient=True),
        T(np.zeros(3), stop_gradient=False),
    )
    for run in (gather_multiply_reduce, to_static(gather_multiply_reduce)):
        bias.clear_grad()
        result = run(x, weight, edges, bias=bias)
        close(result, numbers)
        (result * T(numbers)).sum().backward()
        close(bias.grad, numbers.sum(0), 1e-12)


def test_ends() -> None:
    close(add_ends(T(X), T(Y), GRAPH), X[SOURCE] + Y[TARGET])
    close(dot_ends(T(X), T(Y), GRAPH), (X[SOURCE] * Y[TARGET]).sum(-1))
    close(dot_ends(T(X[:, 0]), T(Y[:, 0]), GRAPH), (X[SOURCE] * Y[TARGET])[:, 0].sum(-1))
    close(edge_expand(T(Y), GRAPH), Y[TARGET])
    close(edge_expand(T(X), GRAPH, "source"), X[SOURCE])


def test_softmax() -> None:
    for logits in (WEIGHT, WEIGHT[:, 0], WEIGHT * 1e3):
        close(edge_softmax(T(logits), GRAPH), softmax_reference(logits, TARGET))
        close(edge_softmax(T(logits, dtype="float32"), GRAPH), softmax_reference(logits, TARGET), 1e-4)
    hidden = np.where(TARGET[:, None] == 1, WEIGHT, -np.inf)  # rows with nothing to choose from have no answer
    with np.errstate(invalid="ignore"):
        close(edge_softmax(T(hidden), GRAPH), softmax_reference(hidden, TARGET))


def test_nan_and_infinity_stay_visible() -> None:
    x = np.array([[np.nan], [np.inf], [1.0], [-np.inf], [2.0]])
    for reduce in REDUCE:
        with np.errstate(invalid="ignore"):
            close(gather_reduce(T(x), GRAPH, reduce), reduced(x[SOURCE], TARGET, TARGETS, reduce))
    close(gather_reduce(T(x[::-1].copy()), GRAPH, "max"), reduced(x[::-1][SOURCE], TARGET, TARGETS, "max"))


CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    **{f"gather_reduce {name}": (lambda x, e, r=name: gather_reduce(x, e, r) ** 2, (X[:, 0],)) for name in REDUCE},
    **{f"edge_reduce {name}": (lambda x, e, r=name: edge_reduce(x, e, r) ** 2, (MESSAGE,)) for name in REDUCE},
    "gather_multiply_reduce": (lambda x, w, e: gather_multiply_reduce(x, w, e) ** 2, (X[:, :, :2], WEIGHT)),
    "weighted rows": (lambda x, w, e: gather_multiply_reduce(x, w, e) ** 2, (X[:, :, :2], WEIGHT[:, 0])),
    "weighted elements": (lambda x, w, e: gather_multiply_reduce(x, w, e) ** 2, (X[:, :, 0], WEIGHT)),
    "with a bias": (
        lambda x, w, b, e: gather_multiply_reduce(x, w, e, bias=b) ** 2,
        (X[:, :, :2], WEIGHT, X[0, :, :2]),
    ),
    "add_ends": (lambda x, y, e: add_ends(x, y, e) ** 2, (X[:, 0, :2], Y[:, 0, :2])),
    "dot_ends": (lambda x, y, e: dot_ends(x, y, e) ** 2, (X[:, :, :2], Y[:, :, :2])),
    "edge_expand": (lambda y, e: edge_expand(y, e) ** 2, (Y[:, 0, :2],)),
    "edge_softmax": (lambda w, e: edge_softmax(w, e) ** 2, (WEIGHT,)),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name: str) -> None:
    function, arrays = CASES[name]
    check_gradients(lambda *tensors: function(*tensors, GRAPH), *arrays)


@pytest.mark.parametrize("name", CASES)
def test_compiled(name: str) -> None:
    function, arrays = CASES[name]
    index = [tensor.numpy() for rows in GRAPH for tensor in rows]

    def on_arrays(*tensors: core.Tensor) -> Any:
        return function(*tensors[:-6], Edges(Rows(*tensors[-6:-3]), Rows(*tensors[-3:])))

    check_compiled(on_arrays, *arrays, *index)
    check_compiled(lambda *tensors: function(*tensors, GRAPH), *arrays)


def test_one_gradient_alone_is_the_same_as_both() -> None:
    found = []
    for needed in ((True, True), (True, False), (False, True)):
        x, weight = (T(array, stop_gradient=not need) for array, need in zip((X, WEIGHT), needed))
        (gather_multiply_reduce(x, weight, GRAPH) * T(Y)).sum().backward()
        found.append((x.grad, weight.grad))
    close(found[1][0], found[0][0].numpy())
    close(found[2][1], found[0][1].numpy())
    assert found[1][1] is None and found[2][0] is None


@pytest.mark.parametrize("weight", [WEIGHT, WEIGHT[:, 0]], ids=["heads", "rows"])
@pytest.mark.parametrize("wanted", [[True, False], [False, True], [True, True]])
def test_a_program_computes_the_gradients_that_are_needed(wanted: list[bool], weight: np.ndarray) -> None:
    found = []
    for run in (gather_multiply_reduce, to_static(gather_multiply_reduce)):
        given = [T(array, stop_gradient=not needed) for array, needed in zip((X, weight), wanted)]
        (run(*given, GRAPH) * T(Y)).sum().backward()
        found.append([tensor.grad.numpy() for tensor, needed in zip(given, wanted) if needed])
    for eager, compiled in zip(*found):
        np.testing.assert_allclose(compiled, eager, rtol=1e-12)


@pytest.mark.parametrize("reduce", ["max", "min"])
def test_the_first_of_equal_numbers_gets_the_gradient(reduce: str) -> None:
    edges, weights = Edges.from_index(np.array([2, 1, 0, 0]), np.array([0, 0, 0, 1]), 3, 2), T([[1.0, 2], [4, 8]])
    x = T(np.array([[1.0, 2], [1, 2], [1, 2]]), stop_gradient=False)
    (gather_reduce(x, edges, reduce) * weights).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[4, 8], [0, 0], [1, 2]])
    message = T(np.ones((4, 2)), stop_gradient=False)
    (edge_reduce(message, edges, reduce) * weights).sum().backward()
    np.testing.assert_array_equal(message.grad.numpy(), [[1, 2], [0, 0], [0, 0], [4, 8]])


def test_a_graph_without_edges_nodes_or_features() -> None:
    none = np.zeros(0, "int64")
    empty, nobody = Edges.from_index(none, none, 3, 2), Edges.from_index(none, none, 0, 0)
    for reduce in REDUCE:
        close(gather_reduce(T(np.ones((3, 2))), empty, reduce), np.zeros((2, 2)))
        close(gather_reduce(core.zeros([0, 2]), nobody, reduce), np.zeros((0, 2)))
        close(gather_reduce(core.zeros([SOURCES, 0]), GRAPH, reduce), np.zeros((TARGETS, 0)))
        close(edge_reduce(core.zeros([0, 2]), empty, reduce), np.zeros((2, 2)))
    x, weight = T(np.ones((3, 2)), stop_gradient=False), T(np.ones((0, 2)), stop_gradient=False)
    gather_multiply_reduce(x, weight, empty).sum().backward()
    close(x.grad, np.zeros((3, 2)))
    close(weight.grad, np.zeros((0, 2)))
    close(edge_softmax(weight, empty), np.zeros((0, 2)))
    close(add_ends(x, T(np.ones((2, 2))), empty), np.zeros((0, 2)))
    close(dot_ends(x, T(np.ones((2, 2))), empty), np.zeros(0))
    close(dot_ends(T(X[..., :0]), T(Y[..., :0]), GRAPH), np.zeros((len(SOURCE), *X.shape[1:-1])))  # no features


def bad_edges(place: int, value: int) -> Edges:
    rows = [tensor.numpy().copy() for part in GRAPH for tensor in part]
    rows[place][1] = value
    tensors = [T(array) for array in rows]
    return Edges(Rows(*tensors[:3]), Rows(*tensors[3:]))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: Edges.from_index(np.array([5]), np.array([0]), 5, 4), OperatorIndexError, "source 5 is no node"),
        (lambda: Edges.from_index(np.array([0]), np.array([-1]), 5, 4), OperatorIndexError, "target -1 is no node"),
        (lambda: Edges.from_index(np.array([2**40]), np.array([0]), 5, 4), OperatorIndexError, "1099511627776 is no"),
        (lambda: Edges.from_index(np.array([0.5]), np.array([0]), 5, 4), OperatorTypeError, "source must hold"),
        (lambda: Edges.from_index(np.array([[0]]), np.array([0]), 5, 4), OperatorError, "source must have one axis"),
        (lambda: Edges.from_index(np.array([0, 1]), np.array([0]), 5, 4), OperatorError, "equally long, got 2 and 1"),
        (lambda: Edges.from_index(np.array([0]), np.array([0]), 2**31, 4), OperatorError, "2147483648 edges or nodes"),
        (lambda: gather_reduce(T(X[:4]), GRAPH), OperatorError, "x must have one row for each of 5 sources, got shape"),
        (lambda: gather_reduce(T(X), GRAPH, "median"), OperatorError, "reduce 'median' is unknown: use 'sum', 'mean'"),
        (lambda: edge_reduce(T(MESSAGE), GRAPH, "prod"), OperatorError, "edge_reduce: reduce 'prod' is unknown"),
        (lambda: edge_reduce(T(X), GRAPH), OperatorError, "message must have one row for each of 11 edges"),
        (lambda: gather_reduce(T(SOURCE), GRAPH), OperatorTypeError, "gather_reduce: .*int64"),
        (lambda: gather_reduce(T(X), (SOURCE, TARGET)), OperatorTypeError, "edges must be Edges, got tuple"),
        (
            lambda: gather_reduce(T(X), Edges(GRAPH.incoming, GRAPH.outgoing._replace(edge_ids=T(SOURCE)))),
            OperatorTypeError,
            "not as Edges.from_index",
        ),
        (
            lambda: gather_reduce(T(X), GRAPH._replace(outgoing=Rows(*GRAPH.outgoing[:2], core.zeros([3], "int32")))),
            OperatorError,
            "their tensors do not fit",
        ),
        (lambda: gather_reduce(T(X), bad_edges(4, 9)), OperatorIndexError, "an edge leads to a node that does not"),
        (lambda: gather_reduce(T(X), bad_edges(1, 5)), OperatorIndexError, "an edge leads to a node that does not"),
        (lambda: gather_reduce(T(X), bad_edges(1, -1)), OperatorIndexError, "an edge leads to a node that does not"),
        (lambda: gather_reduce(T(X), bad_edges(0, 10**6)), OperatorIndexError, "an edge leads to a node that does not"),
        (lambda: edge_softmax(T(WEIGHT), bad_edges(2, 11)), OperatorIndexError, "an edge leads to a node"),
        (lambda: add_ends(T(X), T(Y), bad_edges(5, 11)), OperatorIndexError, "an edge has a number beyond that of"),
        (lambda: gather_multiply_reduce(T(X), T(WEIGHT[1:]), GRAPH), OperatorError, "weight must have one row"),
        (lambda: gather_multiply_reduce(T(X), T(WEIGHT), GRAPH, bias=T(X)), OperatorError, "bias must have x's axes"),
        (
            lambda: gather_multiply_reduce(T(X), T(WEIGHT), GRAPH, bias=T(X[0], dtype="float32")),
            OperatorTypeError,
            "x and bias must be of one type",
        ),
        (
            lambda: gather_multiply_reduce(T(X), T(MESSAGE[:, [0, 0, 0]]), GRAPH),
            OperatorError,
            r"weight's axes behind the first must be x's, got weight \[11, 3\] and x \[5, 2, 3\]",
        ),
        (
            lambda: gather_multiply_reduce(T(X), T(WEIGHT, dtype="float32"), GRAPH),
            OperatorTypeError,
            "x and weight must be of one type, got float64, float32",
        ),
        (lambda: add_ends(T(X), T(Y[:, 0]), GRAPH), OperatorError, "same axes behind the first"),
        (lambda: add_ends(T(Y), T(X), GRAPH), OperatorError, "source must have one row for each of 5 sources"),
        (lambda: dot_ends(T(X[:, 0, 0]), T(Y[:, 0, 0]), GRAPH), OperatorError, "need an axis of features"),
        (lambda: edge_expand(T(Y), GRAPH, "both"), OperatorError, "end must be 'source' or 'target', got 'both'"),
        (lambda: edge_expand(T(Y), GRAPH, "source"), OperatorError, "one row for each of 5 sources"),
    ],
)  # fmt: skip
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_a_program_refuses_edges_that_do_not_exist(capfd: pytest.CaptureFixture[str]) -> None:
    compiled = to_static(lambda x, edges: gather_reduce(x, edges))
    close(compiled(T(X), GRAPH), reduced(X[SOURCE], TARGET, TARGETS, "sum"))
    with pytest.raises(RuntimeError):
        compiled(T(X), bad_edges(1, 7))
    assert "an edge leads to a node that does not exist: make edges with" in capfd.readouterr().out  # from the engine
