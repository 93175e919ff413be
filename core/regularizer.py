"""Weight decay as a term added to the gradient: ``paddle.regularizer``."""

from __future__ import annotations

from typing import Any

from core.operators import sign
from core.tensor import Tensor


class WeightDecayRegularizer:
    """Base class: a regularizer gives the gradient of a penalty on a parameter."""

    def __call__(self, param: Tensor, grad: Tensor, block: Any = None) -> Tensor:
        """Return the term to add to the gradient.

        Args:
            param: the parameter.
            grad: its gradient, of the same shape.
            block: taken for Paddle's sake and not used.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} must define __call__(param, grad, block)")


class L1Decay(WeightDecayRegularizer):
    r"""The penalty :math:`coeff \cdot \sum |w|`; adds ``coeff * sign(w)`` to the gradient.

    Args:
        coeff: strength of the penalty.

    Raises:
        TypeError: ``coeff`` is not a number.
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self._coeff = _checked(coeff)

    def __call__(self, param: Tensor, grad: Tensor, block: Any = None) -> Tensor:
        """Return ``coeff * sign(param)``."""
        term: Tensor = sign(param) * self._coeff
        return term

    def __str__(self) -> str:
        return f"L1Decay, coeff={self._coeff:f}"


class L2Decay(WeightDecayRegularizer):
    r"""The penalty :math:`coeff / 2 \cdot \sum w^2`; adds ``coeff * w`` to the gradient.

    Args:
        coeff: strength of the penalty.

    Raises:
        TypeError: ``coeff`` is not a number.
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self._coeff = _checked(coeff)

    def __call__(self, param: Tensor, grad: Tensor, block: Any = None) -> Tensor:
        """Return ``coeff * param``."""
        term: Tensor = param * self._coeff
        return term

    def __str__(self) -> str:
        return f"L2Decay, coeff={self._coeff:f}"


def _checked(coeff: Any) -> float:
    if isinstance(coeff, bool) or not isinstance(coeff, (int, float)):
        raise TypeError(f"coeff must be a number, not {type(coeff).__name__}")
    return float(coeff)
