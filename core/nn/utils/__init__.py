"""paddle.nn.utils: reparametrised weights, gradients clipped in place, parameters as one vector."""

from __future__ import annotations

from core.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from core.nn.utils.spectral_hook import spectral_norm
from core.nn.utils.vector import parameters_to_vector, vector_to_parameters
from core.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "parameters_to_vector",
    "remove_weight_norm",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]
