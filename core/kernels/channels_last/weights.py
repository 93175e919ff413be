"""The weights of a channels-last network, laid out as its kernels read them, in one flat array."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.channels_last.layer import padded
from core.kernels.channels_last.tiles import ROW_KINDS, VECTORS
from core.kernels.channels_last.vectors import LANES


class PackedWeights:
    """Collects weights; places are numbers of float32 from the beginning of :attr:`array`."""

    def __init__(self) -> None:
        self._parts: list[np.ndarray] = []
        self._length = 0

    @property
    def array(self) -> np.ndarray:
        """All of them, flat."""
        return np.concatenate(self._parts) if self._parts else np.zeros(LANES, np.float32)

    def product(
        self, weight: np.ndarray, groups: int, plain: bool
    ) -> tuple[tuple[tuple[int, int, int, int], ...], int]:
        """Lay a weight (O, I / groups, height, width) out for a convolution as a product.

        Args:
            weight: With one group, or with a multiple of LANES channels in each.
            groups: How many groups.
            plain: Whether the input has its channels first.

        Returns:
            The panels: vectors of channels, place of the weights, first channel, first input channel; and the depth.
        """
        outputs, depth = weight.shape[:2]
        size = outputs // groups
        panels = []
        for group in range(groups):
            part = weight[group * size : (group + 1) * size]
            lines = (part.transpose(1, 2, 3, 0) if plain else part.transpose(2, 3, 1, 0)).reshape(-1, size)
            lines = np.pad(lines, ((0, 0), (0, padded(size) - size)))
            vectors = padded(size) // LANES
            count = -(-vectors // VECTORS)
            for i in range(count):
                first, last = vectors * i // count, vectors * (i + 1) // count
                place = self._add(lines[:, first * LANES : last * LANES])
                panels.append((last - first, place, group * size + first * LANES, group * depth))
        return tuple(panels), depth

    def rows(self, weight: np.ndarray) -> int:
        """Lay a weight (C, share, kernel, kernel) out for a convolution along rows; return its place."""
        channels, share, kernel, _ = weight.shape
        whole = np.pad(weight, ((0, padded(channels) - channels), (0, 0), (0, 0), (0, 0)))
        lanes = np.arange(len(whole))[:, None]
        whole = whole[lanes, (lanes + np.arange(share)) % share]  # how far behind the output channel
        vectors = whole.reshape(-1, LANES, share, kernel, kernel)
        return self._add(vectors.transpose(0, 3, 2, 4, 1))

    def bias(self, bias: Optional[np.ndarray], channels: int) -> int:
        """Add a bias, or zeros; return its place."""
        given = np.zeros(channels, np.float32) if bias is None else bias
        return self._add(np.pad(given, (0, padded(channels) - channels)))

    def _add(self, array: np.ndarray) -> int:
        place = self._length
        self._parts.append(np.ascontiguousarray(array, np.float32).reshape(-1))
        self._length += array.size
        return place


def goes_along_rows(weight: np.ndarray, groups: int, stride: tuple[int, int]) -> bool:
    """Return whether a kernel along rows computes this convolution."""
    outputs, share, height, width = weight.shape
    known = height == width and stride[0] == stride[1] and (height, stride[0], share) in ROW_KINDS
    return known and outputs == groups * share


def is_product(weight: np.ndarray, groups: int) -> bool:
    """Return whether the product kernel computes this convolution."""
    outputs, inputs = weight.shape[:2]
    return groups == 1 or (outputs % (groups * LANES) == 0 and inputs > 0)
