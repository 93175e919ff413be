"""What a case is: a model of an official package, its inputs, and how it is called.

The modules of cases import ``paddle``, and work alike where that is the real one and where it is core.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
from recipe import uniform

IMAGES = ("uniform", (2, 3, 64, 64))
LARGE_IMAGES = ("uniform", (1, 3, 224, 224))


class Case(NamedTuple):
    """A model, its inputs, and how it is called."""

    toolkit: str  # the wheel
    build: Callable[[], Any]
    inputs: tuple[Any, ...] = (IMAGES,)
    call: Optional[Callable[..., Any]] = None  # takes the model and the inputs; None where the model takes the inputs
    light: bool = False  # whether it is small enough for every run of the tests
    compiles: bool = True  # whether ``to_static`` can make one program of it
    exports: bool = True  # whether that program can be saved and loaded, where it compiles
    gradients: bool = True  # whether Paddle has gradients of all that is computed
    differs: str = ""  # why core's answers are not Paddle's, where they are not
    decode: Optional[Callable[..., Any]] = None
    """Takes the model and the inputs, and returns further outputs, whose number depends on data: they are neither
    differentiated nor compiled."""
    differs: str = ""  # why core's numbers are not Paddle's, where they are known to differ

    def arrays(self) -> list[np.ndarray]:
        """Return the inputs: ``("uniform", shape)``, ``("below", bound, shape)``, or an array as it is."""
        return drawn(self.inputs)

    def run(self, model: Any, *inputs: Any) -> Any:
        """Return what the model answers."""
        return (self.call or type(model).__call__)(model, *inputs)


class Training(NamedTuple):
    """A model that is trained for three steps, on one batch."""

    toolkit: str
    build: Callable[[], Any]
    loss: Callable[..., Any]  # takes the model and the batch, and returns the loss, a scalar
    batch: tuple[Any, ...]
    optimizer: Callable[[Any], Any]  # takes the parameters
    light: bool = False

    def arrays(self) -> list[np.ndarray]:
        """Return the batch."""
        return drawn(self.batch)


def drawn(inputs: tuple[Any, ...]) -> list[np.ndarray]:
    """Return arrays for descriptions: ``("uniform", shape)``, ``("below", bound, shape)``, or an array as it is."""
    made = []
    for number, item in enumerate(inputs):
        if isinstance(item, np.ndarray):
            made.append(item)
        elif item[0] == "uniform":
            made.append(uniform(f"input {number}", item[1], -2.0, 2.0))
        else:
            made.append((uniform(f"input {number}", item[2], 0.0, 1.0) * item[1]).astype(np.int64))
    return made


def made(module: str, name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    """Return a function that imports a module and calls something in it."""
    return lambda: getattr(importlib.import_module(module), name)(*args, **kwargs)
