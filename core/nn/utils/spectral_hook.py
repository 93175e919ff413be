"""Spectral normalisation of a layer's weight (Miyato et al. 2018, arXiv:1802.05957)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.nn.initializer import Normal
from core.nn.utils.spectral import normalised_by_spectrum
from core.operators.creation.creation import to_tensor


class SpectralNormHook:
    """The pre-forward hook that makes ``weight`` from ``weight_orig``; in training mode it improves its estimate.

    Args:
        name: Name of the weight.
        iterations: Number of power iterations per training step.
        dim: Axis of the weight that becomes the rows of the matrix.
        eps: Added to lengths before dividing by them.
    """

    def __init__(self, name: str, iterations: int, dim: int, eps: float) -> None:
        self.name = name
        self.iterations = iterations
        self.dim = dim
        self.eps = eps

    def __call__(self, layer: Any, inputs: Any) -> None:
        """Set the layer's weight.

        Args:
            layer: The layer.
            inputs: The layer's inputs, not looked at.
        """
        original = getattr(layer, f"{self.name}_orig")
        left, right = getattr(layer, f"{self.name}_u"), getattr(layer, f"{self.name}_v")
        iterations = self.iterations if layer.training else 0
        weight, new_left, new_right = normalised_by_spectrum(original, left, right, self.dim, iterations, self.eps)
        if iterations:
            left.update(new_left.detach())
            right.update(new_right.detach())
        layer.__dict__[self.name] = weight


def spectral_norm(
    layer: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: Optional[int] = None
) -> Any:
    """Divide a layer's weight by its largest singular value before every forward pass.

    The parameter becomes ``weight_orig``; the buffers ``weight_u`` and ``weight_v`` hold the estimate.

    Args:
        layer: The layer.
        name: Name of the parameter.
        n_power_iterations: Number of power iterations per training step.
        eps: Added to lengths before dividing by them.
        dim: Axis of the weight that becomes the rows of the matrix; 1 for Linear and transposed convolutions, else 0.

    Returns:
        The layer.

    Raises:
        ValueError: the layer has no such parameter, or the number of iterations is not positive.
    """
    weight = layer._parameters.get(name)
    if weight is None:
        raise ValueError(f"spectral_norm: {type(layer).__name__} has no parameter {name!r}, or is normalised already")
    if n_power_iterations < 1:
        raise ValueError(f"spectral_norm: n_power_iterations must be positive, but got {n_power_iterations}")
    if dim is None:
        turned = ("Linear", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
        dim = 1 if any(kind.__name__ in turned for kind in type(layer).__mro__) else 0
    rows = weight.shape[dim]
    del layer._parameters[name]
    layer.add_parameter(f"{name}_orig", weight)
    for suffix, size in (("u", rows), ("v", int(np.prod(weight.shape)) // rows)):
        vector = Normal(0.0, 1.0).values_for([size], weight.dtype)
        layer.register_buffer(f"{name}_{suffix}", to_tensor(vector / max(float(np.linalg.norm(vector)), eps)))
    hook = SpectralNormHook(name, n_power_iterations, dim, eps)
    layer.__dict__[name] = weight.detach()
    layer.register_forward_pre_hook(hook)
    return layer
