"""Exported programs that make gigabytes out of nothing, and some that make just as much as they may."""

from __future__ import annotations

import json
from typing import Any, Callable

from tests.program_texts import BIG, Bomb, chain, content, full, made_by, operation, sized


def _doubled(read: str, name: str, number: int) -> Any:
    return operation("concat", [read, read], name, [2 ** (number + 1)], axis=0)


_COLUMN, _ROW = full("a", [2**15, 1]), full("b", [1, 2**15])
_ONE = full("v", [1, 1, 1, 1])
_TEN = sized(["*", ["+", 1, ["-", ["size", "x", 0], 1]], 2**27])

MADE = "it makes .* MB out of nothing, up to "
_ENGINE = "the engine's limit is 2\\*\\*31"

TENSORS: dict[str, Bomb] = {
    # tensors out of nothing
    "full": Bomb(made_by(full("v", [BIG, 4])), f"{MADE}full|{_ENGINE}"),
    "full, not quite so large": Bomb(made_by(full("v", [2**24, 2])), f"{MADE}full with a result float32"),
    "full of a negative size": Bomb(
        made_by(operation("full", [], "v", [None], shape=[-5], value=1.0, dtype="float32")),
        "has the shape \\[-5\\]: sizes start at 0",
    ),
    "many": Bomb(made_by(*[full(f"v{i}", [2**21]) for i in range(9)]), "it makes 72 MB out of nothing, up to full"),
    "arange": Bomb(made_by(operation("arange", [], "v", [BIG], start=0, end=BIG, step=1, of="int64")), f"{MADE}arange"),
    "arange by tiny steps": Bomb(
        made_by(operation("arange", [], "v", [BIG], start=0, end=1.0, step=1e-300, of="float64")), f"{MADE}|{_ENGINE}"
    ),
    "arange by no steps": Bomb(
        made_by(operation("arange", [], "v", [1], start=0, end=1, step=0, of="int64")), "division by zero"
    ),
    "linspace": Bomb(
        made_by(operation("linspace", [], "v", [BIG], start=0, stop=1, num=BIG, of="float64")), f"{MADE}linspace"
    ),
    "eye": Bomb(made_by(operation("eye", [], "v", [2**15, 2**15], rows=2**15, columns=2**15, of="float64")), MADE),
    "diagonal_mask": Bomb(
        made_by(operation("diagonal_mask", [], "v", [2**15, 2**15], size=2**15, offset=0, of="bool")), MADE
    ),
    "lower_triangle": Bomb(
        made_by(operation("lower_triangle", [], "v", [2**15, 2**15], rows=2**15, columns=2**15, diagonal=0, of="bool")),
        MADE,
    ),
    "later_positions": Bomb(
        made_by(operation("later_positions", [], "v", [2**15] * 2, rows=2**15, columns=2**15, number=1, of="int64")),
        MADE,
    ),
    "positions": Bomb(made_by(operation("positions", [], "v", [BIG], size=BIG, of="int64")), f"{MADE}positions"),
    "positions_along": Bomb(
        made_by(operation("positions_along", [], "v", [1, BIG], size=BIG, axis=1, rank=2, of="int64")), MADE
    ),
    "diagonal_positions": Bomb(
        made_by(operation("diagonal_positions", [], "v", [BIG], columns=1, count=BIG, offset=0, of="int64")), MADE
    ),
    "nearest_positions": Bomb(
        made_by(
            operation(
                "nearest_positions", [], "v", [BIG], have=1, wanted=BIG, scale=None, align_corners=False, of="int64"
            )
        ),
        MADE,
    ),
    "interpolation_weights": Bomb(
        made_by(
            operation(
                "interpolation_weights", [], "v", [2**15] * 2, cubic=False, align_mode=0, have=2**15, wanted=2**15,
                scale=None, align_corners=False, of="float64",
            )
        ),
        MADE,
    ),
    "affine_points": Bomb(
        made_by(operation("affine_points", [], "v", [BIG, 3], sizes=[2**14] * 2, align_corners=True, of="float64")),
        MADE,
    ),
    "slice_origin": Bomb(
        made_by(operation("slice_origin", [], "v", [BIG], shape=[2**14] * 2, ranges=[[0, 1, 1]] * 2, of="int64")), MADE
    ),
    "windows": Bomb(
        made_by(operation("windows", [], "v", [2**14] * 2, length=2**15 - 1, size=2**14, step=1, of="int64")), MADE
    ),
    "window_weights": Bomb(
        made_by(
            operation(
                "window_weights", [], "v", [1, 1, 2**14, 2**14], size=[2**14] * 2, kernel=[1, 1], stride=[1, 1],
                pairs=[[0, 0]] * 2, extras=[0, 0], exclusive=True, of="float64",
            )
        ),
        MADE,
    ),
    "unused_statistics": Bomb(made_by(operation("unused_statistics", [], "v", [BIG], size=BIG, of="float64")), MADE),
    "wide text for numbers": Bomb(
        made_by(operation("numbers", [], "v", [2], numbers=["a" * 1000, *["1"] * 1000], of="int64")), "is no number"
    ),
    "uniform": Bomb(
        made_by(operation("uniform", [], "v", [BIG], ctx="cpu(0)", low=0.0, high=1.0, size=[BIG], dtype="float32")),
        f"{MADE}uniform",
    ),
    "normal": Bomb(
        made_by(operation("normal", [], "v", [BIG], ctx="cpu(0)", loc=0.0, scale=1.0, size=[BIG], dtype="float32")),
        f"{MADE}normal",
    ),
    "randint": Bomb(
        made_by(operation("randint", [], "v", [BIG], ctx="cpu(0)", low=0, high=5, shape=[BIG], dtype="int64")),
        f"{MADE}randint",
    ),
    "text times a number": Bomb(
        made_by(full("v", [2, 2]), operation("reshape", ["v"], "w", [None], newshape=[2**40, "a"])),
        "newshape must be numbers, or text, or lists",
    ),
    "a list times a number": Bomb(
        made_by(
            full("v", [2, 2]),
            operation("broadcast_to", ["v"], "w", [None], shape=[[1, 1], sized(["*", 2**15, 2**15])]),
        ),
        "shape must be numbers, or text, or lists",
    ),
    # constants that grow
    "one_hot": Bomb(
        made_by(
            operation("positions", [], "v", [2**10], size=2**10, of="int64"),
            operation("one_hot", ["v"], "w", [2**10, 2**18], depth=2**18, dtype="float32"),
        ),
        f"{MADE}one_hot",
    ),
    "broadcast_to": Bomb(
        made_by(full("v", [1, 1]), operation("broadcast_to", ["v"], "w", [BIG, 1], shape=[BIG, 1])), f"{MADE}broadcast"
    ),
    "broadcast_to at several steps": Bomb(
        made_by(
            full("v", [1, 1]),
            operation("broadcast_to", ["v"], "w", [2**12, 1], shape=[2**12, 1]),
            operation("reshape", ["w"], "r", [1, 2**12], newshape=[1, 2**12]),
            operation("broadcast_to", ["r"], "z", [2**13, 2**12], shape=[2**13, 2**12]),
        ),
        f"{MADE}broadcast_to",
    ),
    "pad": Bomb(
        made_by(
            _ONE,
            operation(
                "pad", ["v"], "w", [1, 1, 1, BIG + 1], widths=[[0, 0]] * 3 + [[0, BIG]], mode="constant", value=0.0
            ),
        ),
        f"{MADE}pad",
    ),
    "pad integers": Bomb(
        made_by(
            operation("positions", [], "v", [3], size=3, of="int64"),
            operation("pad_integers", ["v"], "w", [BIG + 3], widths=[[0, BIG]], mode="constant", value=0.0, of="int64"),
        ),
        f"{MADE}pad_integers",
    ),
    "take": Bomb(
        made_by(
            full("v", [2, 2**15]),
            operation("full", [], "i", [2**10], shape=[2**10], value=1.0, dtype="int64"),
            operation("take", ["v", "i"], "w", [2**10, 2**15], axis=0),
        ),
        f"{MADE}take",
    ),
    "adaptive pooling": Bomb(
        made_by(_ONE, operation("adaptive_average_pooling", ["v"], "w", [1, 1, 2**14, 2**14], output_size=[2**14] * 2)),
        f"{MADE}adaptive",
    ),
    "image_to_columns": Bomb(
        made_by(
            _ONE,
            operation("image_to_columns", ["v"], "w", [1, 2**26, 4], kernel=[2**13] * 2, stride=[1, 1], dilate=[1, 1],
                      pad=[2**12] * 2),
        ),
        f"{MADE}image_to_columns",
    ),
    "a transposed convolution": Bomb(
        made_by(
            _ONE,
            full("k", [1, 1, 1, 1]),
            operation("convolution_input_gradient", ["v", "k"], "w", [1, 1, 2**14, 2**14], size=[2**14] * 2, pad=[0, 0],
                      stride=[2**14] * 2, dilate=[1, 1], groups=1),
        ),
        f"{MADE}convolution_input_gradient",
    ),
    "a padded convolution": Bomb(
        made_by(
            _ONE,
            full("k", [1, 1, 1, 1]),
            operation("convolution", ["v", "k"], "w", [1, 1, 2**14 + 1, 2**14 + 1], pad=[2**13] * 2, stride=[1, 1],
                      dilate=[1, 1], groups=1),
        ),
        f"{MADE}convolution",
    ),
    "an outer sum": Bomb(made_by(_COLUMN, _ROW, operation("add", ["a", "b"], "w", [2**15, 2**15])), f"{MADE}add"),
    "an outer product": Bomb(
        made_by(
            _COLUMN, _ROW,
            operation("matrix_product", ["a", "b"], "w", [2**15, 2**15], transpose_a=False, transpose_b=False),
        ),
        f"{MADE}matrix_product",
    ),
    "scatter_add_rows": Bomb(
        made_by(
            full("v", [1, 4]),
            operation("positions", [], "i", [1], size=1, of="int64"),
            operation("scatter_add_rows", ["v", "i"], "w", [BIG, 4], size=BIG),
        ),
        f"{MADE}|{_ENGINE}",
    ),
    "a constant doubled": Bomb(lambda: json.dumps(content(chain(27, _doubled, [full("v", [1])]))), f"{MADE}concat"),
    "a stack of one constant": Bomb(
        made_by(full("v", [2**20]), operation("stack", ["v"] * 40, "w", [40, 2**20], axis=0)), f"{MADE}stack"
    ),
    "copies of a constant": Bomb(
        lambda: json.dumps(
            content(
                [
                    full("v", [2**22]),
                    *[operation("relu", ["v"], f"w{i}", [2**22]) for i in range(10)],
                    operation("add_n", [f"w{i}" for i in range(10)], "sum", [2**22]),
                ]
            )
        ),
        f"{MADE}relu",
    ),
    # shapes that do not fit together, with which the engine would read and write past the end of its arrays
    "a reshape to more": Bomb(
        made_by(full("v", [4, 4]), operation("reshape", ["v"], "w", [1, 1, 4, 9], newshape=[1, 1, 4, 9])),
        "a tensor of shape \\[4, 4\\] cannot have the shape \\[1, 1, 4, 9\\]",
    ),
    "a normalisation by other channels": Bomb(
        made_by(
            full("v", [2, 2**12]),
            full("s", [1]),
            operation("frozen_normalization", ["v", "s", "s", "s", "s"], "w", [2, 2**12], axis=1, epsilon=1e-5),
        ),
        "expects an input of shape \\[4096\\], not \\[1\\]",
    ),
    "sizes worked out at several steps": Bomb(
        made_by(
            operation("full", [], "v", [None], shape=[_TEN], value=1.0, dtype="float32"),
        ),
        f"{MADE}full",
    ),
}  # fmt: skip

LARGE: dict[str, Callable[[], str]] = {
    "a constant": made_by(full("v", [15 * 2**20])),
    "a repeated input": made_by(
        operation("sum", ["x"], "k", [1, 1], axis=[0, 1], keepdims=True),
        operation("broadcast_to", ["k"], "w", [1, 5 * 2**20], shape=[1, 5 * 2**20]),
        operation("exp", ["w"], "z", [1, 5 * 2**20]),
        operation("add", ["z", "w"], "q", [1, 5 * 2**20]),
    ),
    "weights of an interpolation": made_by(
        operation(
            "interpolation_weights", [], "v", [2800] * 2, cubic=True, align_mode=0, have=2800, wanted=2800, scale=None,
            align_corners=False, of="float64",
        )
    ),
    "points of a grid": made_by(
        operation("affine_points", [], "v", [1670 * 1670, 3], sizes=[1670] * 2, align_corners=True, of="float64")
    ),
    "a decomposition": made_by(
        full("v", [2500, 2500]), operation("pinv", ["v"], "w", [2500, 2500], rcond=1e-15, hermitian=False)
    ),
    "a convolution with a large window": made_by(
        full("v", [1, 1, 2000, 2000]),
        full("k", [1, 1, 1000, 1000]),
        operation("convolution", ["v", "k"], "w", [1, 1, 1001, 1001], pad=[0] * 2, stride=[1] * 2, dilate=[1] * 2,
                  groups=1),
    ),
}  # fmt: skip
"""Programs just below the limits: they load, at once and in little memory."""
