"""GradScaler: loss scaling, which keeps small gradients above what float16 can hold."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from core.autograd import no_grad
from core.kernels.optimizer import update
from core.operators.arithmetic.math import multiply
from core.operators.creation.creation import cast
from core.tensor import Tensor, readable

logger = logging.getLogger("core.amp")

_UNSCALED, _STEPPED = "unscaled", "stepped"


class GradScaler:
    """Scales the loss, scales the gradients back, and skips steps whose gradients are not finite.

    Dynamic scaling multiplies the factor by ``incr_ratio`` after ``incr_every_n_steps`` finite steps in a row, and by
    ``decr_ratio`` after ``decr_every_n_nan_or_inf`` in a row that were not.

    Args:
        enable: False: gradients and losses stay as they are.
        init_loss_scaling: The first factor.
        incr_ratio: Above 1.
        decr_ratio: Below 1.
        incr_every_n_steps: Positive.
        decr_every_n_nan_or_inf: Positive.
        use_dynamic_loss_scaling: False: the factor stays as it is.

    Raises:
        ValueError: a number is outside its range.
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 65536.0,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 2000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:
        self._enable = enable
        self._use_dynamic_loss_scaling = bool(enable and use_dynamic_loss_scaling)
        self.set_init_loss_scaling(init_loss_scaling)
        self.set_incr_ratio(incr_ratio)
        self.set_decr_ratio(decr_ratio)
        self.set_incr_every_n_steps(incr_every_n_steps)
        self.set_decr_every_n_nan_or_inf(decr_every_n_nan_or_inf)
        self._incr_count = 0
        self._decr_count = 0
        self._found_inf = False
        self._states: dict[int, str] = {}

    def scale(self, var: Tensor) -> Tensor:
        """Return a loss times the factor.

        Args:
            var: The loss.

        Raises:
            TypeError: it is no Tensor.
        """
        if not isinstance(var, Tensor):
            raise TypeError(f"GradScaler.scale: expects the loss as a Tensor, got {type(var).__name__}")
        return multiply(var, self._scale) if self._enable else var

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the factor, and see whether they are finite.

        Args:
            optimizer: The optimizer.

        Raises:
            RuntimeError: it was done already, or the step was.
        """
        if not self._enable:
            return
        state = self._states.get(id(optimizer))
        if state == _UNSCALED:
            raise RuntimeError("GradScaler: unscale_() was called for this optimizer already since the last update()")
        if state == _STEPPED:
            raise RuntimeError("GradScaler: unscale_() comes before step(): call update() after each step")
        groups = [group["params"] for group in optimizer._param_groups]
        parameters = [parameter for group in groups for parameter in group if parameter.grad is not None]
        self._found_inf = not _all_finite([parameter.grad for parameter in parameters])
        with no_grad():
            for parameter in parameters:
                parameter._grad = multiply(parameter.grad, 1.0 / self._scale)
        self._states[id(optimizer)] = _UNSCALED

    def step(self, optimizer: Any) -> None:
        """Let an optimizer make a step where its gradients are finite, scaled back first.

        Args:
            optimizer: The optimizer.

        Raises:
            RuntimeError: it made one already since the last :meth:`update`.
        """
        if not self._enable:
            optimizer.step()
            return
        if self._states.get(id(optimizer)) == _STEPPED:
            raise RuntimeError("GradScaler: step() was called for this optimizer already since the last update()")
        if self._states.get(id(optimizer)) is None:
            self.unscale_(optimizer)
        if not self._found_inf:
            optimizer.step()
        self._states[id(optimizer)] = _STEPPED
        if not self._use_dynamic_loss_scaling:
            self._states = {}

    def minimize(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Let an optimizer minimize a loss where its gradients are finite, and :meth:`update`.

        Args:
            optimizer: The optimizer.
            args: What ``optimizer.minimize`` takes, the scaled loss first.
            kwargs: The same.

        Returns:
            What ``optimizer.minimize`` returned; two times None where the step was skipped.
        """
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        if self._states.get(id(optimizer)) is None:
            self.unscale_(optimizer)
        result: Any = (None, None)
        if not self._found_inf:
            result = optimizer.minimize(*args, **kwargs)
        self._move_scale()
        self._states = {}
        return result

    def update(self) -> None:
        """Move the factor, after a step."""
        if self._enable:
            self._move_scale()
            self._states = {}

    def _move_scale(self) -> None:
        if not self._use_dynamic_loss_scaling:
            return
        if self._found_inf:
            self._incr_count = 0
            self._decr_count += 1
            if self._decr_count == self._decr_every_n_nan_or_inf:
                self._decr_count = 0
                logger.info(
                    "GradScaler: a gradient is infinite or not a number; the loss is scaled by %g from now on, not %g",
                    self._scale * self._decr_ratio,
                    self._scale,
                )
                self._scale *= self._decr_ratio
        else:
            self._decr_count = 0
            self._incr_count += 1
            if self._incr_count == self._incr_every_n_steps:
                self._incr_count = 0
                self._scale *= self._incr_ratio

    # settings

    def is_enable(self) -> bool:
        """Return whether losses are scaled."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """Return whether the factor moves."""
        return self._use_dynamic_loss_scaling

    def get_init_loss_scaling(self) -> float:
        """Return the first factor."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Set the factor.

        Args:
            new_init_loss_scaling: Positive and finite.

        Raises:
            ValueError: it is not.
        """
        if not (math.isfinite(new_init_loss_scaling) and new_init_loss_scaling > 0):
            raise ValueError(f"GradScaler: init_loss_scaling must be a positive number, not {new_init_loss_scaling!r}")
        self._init_loss_scaling = self._scale = float(new_init_loss_scaling)

    def get_incr_ratio(self) -> float:
        """Return what the factor is multiplied by to grow."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Set what the factor is multiplied by to grow.

        Args:
            new_incr_ratio: Above 1.

        Raises:
            ValueError: it is not.
        """
        if not new_incr_ratio > 1.0:
            raise ValueError(f"GradScaler: incr_ratio must be above 1, not {new_incr_ratio!r}")
        self._incr_ratio = float(new_incr_ratio)

    def get_decr_ratio(self) -> float:
        """Return what the factor is multiplied by to shrink."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Set what the factor is multiplied by to shrink.

        Args:
            new_decr_ratio: Between 0 and 1.

        Raises:
            ValueError: it is not.
        """
        if not 0.0 < new_decr_ratio < 1.0:
            raise ValueError(f"GradScaler: decr_ratio must be between 0 and 1, not {new_decr_ratio!r}")
        self._decr_ratio = float(new_decr_ratio)

    def get_incr_every_n_steps(self) -> int:
        """Return after how many finite steps in a row the factor grows."""
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Set after how many finite steps in a row the factor grows.

        Args:
            new_incr_every_n_steps: Positive.

        Raises:
            ValueError: it is not.
        """
        self._incr_every_n_steps = _count("incr_every_n_steps", new_incr_every_n_steps)

    def get_decr_every_n_nan_or_inf(self) -> int:
        """Return after how many steps in a row that are not finite the factor shrinks."""
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Set after how many steps in a row that are not finite the factor shrinks.

        Args:
            new_decr_every_n_nan_or_inf: Positive.

        Raises:
            ValueError: it is not.
        """
        self._decr_every_n_nan_or_inf = _count("decr_every_n_nan_or_inf", new_decr_every_n_nan_or_inf)

    # state

    def state_dict(self) -> dict[str, Any]:
        """Return the factor, settings and counts by Paddle's names; nothing where it is not enabled."""
        if not self._enable:
            return {}
        return {
            "scale": np.array([self._scale], np.float32),
            "incr_ratio": self._incr_ratio,
            "decr_ratio": self._decr_ratio,
            "incr_every_n_steps": self._incr_every_n_steps,
            "decr_every_n_nan_or_inf": self._decr_every_n_nan_or_inf,
            "incr_count": self._incr_count,
            "decr_count": self._decr_count,
            "use_dynamic_loss_scaling": self._use_dynamic_loss_scaling,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a :meth:`state_dict`.

        Args:
            state_dict: What that returned.

        Raises:
            RuntimeError: it is of a scaler that was not enabled.
        """
        if not self._enable:
            return
        if not state_dict:
            raise RuntimeError("GradScaler.load_state_dict: the state is empty: that scaler was not enabled")
        self.set_init_loss_scaling(float(np.asarray(state_dict["scale"]).reshape(-1)[0]))
        self.set_incr_ratio(state_dict["incr_ratio"])
        self.set_decr_ratio(state_dict["decr_ratio"])
        self.set_incr_every_n_steps(state_dict["incr_every_n_steps"])
        self.set_decr_every_n_nan_or_inf(state_dict["decr_every_n_nan_or_inf"])
        self._incr_count = int(state_dict["incr_count"])
        self._decr_count = int(state_dict["decr_count"])
        self._use_dynamic_loss_scaling = bool(state_dict["use_dynamic_loss_scaling"])


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise ValueError(f"GradScaler: {name} must be a positive integer, not {value!r}")
    return int(value)


def _all_finite(gradients: list[Tensor]) -> bool:
    """Return whether every number is finite: so is a sum of squares of float32 in float64, and only so."""
    with no_grad():
        wide = [cast(g, "float32") if g.dtype.size == 2 else g for g in gradients]
    kinds = {gradient.dtype for gradient in wide}
    sums = [update.sum_of_squares([readable(g) for g in wide if g.dtype is kind]) for kind in kinds]
    return all(bool(np.isfinite(found).all()) for found in sums)


AmpScaler = GradScaler
