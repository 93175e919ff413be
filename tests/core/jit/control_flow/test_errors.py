"""What control flow on tensors refuses: each message names the variable and the line."""

from __future__ import annotations

import collections
import itertools
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.jit.rewrite import runtime
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from tests.core.jit.control_flow.control_flow_check import vector


def refuses(function: Callable[..., Any], offset: int, message: str, *more: Any, error: type = OperatorError) -> None:
    """Assert that compiling raises an error of one line, which names the line at this offset in the function."""
    with pytest.raises(error, match=message) as caught:
        to_static(function)(core.to_tensor(vector(1, 2), stop_gradient=False), *more)
    line = function.__code__.co_firstlineno + offset
    assert f"test_errors.py:{line}: " in str(caught.value) and "\n" not in str(caught.value)
    assert dispatcher.state.trace is None


def test_a_variable_of_one_branch_only() -> None:
    def function(x):
        if x.sum() > 0:
            y = x * 2
        return y

    refuses(function, 1, "variable 'y' has a value in one branch only: it is not defined where the condition is false")

    def other(x):
        if x.sum() > 0:
            x = x + 1
        elif x.max() > 0:
            x = x + 2
        else:
            y = x
        return y

    refuses(other, 3, "variable 'y' has a value in one branch only: .* where the condition is true")


def test_a_variable_of_two_shapes_dtypes_or_types() -> None:
    def shapes(x):
        if x.sum() > 0:
            y = x
        else:
            y = x[:1]
        return y

    refuses(
        shapes, 1, r"variable 'y' is a Tensor float32\[2\] after one branch and a Tensor float32\[1\] after the other"
    )

    def dtypes(x):
        y = x
        if x.sum() > 0:
            y = x.astype("int64")
        return y

    refuses(dtypes, 2, r"variable 'y' is a Tensor int64\[2\] after one branch and a Tensor float32\[2\]")

    def types(x):
        return x if x.sum() > 0 else None

    refuses(types, 1, r"the conditional expression is a Tensor float32\[2\] after one branch and None after the other")

    def numbers(x):
        if x.sum() > 0:
            n = 1
        else:
            n = 2.5
        return x * n

    refuses(numbers, 1, r"variable 'n' is 1 after one branch and 2.5 after the other")

    def objects(x):
        mode = "wide"
        if x.sum() > 0:
            mode = "narrow"
        return x if mode == "wide" else -x

    refuses(objects, 2, "variable 'mode' is 'narrow' after one branch and 'wide' after the other")


def test_a_function_that_returns_in_one_branch_only() -> None:
    def function(x):
        if x.sum() > 0:
            return x

    refuses(function, 1, r"the returned value is a Tensor float32\[2\] after one branch and None after the other")

    def looped(x):
        for i in range(3):
            if x.sum() > i:
                return x

    with pytest.raises(OperatorError, match="the returned value is None after one branch"):
        to_static(looped)(core.ones([2]))


def test_lists_of_different_lengths() -> None:
    def function(x):
        rows = [x]
        if x.sum() > 0:
            rows.append(x * 2)
        return rows[-1]

    refuses(function, 2, "rows has 2 items after one branch and 1 after the other")

    def looped(x):
        rows = [x]
        while rows[-1].sum() < 10:
            rows.append(rows[-1] * 2)
        return rows[-1]

    refuses(looped, 2, "rows has 1 items before an iteration and 2 after it; .* a list of unknown length")

    def keys(x):
        box = {"a": x}
        if x.sum() > 0:
            box["b"] = x
        return box["a"]

    refuses(keys, 2, "box has 2 items after one branch and 1 after the other")


def test_loop_variables_that_change_their_kind() -> None:
    def shape(x):
        y = x
        while y.sum() < 10:
            y = core.concat([y, y])
        return y

    refuses(shape, 2, r"variable 'y' is a Tensor float32\[2\] before an iteration and a Tensor float32\[4\] after it")

    def dtype(x):
        n = core.zeros([], "int64")
        while x.sum() + n < 10:
            n = n + x.sum()
        return n

    refuses(dtype, 2, r"variable 'n' is a Tensor int64\[\] before an iteration and a Tensor float32\[\] after it")

    def number(x):
        total = 0
        while x.sum() < 10:
            total = total + x
            x = x * 2
        return total

    refuses(
        number,
        2,
        r"variable 'total' is 0 before an iteration and a Tensor float32\[2\] after it; .* of the final shape",
    )

    def nothing(x):
        y = None
        while x.sum() < 10:
            y = x
            x = x * 2
        return y

    refuses(nothing, 2, r"variable 'y' is None before an iteration and a Tensor float32\[2\] after it")

    def text(x):
        name = "a"
        while x.sum() < 10:
            name = name + "a"
            x = x * 2
        return x

    refuses(text, 2, "variable 'name' is 'a' before an iteration and 'aa' after it")


def test_a_variable_without_a_value_before_the_loop() -> None:
    def function(x, n):
        for i in range(n):
            y = x * i
        return y

    refuses(function, 1, "variable 'y' has no value before this loop", core.to_tensor(2))

    def target(x, n):
        for i in range(n):  # noqa: B007
            x = x + 1
        return x * i

    refuses(target, 1, "variable 'i' has no value before this loop", core.to_tensor(2))


def test_conditions_of_several_elements() -> None:
    def branch(x):
        if x > 0:
            x = x + 1
        return x

    refuses(branch, 1, r"a condition expects a tensor of one element, but the shape is \[2\]", error=ValueError)

    def loop(x):
        while x < 10:
            x = x + 1
        return x

    refuses(loop, 1, r"a condition expects a tensor of one element", error=ValueError)

    def check(x):
        assert x > 0
        return x

    refuses(check, 1, r"a condition expects a tensor of one element", error=ValueError)

    def both(x):
        return x if x > 0 and x.sum() > 0 else -x

    refuses(both, 1, r"a condition expects a tensor of one element", error=ValueError)


def test_exceptions_in_branches() -> None:
    def function(x):
        if x.sum() > 100:
            raise ValueError("too large")
        return x

    refuses(function, 2, "an exception cannot be raised in a branch that depends on a tensor: .* use assert")


def test_ranges() -> None:
    def floating(x):
        for i in range(x.sum()):
            x = x + i
        return x

    refuses(floating, 1, "range.. expects integers, got a tensor of float32", error=TypeError)

    def comprehension(x, n):
        return sum([x * i for i in range(n)], x)

    refuses(
        comprehension,
        1,
        "the length of this range depends on a tensor: iterate over it by a for statement",
        core.to_tensor(2),
    )

    def step(x, n):
        for i in range(0, 10, n):
            x = x + i
        return x

    refuses(step, 1, "the step of range.. must be a Python int here", core.to_tensor(2), error=TypeError)

    def zero(x, n):
        for i in range(0, n, 0):
            x = x + i
        return x

    with pytest.raises(ValueError, match="must not be zero"):
        to_static(zero)(core.ones([2]), core.to_tensor(2))


def test_an_endless_iterator_with_a_break_on_a_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "MAXIMUM_GUARDED", 5)

    def function(x):
        for i in itertools.count():
            if i > x.sum():
                break
        return x

    refuses(function, 1, "was unrolled 5 times: use while")


def test_membership_is_refused() -> None:
    def function(x):
        return x if x.sum() in (1, 3) else -x

    with pytest.raises(OperatorError, match=r"errors.py:\d+: the value of a tensor cannot be read while"):
        to_static(function)(core.ones([2]))


def test_a_tensor_smuggled_out_of_a_branch() -> None:
    kept = []

    def keep(y):
        kept.append(y * 2)
        return y

    def function(x):
        if x.sum() > 0:
            y = keep(x)
        else:
            y = x
        return y + kept[-1]

    with pytest.raises(
        OperatorError, match="made in a branch or loop, or in another compiled program, is used"
    ):
        to_static(function)(core.ones([2]))


def test_random_numbers_in_a_region_that_is_differentiated_inside_the_program() -> None:
    def function(x):
        y = x * x
        if x.sum() > 0:
            y = nn.functional.dropout(y, 0.5)
        return core.grad(y.sum(), x)[0]

    with pytest.raises(OperatorError, match="draws random numbers and is differentiated inside the compiled function"):
        to_static(function)(core.to_tensor(vector(1, 2), stop_gradient=False))


def test_an_error_leaves_everything_as_it_was() -> None:
    norm = nn.BatchNorm1D(2)
    rows = [1]

    def function(x):
        if x.sum() > 0:
            x = norm(x)
            rows.append(2)
            core.matmul(x, core.ones([5, 5]))
        return x

    before = norm._mean._value
    with pytest.raises(OperatorError, match="matmul"):
        to_static(function)(core.ones([3, 2]))
    assert rows == [1] and norm._mean._value is before and dispatcher.state.trace is None
    np.testing.assert_array_equal(norm._mean.numpy(), [0, 0])


def test_sets_and_arrays_that_a_branch_changes() -> None:
    def members(x):
        seen = set()
        if x.sum() > 0:
            seen.add(1)
        return x * len(seen)

    refuses(members, 2, r"variable 'seen' is a set that holds \{1\} after one branch and a set that holds set\(\)")

    def array(x):
        counts = np.zeros(2)
        if x.sum() > 0:
            counts[0] = 1
        return x * len(counts)

    refuses(array, 2, r"variable 'counts' is a ndarray that holds \[1. 0.\] after one branch")

    def queue(x):
        waiting = collections.deque([x])
        while x.sum() < 10:
            waiting.append(x)
            x = x * 2
        return waiting[0]

    refuses(queue, 2, "variable 'waiting' is a deque")

    def alike(x):
        seen, box = set(), collections.OrderedDict(a=x)
        if x.sum() > 0:
            seen.add(1)
            box["a"] = x * 2
        else:
            seen.add(1)
        return box["a"] * len(seen)

    assert to_static(alike)(core.to_tensor(vector(1, 2))).tolist() == [2, 4]
    assert to_static(alike)(core.to_tensor(vector(-1, 0))).tolist() == [-1, 0]
