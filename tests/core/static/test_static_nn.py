"""cond, while_loop, case and switch_case: eagerly, and as control-flow operators of a program."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.jit import to_static
from core.static.nn import case, cond, switch_case, while_loop
from tests.core.jit.control_flow.control_flow_check import check, vector

CASES = [(vector(1, 2),), (vector(-1, -2),), (vector(5, -2),)]


def test_cond() -> None:
    def function(x):
        first, second = cond(x.sum() > 0, lambda: (x * 2, x + 1), lambda: (x / 2, x - 1))
        return first * second, cond(True, lambda: x), cond(x.max() > 3, lambda: x.sum(), lambda: x.min())

    check(function, *CASES)
    assert cond(core.to_tensor(False), lambda: 1) is None


def test_while_loop() -> None:
    def function(x):
        i, y, box = while_loop(
            lambda i, y, box: y.abs().sum() < 20 and i < 4, lambda i, y, box: [i + 1, y * 2, {"a": y}], [0, x, {"a": x}]
        )
        (k,) = while_loop(lambda k: k < 3, lambda k: k + 1, [0])
        return i, y * k, box["a"]

    check(function, *CASES)


def test_case_and_switch_case() -> None:
    def function(x, index):
        by_condition = case([(x.sum() > 3, lambda: x * 3), (x.sum() > 0, lambda: x * 2)], lambda: -x)
        last = case([(x.sum() > 3, lambda: x), (x.sum() > 0, lambda: x * 5)])
        by_number = switch_case(index, {1: lambda: x + 1, 3: lambda: x + 3}, lambda: x)
        listed = switch_case(index, [lambda: x * 1, lambda: x * 2])
        paired = switch_case(index, [(2, lambda: x * 7), (3, lambda: x * 8)])
        return by_condition, last, by_number, listed, paired

    check(function, *[(x, np.array(index)) for (x,) in CASES for index in (0, 1, 2, 3)])
    assert switch_case(1, [lambda: "a", lambda: "b"]) == "b"


def test_what_is_refused() -> None:
    x = core.to_tensor(vector(1, 2))
    with pytest.raises(ValueError, match="while_loop: expects at least one variable"):
        while_loop(lambda: True, lambda: [], [])
    with pytest.raises(ValueError, match="the body returns 2 values for 1 variables"):
        while_loop(lambda a: a.sum() < 10, lambda a: [a, a], [x])
    with pytest.raises(ValueError, match="case: expects at least one"):
        case([])
    with pytest.raises(ValueError, match="switch_case: expects at least one function"):
        switch_case(0, {})
    with pytest.raises(
        ValueError, match=r"test_static_nn.py:\d+: the result a, b is .* after one branch and None after"
    ):
        to_static(lambda x: cond(x.sum() > 0, lambda: x, return_names=["a", "b"]))(x)
