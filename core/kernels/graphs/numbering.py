"""Renumbering ids 0, 1, 2, … as they first appear: from the ids of a large graph to those of a small part of it."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FREE = -1


@serial
def _number(ids, table, distinct, numbers):
    """Fill ``distinct`` and ``numbers`` and return how many ids are distinct.

    ``table`` holds places in ``distinct`` at slots that follow from the id; its length is a power of two.
    """
    mask = np.int64(table.shape[0] - 1)
    count = 0
    for i in range(ids.shape[0]):
        wanted = np.int64(ids[i])
        slot = np.int64((np.uint64(wanted) * _SPREAD) >> np.uint64(32)) & mask
        number = table[slot]
        while number != _FREE and distinct[number] != wanted:
            slot = (slot + 1) & mask
            number = table[slot]
        if number == _FREE:
            number = count
            table[slot] = number
            distinct[number] = wanted
            count += 1
        numbers[i] = number
    return count


def number(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number ids in the order in which they first appear, in time and memory that depend on their count alone.

    Args:
        ids: int32 or int64 (n,), n below 2^30.

    Returns:
        The distinct ids, int64 (m,), in that order; for each of ``ids`` its number, int32 (n,).
    """
    table = np.full(1 << max(4, int(2 * ids.shape[0]).bit_length()), _FREE, np.int32)
    distinct, numbers = np.empty(ids.shape[0], np.int64), np.empty(ids.shape[0], np.int32)
    count = _number(ids, table, distinct, numbers)
    return distinct[:count].copy(), numbers


def number_reference(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The definition of :func:`number` in plain numpy."""
    sorted_ids, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return sorted_ids[order].astype(np.int64), np.argsort(order)[inverse].astype(np.int32)
