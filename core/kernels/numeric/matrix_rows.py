"""A row that is added to all rows of a matrix, and the gradient of that: the sum of all rows."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads

_BLOCK = 1 << 12
"""Rows that one thread takes at a time; each block's sum is formed by itself, so that the threads change no bit."""


def add_to_rows(matrix: np.ndarray, row: np.ndarray) -> None:
    """Add a row to each row of a matrix, in place.

    Args:
        matrix: (rows, width), C-contiguous.
        row: (width,).
    """
    if len(matrix) <= _BLOCK:
        _add_block(matrix, row, 0)
    else:
        _add_blocks(matrix, row, _blocks(matrix))


def sum_of_rows(matrix: np.ndarray, out: np.ndarray) -> None:
    """Add up the rows of a matrix, in float64.

    Args:
        matrix: (rows, width), C-contiguous.
        out: Memory for the sum, (width,).
    """
    sums = np.zeros((_blocks(matrix), out.size))
    if len(sums) <= 1:
        _sum_block(matrix, sums, 0)
    else:
        _sum_blocks(matrix, sums)
    out[:] = sums.sum(axis=0)


def _blocks(matrix: np.ndarray) -> int:
    return max(1, -(-len(matrix) // _BLOCK))


@compiled
def _add_blocks(matrix, row, blocks):
    for block in threads(blocks):
        _add_block(matrix, row, block)


@serial
def _add_block(matrix, row, block):
    for index in range(block * _BLOCK, min(matrix.shape[0], (block + 1) * _BLOCK)):
        for k in range(row.shape[0]):
            matrix[index, k] += row[k]


@compiled
def _sum_blocks(matrix, sums):
    for block in threads(sums.shape[0]):
        _sum_block(matrix, sums, block)


@serial
def _sum_block(matrix, sums, block):
    for index in range(block * _BLOCK, min(matrix.shape[0], (block + 1) * _BLOCK)):
        for k in range(matrix.shape[1]):
            sums[block, k] += matrix[index, k]
