"""Our weights of encoders of BERT's kind as those of transformers' classes in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMES = {
    ".layers.": ".layer.", "self_attn.q_proj": "attention.self.query", "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value", "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm", "linear1": "intermediate.dense", "linear2": "output.dense",
    "norm2": "output.LayerNorm", "embeddings.layer_norm": "embeddings.LayerNorm",
}  # fmt: skip
"""Parts of our names, which are paddlenlp's, and of transformers'."""


def torch_weights(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return weights under the names of transformers' classes, as tensors of PyTorch.

    Args:
        arrays: ours by name.
    """
    import numpy as np
    import torch

    weights = {}
    for name, array in arrays.items():
        for part, its in NAMES.items():
            name = name.replace(part, its)
        table = array.ndim == 1 or "_embeddings." in name
        weights[name] = torch.from_numpy(array if table else np.ascontiguousarray(array.T))
    return weights
