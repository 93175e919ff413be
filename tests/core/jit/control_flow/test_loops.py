"""while and for on tensors, with break, continue, else, return inside, lists: compiled equals eager."""

from __future__ import annotations

import numpy as np

import core
from tests.core.jit.control_flow.control_flow_check import check, vector

CASES = [(vector(1, 2),), (vector(6, 1),), (vector(0.25, 0.5),), (vector(-3, 0.5),)]
COUNTS = [(vector(1, 2), np.array(n)) for n in (0, 1, 3, 5)]


def test_while_with_numbers_that_become_tensors() -> None:
    def function(x):
        count, total, seen = 0, 0.0, False
        y = x * 0
        while y.abs().sum() < 10 and count < 20:
            y = y + x
            total = total + y.sum()
            seen = y.max() > 2
            count += 1
        return y, total, count, seen

    check(function, *CASES)


def test_while_that_never_runs() -> None:
    def function(x):
        y = x
        while y.sum() > 100:
            y = y * 2
        return y * 3

    check(function, *CASES)


def test_break_and_continue_in_while() -> None:
    def function(x):
        y, i = x * 1, 0
        while i < 10:
            i += 1
            if y.sum() > 50:
                break
            if y.max() < 1:
                y = y + 1
                continue
            y = y * 2 + i
        return y, i

    check(function, *CASES)


def test_while_true_ends_by_a_break() -> None:
    def function(x):
        y = x * 1
        while True:
            y = y * 2
            if y.abs().max() > 16:
                break
        return y

    check(function, *CASES)


def test_else_of_loops() -> None:
    def function(x):
        y = x * 1
        while y.sum() < 30:
            y = y.abs() * 3 + 0.5
            if y.max() > 20:
                break
        else:
            y = -y
        for i in range(3):
            y = y + i
            if y.min() > 10:
                break
        else:
            y = y * 10
        return y

    check(function, *CASES)


def test_range_of_a_tensor() -> None:
    def function(x, n):
        y, last = x * 1, 7
        for i in range(n):
            y = y * (i + 1) + x
            last = i
        for i in range(1, n * 2, 2):
            y = y + i
        for i in range(n, 0, -1):
            y = y - x * i
        return y, last

    check(function, *COUNTS)


def test_range_of_a_tensor_with_break_and_continue() -> None:
    def function(x, n):
        y = x * 1
        for i in range(n):
            if i == 1:
                continue
            y = y + x * i
            if y.sum() > 10:
                break
        return y

    check(function, *COUNTS)


def test_rows_of_a_tensor() -> None:
    def function(x):
        total = x[0] * 0
        for row in x:
            if row.sum() > 2:
                total = total + row
            else:
                total = total - row * 2
        for i, row in enumerate(x):
            total = total + row * i
        for row, other in zip(x, x * 2):
            if (row * other).sum() > 4:
                break
            total = total + row * other
        return total

    rows = np.arange(6, dtype="float32").reshape(3, 2)
    check(function, (rows,), (rows - 3,), (rows * 0,))


def test_a_python_loop_with_a_break_on_a_tensor() -> None:
    def function(x):
        y, steps = x * 1, 0
        for factor in (2.0, 3.0, 4.0):
            if y.sum() > 9:
                break
            y = y * factor
            steps += 1
        return y, steps

    check(function, *CASES)


def test_nested_loops() -> None:
    def function(x, n):
        y = x * 0
        for i in range(n):
            j = 0
            while j < i:
                y = y + x * j
                j += 1
                if y.sum() > 20:
                    break
            y = y + 1
        return y

    check(function, *COUNTS)


def test_return_inside_loops() -> None:
    def function(x):
        y = x * 1
        while y.abs().sum() < 40:
            y = y * 2
            if y.max() > 10:
                return y + 1
        return y - 1

    check(function, *CASES)


def test_return_inside_a_loop_over_a_tensor_range() -> None:
    def function(x, n):
        for i in range(n):
            x = x + i
            if x.sum() > 5:
                return x * 2
        return x

    check(function, *COUNTS)


def test_lists_in_python_loops_and_branches() -> None:
    def function(x):
        rows = []
        for i in range(3):
            if x.sum() > i:
                rows.append(x * i)
            else:
                rows.append(x + i)
        rows[1] = rows[1] * 2
        if x.min() > 0:
            rows[0] = rows[2] - 1
        return core.stack(rows).sum(0), rows

    check(function, *CASES)


def test_tuples_and_dicts_are_loop_variables() -> None:
    def function(x):
        state = (x * 1, {"count": core.zeros([], "int64")})
        while state[0].abs().sum() < 20:
            y, box = state
            state = (y * 2, {"count": box["count"] + 1})
        return state[0], state[1]["count"]

    check(function, *CASES)


def test_a_tensor_changed_in_place() -> None:
    def function(x):
        y = x * 1
        if y.sum() > 2:
            y[0] = y[1] * 3
        i = 0
        while i < 3 and y.sum() < 30:
            y[1] = y[1] + y[0]
            i += 1
        return y

    check(function, *CASES)


def test_second_derivative_through_a_branch_and_a_loop() -> None:
    def inner(x):
        y = x * x
        while y.sum() < 30:
            y = y * x.abs() + 1
        if y.max() > 20:
            y = y * x
        return y.sum()

    def function(x):
        (gradient,) = core.grad(inner(x), x, create_graph=True)
        return gradient.square().sum()

    check(function, *[(vector(*numbers),) for numbers in ((1, 2), (2, 3), (1.5, 4))], tolerance=1e-5)
