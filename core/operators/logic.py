"""Comparisons and boolean logic; nothing here has a gradient."""

from __future__ import annotations

from core.operators.math import BinaryOperator, _binary

_TRUTH = "A bool tensor of the broadcast shape."


def _comparison(name: str, engine_name: str, swapped_name: str, summary: str) -> object:
    operator = BinaryOperator(
        name, engine_name, f"{engine_name}_scalar", f"{swapped_name}_scalar", differentiable=False
    )
    return _binary(operator, summary, _TRUTH, lambda dtype: dtype)


equal = _comparison("equal", "_npi_equal", "_npi_equal", "Tell where x equals y.")
not_equal = _comparison("not_equal", "_npi_not_equal", "_npi_not_equal", "Tell where x differs from y.")
less_than = _comparison("less_than", "_npi_less", "_npi_greater", "Tell where x is below y.")
less_equal = _comparison("less_equal", "_npi_less_equal", "_npi_greater_equal", "Tell where x is at most y.")
greater_than = _comparison("greater_than", "_npi_greater", "_npi_less", "Tell where x is above y.")
greater_equal = _comparison("greater_equal", "_npi_greater_equal", "_npi_less_equal", "Tell where x is at least y.")

__all__ = ["equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = tuple(__all__)
