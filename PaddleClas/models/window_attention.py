"""Attention within the windows of a map: how maps are cut, what is hidden after a map was moved, offsets.

Paper: Liu et al., "Swin Transformer: hierarchical vision transformer using shifted windows", ICCV 2021,
https://arxiv.org/abs/2103.14030
Source of parameter names: PaddleClas 2.6, ``legendary_models/swin_transformer.py``.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import TruncatedNormal
from PaddleClas.models.transformer import linear

HIDDEN = -100.0
"""Added to the products of queries and keys that must not see each other."""


def relative_positions(window: int) -> np.ndarray:
    """Return, for two places of a window, the number of their offset: int64, (window**2, window**2).

    Offsets are counted row by row, from (1 - window, 1 - window); there are (2 * window - 1)**2.
    """
    rows, columns = np.divmod(np.arange(window**2), window)
    down = rows[:, None] - rows + window - 1
    right = columns[:, None] - columns + window - 1
    return down * (2 * window - 1) + right


@functools.lru_cache(maxsize=64)
def window_mask(height: int, width: int, window: int, shift: int) -> np.ndarray:
    """Return what hides from each other the parts of a window that came together when a map was moved.

    Args:
        height: of the map, a multiple of the window.
        width: likewise.
        window: its side.
        shift: by how much the map was moved up and to the left.

    Returns:
        float32, (windows, window**2, window**2): 0, or :data:`HIDDEN`.
    """
    parts = [np.searchsorted([size - window, size - shift], np.arange(size), side="right") for size in (height, width)]
    region = 3 * parts[0][:, None] + parts[1]
    tiles = region.reshape(height // window, window, width // window, window).transpose(0, 2, 1, 3)
    flat = tiles.reshape(-1, window**2)
    return np.where(flat[:, :, None] == flat[:, None, :], 0.0, HIDDEN).astype(np.float32)


def windows(x: Any, window: int) -> Any:
    """Return the windows of maps: (N, H, W, C) to (N * windows, window**2, C), row by row."""
    _, height, width, channels = x.shape
    rows = x.reshape([-1, window, width // window, window * channels]).transpose([0, 2, 1, 3])
    return rows.reshape([-1, window**2, channels])


def maps(x: Any, window: int, height: int, width: int) -> Any:
    """Return maps (N, H, W, C) of their windows, as :func:`windows` gives them."""
    channels = x.shape[-1]
    rows = x.reshape([-1, width // window, window, window * channels]).transpose([0, 2, 1, 3])
    return rows.reshape([-1, height, width, channels])


def padded(x: Any, multiple: int) -> Any:
    """Return maps (N, H, W, C) with zeros below and to the right, so that a number divides H and W."""
    down, right = (-size % multiple for size in x.shape[1:3])
    return F.pad(x, [0, 0, 0, down, 0, right, 0, 0]) if down or right else x


class WindowAttention(nn.Layer):
    """Self-attention within windows, with a learned number for each offset and head: (N, H, W, C) to the same shape.

    Args:
        channels: C.
        window: the side of a window, which divides H and W.
        heads: how many heads share the channels.
        shift: by how much the maps were moved: what lay apart before stays apart.
        qkv_bias: whether queries, keys and values have biases.
    """

    def __init__(self, channels: int, window: int, heads: int, shift: int = 0, qkv_bias: bool = True) -> None:
        super().__init__()
        self.window = window
        self.heads = heads
        self.shift = shift
        self._create_positions()
        self.register_buffer("relative_position_index", core.to_tensor(relative_positions(window)))
        self._create_projections(channels, qkv_bias)

    def _create_positions(self) -> None:
        self.relative_position_bias_table = self.create_parameter(
            [(2 * self.window - 1) ** 2, self.heads], default_initializer=TruncatedNormal(std=0.02)
        )

    def _create_projections(self, channels: int, qkv_bias: bool) -> None:
        self.qkv = linear(channels, 3 * channels, qkv_bias)
        self.proj = linear(channels, channels)

    def position_table(self) -> Any:
        """Return what each offset adds to the products of queries and keys, ((2 * window - 1)**2, heads)."""
        return self.relative_position_bias_table

    def projected(self, x: Any) -> Any:
        """Return queries, keys and values, (..., 3 * C)."""
        return self.qkv(x)

    def scaled(self, queries: Any, keys: Any) -> tuple[Any, Any]:
        """Return queries and keys whose product over the root of the head's size is what the softmax takes."""
        return queries, keys

    def forward(self, x: Any) -> Any:
        """Return what each place finds in its window."""
        _, height, width, channels = x.shape
        size, length, heads = channels // self.heads, self.window**2, self.heads
        found = core.gather(self.position_table(), self.relative_position_index.flatten())
        bias = found.reshape([length, length, heads]).transpose([2, 0, 1]).unsqueeze(0)
        qkv = windows(self.projected(x), self.window).reshape([-1, length, 3, heads, size])
        queries, keys = self.scaled(qkv[:, :, 0], qkv[:, :, 1])
        if not self.shift:
            y = F.scaled_dot_product_attention(queries, keys, qkv[:, :, 2], bias)
        else:
            mask = core.to_tensor(window_mask(height, width, self.window, self.shift)).astype(bias.dtype)
            y = self._among_neighbours(queries, keys, qkv[:, :, 2], bias + mask.unsqueeze(1))
        return self.proj(maps(y.reshape([-1, length, channels]), self.window, height, width))

    def _among_neighbours(self, queries: Any, keys: Any, values: Any, bias: Any) -> Any:
        """Return the attention where each window of an image adds something else, bias (windows, heads, L, L).

        The windows stand beside the heads, so that one bias serves all images.
        """
        count, heads, length, _ = bias.shape

        def together(x: Any) -> Any:
            x = x.reshape([-1, count, length, heads, x.shape[-1]]).transpose([0, 2, 1, 3, 4])
            return x.reshape([-1, length, count * heads, x.shape[-1]])

        bias = bias.reshape([1, count * heads, length, length])
        y = F.scaled_dot_product_attention(together(queries), together(keys), together(values), bias)
        return y.reshape([-1, length, count, heads * y.shape[-1]]).transpose([0, 2, 1, 3])
