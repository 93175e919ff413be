"""The weights of a channels-last network, laid out as its kernels read them, in one flat array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.channels_last.forms import BFLOAT16, FLOAT32, words
from core.kernels.channels_last.layer import padded
from core.kernels.channels_last.tiles import ROW_KINDS, VECTORS
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.winograd import transformed_weights
from core.kernels.engine import engine

_PIXELS_OF_A_CHANNEL_PAIR = 400 * 256 * 512
_MOST_CHANNEL_PAIRS = 512 * 512  # whose weights for tiles of 4 are worth their memory, 38 MB
_READING = 16  # multiplications in the time of reading a weight
_CHANGING = {0: 0, 2: 160, 4: 400}  # in the time of changing a channel of a tile, by its side

ZEROS = 0
"""Where a tile's width of zeros is."""


class PackedWeights:
    """Collects weights.

    Attributes:
        array: All of them, flat; places are numbers of float32 from its beginning. It grows with each.
    """

    def __init__(self) -> None:
        self.array = np.zeros(VECTORS * LANES, np.float32)

    def product(
        self, weight: np.ndarray, groups: int, plain: bool, form: int = FLOAT32, shift: Optional[Sequence[int]] = None
    ) -> tuple[tuple[tuple[int, int, int, int], ...], int]:
        """Lay a weight (O, I / groups, height, width) out for a convolution as a product.

        Args:
            weight: With one group, or with a multiple of LANES channels in each.
            groups: How many groups.
            plain: Whether the input has its channels first.
            form: In which numbers are multiplied; of bytes the weight is int8.
            shift: As of :class:`Layer`; then weights stand in the order of :func:`shifted_parts`.

        Returns:
            The panels: vectors of channels, place of the weights, first channel, first input word; and the depth.
        """
        outputs, depth = weight.shape[:2]
        size = outputs // groups
        panels = []
        for group in range(groups):
            part = weight[group * size : (group + 1) * size]
            if shift is not None:
                parts = [part[:, first:last] for first, last, _ in shifted_parts(depth, shift)]
                lines = np.concatenate([channels.transpose(2, 3, 1, 0).reshape(-1, size) for channels in parts])
            elif form == FLOAT32:
                lines = (part.transpose(1, 2, 3, 0) if plain else part.transpose(2, 3, 1, 0)).reshape(-1, size)
            else:
                lines = in_words(part.transpose(2, 3, 1, 0), form).reshape(-1, size)
            begin = group * words(depth, form)
            panels += [(v, place, group * size + c, begin) for v, place, c in self._panels(lines)]
        return tuple(panels), depth

    def winograd(self, weight: np.ndarray, side: int) -> tuple[tuple[tuple[int, int, int, int], ...], int]:
        """Lay a weight (O, I, 3, 3) out for tiles of ``side`` x ``side`` pixels; return what :meth:`product` does."""
        changed = transformed_weights(weight, side)
        return tuple([(*panel, 0) for panel in self._panels(changed.reshape(-1, len(weight)))]), weight.shape[1]

    def _panels(self, lines: np.ndarray) -> list[tuple[int, int, int]]:
        """Add lines, cut into panels of few channels; return their vectors, places and first channels."""
        channels = lines.shape[1]
        lines = np.pad(lines, ((0, 0), (0, padded(channels) - channels)))
        vectors = padded(channels) // LANES
        count = -(-vectors // VECTORS)
        cuts = [vectors * i // count for i in range(count + 1)]
        return [
            (last - first, self._add(lines[:, first * LANES : last * LANES]), first * LANES)
            for first, last in zip(cuts, cuts[1:])
        ]

    def rows(self, weight: np.ndarray, form: int = FLOAT32) -> int:
        """Lay a weight (C, share, kernel, kernel) out for a convolution along rows; return its place.

        Args:
            weight: Of bytes, int8.
            form: In which numbers are multiplied; in groups they are so in float32.
        """
        channels, share, kernel, _ = weight.shape
        if share == 1 and form != FLOAT32:
            whole = np.pad(weight, ((0, padded(channels) - channels), (0, 0), (0, 0), (-kernel % (1 << form), 0)))
            taps = in_words(whole[:, 0].transpose(1, 2, 0), form)  # (row, word, channel)
            return self._add(taps.reshape(*taps.shape[:2], -1, LANES).transpose(2, 0, 1, 3))
        whole = np.pad(weight, ((0, padded(channels) - channels), (0, 0), (0, 0), (0, 0)))
        lanes = np.arange(len(whole))[:, None]
        whole = whole[lanes, (lanes + np.arange(share)) % share]  # how far behind the output channel
        vectors = whole.reshape(-1, LANES, share, kernel, kernel)
        return self._add(vectors.transpose(0, 3, 2, 4, 1))

    def bias(self, bias: Optional[np.ndarray], channels: int) -> int:
        """Add a bias, or zeros; return its place."""
        given = np.zeros(channels, np.float32) if bias is None else bias
        return self._add(np.pad(given, (0, padded(channels) - channels)))

    def ends(
        self, scales: np.ndarray, bias: Optional[np.ndarray], grid: Optional[tuple[float, float]] = None
    ) -> tuple[int, int]:
        """Add what sums of bytes are multiplied by and what is added then; return both places.

        Args:
            scales: (O,).
            bias: (O,).
            grid: The scale and zero point of the bytes that the results become at once, None for float32 results.
        """
        shift = np.zeros(len(scales)) if bias is None else bias.astype(np.float64)
        if grid is not None:
            scales, shift = scales / np.float64(grid[0]), shift / np.float64(grid[0]) + grid[1]
        return self.bias(scales.astype(np.float32), len(scales)), self.bias(shift.astype(np.float32), len(scales))

    def starts(self, weight: np.ndarray, zero_point: float, whole: bool) -> int:
        """Add what sums of bytes, counted from a zero point, begin with; return its place.

        Args:
            weight: (O, I, height, width), int8.
            zero_point: Of the bytes.
            whole: Whether sums are whole numbers, and not float32.
        """
        given = -int(zero_point) * weight.reshape(len(weight), -1).sum(1, dtype=np.int64)
        row = np.pad(given, (0, padded(len(given)) - len(given)))
        return self._add(row.astype(np.int32).view(np.float32) if whole else row.astype(np.float32))

    def _add(self, array: np.ndarray) -> int:
        place = self.array.size
        self.array.resize(place + array.size, refcheck=False)  # in place, where joining parts would take them twice
        self.array[place:].reshape(array.shape)[...] = array
        return place


def shifted_parts(channels: int, shift: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return channels that are read from one image: the first, the end, and how many images it is away.

    Those of the image before come first and those of the image after last, so that an image without one of the two
    reads all that there is in one go.

    Args:
        channels: Of an image.
        shift: As of :class:`core.kernels.channels_last.layer.Layer`.
    """
    _, first, second = shift
    return [(0, first, -1), (second, channels, 0), (first, second, 1)]


def in_words(lines: np.ndarray, form: int) -> np.ndarray:
    """Return weights (..., I, O) as words of neighbouring inputs (..., words of I, O), their bits as float32.

    Args:
        lines: float32 for bfloat16, int8 for bytes.
        form: Of the two.
    """
    several = 1 << form
    count = words(lines.shape[-2], form)
    lines = np.pad(lines, [(0, 0)] * (lines.ndim - 2) + [(0, count * several - lines.shape[-2]), (0, 0)])
    bits = engine.float32_to_bfloat16_bits(lines) if form == BFLOAT16 else lines
    pairs = bits.reshape(*lines.shape[:-2], count, several, -1).swapaxes(-1, -2)
    return np.ascontiguousarray(pairs).view(np.float32)[..., 0]


def goes_along_rows(weight: np.ndarray, groups: int, stride: tuple[int, int]) -> bool:
    """Return whether a kernel along rows computes this convolution."""
    outputs, share, height, width = weight.shape
    known = height == width and stride[0] == stride[1] and (height, stride[0], share) in ROW_KINDS
    return known and outputs == groups * share


def is_product(weight: np.ndarray, groups: int, form: int = FLOAT32) -> bool:
    """Return whether the product kernel computes this convolution of numbers of a form."""
    outputs, inputs = weight.shape[:2]
    return groups == 1 or (outputs % (groups * LANES) == 0 and inputs > 0 and inputs % (1 << form) == 0)


def multiplications(weight: np.ndarray, pixels: int, side: int = 0) -> float:
    """Return how many multiplications a convolution of an image takes, in tiles of ``side`` pixels or plainly (0).

    Where the size of the image is unknown (0), it is guessed from the channels: a network has more where it has fewer
    pixels, about 20 x 20 of 256 to 512 channels.
    """
    outputs, inputs, height, width = weight.shape
    pixels = pixels or max(1, _PIXELS_OF_A_CHANNEL_PAIR // (outputs * inputs))
    if not side:
        return float(weight.size * pixels)
    tiles = math.ceil(math.sqrt(pixels) / side) ** 2
    return float((side + 2) ** 2 * outputs * inputs * tiles)


def side_of_tiles(weight: np.ndarray, groups: int, stride: tuple[int, int], pixels: int) -> int:
    """Return of which tiles, of 2 or 4 pixels a side, a convolution is computed fastest; 0: as a plain product.

    Besides multiplying, changing windows and products takes time for each channel of a tile, and reading a weight as
    much as multiplying by it so many times (measured; tiles of 4 have four times as many weights as plain products).
    """
    outputs, inputs = weight.shape[:2]
    if groups > 1 or weight.shape[2:] != (3, 3) or stride != (1, 1):
        return 0

    def cost(side: int) -> float:
        tiles = multiplications(weight, pixels, side) / ((side + 2) ** 2 * outputs * inputs) if side else 0
        read = ((side + 2) ** 2 if side else 9) * outputs * inputs * _READING
        return multiplications(weight, pixels, side) + read + tiles * (outputs + inputs) * _CHANGING[side]

    return min((0, 2, 4) if outputs * inputs <= _MOST_CHANNEL_PAIRS else (0, 2), key=cost)
