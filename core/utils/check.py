"""run_check: does this installation compute?"""

from __future__ import annotations

import numpy as np

from core import nn
from core.device import get_device
from core.jit import to_static
from core.optimizer import SGD
from core.tensor import Tensor


def run_check() -> None:
    """Train one step of a small layer, eagerly and compiled, and print that it works.

    Raises:
        RuntimeError: the results are wrong; the installation is damaged.
    """
    for name, wrap in (("eager", lambda function: function), ("compiled", to_static)):
        layer = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(0.5))
        x = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
        loss = wrap(lambda x, layer=layer: (layer(x) ** 2).mean())(x)
        loss.backward()
        SGD(learning_rate=0.1, parameters=layer.parameters()).step()
        expected = np.array([[0.5 - 0.1 * 12.0], [0.5 - 0.1 * 17.0]])  # by hand: the outputs are 1.5 and 3.5
        weight = layer.state_dict()["weight"].numpy()
        if not np.allclose(loss.numpy(), 7.25) or not np.allclose(weight, expected, atol=1e-5):
            raise RuntimeError(f"run_check: one {name} step gave wrong numbers: reinstall the dependencies")
    print(f"core computes correctly on {get_device()}, eager and compiled.")
