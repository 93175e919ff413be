"""Areas of polygons and of what two of them have in common."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial

LARGEST = 16
"""Corners of a polygon, at most."""


@serial
def area(polygon):
    """Return the area inside corners x1, y1, x2, y2 ..., whichever way they go round."""
    count = polygon.shape[0] // 2
    total = 0.0
    for i in range(count):
        j = (i + 1) % count
        total += float(polygon[2 * i]) * polygon[2 * j + 1] - float(polygon[2 * j]) * polygon[2 * i + 1]
    return abs(total) * 0.5


@serial
def _heights(one, two, heights):
    """Write the heights of all corners and of the points where edges of two polygons, or of one, cross."""
    n, m = one.shape[0] // 2, two.shape[0] // 2
    count = 0
    for i in range(n + m):
        a, p, q = (one, i, n) if i < n else (two, i - n, m)
        x, y = float(a[2 * p]), float(a[2 * p + 1])
        dx, dy = a[2 * ((p + 1) % q)] - x, a[2 * ((p + 1) % q) + 1] - y
        heights[count] = y
        count += 1
        for j in range(i):
            b, r, s = (one, j, n) if j < n else (two, j - n, m)
            u, v = float(b[2 * r]), float(b[2 * r + 1])
            du, dv = b[2 * ((r + 1) % s)] - u, b[2 * ((r + 1) % s) + 1] - v
            cross = dx * dv - dy * du
            if cross != 0:
                along = ((u - x) * dv - (v - y) * du) / cross
                across = ((u - x) * dy - (v - y) * dx) / cross
                if 0 < along < 1 and 0 < across < 1:
                    heights[count] = y + along * dy
                    count += 1
    return count


@serial
def _sort(numbers, count):
    """Order the first of some numbers, which are few, by insertion."""
    for i in range(1, count):
        number = numbers[i]
        j = i
        while j > 0 and numbers[j - 1] > number:
            numbers[j] = numbers[j - 1]
            j -= 1
        numbers[j] = number


@serial
def _crossings(polygon, height, places):
    """Write where a horizontal line crosses a polygon's edges, from left to right."""
    count = 0
    corners = polygon.shape[0] // 2
    for i in range(corners):
        j = (i + 1) % corners
        x, y, u, v = (
            float(polygon[2 * i]),
            float(polygon[2 * i + 1]),
            float(polygon[2 * j]),
            float(polygon[2 * j + 1]),
        )
        if (y > height) != (v > height):
            place = x + (height - y) / (v - y) * (u - x)
            k = count
            while k > 0 and places[k - 1] > place:
                places[k] = places[k - 1]
                k -= 1
            places[k] = place
            count += 1
    return count


@serial
def common_area(one, two):
    """Return the area that lies in both of two polygons, convex or not; where edges cross, the even-odd rule holds.

    Between two neighbouring heights of corners and crossings all edges are straight and apart, so the area of such a
    band is its height times the common length half-way up.
    """
    edges = one.shape[0] // 2 + two.shape[0] // 2
    heights = np.empty(edges + edges * (edges - 1) // 2, np.float64)
    count = _heights(one, two, heights)
    _sort(heights, count)
    first, second = np.empty(LARGEST, np.float64), np.empty(LARGEST, np.float64)
    total = 0.0
    for band in range(count - 1):
        low, high = heights[band], heights[band + 1]
        if low < high:
            middle = 0.5 * (low + high)
            n, m = _crossings(one, middle, first), _crossings(two, middle, second)
            length = 0.0
            for i in range(0, n - 1, 2):
                for j in range(0, m - 1, 2):
                    shared = min(first[i + 1], second[j + 1]) - max(first[i], second[j])
                    if shared > 0:
                        length += shared
            total += length * (high - low)
    return total
