"""The texts, the graph and the small ERNIE on which ERNIESage is compared."""

from __future__ import annotations

import numpy as np

from tests.parity.PGL.layer_cases import integers, random_edges, weight

NODES, TOKENS, VOCABULARY, HIDDEN, LAYERS, CLS = 14, 6, 40, 8, 2, 1
ERNIE = {
    "vocab_size": VOCABULARY, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 24, "max_position_embeddings": 20, "type_vocab_size": 2,
}  # fmt: skip
EDGES = random_edges("texts", 24, NODES - 2, NODES - 2)
DIFFERENTIATED = ("ernie.pooler.dense.weight", "ernie.embeddings.position_embeddings.weight", "encoder.linear.weight")


def term_ids() -> np.ndarray:
    """Return texts of one to five tokens, then the token 2 at their end, then 0."""
    ids = 3 + integers("tokens", NODES * TOKENS, VOCABULARY - 3).reshape(NODES, TOKENS)
    lengths = 1 + integers("lengths", NODES, TOKENS - 1)
    places = np.arange(TOKENS)
    ids[places == lengths[:, None]] = 2
    ids[places > lengths[:, None]] = 0
    return ids


def value(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the value of one parameter; norms begin near 1."""
    if "norm" in name and name.endswith("weight"):
        return 1.0 + 0.3 * weight(name, shape)
    return weight(name, shape)
