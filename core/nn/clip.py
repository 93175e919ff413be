"""Gradient clipping: by value, by the norm of each gradient, by the norm of all gradients together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.autograd import no_grad
from core.kernels.optimizer.update import sum_of_squares
from core.operators import cast, full, maximum, minimum
from core.tensor import Tensor, readable

Pairs = list[tuple[Tensor, Optional[Tensor]]]


class ClipGradBase:
    """Base class: ``clip(pairs)`` takes (parameter, gradient) pairs and gives them with clipped gradients.

    A parameter with ``need_clip=False``, and one without gradient, is passed through.
    """

    def __call__(self, params_grads: Sequence[tuple[Tensor, Optional[Tensor]]]) -> Pairs:
        """Return the pairs with clipped gradients; the given gradients are not changed.

        Args:
            params_grads: parameters with their gradients; a gradient may be None.
        """
        chosen = [needs_clip(param, grad) for param, grad in params_grads]
        with no_grad():
            clipped = iter(self._clip([grad for (_, grad), wanted in zip(params_grads, chosen) if wanted]))
            return [(param, next(clipped) if wanted else grad) for (param, grad), wanted in zip(params_grads, chosen)]

    def _clip(self, gradients: list[Any]) -> list[Tensor]:
        """Return the clipped gradients.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} must define __call__(params_grads)")


GradientClipBase = ClipGradBase


def needs_clip(param: Tensor, grad: Optional[Tensor]) -> bool:
    """Return whether clipping applies to a parameter: it has a gradient and does not opt out."""
    return grad is not None and bool(getattr(param, "need_clip", True))


class ClipGradByValue(ClipGradBase):
    """Bound every element of a gradient.

    Args:
        max: upper bound.
        min: lower bound; ``-max`` where None, and then ``max`` must be positive.

    Raises:
        ValueError: ``min`` is None and ``max`` is not positive.
    """

    def __init__(self, max: float, min: Optional[float] = None) -> None:
        if min is None:
            if max <= 0.0:
                raise ValueError(f"max must be positive where min is not given, but is {max}")
            min = -max
        self.max = float(max)
        self.min = float(min)

    def _clip(self, gradients: list[Any]) -> list[Tensor]:
        types = {gradient.dtype for gradient in gradients}
        bounds = {dtype: [full([], end, dtype) for end in (self.min, self.max)] for dtype in types}
        return [minimum(maximum(g, bounds[g.dtype][0]), bounds[g.dtype][1]) for g in gradients]

    def __str__(self) -> str:
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"


class ClipGradByNorm(ClipGradBase):
    r"""Scale each gradient whose L2 norm exceeds a limit down to that norm.

    Args:
        clip_norm: the limit.
    """

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = float(clip_norm)

    def factors(self, squares: np.ndarray) -> np.ndarray:
        """Return the factor of each gradient.

        Args:
            squares: the sum of squares of each gradient, shape (gradients,).
        """
        norms = np.sqrt(squares)
        return self.clip_norm / np.maximum(norms, self.clip_norm)

    def _clip(self, gradients: list[Any]) -> list[Tensor]:
        return _scaled(gradients, self.factors(squares_of(gradients)))

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class ClipGradByGlobalNorm(ClipGradBase):
    r"""Scale all gradients by one factor where the L2 norm of all of them together exceeds a limit.

    Args:
        clip_norm: the limit.
        group_name: taken for Paddle's sake; the gradients of one call are one group.
        auto_skip_clip: taken for Paddle's sake; the factor is 1 where nothing needs clipping.
    """

    def __init__(self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False) -> None:
        self.clip_norm = float(clip_norm)
        self.group_name = group_name
        self.auto_skip_clip = auto_skip_clip

    def factors(self, squares: np.ndarray) -> np.ndarray:
        """Return the factor of each gradient, the same for all.

        Args:
            squares: the sum of squares of each gradient, shape (gradients,).
        """
        norm = np.sqrt(squares.sum())
        return np.full(len(squares), self.clip_norm / np.maximum(norm, self.clip_norm))

    def _clip(self, gradients: list[Any]) -> list[Tensor]:
        return _scaled(gradients, self.factors(squares_of(gradients)))

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


def _scaled(gradients: list[Any], factors: np.ndarray) -> list[Tensor]:
    return [gradient * float(factor) for gradient, factor in zip(gradients, factors)]


def squares_of(gradients: Sequence[Tensor]) -> np.ndarray:
    """Return the sum of squares of each gradient, shape (gradients,), float64; half precision is squared in float32."""
    result = np.zeros(len(gradients))
    by_type: dict[str, list[int]] = {}
    for position, gradient in enumerate(gradients):
        by_type.setdefault(gradient.dtype.name, []).append(position)
    for name, positions in by_type.items():
        chosen = [gradients[position] for position in positions]
        if name not in ("float32", "float64"):
            chosen = [cast(gradient, "float32") for gradient in chosen]
        result[positions] = sum_of_squares([readable(gradient) for gradient in chosen])
    return result
