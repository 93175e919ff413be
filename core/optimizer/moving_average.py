"""A moving average of weights, which often predicts better than the weights that are trained."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from core.autograd import no_grad
from core.kernels.optimizer import update as rules
from core.operators import cast
from core.tensor import Tensor, given_name, readable


class ExponentialMovingAverage:
    """Follows tensors with an exponential moving average: average = decay * average + (1 - decay) * tensor.

    The average begins as the tensors are. Integers are copied, as an average of them means nothing.

    Args:
        parameters: what to follow: parameters, and the buffers that belong to them.
        decay: close to 1; the average spans about 1 / (1 - decay) updates.
        thres_steps: whether the decay of update t, from 0, is at most (1 + t) / (10 + t), so that the first weights
            are soon forgotten.

    Raises:
        ValueError: ``decay`` is not between 0 and 1, or there is nothing to follow.
    """

    def __init__(self, parameters: Iterable[Tensor], decay: float = 0.999, thres_steps: bool = True) -> None:
        if isinstance(decay, bool) or not isinstance(decay, (int, float)) or not 0 <= decay < 1:
            raise ValueError(f"ExponentialMovingAverage: decay must be at least 0 and below 1, not {decay!r}")
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError("ExponentialMovingAverage: there are no parameters to follow")
        self.decay = float(decay)
        self.thres_steps = thres_steps
        self.updates = 0
        self._averages = [_copy(parameter) for parameter in self.parameters]
        self._trained: list[np.ndarray] = []

    def update(self) -> None:
        """Take in the parameters as they are now; call it after each step of the optimizer."""
        decay = self.decay
        if self.thres_steps:
            decay = min(decay, (1 + self.updates) / (10 + self.updates))
        self.updates += 1
        by_type: dict[str, list[tuple[Tensor, Tensor]]] = {}
        with no_grad():
            for average, parameter in zip(self._averages, self.parameters):
                kind = average.dtype.name
                if kind not in ("float32", "float64"):
                    average.set_value(parameter)
                    continue
                now = parameter if parameter.dtype.name == kind else cast(parameter, kind)
                by_type.setdefault(kind, []).append((average, now))
            for pairs in by_type.values():
                # The rule of plain descent with the gradient average - parameter: its L2 term is the average.
                terms = np.tile([-1.0, -np.inf, np.inf, 1.0, 0.0], (len(pairs), 1))
                columns = [[readable(tensor) for tensor in column] for column in zip(*pairs)]
                rules.update("sgd", columns, terms, np.full((len(pairs), 1), 1 - decay), [])

    @contextlib.contextmanager
    def apply(self) -> Iterator[None]:
        """Within the block the parameters have the averages as their values."""
        self._trained = [parameter.numpy() for parameter in self.parameters]
        try:
            self.hand_over()
            yield
        finally:
            self.restore()

    def restore(self) -> None:
        """Give the parameters their own values back; :meth:`apply` does it at the end of its block."""
        for parameter, value in zip(self.parameters, self._trained):
            parameter.set_value(value)
        self._trained = []

    def hand_over(self) -> None:
        """Give the parameters the averages as their values for good."""
        for parameter, average in zip(self.parameters, self._averages):
            parameter.set_value(average if average.dtype == parameter.dtype else cast(average, parameter.dtype))

    def reset(self, updates: int = 0) -> None:
        """Begin again from the parameters as they are now.

        Args:
            updates: how many updates this average is the result of.
        """
        for average, parameter in zip(self._averages, self.parameters):
            average.set_value(_copy(parameter))
        self.updates = updates

    def state_dict(self) -> dict[str, Any]:
        """Return the averages by their parameters' names, and the number of updates under ``updates``."""
        names = [given_name(parameter) or str(position) for position, parameter in enumerate(self.parameters)]
        return {**dict(zip(names, self._averages)), "updates": self.updates}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a :meth:`state_dict`.

        Args:
            state_dict: Tensors or arrays by the parameters' names.

        Raises:
            ValueError: a parameter's average is missing.
        """
        for position, (parameter, average) in enumerate(zip(self.parameters, self._averages)):
            name = given_name(parameter) or str(position)
            if name not in state_dict:
                raise ValueError(f"ExponentialMovingAverage: the state has no average of {name!r}")
            average.set_value(state_dict[name])
        self.updates = int(state_dict["updates"])


def _copy(tensor: Tensor) -> Tensor:
    """Return a tensor of its own memory; half precision becomes float32, in which small changes are not lost."""
    array = tensor.numpy()
    if tensor.dtype.name in ("float16", "bfloat16"):
        return cast(tensor, "float32").detach()
    return Tensor(np.array(array), tensor.dtype)
