"""Convolutions of 3 x 3 by few multiplications, with channels last: what is before and behind the products.

A tile of 2 x 2 or 4 x 4 pixels of the result takes 16 or 36 multiplications for each pair of channels, where the plain
way takes 36 or 144. Its window is changed linearly, and so are the weights, once; each of the 16 or 36 places of the
changed window is a product of its own over the channels; what they give is changed back. Paper: Lavin and Gray, "Fast
algorithms for convolutional neural networks" (2015). Such an algorithm evaluates polynomials at points. Those of the
larger one are 1/sqrt(2) and sqrt(2), which round least, instead of the usual 1 and 2, which give twice the error
(points: Alam et al., "Winograd convolution for deep neural networks: efficient point selection", 2022).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.vectors import LANES, VectorCode

_POINTS = {2: (1.0,), 4: (math.sqrt(0.5), math.sqrt(2.0))}
"""Points by the side of a tile; each stands for its negative too, and 0 and infinity come to them."""


def matrices(side: int, points: Optional[Sequence[float]] = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what a tile of ``side`` pixels is computed by, in one dimension, float64.

    Args:
        side: 2 or 4.
        points: where polynomials are evaluated, each with its negative. None: where they are in the kernels.

    Returns:
        For the result (side, side + 2), the weights (side + 2, 3) and the window (side + 2, side + 2): a convolution of
        a window d by weights w is ``result @ ((weights @ w) * (window @ d))``.
    """
    points = [0.0, *[sign * point for point in points or _POINTS[side] for sign in (1, -1)]]
    size = side + 2
    result, weights, window = np.zeros((side, size)), np.zeros((size, 3)), np.zeros((size, size))
    for i, point in enumerate(points):
        others = np.delete(points, i)
        result[:, i] = point ** np.arange(side)
        weights[i] = point ** np.arange(3) / np.prod(point - others)
        window[i, :-1] = np.poly(others)[::-1]
    result[-1, -1] = weights[-1, -1] = 1
    window[-1] = np.poly(points)[::-1]
    return result.round(12), weights, window.round(12)  # zeros and ones exactly


def transformed_weights(weight: np.ndarray, side: int) -> np.ndarray:
    """Return weights (O, I, 3, 3) as the products take them: (place in the window, I, O), float32."""
    change = np.kron(matrices(side)[1], matrices(side)[1])
    outputs, inputs = weight.shape[:2]
    changed = change @ weight.reshape(outputs * inputs, 9).T.astype(np.float64)
    return changed.astype(np.float32).reshape(-1, outputs, inputs).transpose(0, 2, 1)


@intrinsic
def transform_window(
    context: Any,
    memory: Any,
    side: Any,
    source: Any,
    line: Any,
    channels: Any,
    target: Any,
    apart: Any,
    scratch: Any,
) -> Any:
    """Change the window of one tile of ``side`` pixels, all its channels.

    Its rows are ``line`` numbers apart from ``source``, pixels ``channels``. Place k of what comes out is at ``target +
    k * apart``. ``scratch`` has room for a vector for each place.
    """
    signature = types.void(memory, *[types.int64] * 7)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, side, source, line, channels, target, apart, scratch = code.values

        def of_side(side: int) -> None:
            size, matrix = side + 2, matrices(side)[2]

            def vector(c: Any, _: Sequence[Any]) -> list[Any]:
                along = code.times(c, LANES)

                def column(x: Any, _: Sequence[Any]) -> list[Any]:
                    start = code.sum(source, along, code.times(x, channels))
                    rows = [code.row(memory, code.sum(start, code.times(line, y))) for y in range(size)]
                    for y, value in enumerate(_in_pairs(code, matrix, rows)):
                        code.store(value, memory, code.sum(scratch, code.times(x, LANES), y * size * LANES))
                    return []

                def row(y: Any, _: Sequence[Any]) -> list[Any]:
                    start = code.sum(scratch, code.times(y, size * LANES))
                    columns = [code.row(memory, code.sum(start, x * LANES)) for x in range(size)]
                    for x, value in enumerate(_in_pairs(code, matrix, columns)):
                        place = code.times(code.sum(code.times(y, size), x), apart)
                        code.store(value, memory, code.sum(target, along, place))
                    return []

                code.loop(code.number(size), [], column)
                code.loop(code.number(size), [], row)
                return []

            code.loop(builder.sdiv(channels, code.number(LANES)), [], vector)

        code.choose(side, [(side, lambda side=side: of_side(side)) for side in _POINTS])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def transform_products(
    context: Any,
    memory: Any,
    weights: Any,
    side: Any,
    vectors: Any,
    source: Any,
    apart: Any,
    scratch: Any,
    bias: Any,
    target: Any,
    line: Any,
    pixel: Any,
    rows: Any,
    columns: Any,
    added: Any,
    added_line: Any,
    added_pixel: Any,
    low: Any,
    high: Any,
) -> Any:
    """Turn the products of one tile into its pixels, some vectors of channels, with bias, sum and bounds.

    Place k of the products is at ``source + k * apart``. Of the tile, ``rows`` and ``columns`` are inside the image;
    rows are ``line`` numbers apart from ``target``, pixels ``pixel``; what is added lies likewise at ``added``, unless
    that is below 0. ``scratch`` has room for a vector for each place.
    """
    signature = types.void(memory, weights, *[types.int64] * 14, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = VectorCode(context, builder, signature, arguments)
        memory, weights, side, vectors, source, apart, scratch, bias, target, line, pixel = code.values[:11]
        rows, columns, added, added_line, added_pixel, low, high = code.values[11:]
        low, high = code.spread(low), code.spread(high)
        has_more = builder.icmp_signed(">=", added, code.number(0))

        def of_side(side: int) -> None:
            size, matrix = side + 2, matrices(side)[0]

            def vector(v: Any, _: Sequence[Any]) -> list[Any]:
                along = code.times(v, LANES)
                constant = code.row(weights, code.sum(bias, along))

                def column(x: Any, _: Sequence[Any]) -> list[Any]:
                    places = [code.times(code.sum(x, y * size), apart) for y in range(size)]
                    values = [code.row(memory, code.sum(source, along, place)) for place in places]
                    for y, value in enumerate(_of_pairs(code, matrix, values)):
                        code.store(value, memory, code.sum(scratch, code.times(x, LANES), y * size * LANES))
                    return []

                def row(y: Any, _: Sequence[Any]) -> list[Any]:
                    start = code.sum(scratch, code.times(y, size * LANES))
                    values = [code.row(memory, code.sum(start, x * LANES)) for x in range(size)]
                    for x, value in enumerate(_of_pairs(code, matrix, values)):
                        code.store(builder.fadd(value, constant), memory, code.sum(start, x * LANES))

                    def one(x: Any, _: Sequence[Any]) -> list[Any]:
                        place = code.sum(start, code.times(x, LANES))
                        other = code.sum(added, along, code.times(y, added_line), code.times(x, added_pixel))
                        code.when(
                            has_more,
                            lambda: code.store(
                                builder.fadd(code.row(memory, place), code.row(memory, other)), memory, place
                            ),
                        )
                        result = code.bounded(code.row(memory, place), low, high)
                        end = code.sum(target, along, code.times(y, line), code.times(x, pixel))
                        code.store(result, memory, end)
                        return []

                    code.loop(columns, [], one)
                    return []

                code.loop(code.number(size), [], column)
                code.loop(rows, [], row)
                return []

            code.loop(vectors, [], vector)

        code.choose(side, [(side, lambda side=side: of_side(side)) for side in _POINTS])
        return context.get_dummy_value()

    return signature, generate


def _in_pairs(code: VectorCode, matrix: np.ndarray, values: Sequence[Any]) -> list[Any]:
    """Return ``matrix @ values``; rows of a point and its negative differ in the sign of every other number."""
    size = len(matrix)
    results = [None] * size
    for i in range(1, size - 1, 2):
        half = _combined(code, (matrix[i] + matrix[i + 1]) / 2, values)
        other = _combined(code, (matrix[i] - matrix[i + 1]) / 2, values)
        results[i], results[i + 1] = code.builder.fadd(half, other), code.builder.fsub(half, other)
    for i in (0, size - 1):
        results[i] = _combined(code, matrix[i], values)
    return results


def _of_pairs(code: VectorCode, matrix: np.ndarray, values: Sequence[Any]) -> list[Any]:
    """Return ``matrix @ values``; columns of a point and its negative differ in the sign of every other number."""
    values, matrix = list(values), matrix.copy()
    for i in range(1, len(values) - 1, 2):
        first, second = values[i : i + 2]
        values[i], values[i + 1] = code.builder.fadd(first, second), code.builder.fsub(first, second)
        pair = matrix[:, i : i + 2]
        pair[:] = np.stack([pair[:, 0] + pair[:, 1], pair[:, 0] - pair[:, 1]], 1) / 2
    return [_combined(code, row, values) for row in matrix]


def _combined(code: VectorCode, factors: np.ndarray, values: Sequence[Any]) -> Any:
    """Return the sum of vectors, each times its factor."""
    given = sorted([(factor, value) for factor, value in zip(factors, values) if factor], key=lambda pair: pair[0] != 1)
    (factor, total), *others = given
    if factor != 1:
        total = code.builder.fmul(total, code.constant(factor))
    for factor, value in others:
        if abs(factor) == 1:
            total = (code.builder.fadd if factor > 0 else code.builder.fsub)(total, value)
        else:
            total = code.multiply_add(value, code.constant(factor), total)
    return total
