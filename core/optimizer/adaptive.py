"""Optimizers that scale each element's learning rate by the history of its gradients: Adagrad, Adadelta, RMSProp."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional, Union

from core.optimizer.accumulators import Accumulator
from core.optimizer.lr.scheduler import LRScheduler
from core.optimizer.optimizer import Optimizer, Options


class Adagrad(Optimizer):
    r"""Adagrad ("Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 12, 2011).

    :math:`m = m + g^2`, :math:`w = w - lr \cdot g / (\sqrt{m} + \epsilon)`.

    Args:
        learning_rate: a float or a schedule.
        epsilon: keeps the denominator from 0.
        parameters: tensors, or groups of them.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a gradient clip, or None.
        name: put before the names of accumulators.
        initial_accumulator_value: what :math:`m` begins with.

    Raises:
        TypeError: an argument is of another type.
        ValueError: there are no parameters, or one appears twice.
    """

    _rule = "adagrad"

    def __init__(
        self, learning_rate: Union[float, LRScheduler], epsilon: float = 1.0e-6,
        parameters: Optional[Iterable[Any]] = None, weight_decay: Any = None, grad_clip: Any = None,
        name: Optional[str] = None, initial_accumulator_value: float = 0.0,
    ) -> None:
        options = {"epsilon": epsilon, "initial_accumulator_value": initial_accumulator_value}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options)

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        return [Accumulator("moment", float(group["initial_accumulator_value"]))]

    def _constants(self, group: Options) -> list[float]:
        return [float(group["epsilon"])]


class Adadelta(Optimizer):
    r"""Adadelta ("ADADELTA: An Adaptive Learning Rate Method", arXiv:1212.5701).

    .. math::
        a &= \rho a + (1 - \rho) g^2, \qquad d = \sqrt{(u + \epsilon) / (a + \epsilon)} \cdot g \\
        u &= \rho u + (1 - \rho) d^2, \qquad w = w - lr \cdot d

    Args:
        learning_rate: a float or a schedule.
        epsilon: keeps the denominator from 0.
        rho: decay of the two averages.
        parameters: tensors, or groups of them.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a gradient clip, or None.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: there are no parameters, or one appears twice.
    """

    _rule = "adadelta"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, epsilon: float = 1.0e-6, rho: float = 0.95,
        parameters: Optional[Iterable[Any]] = None, weight_decay: Any = None, grad_clip: Any = None,
        name: Optional[str] = None,
    ) -> None:
        options = {"epsilon": epsilon, "rho": rho}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options)

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        return [Accumulator("_avg_squared_grad"), Accumulator("_avg_squared_update")]

    def _constants(self, group: Options) -> list[float]:
        return [float(group["rho"]), float(group["epsilon"])]


class RMSProp(Optimizer):
    r"""RMSProp (G. Hinton, lecture 6 of "Neural Networks for Machine Learning"; centered: arXiv:1308.0850).

    .. math::
        s &= \rho s + (1 - \rho) g^2, \qquad a = \rho a + (1 - \rho) g \\
        v &= \mu v + lr \cdot g / \sqrt{s - a^2 + \epsilon}, \qquad w = w - v

    where :math:`a` is 0 unless ``centered``.

    Args:
        learning_rate: a float or a schedule.
        rho: decay of the averages, not negative.
        epsilon: keeps the denominator from 0; inside the root. Not negative.
        momentum: :math:`\mu`, not negative.
        centered: whether to use the variance of the gradient in place of its mean square.
        parameters: tensors, or groups of them.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a gradient clip, or None.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is negative; there are no parameters, or one appears twice.
    """

    _rule = "rmsprop"

    def __init__(
        self, learning_rate: Union[float, LRScheduler], rho: float = 0.95, epsilon: float = 1.0e-6,
        momentum: float = 0.0, centered: bool = False, parameters: Optional[Iterable[Any]] = None,
        weight_decay: Any = None, grad_clip: Any = None, name: Optional[str] = None,
    ) -> None:
        options = {"rho": rho, "epsilon": epsilon, "momentum": momentum, "centered": centered}
        for label, value in list(options.items())[:3]:
            if not value >= 0.0:
                raise ValueError(f"{label} must not be negative, but is {value}")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options)

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        return [Accumulator("momentum"), Accumulator("mean_square"), Accumulator("mean_grad")]

    def _constants(self, group: Options) -> list[float]:
        return [float(group[key]) for key in ("rho", "epsilon", "momentum", "centered")]
