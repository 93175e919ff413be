"""From raw gradients to what an update rule takes: clipping and weight decay as numbers wherever they can be.

Paddle clips first and adds weight decay afterwards. The built-in clips are a factor or two bounds, the built-in
regularizers two coefficients; the compiled rules apply these while they read the gradient. Clips and regularizers of
the user's own are called as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.nn.clip import (
    ClipGradBase,
    ClipGradByGlobalNorm,
    ClipGradByNorm,
    ClipGradByValue,
    needs_clip,
    squares_of,
)
from core.regularizer import L1Decay, L2Decay
from core.tensor import Tensor

FACTOR, LOW, HIGH, L2, L1 = range(5)
Regularizer = Callable[..., Tensor]


def checked_clip(grad_clip: Any) -> Optional[ClipGradBase]:
    """Return a gradient clip.

    Raises:
        TypeError: it is not one.
    """
    if grad_clip is not None and not isinstance(grad_clip, ClipGradBase):
        raise TypeError(
            "grad_clip must be a ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm of core.nn, not"
            f" {type(grad_clip).__name__}"
        )
    return grad_clip


def checked_regularizer(weight_decay: Any) -> Optional[Regularizer]:
    """Return the regularizer that ``weight_decay`` means; a number means L2Decay.

    Raises:
        TypeError: it is neither a number nor callable.
    """
    if weight_decay is None:
        return None
    if isinstance(weight_decay, (int, float)) and not isinstance(weight_decay, bool):
        return L2Decay(float(weight_decay))
    if not callable(weight_decay):
        raise TypeError(f"weight_decay must be a float, L1Decay or L2Decay, not {type(weight_decay).__name__}")
    return weight_decay


def prepare(
    params: Sequence[Tensor],
    gradients: Sequence[Tensor],
    clip: Optional[ClipGradBase],
    regularizers: Sequence[Optional[Regularizer]],
    rescale: float,
) -> tuple[list[Tensor], np.ndarray]:
    """Return the gradients and the terms that :func:`core.kernels.optimizer.update.update` expects.

    Args:
        params: parameters.
        gradients: their gradients.
        clip: gradient clip, or None.
        regularizers: the regularizer of each parameter, or None.
        rescale: a factor on the clipped gradient, before an L2 term and after any other.

    Returns:
        The gradients, replaced only where a clip or regularizer of the user's own computed new ones; and an array of
        shape (parameters, 5): factor, lower bound, upper bound, L2 and L1 coefficient.
    """
    gradients = list(gradients)
    terms = np.tile([1.0, -np.inf, np.inf, 0.0, 0.0], (len(gradients), 1))
    if clip is not None:
        gradients = _clip(params, gradients, clip, terms)
    for position, regularizer in enumerate(regularizers):
        row = terms[position]
        if type(regularizer) is L2Decay:
            row[L2] = regularizer._coeff
        elif type(regularizer) is L1Decay:
            row[L1] = regularizer._coeff * rescale
        elif regularizer is not None:
            gradients[position] = _with_own_term(params[position], gradients[position], row, regularizer)
    if rescale != 1.0:
        bounded = np.isfinite(terms[:, : HIGH + 1])
        terms[:, : HIGH + 1][bounded] *= rescale
    return gradients, terms


def _clip(
    params: Sequence[Tensor], gradients: list[Tensor], clip: ClipGradBase, terms: np.ndarray
) -> list[Tensor]:
    """Enter a built-in clip in ``terms``, or apply one of the user's own."""
    chosen = [index for index, pair in enumerate(zip(params, gradients)) if needs_clip(*pair)]
    if type(clip) is ClipGradByValue:
        terms[chosen, LOW : HIGH + 1] = clip.min, clip.max
    elif type(clip) in (ClipGradByNorm, ClipGradByGlobalNorm):
        squares = squares_of([gradients[index] for index in chosen])
        terms[chosen, FACTOR] = clip.factors(squares)  # type: ignore[attr-defined]  # both classes of the test above have it
    else:
        clipped = clip(list(zip(params, gradients)))
        return [given if new is None else new for given, (_, new) in zip(gradients, clipped)]
    return gradients


def _with_own_term(param: Tensor, gradient: Any, row: np.ndarray, regularizer: Regularizer) -> Tensor:
    """Apply a clip that is still pending to a gradient and add the term of the user's own regularizer."""
    clipped = gradient
    if row[FACTOR] != 1.0:
        clipped = gradient * float(row[FACTOR])
    elif np.isfinite(row[LOW]) or np.isfinite(row[HIGH]):
        (clipped,) = ClipGradByValue(row[HIGH], row[LOW])._clip([gradient])
    row[: HIGH + 1] = 1.0, -np.inf, np.inf
    return clipped + regularizer(param, clipped)
