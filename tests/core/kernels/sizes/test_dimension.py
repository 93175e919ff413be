"""Unknown sizes: their arithmetic, what would freeze them, and the guards that comparisons leave."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, UnknownSizeError
from core.kernels.dispatch.trace import Trace
from core.kernels.dtypes import float32
from core.kernels.sizes import dimension
from core.kernels.sizes.dimension import Dimension, from_literal

X_SIZES = (5, 3, 16)  # of a later run


@pytest.fixture
def trace() -> Iterator[Trace]:
    core.operators  # noqa: B018 - attaches the methods of Tensor
    with Trace(symbolic=True) as running:
        yield running


@pytest.fixture
def x(trace: Trace) -> core.Tensor:
    """A tensor of shape [?, 3, ?]: the batch is 7 or 11, the last axis 32 or 48."""
    return core.Tensor(trace.input(((7, 3, 32), float32), False, "x", ((11, 3, 48), float32)))


def at_run(size: Any) -> Any:
    return size.evaluate(lambda value, axis: X_SIZES[axis])


def test_a_shape_holds_ints_where_sizes_are_known(x: core.Tensor) -> None:
    assert x.shape[1] == 3 and type(x.shape[1]) is int
    assert isinstance(x.shape[0], Dimension) and x.ndim == 3
    assert repr(x.shape) == "[x.shape[0], 3, x.shape[2]]"
    assert at_run(x.size) == 240


ARITHMETIC: list[tuple[Callable[[Any, Any], Any], Any]] = [
    (lambda n, w: n + 1, 6),
    (lambda n, w: 1 + n, 6),
    (lambda n, w: n - w, -11),
    (lambda n, w: 20 - n, 15),
    (lambda n, w: n * w, 80),
    (lambda n, w: 2 * n, 10),
    (lambda n, w: w // 3, 5),
    (lambda n, w: 100 // n, 20),
    (lambda n, w: w % n, 1),
    (lambda n, w: 7 % n, 2),
    (lambda n, w: -n, -5),
    (lambda n, w: +n, 5),
    (lambda n, w: w / n, 3.2),
    (lambda n, w: 1 / n, 0.2),
    (lambda n, w: n**2, 25),
    (lambda n, w: n**0.5, 5**0.5),
    (lambda n, w: n**-1, 0.2),
    (lambda n, w: 2**n, 32),
    (lambda n, w: n**n, 3125),
    (lambda n, w: 2.5**n, 97.65625),
    (lambda n, w: (n - w) ** 17, -(11.0**17)),
    (lambda n, w: 2 ** (n - w), 2.0**-11),
    (lambda n, w: n**20, 5**20),
    (lambda n, w: divmod(w, n)[0], 3),
    (lambda n, w: math.ceil(w / 3), 6),
    (lambda n, w: math.floor(w / 3), 5),
    (lambda n, w: math.floor(w * 0.3), 4),
    (lambda n, w: math.ceil(w * 0.3), 5),
    (lambda n, w: math.floor((n - w) / 2), -6),
    (lambda n, w: math.ceil((n - w) / 2), -5),
    (lambda n, w: math.floor(n / 1.5), 3),
    (lambda n, w: math.trunc((n - w) * 0.3), -3),
    (lambda n, w: abs(n - w), 11),
    (lambda n, w: (n / 2) // 1, 2.0),
    (lambda n, w: (n / 2) % 1, 0.5),
    (lambda n, w: dimension.larger(n, w), 16),
    (lambda n, w: dimension.smaller(n, 9), 5),
    (lambda n, w: dimension.ceiling(w, 3), 6),
    (lambda n, w: dimension.combine("scaled", w, 0.3), 4),
    (lambda n, w: n + np.int64(2), 7),
    (lambda n, w: n + True, 6),
    (lambda n, w: dimension.smaller(w, math.inf) + 1, 17),
    (lambda n, w: dimension.larger(w, -math.inf) + 1, 17),
]


@pytest.mark.parametrize(("compute", "expected"), ARITHMETIC)
def test_arithmetic_is_worked_out_at_the_sizes_of_a_run(
    x: core.Tensor, compute: Callable[[Any, Any], Any], expected: Any
) -> None:
    size = compute(x.shape[0], x.shape[2])
    assert at_run(size) == expected and type(at_run(size)) is type(expected)
    literal = json.loads(json.dumps(size.to_literal(lambda value: "x")))
    assert at_run(from_literal(literal, lambda name: {"x": x._value}[name])) == expected


def test_powers_are_products_and_floats(x: core.Tensor) -> None:
    n = x.shape[0]
    assert n**0 == 1 and n**1 is n and repr(n**2) == "x.shape[0] * x.shape[0]" and repr(n**0.5) == "x.shape[0] ** 0.5"
    assert (n**3).is_whole and not (n**0.5).is_whole and not (n * 1.0).is_whole


def test_a_power_that_no_float_holds_is_refused(x: core.Tensor) -> None:
    with pytest.raises(UnknownSizeError, match=r"test_dimension.py:\d+: 1000 \*\* .* is too large a number"):
        1000 ** (x.shape[2] * 16)


def test_an_infinite_number_vanishes_or_is_refused(trace: Trace, x: core.Tensor) -> None:
    n = x.shape[0]
    assert dimension.smaller(n, math.inf) is n and dimension.larger(n, math.inf) == math.inf
    assert n < math.inf and not n == math.inf and not n > math.nan and not trace.guards
    with pytest.raises(UnknownSizeError, match=r"x.shape\[0\] \* inf computes with inf, .*: use a finite number"):
        n * math.inf
    with pytest.raises(UnknownSizeError, match=r"min\(x.shape\[0\], nan\) computes with nan"):
        dimension.smaller(n, math.nan)


def test_an_expression_that_no_file_could_hold_is_refused(x: core.Tensor) -> None:
    size, steps = x.shape[0], 1
    with pytest.raises(UnknownSizeError, match=r"test_dimension.py:\d+: a size that is unknown .* more than 64 steps"):
        while steps < 100:
            size, steps = size * 2 + 1, steps + 2
    assert steps == 63 and size.depth == 63
    size = x.shape[0]
    with pytest.raises(UnknownSizeError, match="or in 10,000: make a tensor of a size"):
        for _ in range(60):
            size = size + size
    assert size.count == 2**13 - 1


def test_what_holds_for_every_size_is_no_condition(trace: Trace, x: core.Tensor) -> None:
    n, _, w = x.shape
    big = 2**62
    assert dimension.smaller(n, big) is n and dimension.larger(n - big, 0) == 0 and dimension.larger(n, -big) is n
    assert n < big and n - w < big and n * w < 2**63 and not n + w >= 2**33 and n > -big and n % w <= 2**31
    assert not n // w < 0 and n / 0.5 >= 0 and dimension.combine("scaled", n, 0.5) <= 2**30 and big > n
    assert not trace.guards
    assert n * w < 2**40 and n - w < 0 and dimension.combine("scaled", n, 0.5) > 2
    assert [repr(guard) for guard in trace.guards] == [
        "<guard x.shape[0] * x.shape[2] < 1099511627776 is True>",
        "<guard x.shape[0] - x.shape[2] < 0 is True>",
        "<guard int(x.shape[0] * 0.5) > 2 is True>",
    ]


def test_a_damaged_literal_is_refused(x: core.Tensor) -> None:
    for literal in ("7", ["size"], ["system", 1, 2], None):
        with pytest.raises(ValueError, match="no expression of sizes"):
            from_literal(literal, lambda name: x._value)


def test_what_is_plainly_a_number_becomes_one(x: core.Tensor) -> None:
    n, _, w = x.shape
    assert [n - n, (n * w) % w, dimension.combine("//", n * w * 6, w * n)] == [0, 0, 6]
    assert n + 0 is n and n * 1 is n and n // 1 is n
    assert dimension.same((n * 3 * w) // w, 3 * n)
    assert math.floor(n) is n and math.trunc(n) is n and math.ceil(n) is n and abs(n) is n
    assert math.trunc((n - w) / 2) > -100
    assert dimension.larger(n, 1) is n and dimension.smaller(n, 1) == 1 and dimension.larger(n, n) is n


FREEZING: list[tuple[str, Callable[[Any], Any]]] = [
    ("range", lambda n: range(n)),
    ("list length", lambda n: [0] * n),
    ("index", lambda n: [1, 2, 3][n]),
    ("int", lambda n: int(n)),
    ("float", lambda n: float(n)),
    ("square root", lambda n: math.sqrt(n)),
    ("rounding", lambda n: round(n)),
    ("dict key", lambda n: {n: 1}),
    ("numpy zeros", lambda n: np.zeros((n, 2))),
    ("numpy array", lambda n: np.asarray([n, 2])),
    ("numpy product", lambda n: np.prod([n, 2], dtype=np.int64)),
]


@pytest.mark.parametrize(("name", "use"), FREEZING)
def test_what_would_freeze_a_size_names_the_input_and_the_line(x: core.Tensor, name: str, use: Any) -> None:
    with pytest.raises(OperatorError, match=r"x\.shape\[0\] is unknown while .* a number would be frozen"):
        use(x.shape[0])


def test_the_refusal_names_the_users_line(x: core.Tensor) -> None:
    with pytest.raises(OperatorError, match=r"test_dimension\.py:\d+: x\.shape\[0\]"):
        int(x.shape[0])
    with pytest.raises(OperatorError, match=r"test_dimension\.py:\d+: x\.shape\[0\]"):
        len(x)
    with pytest.raises(OperatorError, match=r"test_dimension\.py:\d+: x\.shape\[0\]"):
        list(x)
    with pytest.raises(OperatorError, match="x.shape"):
        core.to_tensor(np.array([x.shape[0]], object))


def test_a_comparison_that_holds_in_both_worlds_is_a_guard(trace: Trace, x: core.Tensor) -> None:
    n, _, w = x.shape
    assert n < w and n != 8 and 2 < n and not n >= 20 and n != "text" and n is not None
    assert [repr(guard) for guard in trace.guards] == [
        "<guard x.shape[0] < x.shape[2] is True>",
        "<guard x.shape[0] != 8 is True>",
        "<guard x.shape[0] > 2 is True>",
        "<guard x.shape[0] >= 20 is False>",
    ]
    for guard in trace.guards:
        guard.check(lambda value, axis: X_SIZES[axis])
    violated = r"test_dimension.py:\d+: .* where x.shape\[0\] != 8 is True, but here 8 != 8 is False"
    with pytest.raises(OperatorError, match=violated):
        trace.guards[1].check(lambda value, axis: 8)


def test_one_guard_for_one_comparison_and_none_for_what_always_holds(trace: Trace, x: core.Tensor) -> None:
    n, _, w = x.shape
    for _ in range(3):
        assert n != 4
    assert len(trace.guards) == 1
    assert n > 0 and n >= 1 and n != 0 and n == n and n * w == w * n and 0 < n and bool(n) and not n < 1
    assert len(trace.guards) == 1


def test_a_comparison_that_the_worlds_decide_differently_is_refused(x: core.Tensor) -> None:
    with pytest.raises(OperatorError, match=r"test_dimension.py:\d+: whether x.shape\[0\] > 8 depends on .*7 > 8 is F"):
        if x.shape[0] > 8:
            raise AssertionError


def test_a_frozen_number_in_a_shape_is_refused(x: core.Tensor) -> None:
    with pytest.raises(OperatorError, match="depends on a size that is unknown"):
        x.reshape([7, -1])
    with pytest.raises(OperatorError, match="works for one size of an unknown axis and not for another"):
        x + core.ones([7, 1, 1])


def test_what_an_operator_computes_keeps_its_origin(x: core.Tensor) -> None:
    n, _, w = x.shape
    assert repr(x.reshape([n, -1]).shape) == "[x.shape[0], the size of axis 1 of a tensor of shape [?, ?]]"
    assert repr(x[:, 0].expand([2, n, w]).shape) == "[2, x.shape[0], x.shape[2]]"
    assert repr(core.arange(n).shape) == "[x.shape[0]]"
    assert core.arange(n).dtype == "int64" and core.arange(0.0, n).dtype == "float32"


def test_core_shape_remains_a_size(x: core.Tensor) -> None:
    sizes = core.shape(x)
    assert sizes.shape == [3] and sizes.dtype == "int32"
    assert repr([sizes[0].item(), sizes[1:].tolist()]) == "[x.shape[0], [3, x.shape[2]]]"
    assert repr((sizes[0] * 2 + 1).item()) == "(x.shape[0] * 2) + 1"
    assert repr((1 + sizes[2].astype("int64")).item()) == "1 + x.shape[2]"
    assert repr(core.numel(x).item()) == "(x.shape[0] * 3) * x.shape[2]"
    assert repr(x.reshape([sizes[0], -1, sizes[1]]).shape[0]) == "x.shape[0]"
    with pytest.raises(OperatorError, match="cannot become an int"):
        int(sizes[0])
    assert int(sizes[1]) == 3 and list(range(sizes[1])) == [0, 1, 2]
    with pytest.raises(OperatorError, match="cannot be read while a program is being compiled"):
        (sizes[0] * 1.5).item()
    with pytest.raises(OperatorError, match="cannot be read"):
        sizes.astype("float32")[0].item()
    assert sizes[0].astype("float32").dtype == "float32"


def test_a_size_is_a_number_to_tensors(x: core.Tensor) -> None:
    n = x.shape[0]
    for result, dtype in ((x * n, "float32"), (n * x, "float32"), (x / n, "float32"), (core.arange(n) + n, "int64")):
        assert result.dtype == dtype
    assert (x.sum() / n).shape == [] and (core.arange(n) == n).dtype == "bool"
    assert core.to_tensor([n, 3]).dtype == "int64"


def test_a_size_outlives_its_trace_as_an_error(x: core.Tensor, trace: Trace) -> None:
    n = x.shape[0]
    trace.__exit__()
    with pytest.raises(OperatorError, match="is unknown while this program is being traced"):
        core.zeros([n, 2])
    trace.__enter__()
