"""Large pictures in tiles, so that memory does not grow with the picture.

A tile sees more of the picture than it answers for: ``overlap`` pixels on every side that is not the picture's border.
If the network looks no further than that from a pixel, the result is that of the whole picture at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable, NamedTuple

import numpy as np

Run = Callable[[np.ndarray], np.ndarray]
"""From a batch of one, (1, ..., C, h, w), to (1, ..., C, scale h, scale w)."""


class Span(NamedTuple):
    """A tile along one axis, in pixels of the picture.

    Attributes:
        start: the first pixel that it sees.
        stop: the one behind the last.
        first: the first pixel that it answers for.
        last: the one behind the last of these.
    """

    start: int
    stop: int
    first: int
    last: int


def spans(length: int, tile: int, overlap: int) -> list[Span]:
    """Return tiles of one length that cover an axis.

    Args:
        length: pixels of the axis, at least ``tile``.
        tile: pixels that each tile sees.
        overlap: pixels that it sees beyond what it answers for, less than half of ``tile`` where there are several.
    """
    starts = [0] if length == tile else [*range(0, length - tile, tile - 2 * overlap), length - tile]
    found: list[Span] = []
    for number, start in enumerate(starts):
        first = found[-1].last if found else 0
        last = length if number == len(starts) - 1 else start + tile - overlap
        found.append(Span(start, start + tile, first, last))
    return found


def tiled(run: Run, pictures: np.ndarray, scale: int, tile: int, overlap: int, multiple: int = 1) -> np.ndarray:
    """Return what a network makes of a picture, tile by tile.

    Args:
        run: the network.
        pictures: float32 (..., C, H, W): a picture, or several of one size that belong together.
        scale: how many times larger the result is.
        tile: pixels of a side of a tile, at most; each is of one size, so that one compiled program serves all.
        overlap: pixels that a tile sees beyond what it answers for.
        multiple: what height and width must be multiples of; a picture is widened by mirroring, and the result cut.

    Returns:
        Float32 (..., C, scale H, scale W), where the network gives as many pictures as it gets, else (C, …).

    Raises:
        ValueError: the overlap leaves nothing of a tile.
    """
    height, width = pictures.shape[-2:]
    pictures = widened(pictures, multiple)
    size = tile // multiple * multiple
    if overlap < 0 or size <= 2 * overlap:
        raise ValueError(
            f"tiles of {tile} pixels must be larger than twice the overlap of {overlap}, which is not negative"
        )
    sides = [min(side, size) for side in pictures.shape[-2:]]
    axes = [spans(side, seen, overlap) for side, seen in zip(pictures.shape[-2:], sides)]
    result: np.ndarray = np.zeros(0, np.float32)
    for rows, columns in _places(axes[0], axes[1]):
        part = pictures[..., rows.start : rows.stop, columns.start : columns.stop]
        made = run(np.ascontiguousarray(part)[None])[0]
        if not result.size:
            result = np.empty((*made.shape[:-2], *(scale * side for side in pictures.shape[-2:])), np.float32)
        result[..., _large(rows, scale), _large(columns, scale)] = made[..., _own(rows, scale), _own(columns, scale)]
    return result[..., : scale * height, : scale * width]


def widened(pictures: np.ndarray, multiple: int) -> np.ndarray:
    """Return pictures whose height and width are multiples of a number: mirrored at the right and lower border.

    Args:
        pictures: (..., H, W).
        multiple: the number.
    """
    missing = [-side % multiple for side in pictures.shape[-2:]]
    if not any(missing):
        return pictures
    return np.pad(pictures, [(0, 0)] * (pictures.ndim - 2) + [(0, more) for more in missing], mode="symmetric")


def _places(rows: list[Span], columns: list[Span]) -> Iterator[tuple[Span, Span]]:
    for row in rows:
        for column in columns:
            yield row, column


def _large(span: Span, scale: int) -> slice:
    """Return where in the result the pixels are that a tile answers for."""
    return slice(span.first * scale, span.last * scale)


def _own(span: Span, scale: int) -> slice:
    """Return where in a tile's own result they are."""
    return slice((span.first - span.start) * scale, (span.last - span.start) * scale)
