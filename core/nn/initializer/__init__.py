"""Initial values of parameters (paddle.nn.initializer).

Values are drawn by numpy on the host, from a stream that :func:`core.seed` resets, so the same seed and the same order
of construction give the same weights on every device and with any number of threads.
"""

from __future__ import annotations

from core.nn.initializer.base import (
    Initializer,
    calculate_gain,
    global_initializer,
    set_global_initializer,
)
from core.nn.initializer.fixed import Assign, Bilinear, Constant, Dirac, NumpyArrayInitializer
from core.nn.initializer.random import (
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierNormal,
    XavierUniform,
)

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "NumpyArrayInitializer",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "global_initializer",
    "set_global_initializer",
]
