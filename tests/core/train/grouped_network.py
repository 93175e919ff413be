"""A small network with a backbone, two numbered blocks, a batch norm and a head, for tests of parameter groups.

Nothing of core is imported here: the references of another framework are made of the same values and gradients.
"""

from __future__ import annotations

import numpy as np

SHAPES = {
    "stem.weight": (3, 4),
    "stem.bias": (4,),
    "blocks.0.weight": (4, 4),
    "blocks.0.bias": (4,),
    "blocks.1.weight": (4, 4),
    "blocks.1.bias": (4,),
    "norm.weight": (4,),
    "norm.bias": (4,),
    "head.weight": (4, 2),
    "head.bias": (2,),
}
_RNG = np.random.RandomState(0)
VALUES = {name: _RNG.randn(*shape).astype(np.float32) for name, shape in SHAPES.items()}
GRADIENTS = [{name: _RNG.randn(*shape).astype(np.float32) for name, shape in SHAPES.items()} for _ in range(6)]
LAYERS = ["stem", "blocks.0", "blocks.1", "head"]
"""From the input to the output; the norm belongs to the last."""


def depth(name: str) -> int:
    """Return how many layers lie between a parameter's and the output."""
    return len(LAYERS) - 1 - next((i for i, layer in enumerate(LAYERS) if name.startswith(layer)), len(LAYERS) - 1)
