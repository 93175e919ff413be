"""Tensors made of sizes alone: the shapes and types that are known before they are made are those that they have."""

from __future__ import annotations

from typing import Any

import pytest

import core.operators  # noqa: F401  # declares every operator
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY, ConstantOperator
from core.kernels.dtypes import dtype_of_numpy

RESIZED = {"have": 4, "wanted": 7, "scale": None, "align_corners": False}
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "arange": [
        {"start": 0, "end": 7, "step": 2}, {"start": 0, "end": 7.5, "step": 0.5}, {"start": 5, "end": 0, "step": -2},
        {"start": 5, "end": 0, "step": 1}, {"start": 0.1, "end": 0.7, "step": 0.1},
    ],
    "linspace": [{"start": 0, "stop": 1, "num": 5}],
    "numbers": [{"numbers": ((1, 2), (3, 4))}, {"numbers": (1.5, 2)}, {"numbers": (True,)}, {"numbers": ()}],
    "eye": [{"rows": 3, "columns": 4}],
    "positions": [{"size": 4}],
    "positions_along": [{"size": 4, "axis": 1, "rank": 3}],
    "lower_triangle": [{"rows": 3, "columns": 4, "diagonal": 1}],
    "later_positions": [{"rows": 3, "columns": 4, "number": 1}, {"rows": 3, "columns": 4, "number": float("-inf")}],
    "diagonal_positions": [{"columns": 4, "count": 3, "offset": -1}],
    "diagonal_mask": [{"size": 4, "offset": 1}],
    "nearest_positions": [RESIZED],
    "interpolation_weights": [{**RESIZED, "cubic": cubic, "align_mode": 0} for cubic in (False, True)],
    "affine_points": [{"sizes": (3, 4), "align_corners": True}, {"sizes": (3, 4, 5), "align_corners": False}],
    "slice_origin": [{"shape": (3, 4), "ranges": ((0, 2, 1), (0, 2, 1))}],
    "windows": [{"length": 10, "size": 3, "step": 2}],
    "window_weights": [
        {
            "size": (5, 6), "kernel": (3, 3), "stride": (2, 2), "pairs": ((1, 1), (0, 1)), "extras": (0, 1),
            "exclusive": True,
        }
    ],
    "unused_statistics": [{"size": 5}],
    "prior_boxes": [
        {
            "rows": 2, "columns": 3, "height": 20, "width": 30, "halves": ((4.0, 4.0), (2.0, 8.0)), "steps": (0.0, 0.0),
            "offset": 0.5, "clip": True,
        }
    ],
    "anchors": [
        {"rows": 2, "columns": 3, "halves": ((4.0, 4.0),), "steps": (16.0, 16.0), "offset": 0.5, "double": double}
        for double in (False, True)
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n, operator in REGISTRY.items() if isinstance(operator, ConstantOperator)])
def test_shapes_are_known_before_tensors_are_made(name: str) -> None:
    operator = REGISTRY[name]
    assert isinstance(operator, ConstantOperator) and operator.infer is not None
    for attributes in SAMPLES[name]:
        made = operator.function(**attributes)
        assert operator.infer([], attributes) == [(made.shape, dtype_of_numpy(made))]


def test_sizes_below_zero_are_refused() -> None:
    infer = REGISTRY["positions"].infer
    assert infer is not None
    with pytest.raises(OperatorError, match=r"positions: a result of shape \[-2\]: sizes start at 0"):
        infer([], {"size": -2})
