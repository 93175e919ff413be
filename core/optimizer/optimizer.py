"""The base of all optimizers, with Paddle's rules for parameters, groups, learning rate, decay, clipping and state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from core.autograd import no_grad
from core.kernels.optimizer import update
from core.operators import cast
from core.optimizer.accumulators import Accumulator, Accumulators
from core.optimizer.gradients import Regularizer, checked_clip, checked_regularizer, prepare
from core.optimizer.groups import Options, ParameterOptions, check_names, checked_group, listed
from core.optimizer.lr.scheduler import LRScheduler
from core.regularizer import L2Decay
from core.tensor import Tensor, readable

Pairs = list[tuple[Tensor, Tensor]]

_NO_OPTIONS = ParameterOptions()


class Optimizer:
    """Base class of the optimizers; not used itself.

    A step takes the gradients that ``backward`` has accumulated, clips them, adds weight decay, and writes the new
    weights into the parameters' memory. A parameter's own ``ParamAttr`` counts: its ``learning_rate`` is a factor on
    the optimizer's, its ``regularizer`` overrides ``weight_decay``, ``need_clip=False`` opts out of clipping.

    Args:
        learning_rate: a float or a schedule of :mod:`core.optimizer.lr`.
        parameters: tensors; or groups, dicts with the tensors under ``"params"`` and the group's own options, of which
            ``"learning_rate"`` is a factor on the optimizer's. In groups the parameters' own regularizers do not count.
        weight_decay: a float (strength of an L2 penalty), ``L1Decay``, ``L2Decay``, or None.
        grad_clip: a clip of :mod:`core.nn`, or None.
        name: put before the names of accumulators in :meth:`state_dict`.

    Raises:
        TypeError: an argument is of another type.
        ValueError: there are no parameters, or one appears twice.
    """

    _rule = ""
    _multi_precision = False
    _group_decay_first = True
    _decay_option = ""

    def __init__(
        self,
        learning_rate: Union[float, LRScheduler],
        parameters: Optional[Iterable[Any]] = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> None:
        if not isinstance(learning_rate, (float, LRScheduler)):
            raise TypeError(f"learning_rate must be a float or an LRScheduler, not {type(learning_rate).__name__}")
        self._learning_rate = learning_rate
        self._grad_clip = checked_clip(grad_clip)
        self.regularization = checked_regularizer(weight_decay)
        self._default_dict: Options = dict(options or {})
        self._accumulators = Accumulators(name)
        self._parameter_list = listed(parameters)
        self._param_groups: list[Options] = []
        self._parameter_options: dict[str, ParameterOptions] = {}
        if isinstance(self._parameter_list[0], dict):
            for group in self._parameter_list:
                self._add_param_group(group)
        else:
            self._append_group({"params": self._parameter_list})
        self.clear_gradients = self.clear_grad

    # parameters

    def _add_param_group(self, param_group: Options) -> None:
        """Add a group of parameters with options of its own.

        Args:
            param_group: ``"params"`` and options: ``learning_rate`` (a factor), ``weight_decay``, ``grad_clip``, and
                the optimizer's hyper-parameters.

        Raises:
            TypeError: it has no ordered ``"params"``.
            ValueError: it names an unknown option, or a parameter that another group has.
        """
        known = {"params", "learning_rate", "weight_decay", "grad_clip", *self._default_dict}
        group = checked_group(param_group, known, type(self).__name__)
        group["grad_clip"] = checked_clip(group.get("grad_clip", self._grad_clip))
        for param in group["params"]:
            factor = group.get("learning_rate", 1.0)
            param.optimize_attr = {**getattr(param, "optimize_attr", {}), "learning_rate": factor}
        if self._group_decay_first:
            group["regularizer"] = self._group_regularizer(group)
        self._append_group(group)

    def _group_regularizer(self, group: Options) -> Optional[Regularizer]:
        """Return what decays the parameters of a group: its own ``weight_decay``, else the optimizer's."""
        own = checked_regularizer(group.get("weight_decay"))
        return self.regularization if own is None else own

    def _append_group(self, group: Options) -> None:
        """Fill in the defaults of a group and check its parameters against those of the others."""
        for key, value in {**self._default_dict, "grad_clip": self._grad_clip}.items():
            group.setdefault(key, value)
        check_names([param for other in self._param_groups for param in other["params"]], group["params"])
        self._param_groups.append(group)

    def set_parameter_options(self, options: Mapping[str, ParameterOptions]) -> None:
        """Give single parameters a learning rate and weight decay of their own.

        Unlike groups, such parameters are updated in one call with all others, and a clip by the norm of all gradients
        is one over all of them.

        Args:
            options: by the parameters' names (``param.name``).
        """
        self._parameter_options = dict(options)

    def _options_of(self, param: Tensor) -> ParameterOptions:
        return self._parameter_options.get(str(param.name), _NO_OPTIONS)

    # learning rate

    def get_lr(self) -> float:
        """Return the current learning rate, without the factors of parameters and groups."""
        return self._learning_rate() if isinstance(self._learning_rate, LRScheduler) else self._learning_rate

    def set_lr(self, value: float) -> None:
        """Set the learning rate.

        Args:
            value: the new learning rate.

        Raises:
            TypeError: it is not a number.
            RuntimeError: the learning rate comes from a schedule.
        """
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"set_lr takes a float, not {type(value).__name__}")
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError("the learning rate comes from a schedule; use set_lr_scheduler() to replace it")
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Take the learning rate from a schedule from now on.

        Args:
            scheduler: the schedule.

        Raises:
            TypeError: it is not one.
        """
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(f"set_lr_scheduler takes an LRScheduler, not {type(scheduler).__name__}")
        self._learning_rate = scheduler

    # steps

    def step(self) -> None:
        """Update every parameter that has a gradient and is not frozen (``stop_gradient``)."""
        with no_grad():
            for group in self._param_groups:
                pairs = [(p, p.grad) for p in group["params"] if not p.stop_gradient and p.grad is not None]
                self._update(group, pairs)

    def minimize(
        self, loss: Tensor, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> tuple[None, Pairs]:
        """Update parameters from the gradients that ``loss.backward()`` has left; does not run it itself.

        Args:
            loss: the loss; only checked for being a Tensor.
            startup_program: taken for Paddle's sake and not used.
            parameters: update these alone; all where None.
            no_grad_set: tensors, or names, to leave out.

        Returns:
            None, and the list of (parameter, gradient) pairs.

        Raises:
            TypeError: ``loss`` is not a Tensor.
        """
        pairs = self.backward(loss, startup_program, parameters, no_grad_set)
        return None, self.apply_gradients(pairs)

    def backward(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> Pairs:
        """Return the gradients that ``loss.backward()`` has left; does not run it itself.

        Args:
            loss: the loss; only checked for being a Tensor.
            startup_program: taken for Paddle's sake and not used.
            parameters: return those of these alone; all where None.
            no_grad_set: tensors, or names, to leave out.
            callbacks: taken for Paddle's sake and not used.

        Returns:
            (parameter, gradient) pairs.

        Raises:
            TypeError: ``loss`` is not a Tensor.
        """
        if not isinstance(loss, Tensor):
            raise TypeError(f"minimize and backward take the loss as a Tensor, not {type(loss).__name__}")
        wanted = None if not parameters else {_name(item) for item in parameters}
        barred = {_name(item) for item in no_grad_set or ()}
        return [
            (param, param.grad)
            for group in self._param_groups
            for param in group["params"]
            if not param.stop_gradient and param.grad is not None
            if param.name not in barred and (wanted is None or param.name in wanted)
        ]

    def apply_gradients(self, params_grads: Pairs) -> Pairs:
        """Update parameters from the gradients given.

        Args:
            params_grads: (parameter, gradient) pairs, such as :meth:`backward` returns.

        Returns:
            The pairs.
        """
        with no_grad():
            for group in self._param_groups:
                members = {id(param) for param in group["params"]}
                self._update(group, [pair for pair in params_grads if id(pair[0]) in members])
        return params_grads

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clear the gradients of all parameters that are not frozen.

        Args:
            set_to_zero: zeros where there was a gradient (Paddle's default; the next step then applies momentum and
                decay to them all the same), or with False no gradient at all, which is faster.
        """
        for group in self._param_groups:
            for param in group["params"]:
                if not param.stop_gradient:
                    param.clear_gradient(set_to_zero)

    def _update(self, group: Options, pairs: Pairs) -> None:
        """Update some parameters of one group."""
        if not pairs:
            return
        params = [param for param, _ in pairs]
        regularizers = [self._regularizer_of(param, group) for param in params]
        weights = [self._weight_of(param) for param in params]
        raw = [grad for _, grad in pairs]
        gradients, terms = prepare(params, raw, group["grad_clip"], regularizers, self._rescale(group))
        rates = self._rates(group, params, self._learning_rates(params))
        kinds = self._accumulator_kinds(group)
        for dtype in sorted({weight.dtype.name for weight in weights}):
            chosen = [index for index, weight in enumerate(weights) if weight.dtype.name == dtype]
            columns = [[weights[index] for index in chosen], [_as(gradients[index], dtype) for index in chosen]]
            remembered = [self._accumulators.of(weights[index], kinds) for index in chosen]
            columns += [list(column) for column in zip(*remembered)]
            values = [[readable(tensor) for tensor in column] for column in columns]
            update.update(self._rule, values, terms[chosen], rates[chosen], self._constants(group))
        copies = [(weight, param) for param, weight in zip(params, weights) if weight is not param]
        if copies:
            update.write_half(*[[readable(tensor) for tensor in column] for column in zip(*copies)])

    def _weight_of(self, param: Tensor) -> Tensor:
        """Return what the rule updates: the parameter, or a float32 copy of a half-precision one."""
        if param.dtype.name in ("float32", "float64"):
            return param
        if self._multi_precision:
            return self._accumulators.master(param)
        copy = cast(param, "float32").detach()
        copy.name = param.name
        return copy

    def _regularizer_of(self, param: Tensor, group: Options) -> Optional[Regularizer]:
        """Return what decays a parameter through its gradient."""
        strength = self._options_of(param).weight_decay
        if strength is not None and not self._decay_option:
            return L2Decay(strength)
        if "regularizer" in group:
            return group["regularizer"]
        own = getattr(param, "regularizer", None)
        return self.regularization if own is None else own

    def _learning_rates(self, params: Sequence[Tensor]) -> np.ndarray:
        """Return each parameter's learning rate."""
        factors = [getattr(param, "optimize_attr", {}).get("learning_rate", 1.0) for param in params]
        rates = self.get_lr() * np.array([float(factor) for factor in factors])
        if self._parameter_options:
            for index, param in enumerate(params):
                own = self._options_of(param)
                if own.schedule is not None:
                    rates[index] = own.schedule() * float(factors[index])
                rates[index] *= own.factor
        return rates

    def _decay_of(self, param: Tensor, decay: float) -> float:
        """Return the decoupled weight decay of a parameter, given that of its group."""
        own = self._options_of(param).weight_decay
        return decay if own is None else own

    def _weight_decay(self, param: Tensor) -> float:
        """Return the strength of a parameter's weight decay, of whatever kind."""
        group = next(group for group in self._param_groups if any(other is param for other in group["params"]))
        if self._decay_option:
            return self._decay_of(param, float(group[self._decay_option]))
        return float(getattr(self._regularizer_of(param, group), "_coeff", 0.0))

    # what a rule is made of

    def _accumulator_kinds(self, group: Options) -> list[Accumulator]:
        """Return the accumulators, in the order of the rule's columns."""
        return []

    def _constants(self, group: Options) -> list[float]:
        """Return the rule's constants."""
        return []

    def _rates(self, group: Options, params: Sequence[Tensor], rates: np.ndarray) -> np.ndarray:
        """Return the rule's numbers of each parameter, the learning rate first: shape (parameters, r)."""
        return rates[:, None]

    def _rescale(self, group: Options) -> float:
        """Return a factor on all gradients."""
        return 1.0

    # state

    def state_dict(self) -> dict[str, Any]:
        """Return the accumulators (Tensors) by name, and the schedule's state under ``LR_Scheduler``."""
        state = self._accumulators.state()
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a :meth:`state_dict`, or from a loaded ``.pdopt`` file.

        Args:
            state_dict: Tensors or numpy arrays by name.

        Raises:
            ValueError: an entry is missing or has another shape (for parameters that were not updated yet: at their
                first step).
        """
        state = dict(state_dict)
        schedule = state.pop("LR_Scheduler", None)
        if isinstance(self._learning_rate, LRScheduler):
            if schedule is None:
                raise ValueError("the optimizer state has no 'LR_Scheduler', but the learning rate is a schedule")
            self._learning_rate.set_state_dict(schedule)
        self._accumulators.load(state)

    set_dict = set_state_dict


def _name(item: Any) -> Any:
    """Return the name of a tensor, or a name as it is."""
    return item.name if isinstance(item, Tensor) else item


def _as(gradient: Tensor, dtype: str) -> Tensor:
    """Return a gradient in the type of its weight."""
    return gradient if gradient.dtype.name == dtype else cast(gradient, dtype)
