"""Outlines and bitmaps of objects as small masks inside boxes: numba kernels.

Outlines are filled as COCO's tools do (pycocotools' ``frPyObjects``): edges are drawn on a grid five times as fine, and
where they cross the middle of a column of pixels, everything below changes between outside and inside.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads

FINER = 5.0


@serial
def _cross(changes, u, v, before_u, before_v):
    """Note where a step from one fine point to the next crosses the middle of a column of pixels."""
    height, width = changes.shape[0] - 1, changes.shape[1]
    if u == before_u:
        return
    column = (min(u, before_u if before_u < u else before_u - 1) if u >= before_u else u) + 0.5
    column = column / FINER - 0.5
    if np.floor(column) != column or column < 0 or column > width - 1:
        return
    row = (min(v, before_v) + 0.5) / FINER - 0.5
    row = np.ceil(min(max(row, 0.0), float(height)))
    changes[int(row), int(column)] ^= 1


@serial
def _outline(corners, first, last, box, scale_x, scale_y, changes):
    """Draw a closed outline of corners [first, last)."""
    before_u, before_v, started = 0, 0, False
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        a = int(FINER * ((corners[k, 0] - box[0]) * scale_x) + 0.5)
        b = int(FINER * ((corners[k, 1] - box[1]) * scale_y) + 0.5)
        c = int(FINER * ((corners[after, 0] - box[0]) * scale_x) + 0.5)
        d = int(FINER * ((corners[after, 1] - box[1]) * scale_y) + 0.5)
        wide, tall = abs(c - a), abs(d - b)
        flat = wide >= tall
        turned = a > c if flat else b > d
        if turned:
            a, b, c, d = c, d, a, b
        steps = wide if flat else tall
        slope = 0.0
        if steps > 0:
            slope = (d - b) / wide if flat else (c - a) / tall
        for step in range(steps + 1):
            t = steps - step if turned else step
            u = a + t if flat else int(a + slope * t + 0.5)
            v = int(b + slope * t + 0.5) if flat else b + t
            if started:
                _cross(changes, u, v, before_u, before_v)
            before_u, before_v, started = u, v, True


@serial
def _fill(changes, mask):
    """Add the inside of an outline to a mask: the number of changes before a pixel, column by column, is odd."""
    height, width = mask.shape
    inside = 0
    for x in range(width):
        for y in range(height):
            inside ^= changes[y, x]
            mask[y, x] |= inside
        inside ^= changes[height, x]  # below the last pixel is above the first one of the next column


@compiled
def _polygons(corners, boxes, places, chosen, out):
    size = out.shape[2]
    for task in threads(boxes.shape[0] * boxes.shape[1]):
        n, k = task // boxes.shape[1], task % boxes.shape[1]
        mask = out[n, k]
        mask[:] = 0
        if chosen[n, k]:
            box, rows = boxes[n, k], corners[n, places[n, k]]
            scale_x = size / max(float(box[2] - box[0]), 0.1)
            scale_y = size / max(float(box[3] - box[1]), 0.1)
            first = 0
            while first < rows.shape[0] and rows[first, 2] >= 0:
                last = first + 1
                while last < rows.shape[0] and rows[last, 2] == rows[first, 2]:
                    last += 1
                changes = np.zeros((size + 1, size), np.int32)
                _outline(rows, first, last, box, scale_x, scale_y, changes)
                _fill(changes, mask)
                first = last


@compiled
def _bitmaps(bitmaps, boxes, places, chosen, out):
    size, height, width = out.shape[2], bitmaps.shape[2], bitmaps.shape[3]
    for task in threads(boxes.shape[0] * boxes.shape[1]):
        n, k = task // boxes.shape[1], task % boxes.shape[1]
        out[n, k] = 0
        if chosen[n, k]:
            box, image = boxes[n, k], bitmaps[n, places[n, k]]
            for i in range(size):
                y = float(box[1]) + (i + 0.5) * float(box[3] - box[1]) / size - 0.5
                for j in range(size):
                    x = float(box[0]) + (j + 0.5) * float(box[2] - box[0]) / size - 0.5
                    if y > -1 and x > -1 and y < height and x < width:
                        top, left = int(np.floor(y)), int(np.floor(x))
                        total = 0.0
                        for a in range(2):
                            for b in range(2):
                                inside = 0 <= top + a < height and 0 <= left + b < width
                                if inside and image[top + a, left + b]:
                                    total += (1 - abs(y - top - a)) * (1 - abs(x - left - b))
                        out[n, k, i, j] = total >= 0.5


def rasterize(
    objects: np.ndarray, boxes: np.ndarray, places: np.ndarray, chosen: np.ndarray, out: np.ndarray
) -> None:
    """Write the masks of objects inside boxes.

    Args:
        objects: Outlines [images, objects, corners, 3] of x, y, and the number of the polygon, -1 behind the last one;
            or bitmaps, uint8 [images, objects, height, width].
        boxes: Corners x1, y1, x2, y2 [images, boxes, 4].
        places: The object of each box, int64 [images, boxes].
        chosen: Which boxes get one, the others get zeros: bool [images, boxes].
        out: int32 memory for the masks [images, boxes, size, size].
    """
    (_bitmaps if objects.dtype == np.uint8 else _polygons)(objects, boxes, places, chosen, out)
