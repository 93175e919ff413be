"""if, elif, else, early return, conditional expressions and boolean operators on tensors: compiled equals eager."""

from __future__ import annotations

import core
from core.jit import to_static
from tests.core.jit.control_flow.control_flow_check import check, vector

X = (vector(1, 2), vector(-1, -2), vector(3, -3), vector(0.25, 0.5))
CASES = [(x,) for x in X]


def test_if_and_else() -> None:
    def function(x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y * x

    check(function, *CASES)


def test_if_alone_keeps_the_value_before() -> None:
    def function(x):
        y = x * 3
        if x.sum() > 0:
            y = y.exp()
        return y

    check(function, *CASES)


def test_elif_chain() -> None:
    def function(x):
        if x.sum() > 2:
            y = x.exp()
        elif x.sum() > 0.5:
            y = x.tanh()
        elif x.sum() > -1:
            y = x * x
        else:
            y = -x
        return y

    check(function, *CASES)


def test_nested_branches_with_several_variables() -> None:
    def function(x):
        y, z = x, x * 2
        if x.sum() >= 0:
            if x.max() > 2.5:
                y = y * z
            else:
                z = z + y
        elif x.min() < -1.5:
            y, z = z, y
        return y - z

    check(function, *CASES)


def test_early_returns() -> None:
    def function(x):
        if x.mean() > 1:
            return x * 2
        if x.mean() > 0:
            x = x + 1
            if x.max() > 1.75:
                return x.exp()
        for i in range(3):
            x = x * i + x
            if x.sum() > 1:
                return -x
        return x

    check(function, *CASES)


def test_a_compiled_function_that_calls_another() -> None:
    @to_static
    def inner(x):
        if x.sum() > 0:
            return x * 2
        return x * 3

    def function(x):
        return inner(x) + inner(-x)

    check(function, *CASES)
    assert core.jit.ProgramTranslator().enable_to_static
