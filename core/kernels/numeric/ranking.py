"""The order of scores, the largest first, with equal ones as they come: merge sort.

numba has one as well, which takes seconds to compile anew in each process where a kernel uses it.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial

RUN = 16
"""So many neighbours are ordered by insertion before parts are merged."""


@serial
def _precedes(one, two):
    """Return whether a score comes before one that it follows now."""
    return one > two or (two != two and one == one)


@serial
def falling(scores):
    """Return the int64 places of scores in falling order, equal ones as they come and NaN last.

    Args:
        scores: Any numbers, [count].
    """
    count = scores.shape[0]
    order, other = np.empty(count, np.int64), np.empty(count, np.int64)
    for first in range(0, count, RUN):
        for i in range(first, min(first + RUN, count)):
            j = i
            while j > first and _precedes(scores[i], scores[order[j - 1]]):
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
    width = RUN
    while width < count:
        for first in range(0, count, 2 * width):
            middle, last = min(first + width, count), min(first + 2 * width, count)
            i, j = first, middle
            for place in range(first, last):
                if i < middle and (j == last or not _precedes(scores[order[j]], scores[order[i]])):
                    other[place] = order[i]
                    i += 1
                else:
                    other[place] = order[j]
                    j += 1
        order, other = other, order
        width *= 2
    return order
