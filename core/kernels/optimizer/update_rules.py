"""Optimizer updates compiled by numba: one pass over memory, many tensors in one call, in place.

Every rule takes a table of addresses with one row for each tensor. Its columns are the weight, the gradient, then the
rule's accumulators. The work is cut into chunks of elements, so that large and small tensors share the threads evenly;
no sum runs across chunks in an order that depends on the number of threads, so neither do the results.

``terms`` holds for each tensor what makes the effective gradient out of the raw one: factor, lower and upper bound,
L2 and L1 coefficient. Numbers come in arrays of the tensors' own type, to keep float32 arithmetic in float32.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy import ndarray

from core.kernels.engine.compiled import compiled, inlined, summing, threads


@intrinsic
def _pointer(_context: Any, _address: Any) -> Any:
    """Turn an integer address into a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.int64), generate


@inlined
def _span(address: int, first: int, last: int, like: ndarray) -> ndarray:
    """Return elements ``first`` to ``last`` of the memory at an address as an array of the type of ``like``."""
    return numba.carray(_pointer(address + first * like.itemsize), (last - first,), like.dtype)


@inlined
def _row(terms: ndarray, i: int) -> tuple[float, float, float, float, float]:
    """Return one tensor's terms as scalars, which the compiler keeps in registers."""
    return terms[i, 0], terms[i, 1], terms[i, 2], terms[i, 3], terms[i, 4]


@inlined
def _effective(gradient: float, weight: float, term: tuple[float, float, float, float, float]) -> float:
    """Scale and bound a gradient element, then add weight decay."""
    factor, low, high, l2, l1 = term
    scaled = gradient * factor
    if scaled < low:
        scaled = low
    elif scaled > high:
        scaled = high
    scaled = scaled + l2 * weight
    if weight > 0:
        scaled = scaled + l1
    elif weight < 0:
        scaled = scaled - l1
    return scaled


@summing
def _squares(values: ndarray) -> float:
    """Return the sum of squares of one chunk in float64."""
    total = np.float64(0.0)
    for j in range(values.size):
        value = np.float64(values[j])
        total += value * value
    return float(total)


@compiled
def sum_of_squares(table: ndarray, chunks: ndarray, like: ndarray, parts: ndarray) -> None:
    """Write the sum of squares of each chunk, in float64, to ``parts``."""
    for c in threads(chunks.shape[0]):
        parts[c] = _squares(_span(table[chunks[c, 0], 0], chunks[c, 1], chunks[c, 2], like))


@compiled
def round_to_bfloat16(table: ndarray, chunks: ndarray, singles: ndarray, halves: ndarray) -> None:
    """Write float32 numbers, given by their bits, as bfloat16, to nearest even. Columns: source, target."""
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        source = _span(table[i, 0], first, last, singles)
        target = _span(table[i, 1], first, last, halves)
        for j in range(source.size):
            bits = np.int64(source[j])
            rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
            target[j] = 0x7FC0 if (bits & 0x7FFFFFFF) > 0x7F800000 else rounded


@compiled
def sgd(table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray) -> None:
    """Plain gradient descent. Columns: weight, gradient."""
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        rate = rates[i]
        term = _row(terms, i)
        for j in range(w.size):
            w[j] -= rate * _effective(g[j], w[j], term)


@compiled
def momentum(
    table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray
) -> None:
    """Momentum. Columns: weight, gradient, velocity. Constants: momentum, whether Nesterov's (1 or 0)."""
    mu = constants[0]
    nesterov = constants[1] != 0
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        v = _span(table[i, 2], first, last, like)
        rate = rates[i]
        term = _row(terms, i)
        if nesterov:
            for j in range(w.size):
                d = _effective(g[j], w[j], term)
                v[j] = mu * v[j] + d
                w[j] -= rate * (d + mu * v[j])
        else:
            for j in range(w.size):
                v[j] = mu * v[j] + _effective(g[j], w[j], term)
                w[j] -= rate * v[j]


@compiled
def adam(table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray) -> None:
    """Adam and AdamW. Columns: weight, gradient, two moments, two powers of the betas.

    Constants: beta1, beta2, epsilon. ``rates`` has two columns: the learning rate, and the factor
    of the decoupled weight decay on the weight (1 where there is none).
    """
    b1, b2, epsilon = constants[0], constants[1], constants[2]
    c1, c2 = like[1] - b1, like[1] - b2
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        m = _span(table[i, 2], first, last, like)
        v = _span(table[i, 3], first, last, like)
        power1 = _span(table[i, 4], 0, 1, like)[0]
        power2 = _span(table[i, 5], 0, 1, like)[0]
        root = np.sqrt(like[1] - power2)
        rate = rates[i, 0] * root / (like[1] - power1)
        floor = epsilon * root
        keep = rates[i, 1]
        term = _row(terms, i)
        for j in range(w.size):
            d = _effective(g[j], w[j], term)
            m[j] = b1 * m[j] + c1 * d
            v[j] = b2 * v[j] + c2 * d * d
            w[j] = keep * w[j] - rate * (m[j] / (np.sqrt(v[j]) + floor))
    _advance(table, like, 4, b1)
    _advance(table, like, 5, b2)


@inlined
def _advance(table: ndarray, like: ndarray, column: int, beta: float) -> None:
    """Multiply each tensor's power of a beta by the beta."""
    for i in range(table.shape[0]):
        power = _span(table[i, column], 0, 1, like)
        power[0] *= beta


@compiled
def adamax(table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray) -> None:
    """Adamax. Columns: weight, gradient, moment, infinity norm, power of beta1.

    Constants: beta1, beta2, epsilon.
    """
    b1, b2, epsilon = constants[0], constants[1], constants[2]
    c1 = like[1] - b1
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        m = _span(table[i, 2], first, last, like)
        u = _span(table[i, 3], first, last, like)
        rate = rates[i] / (like[1] - _span(table[i, 4], 0, 1, like)[0])
        term = _row(terms, i)
        for j in range(w.size):
            d = _effective(g[j], w[j], term)
            m[j] = b1 * m[j] + c1 * d
            u[j] = max(abs(d), b2 * u[j] + epsilon)
            w[j] -= rate * (m[j] / u[j])
    _advance(table, like, 4, b1)


@compiled
def adagrad(table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray) -> None:
    """Adagrad. Columns: weight, gradient, moment. Constants: epsilon."""
    epsilon = constants[0]
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        m = _span(table[i, 2], first, last, like)
        rate = rates[i]
        term = _row(terms, i)
        for j in range(w.size):
            d = _effective(g[j], w[j], term)
            m[j] += d * d
            w[j] -= rate * d / (np.sqrt(m[j]) + epsilon)


@compiled
def adadelta(
    table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray
) -> None:
    """Adadelta. Columns: weight, gradient, mean square of gradients, of updates. Constants: rho, epsilon."""
    rho, epsilon = constants[0], constants[1]
    rest = like[1] - rho
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        a = _span(table[i, 2], first, last, like)
        u = _span(table[i, 3], first, last, like)
        rate = rates[i]
        term = _row(terms, i)
        for j in range(w.size):
            d = _effective(g[j], w[j], term)
            a[j] = rho * a[j] + rest * d * d
            change = np.sqrt((u[j] + epsilon) / (a[j] + epsilon)) * d
            u[j] = rho * u[j] + rest * change * change
            w[j] -= rate * change


@compiled
def rmsprop(table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray) -> None:
    """RMSProp. Columns: weight, gradient, momentum, mean square, mean gradient.

    Constants: rho, epsilon, momentum, whether centered (1 or 0).
    """
    rho, epsilon, mu = constants[0], constants[1], constants[2]
    centered = constants[3] != 0
    rest = like[1] - rho
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        v = _span(table[i, 2], first, last, like)
        s = _span(table[i, 3], first, last, like)
        a = _span(table[i, 4], first, last, like)
        rate = rates[i]
        term = _row(terms, i)
        for j in range(w.size):
            d = _effective(g[j], w[j], term)
            s[j] = rho * s[j] + rest * d * d
            spread = s[j]
            if centered:
                a[j] = rho * a[j] + rest * d
                spread = spread - a[j] * a[j]
            v[j] = mu * v[j] + rate * d / np.sqrt(spread + epsilon)
            w[j] -= v[j]
