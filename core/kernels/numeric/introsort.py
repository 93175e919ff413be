"""Orders of scores, the largest first, with equal ones left where the C++ library's algorithms leave them.

Paddle's kernels order boxes by ``std::sort``, ``std::partial_sort`` and ``std::nth_element``, which say nothing about
equal elements, but always move them alike. Suppression keeps the first of equal boxes, so the order can be seen. The
algorithms are introsort and introselect (Musser, Introspective Sorting and Selection Algorithms, 1997), with
libstdc++'s choices: the median of three as the pivot, and insertion sort for the last 16 elements.

Each kernel orders ``order[first:last]``, places in ``keys``, which hold no NaN.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial

SMALL = 16
"""Parts of at most so many elements are left to the insertion sort."""
FIRST = np.int64(0)
"""The first place; for a plain 0 numba would compile what it is handed to once more."""


@serial
def _to_first(keys, order, first, a, b, c):
    """Swap the median of three elements with the first one."""
    x, y, z = keys[order[a]], keys[order[b]], keys[order[c]]
    if x > y:
        median = b if y > z else (c if x > z else a)
    else:
        median = a if x > z else (c if y > z else b)
    order[first], order[median] = order[median], order[first]


@serial
def _partition(keys, order, first, last):
    """Bring what is larger than a pivot to the front; returns where the rest begins."""
    _to_first(keys, order, first, first + 1, first + (last - first) // 2, last - 1)
    pivot = keys[order[first]]
    low, high = first + 1, last
    while True:
        while keys[order[low]] > pivot:
            low += 1
        high -= 1
        while pivot > keys[order[high]]:
            high -= 1
        if low >= high:
            return low
        order[low], order[high] = order[high], order[low]
        low += 1


@serial
def _insert(keys, order, first, last):
    """Insertion sort."""
    for i in range(first + 1, last):
        item = order[i]
        j = i
        while j > first and keys[item] > keys[order[j - 1]]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = item


@serial
def _sift(keys, order, first, hole, length, item):
    """Put an item into a heap with a hole; the smallest element is on top."""
    top = hole
    child = hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if keys[order[first + child]] > keys[order[first + child - 1]]:
            child -= 1
        order[first + hole] = order[first + child]
        hole = child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        order[first + hole] = order[first + child - 1]
        hole = child - 1
    parent = (hole - 1) // 2
    while hole > top and keys[order[first + parent]] > keys[item]:
        order[first + hole] = order[first + parent]
        hole = parent
        parent = (hole - 1) // 2
    order[first + hole] = item


@serial
def _heap_select(keys, order, first, middle, last):
    """Bring the largest elements into ``order[first:middle]``, as a heap."""
    length = middle - first
    for parent in range((length - 2) // 2, -1, -1):
        _sift(keys, order, first, parent, length, order[first + parent])
    for i in range(middle, last):
        if keys[order[i]] > keys[order[first]]:
            item = order[i]
            order[i] = order[first]
            _sift(keys, order, first, FIRST, length, item)


@serial
def partial_sort(keys, order, first, middle, last):
    """Bring the largest elements into ``order[first:middle]``, in order."""
    if middle == first:
        return
    _heap_select(keys, order, first, middle, last)
    for end in range(middle - 1, first, -1):
        item = order[end]
        order[end] = order[first]
        _sift(keys, order, first, FIRST, end - first, item)


@serial
def _depth(length):
    """Return after how many partitions the heap takes over."""
    depth = 0
    while length > 1:
        length //= 2
        depth += 2
    return depth


@serial
def sort(keys, order, first, last):
    """Order all elements."""
    pending = [(first, last, _depth(last - first))]
    while len(pending) > 0:
        begin, end, depth = pending.pop()
        while end - begin > SMALL:
            if depth == 0:
                partial_sort(keys, order, begin, end, end)
                break
            depth -= 1
            cut = _partition(keys, order, begin, end)
            pending.append((cut, end, depth))
            end = cut
    _insert(keys, order, first, last)


@serial
def select(keys, order, first, nth, last):
    """Bring the largest elements into ``order[first:nth + 1]``, the smallest of them to the place ``nth``."""
    if nth >= last:
        return
    depth = _depth(last - first)
    while last - first > 3:
        if depth == 0:
            _heap_select(keys, order, first, nth + 1, last)
            order[first], order[nth] = order[nth], order[first]
            return
        depth -= 1
        cut = _partition(keys, order, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insert(keys, order, first, last)


def _keys(scores: np.ndarray) -> np.ndarray:
    """Return scores without NaN, which precede all others."""
    return np.where(np.isnan(scores), scores.dtype.type(np.inf), scores)


def descending(scores: np.ndarray) -> np.ndarray:
    """Return the int64 places of scores in falling order, as ``std::sort`` orders them."""
    order = np.arange(len(scores))
    sort(_keys(scores), order, 0, len(scores))
    return order


def largest(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the int64 places of so many of the largest scores in falling order, as ``std::partial_sort`` does."""
    order = np.arange(len(scores))
    count = min(count, len(scores))
    partial_sort(_keys(scores), order, 0, count, len(scores))
    return order[:count]


def chosen(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the int64 places of so many of the largest scores, as ``std::nth_element`` leaves them."""
    order = np.arange(len(scores))
    select(_keys(scores), order, 0, count, len(scores))
    return order[:count]


def top(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the int64 places of so many of the largest scores in falling order, as Paddle's ``topk`` orders them."""
    if count * 64 < len(scores):
        return largest(scores, count)
    order = np.arange(len(scores))
    keys = _keys(scores)
    count = min(count, len(scores))
    if count:
        select(keys, order, 0, count - 1, len(scores))
        sort(keys, order, 0, count - 1)
    return order[:count]
