"""Where initial values come from: numpy, seeded anew for each parameter by one draw from the engine."""

from __future__ import annotations

import numpy as np

from core.kernels import engine
from core.kernels.dtypes import int64

_draw = engine.operator_handle("_random_randint")
_attributes = engine.Attributes({"low": 0, "high": 2**31 - 1, "shape": (4,), "dtype": "int64", "ctx": "cpu(0)"})


def numpy_generator() -> np.random.Generator:
    """Return a generator that depends on ``core.seed`` and on the number of draws since, and on nothing else."""
    (drawn,) = engine.invoke(_draw, [], _attributes)
    return np.random.Generator(np.random.PCG64([int(word) for word in engine.view(drawn, (4,), int64)]))
