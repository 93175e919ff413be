"""Gradient descent, plain and with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional, Union

from core.optimizer.accumulators import Accumulator
from core.optimizer.gradients import Regularizer, checked_regularizer
from core.optimizer.lr.scheduler import LRScheduler
from core.optimizer.optimizer import Optimizer, Options


class SGD(Optimizer):
    r"""Stochastic gradient descent: :math:`w = w - lr \cdot g`.

    Args:
        learning_rate: a float or a schedule.
        parameters: tensors, or groups of them.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a gradient clip, or None.
        multi_precision: keep a float32 copy of half-precision parameters.
        name: not used in the state's names.

    Raises:
        TypeError: an argument is of another type.
        ValueError: there are no parameters, or one appears twice.
    """

    _rule = "sgd"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, parameters: Optional[Iterable[Any]] = None,
        weight_decay: Any = None, grad_clip: Any = None, multi_precision: bool = False, name: Optional[str] = None,
    ) -> None:
        self._multi_precision = multi_precision
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class Momentum(Optimizer):
    r"""Gradient descent with momentum.

    :math:`v = \mu v + g`, then :math:`w = w - lr \cdot v`, or with Nesterov's rule
    :math:`w = w - lr \cdot (g + \mu v)`.

    Args:
        learning_rate: a float or a schedule.
        momentum: :math:`\mu`.
        parameters: tensors, or groups of them.
        use_nesterov: whether to use Nesterov's rule.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a gradient clip, or None.
        multi_precision: keep a float32 copy of half-precision parameters.
        rescale_grad: a factor on the gradient, before an L2 penalty is added.
        use_multi_tensor: taken for Paddle's sake; all tensors are always updated in one call.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: there are no parameters, or one appears twice, or ``momentum`` is None.
    """

    _rule = "momentum"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, momentum: float = 0.9,
        parameters: Optional[Iterable[Any]] = None, use_nesterov: bool = False, weight_decay: Any = None,
        grad_clip: Any = None, multi_precision: bool = False, rescale_grad: float = 1.0,
        use_multi_tensor: bool = False, name: Optional[str] = None,
    ) -> None:
        if momentum is None:
            raise ValueError("momentum must be given")
        self._multi_precision = multi_precision
        options = {"momentum": momentum, "use_nesterov": bool(use_nesterov), "rescale_grad": rescale_grad}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options)

    def _group_regularizer(self, group: Options) -> Optional[Regularizer]:
        # Here, unlike in Paddle's other optimizers, a group's explicit None means no decay.
        return checked_regularizer(group["weight_decay"]) if "weight_decay" in group else self.regularization

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        return [Accumulator("velocity")]

    def _constants(self, group: Options) -> list[float]:
        return [float(group["momentum"]), float(group["use_nesterov"])]

    def _rescale(self, group: Options) -> float:
        return float(group["rescale_grad"])
