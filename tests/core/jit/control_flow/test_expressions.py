"""Boolean operators, chained comparisons, conditional expressions, print and assert on tensors."""

from __future__ import annotations

import re

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError
from tests.core.jit.control_flow.control_flow_check import check, vector

CASES = [(vector(1, 2),), (vector(-1, -2),), (vector(3, -3),), (vector(0.25, 0.5),), (vector(0, 0),)]


def test_and_or_not_in_conditions() -> None:
    def function(x, flag):
        y = x
        if x.sum() > 0 and x.max() < 3:
            y = y * 2
        if not x.sum() > 0 or x.min() > 0.75:
            y = y + 1
        if flag and x.sum() > 0 or not flag:
            y = y - 3
        if x.sum() and x.max():
            y = y * 5
        return y

    check(function, *[(x, flag) for (x,) in CASES for flag in (True, False)], programs=2)


def test_values_of_and_and_or() -> None:
    def function(x):
        first, second = x.sum(), x.max()
        one = first and second * 2
        other = first or second + 5
        yes = first > 0 and second > 1
        return one, other, yes, (first > 0) or (second > 2)

    check(function, *CASES)


def test_an_operand_that_is_not_needed_is_not_evaluated_when_it_would_fail() -> None:
    def function(x):
        def checked(y):
            assert y.sum() < 2, "too large"
            return y.min() > 0

        if x.sum() < 2 and checked(x):
            x = x * 10
        return x

    check(function, *CASES)


def test_chained_comparison() -> None:
    def function(x):
        y = x
        if 0 < x.sum() < 2 <= x.max() + 1.5:
            y = y * 2
        if 5 > 3 > x.sum():
            y = y + 1
        inside = -1 < x.min() <= 1
        return y, inside

    check(function, *CASES)


def test_conditional_expressions() -> None:
    def function(x):
        y = x * 2 if x.sum() > 0 else x / 2 if x.max() > -1.5 else -x
        scale = 3 if x.max() > 1 else 0.5 if False else 4
        return y * scale, (1.5 if x.min() > 0 else 2.5) * x

    check(function, *CASES)


def test_bool_of_a_tensor() -> None:
    def function(x):
        if bool(x.sum()) and bool(3):
            x = x + 1
        return x

    check(function, *CASES)


def test_a_condition_of_one_element_may_have_axes_and_any_type() -> None:
    def function(x):
        y = x
        if x[:1]:
            y = y + 1
        if x.sum(keepdim=True).astype("int32"):
            y = y * 2
        while y.sum(keepdim=True) > 3:
            y = y - 1
        return y

    check(function, *CASES)


def test_python_conditions_stay_python() -> None:
    calls = []

    def function(x, mode, sizes):
        calls.append(mode)
        if mode == "double" and len(sizes) > 1:
            x = x * 2
        elif x.shape[0] == 2:
            x = x + 1
        for size in sizes:
            if size < 0:
                continue
            x = x * size
        return x if mode else -x

    compiled = to_static(function)
    x = core.to_tensor([1.0, 2.0])
    for mode, sizes in (("double", (1, 2)), ("single", (3, -1)), ("", (2,))):
        np.testing.assert_array_equal(compiled(x, mode, sizes).numpy(), function(x, mode, sizes).numpy())
    programs = [program for kept in compiled.programs.values() for program in kept]
    assert len(programs) == 3
    assert not any(operation.operator.is_control_flow for program in programs for operation in program.operations)


def test_print_happens_at_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    def function(x):
        print("sum", x.sum(), [x, 1], sep=" | ", end="!\n")
        if x.sum() > 0:
            print("positive", x)
        print("traced once")
        print(f"max {x.max()!r} of {x.shape[0]:>3} in {'text'!r:>8}", f"{x.shape}")
        return x * 2

    compiled = to_static(function)
    inputs = [core.to_tensor(vector(*numbers)) for numbers in ((1, 2), (-1, -2), (3, 4))]
    for x in inputs:
        compiled(x)
    printed = capsys.readouterr().out
    assert printed.count("traced once") == 1
    for x in inputs:
        function(x)
    assert printed.replace("traced once\n", "") == capsys.readouterr().out.replace("traced once\n", "")


def test_print_is_not_repeated_by_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    def inner(x):
        if x.sum() > 0:
            print("here", x.sum())
            return (x * x * x).sum()
        return x.sum()

    def function(x):
        (gradient,) = core.grad(inner(x), x, create_graph=True)
        return gradient.sum()

    x = core.to_tensor(vector(1, 2), stop_gradient=False)
    to_static(function)(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * vector(1, 2))
    assert capsys.readouterr().out.count("here") == 1


def test_a_format_needs_a_number() -> None:
    def function(x):
        print(f"{x.sum():.2f}")
        return x

    with pytest.raises(OperatorError, match=r"expressions.py:\d+: the value of a tensor cannot be read"):
        to_static(function)(core.ones([1]))


def test_printing_a_tensor_to_a_file_is_refused() -> None:
    import sys

    def function(x):
        print(x, file=sys.stderr)
        return x

    with pytest.raises(OperatorError, match="prints tensors to standard output only"):
        to_static(function)(core.ones([1]))


def plainly_asserting(x):
    assert x.sum() > 0
    return x


def test_a_failing_assertion_names_its_line() -> None:
    def function(x):
        assert x.shape[0] == 2
        assert x.sum() > 0, ("the sum is", x.sum())
        if x.max() > 2:
            assert x.min() > 0, f"{x.max()} but {x.min()}"
        return x * 2

    compiled = to_static(function)
    line = function.__code__.co_firstlineno + 2
    assert compiled(core.to_tensor(vector(1, 2))).tolist() == [2, 4]
    with pytest.raises(AssertionError, match=rf"test_expressions.py:{line}: \('the sum is', Tensor"):
        compiled(core.to_tensor(vector(-1, -2)))
    with pytest.raises(AssertionError, match=rf"(?s){re.escape(__file__)}:{line + 2}: Tensor.* but Tensor"):
        compiled(core.to_tensor(vector(4, -2)))
    assert compiled(core.to_tensor(vector(1, 2))).tolist() == [2, 4]
    assert len(compiled.programs) == 1
    plain = to_static(plainly_asserting)
    with pytest.raises(AssertionError, match=r"expressions.py:\d+: the assertion failed$"):
        plain(core.to_tensor(vector(-1, -2)))
    with pytest.raises(AssertionError):
        compiled(core.ones([3]))
