"""Sizes in shapes and in nested attributes, some of them unknown: comparing, choosing, replacing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from core.kernels.sizes.size_expression import (
    HYPOTHESES,
    Expression,
    bounds,
    combine,
    is_operand,
    is_whole,
    number,
    plain,
    same,
)

if TYPE_CHECKING:
    from core.kernels.dispatch.dispatcher import Value

LARGEST_EXPONENT = 16  # of a power that is written as a product

def all_ints(sizes: Any) -> bool:
    """Return quickly whether a list of sizes holds Python ints only: then nothing here needs special care."""
    for size in sizes:
        if size.__class__ is not int:
            return False
    return True


def agree(first: Any, second: Any) -> bool:
    """Return whether two shapes are equal under both hypotheses, so that they are in later runs too."""
    if all_ints(first) and all_ints(second):
        return list(first) == list(second)
    return all(in_hypothesis(list(first), which) == in_hypothesis(list(second), which) for which in HYPOTHESES)


def same_shape(first: Any, second: Any) -> bool:
    """Return whether two shapes are equal in the sense of :func:`same`."""
    if all_ints(first) and all_ints(second):
        return list(first) == list(second)
    return len(first) == len(second) and all(same(one, other) for one, other in zip(first, second))


def larger(first: Any, second: Any) -> Any:
    """Return the larger of two sizes, without a decision that later runs would have to obey."""
    return combine("max", first, second)


def smaller(first: Any, second: Any) -> Any:
    """Return the smaller of two sizes, without a decision that later runs would have to obey."""
    return combine("min", first, second)


def example(size: Any) -> Any:
    """Return a number for a size, only to choose the faster of two ways whose results are the same for every size."""
    return in_hypothesis(size, 0)


def ceiling(size: Any, parts: int) -> Any:
    """Return size / parts, rounded up."""
    return size if parts == 1 else -(-size // parts)


def power(base: Any, exponent: Any) -> Any:
    """Return a size raised to a power, or a number to that of a size; whole where both are and neither is below 0.

    A small known exponent makes a product; otherwise floats are raised, which cost no more for a large exponent.
    """
    if not is_operand(base) or not is_operand(exponent):
        return NotImplemented
    base, exponent = plain(base), plain(exponent)
    if isinstance(exponent, int) and 0 <= exponent <= LARGEST_EXPONENT:
        result: Any = 1
        for _ in range(exponent):
            result = combine("*", result, base)
        return result
    raised = combine("power", base, exponent)
    whole = all(is_whole(part) and bounds(part)[0] >= 0 for part in (base, exponent))
    return combine("scaled", raised, 1) if whole else raised


def contains_dimension(item: Any) -> bool:
    """Return whether an unknown size is anywhere in nested lists, tuples and dicts."""
    if isinstance(item, (tuple, list)):
        return any(contains_dimension(part) for part in item)
    if isinstance(item, dict):
        return any(contains_dimension(part) for part in item.values())
    return isinstance(item, Expression)


def transformed(item: Any, change: Callable[[Expression], Any]) -> Any:
    """Return nested lists, tuples and dicts with each unknown size replaced by what ``change`` makes of it."""
    if isinstance(item, Expression):
        return change(item)
    if isinstance(item, (tuple, list)):
        return type(item)([transformed(part, change) for part in item])
    if isinstance(item, dict):
        return {key: transformed(part, change) for key, part in item.items()}
    return item


def in_hypothesis(item: Any, hypothesis: int) -> Any:
    """Return nested lists, tuples and dicts with each unknown size replaced by its number under one hypothesis."""
    return transformed(item, lambda size: number(size, hypothesis))


def evaluated(item: Any, size: Callable[[Value, int], Any]) -> Any:
    """Return nested lists, tuples and dicts with each unknown size replaced by its number at given sizes."""
    return transformed(item, lambda expression: expression.evaluate(size))
