"""The operator of exported programs that is a whole convolutional network; see core.jit.passes.channels_last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32


def _network(name: str) -> Any:
    from core.kernels.channels_last.network import NETWORKS  # numba loads with the first use

    return NETWORKS[name]


def _channels_last(x: np.ndarray, weights: np.ndarray, *, network: str, out: Any) -> None:
    _network(network)(x, weights, out if isinstance(out, tuple) else (out,))


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    (x, dtype), (weights, weights_dtype) = metas
    network = _network(options["network"])
    fits = len(x) == 4 and 0 not in x and x[1] == network.channels and weights == (network.weights,)
    if not fits or dtype is not float32 or weights_dtype is not float32:
        raise OperatorError(f"channels_last: x {list(x)} and weights {list(weights)} do not fit the network")
    try:
        network.output_shapes(x)
    except ValueError as error:
        raise OperatorError(f"channels_last: {error}") from None


channels_last = HostOperator(
    "channels_last",
    _channels_last,
    check=_check,
    infer=lambda metas, options: [
        (shape, float32) for shape in _network(options["network"]).output_shapes(metas[0][0])
    ],
    differentiable=False,
    fills=True,
)
"""The results of a network in core.kernels.channels_last.network, by its name, of images (N, C, H, W) and weights."""
