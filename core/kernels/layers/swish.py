"""Sigmoid, swish and hard swish of float32 on the CPU, one pass each way.

The engine would compute a swish's sigmoid first, keep it, and add two gradients up; its sigmoid takes one number at a
time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads, vectorized
from core.kernels.numeric.smooth import sigmoid

_F = np.float32
_SIXTH, _THIRD, _HALF, _ZERO, _ONE, _BEND = _F(1 / 6), _F(1 / 3), _F(0.5), _F(0), _F(1), _F(3)
_CLOSED = _F(-88.72284)
_BLOCK = 1 << 14


def swish(x: np.ndarray, *, out: np.ndarray) -> None:
    """Write x * sigmoid(x).

    Args:
        x: of any shape.
        out: memory for the result.
    """
    _swish(x.reshape(-1), out.reshape(-1))


def swish_gradient(gradient: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
    """Write the gradient of x of :func:`swish`."""
    _swish_gradient(gradient.reshape(-1), x.reshape(-1), out.reshape(-1))


def hard_swish(x: np.ndarray, *, out: np.ndarray) -> None:
    """Write x * min(max(x / 6 + 1 / 2, 0), 1); see :func:`swish`."""
    _hard_swish(x.reshape(-1), out.reshape(-1))


def hard_swish_gradient(gradient: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
    """Write the gradient of x of :func:`hard_swish`; where it is bent, at -3 and 3, it has the slope of outside."""
    _hard_swish_gradient(gradient.reshape(-1), x.reshape(-1), out.reshape(-1))


def sigmoids(x: np.ndarray, *, out: np.ndarray) -> None:
    """Write sigmoid(x): 1 from ln(2^24) on, where 1 + e^-x is 1, and 0 below -ln(2^128), where e^-x is infinite.

    Args:
        x: of any shape.
        out: memory for the result.
    """
    _sigmoid(x.reshape(-1), out.reshape(-1))


def sigmoid_gradient(gradient: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> None:
    """Write the gradient of what :func:`sigmoids` made y of."""
    _sigmoid_gradient(gradient.reshape(-1), y.reshape(-1), out.reshape(-1))


@serial
def _blocks(size: Any) -> Any:
    return (size + _BLOCK - 1) // _BLOCK


@compiled
def _hard_swish(x: np.ndarray, result: np.ndarray) -> None:
    for block in threads(_blocks(x.size)):
        _hard_swish_block(x, result, block * _BLOCK, min(x.size, (block + 1) * _BLOCK))


@vectorized
def _hard_swish_block(x: np.ndarray, result: np.ndarray, first: Any, last: Any) -> None:
    for i in range(first, last):
        line = x[i] * _SIXTH + _HALF
        line = _ZERO if line < _ZERO else (_ONE if line > _ONE else line)
        result[i] = x[i] * line


@compiled
def _hard_swish_gradient(gradient: np.ndarray, x: np.ndarray, result: np.ndarray) -> None:
    for block in threads(_blocks(x.size)):
        _hard_swish_gradient_block(gradient, x, result, block * _BLOCK, min(x.size, (block + 1) * _BLOCK))


@vectorized
def _hard_swish_gradient_block(
    gradient: np.ndarray, x: np.ndarray, result: np.ndarray, first: Any, last: Any
) -> None:
    for i in range(first, last):
        slope = x[i] * _THIRD + _HALF
        slope = _ZERO if x[i] <= -_BEND else (_ONE if x[i] >= _BEND else slope)
        result[i] = gradient[i] * slope


@compiled
def _swish(x: np.ndarray, result: np.ndarray) -> None:
    for block in threads(_blocks(x.size)):
        _swish_block(x, result, block * _BLOCK, min(x.size, (block + 1) * _BLOCK))


@vectorized
def _swish_block(x: np.ndarray, result: np.ndarray, first: Any, last: Any) -> None:
    for i in range(first, last):
        result[i] = x[i] * sigmoid(x[i])


@compiled
def _swish_gradient(gradient: np.ndarray, x: np.ndarray, result: np.ndarray) -> None:
    for block in threads(_blocks(x.size)):
        _swish_gradient_block(gradient, x, result, block * _BLOCK, min(x.size, (block + 1) * _BLOCK))


@vectorized
def _swish_gradient_block(gradient: np.ndarray, x: np.ndarray, result: np.ndarray, first: Any, last: Any) -> None:
    for i in range(first, last):
        opening = sigmoid(x[i])
        result[i] = gradient[i] * opening * (_ONE + x[i] * (_ONE - opening))


@compiled
def _sigmoid(x: np.ndarray, result: np.ndarray) -> None:
    for block in threads(_blocks(x.size)):
        _sigmoid_block(x, result, block * _BLOCK, min(x.size, (block + 1) * _BLOCK))


@vectorized
def _sigmoid_block(x: np.ndarray, result: np.ndarray, first: Any, last: Any) -> None:
    for i in range(first, last):
        result[i] = _ZERO if x[i] < _CLOSED else sigmoid(x[i])


@compiled
def _sigmoid_gradient(gradient: np.ndarray, y: np.ndarray, result: np.ndarray) -> None:
    for block in threads(_blocks(y.size)):
        _sigmoid_gradient_block(gradient, y, result, block * _BLOCK, min(y.size, (block + 1) * _BLOCK))


@vectorized
def _sigmoid_gradient_block(
    gradient: np.ndarray, y: np.ndarray, result: np.ndarray, first: Any, last: Any
) -> None:
    for i in range(first, last):
        result[i] = gradient[i] * (y[i] * (_ONE - y[i]))
