"""LBFGS: a quasi-Newton method for losses without noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from core.autograd import enable_grad
from core.optimizer.line_search import Point, strong_wolfe
from core.optimizer.lr.scheduler import LRScheduler
from core.optimizer.optimizer import Optimizer
from core.tensor import Tensor

LEAST_CURVATURE = 1e-10
_REMEMBERED = ("direction", "gradient")


class _Move(NamedTuple):
    """One remembered move: how the parameters and the gradient changed, and 1 over their product."""

    step: np.ndarray
    change: np.ndarray
    weight: float


class LBFGS(Optimizer):
    """The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, algorithm 7.4).

    Each :meth:`step` makes several iterations, for which it evaluates the loss itself. All parameters together are one
    point; the moves that it remembers lie on the host.

    Args:
        learning_rate: the length of a step, or the first one that the line search tries: a float or a schedule.
        max_iter: iterations of one step at most.
        max_eval: evaluations of the loss in one step at most; 1.25 times ``max_iter`` where None.
        tolerance_grad: stop where no element of the gradient is larger.
        tolerance_change: stop where parameters, or the loss, change less.
        history_size: how many moves are remembered.
        line_search_fn: ``"strong_wolfe"``, or None for steps of fixed length.
        parameters: tensors in one group.
        weight_decay: not offered here: add the penalty to the loss.
        grad_clip: not offered here.
        name: not used in the state's names.

    Raises:
        NotImplementedError: ``weight_decay`` or ``grad_clip`` is given, or groups of parameters.
        ValueError: there are no parameters, or another line search is named.
    """

    def __init__(
        self, learning_rate: Union[float, LRScheduler] = 1.0, max_iter: int = 20, max_eval: Optional[int] = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: Optional[str] = None, parameters: Optional[Iterable[Any]] = None, weight_decay: Any = None,
        grad_clip: Any = None, name: Optional[str] = None,
    ) -> None:
        for option, given in (("weight_decay", weight_decay), ("grad_clip", grad_clip)):
            if given is not None:
                raise NotImplementedError(f"LBFGS: {option} is not offered: make it part of the loss")
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(f"LBFGS: line_search_fn is 'strong_wolfe' or None, not {line_search_fn!r}")
        super().__init__(learning_rate, parameters, None, None, name)
        if isinstance(self._parameter_list[0], dict):
            raise NotImplementedError("LBFGS: groups of parameters are not offered: give one list")
        self._max_iter = max_iter
        self._max_eval = max_eval if max_eval is not None else max_iter * 5 // 4
        self._tolerance_grad = tolerance_grad
        self._tolerance_change = tolerance_change
        self._history_size = history_size
        self._searches = line_search_fn is not None
        self._moves: list[_Move] = []
        self._vectors: dict[str, np.ndarray] = {}
        self._numbers: dict[str, float] = {"iterations": 0, "evaluations": 0, "distance": 0.0, "scale": 1.0}

    def step(self, closure: Optional[Callable[[], Tensor]] = None) -> Tensor:  # type: ignore[override]  # Paddle's signature
        """Make several iterations.

        Args:
            closure: clears the gradients, computes the loss, runs ``backward`` and returns the loss.

        Returns:
            The loss before the first iteration.

        Raises:
            TypeError: there is no closure.
        """
        if not callable(closure):
            raise TypeError("LBFGS.step takes a function that computes the loss and its gradients and returns it")
        first, loss, gradient = self._evaluate(closure)
        used = 1
        for iteration in range(1, self._max_iter + 1):
            if np.abs(gradient).max(initial=0) <= self._tolerance_grad:
                break
            direction = self._direction(gradient)
            slope = float(gradient @ direction)
            rate = self.get_lr()
            if self._numbers["iterations"] == 1:
                rate *= min(1.0, 1.0 / float(np.abs(gradient).sum()))
            self._vectors = {"direction": direction, "gradient": gradient}
            self._numbers["distance"] = rate
            if slope > -self._tolerance_change:
                break
            start, before = self._position(), loss
            if self._searches:
                best, count = self._search(closure, start, direction, Point(0.0, loss, gradient, slope), rate)
                rate, loss, gradient = best.distance, best.loss, best.gradient
                self._move_to(start + rate * direction)
                self._numbers["distance"] = rate
                used += count
            else:
                self._move_to(start + rate * direction)
                if iteration == self._max_iter:
                    break
                _, loss, gradient = self._evaluate(closure)
                used += 1
            still = np.abs(rate * direction).max(initial=0) <= self._tolerance_change
            if used >= self._max_eval or still or abs(loss - before) < self._tolerance_change:
                break
        return first

    def minimize(
        self, loss: Tensor, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> Any:
        """Is not offered: one evaluation of the loss is not enough for a step.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("LBFGS: minimize is not offered: call step with a function that computes the loss")

    # one iteration

    def _evaluate(self, closure: Callable[[], Tensor]) -> tuple[Tensor, float, np.ndarray]:
        """Return the loss, as a tensor and as a number, and the gradient of all parameters in one vector."""
        with enable_grad():
            loss = closure()
        self._numbers["evaluations"] += 1
        parts = []
        for param in self._trained():
            gradient = param.grad
            parts.append(np.zeros(param.size) if gradient is None else gradient.as_float_numpy().ravel())
        return loss, float(loss), np.concatenate(parts).astype(self._kind(), copy=False)

    def _direction(self, gradient: np.ndarray) -> np.ndarray:
        """Return where to go, from the gradient and the remembered moves."""
        self._numbers["iterations"] += 1
        if self._numbers["iterations"] == 1:
            return -gradient
        change = gradient - self._vectors["gradient"]
        step = self._vectors["direction"] * gradient.dtype.type(self._numbers["distance"])
        product = float(change @ step)
        if product > LEAST_CURVATURE:
            self._moves = [*self._moves, _Move(step, change, 1.0 / product)][-self._history_size :]
            self._numbers["scale"] = product / float(change @ change)
        direction, factors = -gradient, []
        for move in reversed(self._moves):
            factors.append(float(move.step @ direction) * move.weight)
            direction = direction - gradient.dtype.type(factors[-1]) * move.change
        direction = direction * gradient.dtype.type(self._numbers["scale"])
        for move, factor in zip(self._moves, reversed(factors)):
            missing = factor - float(move.change @ direction) * move.weight
            direction = direction + gradient.dtype.type(missing) * move.step
        return direction

    def _search(
        self, closure: Callable[[], Tensor], origin: np.ndarray, direction: np.ndarray, start: Point, distance: float
    ) -> tuple[Point, int]:
        def evaluate(distance: float) -> Point:
            self._move_to(origin + origin.dtype.type(distance) * direction)
            _, loss, gradient = self._evaluate(closure)
            return Point(distance, loss, gradient, float(gradient @ direction))

        length = float(np.abs(direction).max())
        return strong_wolfe(evaluate, start, distance, length, self._tolerance_change)

    # all parameters as one vector

    def _trained(self) -> list[Tensor]:
        return [param for param in self._parameter_list if not param.stop_gradient]

    def _kind(self) -> Any:
        return np.float64 if any(param.dtype.name == "float64" for param in self._trained()) else np.float32

    def _position(self) -> np.ndarray:
        parts = [param.as_float_numpy().ravel() for param in self._trained()]
        return np.concatenate(parts).astype(self._kind(), copy=False)

    def _move_to(self, position: np.ndarray) -> None:
        place = 0
        for param in self._trained():
            part = position[place : place + param.size].reshape(param.shape)
            param.set_value(Tensor(part, dtype=param.dtype))
            place += param.size

    # state

    def state_dict(self) -> dict[str, Any]:
        """Return the remembered moves (Tensors), the counts, and the schedule's state under ``LR_Scheduler``."""
        state: dict[str, Any] = dict(self._numbers)
        state.update({name: Tensor(vector) for name, vector in self._vectors.items()})
        if self._moves:
            state["steps"] = Tensor(np.stack([move.step for move in self._moves]))
            state["changes"] = Tensor(np.stack([move.change for move in self._moves]))
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a :meth:`state_dict`.

        Args:
            state_dict: what it returned.

        Raises:
            ValueError: an entry is missing.
        """
        missing = [name for name in self._numbers if name not in state_dict]
        if missing:
            raise ValueError(f"LBFGS: the optimizer state has no {missing[0]!r}")
        if isinstance(self._learning_rate, LRScheduler):
            if "LR_Scheduler" not in state_dict:
                raise ValueError("the optimizer state has no 'LR_Scheduler', but the learning rate is a schedule")
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
        self._numbers = {name: float(state_dict[name]) for name in self._numbers}
        self._vectors = {name: np.array(state_dict[name]) for name in _REMEMBERED if name in state_dict}
        pairs = zip(np.array(state_dict.get("steps", [])), np.array(state_dict.get("changes", [])))
        self._moves = [_Move(step, change, 1.0 / float(step @ change)) for step, change in pairs]

    set_dict = set_state_dict
