"""Lamb: Adam's direction, scaled layer by layer to the size of the weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from core.optimizer.adam import Adam, check_betas
from core.optimizer.lr.scheduler import LRScheduler
from core.optimizer.optimizer import Optimizer, Options
from core.tensor import Tensor


class Lamb(Optimizer):
    r"""LAMB ("Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", arXiv:1904.00962).

    .. math::
        m &= \beta_1 m + (1 - \beta_1) g, \qquad v = \beta_2 v + (1 - \beta_2) g^2 \\
        d &= \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} + \lambda w, \qquad
        w = w - lr \frac{\lVert w \rVert}{\lVert d \rVert} d

    The ratio of the norms is 1 where one of them is 0.

    Args:
        learning_rate: a float or a schedule.
        lamb_weight_decay: :math:`\lambda`.
        beta1: decay of the first moment, in [0, 1).
        beta2: decay of the second moment, in [0, 1).
        epsilon: keeps the denominator from 0.
        parameters: tensors, or groups of them.
        grad_clip: a gradient clip, or None.
        exclude_from_weight_decay_fn: parameter to whether it is spared from :math:`\lambda` (and then from the ratio
            too), or None.
        multi_precision: keep a float32 copy of half-precision parameters.
        always_adapt: use the ratio for parameters without decay too.
        name: put before the names of accumulators.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is out of its range; there are no parameters, or one appears twice.
    """

    _rule = "lamb"
    _decay_option = "lamb_weight_decay"

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9,
        beta2: float = 0.999, epsilon: float = 1e-6, parameters: Optional[Iterable[Any]] = None,
        grad_clip: Any = None, exclude_from_weight_decay_fn: Optional[Callable[[Tensor], bool]] = None,
        multi_precision: bool = False, always_adapt: bool = False, name: Optional[str] = None,
    ) -> None:
        self._multi_precision = multi_precision
        self._always_adapt = always_adapt
        options = check_betas(beta1, beta2, epsilon)
        options["lamb_weight_decay"] = lamb_weight_decay
        options["exclude_from_weight_decay_fn"] = exclude_from_weight_decay_fn
        super().__init__(learning_rate, parameters, None, grad_clip, name, options)

    _accumulator_kinds = Adam._accumulator_kinds
    _constants = Adam._constants

    def _rates(self, group: Options, params: Sequence[Tensor], rates: np.ndarray) -> np.ndarray:
        excluded = group["exclude_from_weight_decay_fn"]
        decay = float(group["lamb_weight_decay"])
        spared = [excluded is not None and excluded(param) for param in params]
        decays = np.array([0.0 if spare else self._decay_of(param, decay) for param, spare in zip(params, spared)])
        return np.stack([rates, decays, (decays != 0) | self._always_adapt], axis=1)
