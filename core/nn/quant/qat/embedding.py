"""A table of vectors whose numbers have 8 bits; Paddle has none."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.layers import quantized
from core.nn import functional as F
from core.nn.layer.layers import Layer
from core.operators import cast, unsqueeze
from core.tensor import Tensor

LEAST = np.float32(1e-8)
"""The largest magnitude of a row of zeros."""


class QuantedEmbedding(Layer):
    """Takes the place of a trained table: each row is whole numbers from -127 to 127 times a scale of its own.

    Args:
        layer: the table, an ``Embedding``; its weight stays for those that read it.
    """

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.weight = layer.weight
        for key in ("_num_embeddings", "_embedding_dim", "_padding_idx", "_sparse"):
            setattr(self, key, getattr(layer, key))
        weight = layer.weight.numpy()
        if self._padding_idx is not None:
            weight = weight.copy()
            weight[self._padding_idx] = 0
        scales = np.maximum(np.abs(weight).max(1), LEAST) / np.float32(quantized.LARGEST_WEIGHT)
        self.register_buffer("weight_numbers", Tensor(quantized.quantized_weight(weight, scales)), persistable=False)
        self.register_buffer("weight_scales", Tensor(scales), persistable=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the vectors of the rows at x, int64 of any shape, float32 with an axis more."""
        scales = F.embedding(x, unsqueeze(self.weight_scales, 1))
        return cast(F.embedding(x, self.weight_numbers), "float32") * scales
