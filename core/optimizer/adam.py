"""Adam and its relatives: AdamW with decoupled weight decay, Adamax with the infinity norm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from core.optimizer.accumulators import Accumulator
from core.optimizer.lr.scheduler import LRScheduler
from core.optimizer.optimizer import Optimizer, Options
from core.tensor import Tensor

Number = Union[float, Tensor]


def check_betas(beta1: Number, beta2: Number, epsilon: Number) -> Options:
    """Return the three numbers as options.

    Raises:
        ValueError: one is out of its range.
    """
    for name, beta in (("beta1", beta1), ("beta2", beta2)):
        if not 0 <= float(beta) < 1:
            raise ValueError(f"{name} must be in [0, 1), but is {float(beta)}")
    if not float(epsilon) >= 0:
        raise ValueError(f"epsilon must not be negative, but is {float(epsilon)}")
    return {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}


class Adam(Optimizer):
    r"""Adam ("Adam: A Method for Stochastic Optimization", arXiv:1412.6980).

    .. math::
        m &= \beta_1 m + (1 - \beta_1) g, \qquad v = \beta_2 v + (1 - \beta_2) g^2 \\
        w &= w - lr \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \cdot
             \frac{m}{\sqrt{v} + \epsilon \sqrt{1 - \beta_2^t}}

    Args:
        learning_rate: a float or a schedule.
        beta1: decay of the first moment, in [0, 1).
        beta2: decay of the second moment, in [0, 1).
        epsilon: keeps the denominator from 0.
        parameters: tensors, or groups of them.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None; goes through the moments.
        grad_clip: a gradient clip, or None.
        lazy_mode: taken for Paddle's sake; it concerns sparse gradients, and here all are dense.
        multi_precision: keep a float32 copy of half-precision parameters.
        use_multi_tensor: taken for Paddle's sake; all tensors are always updated in one call.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is out of its range; there are no parameters, or one appears twice.
    """

    _rule = "adam"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, beta1: Number = 0.9, beta2: Number = 0.999,
        epsilon: Number = 1e-8, parameters: Optional[Iterable[Any]] = None, weight_decay: Any = None,
        grad_clip: Any = None, lazy_mode: bool = False, multi_precision: bool = False,
        use_multi_tensor: bool = False, name: Optional[str] = None,
    ) -> None:
        self._multi_precision = multi_precision
        options = {**check_betas(beta1, beta2, epsilon), "lazy_mode": lazy_mode}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options)

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        return [
            Accumulator("moment1"),
            Accumulator("moment2"),
            Accumulator("beta1_pow_acc", float(group["beta1"]), single=True),
            Accumulator("beta2_pow_acc", float(group["beta2"]), single=True),
        ]

    def _constants(self, group: Options) -> list[float]:
        return [float(group["beta1"]), float(group["beta2"]), float(group["epsilon"])]

    def _rates(self, group: Options, params: Sequence[Tensor], rates: np.ndarray) -> np.ndarray:
        return np.stack([rates, np.ones_like(rates)], axis=1)


class AdamW(Optimizer):
    r"""Adam with decoupled weight decay ("Decoupled Weight Decay Regularization", arXiv:1711.05101).

    First :math:`w = w - lr \cdot \lambda w`, then the step of :class:`Adam`.

    Args:
        learning_rate: a float or a schedule.
        beta1: decay of the first moment, in [0, 1).
        beta2: decay of the second moment, in [0, 1).
        epsilon: keeps the denominator from 0.
        parameters: tensors, or groups of them; a group's ``"weight_decay"`` is its :math:`\lambda`.
        weight_decay: :math:`\lambda`, a float.
        lr_ratio: parameter to a factor on its learning rate (layer-wise decay), or None.
        apply_decay_param_fun: parameter name to whether it decays; all do where None.
        grad_clip: a gradient clip, or None.
        lazy_mode: taken for Paddle's sake; it concerns sparse gradients, and here all are dense.
        multi_precision: keep a float32 copy of half-precision parameters.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is out of its range; there are no parameters, or one appears twice.
    """

    _rule = "adam"
    _group_decay_first = False
    _decay_option = "weight_decay"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, beta1: Number = 0.9, beta2: Number = 0.999,
        epsilon: Number = 1e-8, parameters: Optional[Iterable[Any]] = None, weight_decay: Number = 0.01,
        lr_ratio: Optional[Callable[[Tensor], float]] = None,
        apply_decay_param_fun: Optional[Callable[[Any], bool]] = None, grad_clip: Any = None,
        lazy_mode: bool = False, multi_precision: bool = False, name: Optional[str] = None,
    ) -> None:
        for label, function in (("lr_ratio", lr_ratio), ("apply_decay_param_fun", apply_decay_param_fun)):
            if function is not None and not callable(function):
                raise TypeError(f"{label} must be callable, not {type(function).__name__}")
        self._lr_ratio = lr_ratio
        self._apply_decay_param_fun = apply_decay_param_fun
        self._multi_precision = multi_precision
        options = {**check_betas(beta1, beta2, epsilon), "lazy_mode": lazy_mode}
        options["weight_decay"] = _decay("weight_decay", weight_decay)
        super().__init__(learning_rate, parameters, None, grad_clip, name, options)

    _accumulator_kinds = Adam._accumulator_kinds
    _constants = Adam._constants

    def _rates(self, group: Options, params: Sequence[Tensor], rates: np.ndarray) -> np.ndarray:
        if self._lr_ratio is not None:
            rates = rates * np.array([float(self._lr_ratio(param)) for param in params])
        decay = _decay("the weight_decay of a group", group["weight_decay"])
        chosen = self._apply_decay_param_fun
        spared = [chosen is not None and not chosen(param.name) for param in params]
        decays = np.array([0.0 if spare else self._decay_of(param, decay) for param, spare in zip(params, spared)])
        return np.stack([rates, 1.0 - rates * decays], axis=1)


class Adamax(Optimizer):
    r"""Adam with the infinity norm in place of the second moment (arXiv:1412.6980, section 7).

    :math:`m = \beta_1 m + (1 - \beta_1) g`, :math:`u = \max(\beta_2 u + \epsilon, |g|)`,
    :math:`w = w - lr / (1 - \beta_1^t) \cdot m / u`.

    Args:
        learning_rate: a float or a schedule.
        beta1: decay of the moment, in [0, 1).
        beta2: decay of the norm, in [0, 1).
        epsilon: keeps the norm from 0.
        parameters: tensors, or groups of them.
        weight_decay: a float, ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a gradient clip, or None.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is out of its range; there are no parameters, or one appears twice.
    """

    _rule = "adamax"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-8, parameters: Optional[Iterable[Any]] = None, weight_decay: Any = None,
        grad_clip: Any = None, name: Optional[str] = None,
    ) -> None:
        options = check_betas(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, options)

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        power = Accumulator("beta1_pow_acc", float(group["beta1"]), single=True)
        return [Accumulator("moment"), Accumulator("inf_norm"), power]

    _constants = Adam._constants


def _decay(name: str, value: Any) -> float:
    """Return a decoupled weight decay as a float.

    Raises:
        TypeError: it is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Tensor)):
        raise TypeError(f"{name} must be a float, not {type(value).__name__}; AdamW decays without a regularizer")
    return float(value)
