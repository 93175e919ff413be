"""What may be given to an optimizer as its parameters: tensors, or groups of them with options of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

from core.optimizer.lr.scheduler import LRScheduler
from core.tensor import Tensor, given_name

Options = dict[str, Any]


class ParameterOptions(NamedTuple):
    """What one parameter has of its own, within a group; see :meth:`Optimizer.set_parameter_options`.

    Args:
        factor: on its learning rate.
        schedule: where its learning rate comes from; None: from the optimizer.
        weight_decay: its strength, in place of the regularizer's or decay's of group, optimizer and parameter; None: as
            these say.
    """

    factor: float = 1.0
    schedule: Optional[LRScheduler] = None
    weight_decay: Optional[float] = None


def listed(parameters: Any) -> list[Any]:
    """Return the parameters, or the groups, as a list.

    Args:
        parameters: tensors or dicts.

    Raises:
        TypeError: they are a Tensor or a dict.
        ValueError: there are none.
    """
    if parameters is None:
        raise ValueError("an optimizer needs its parameters: give parameters=model.parameters()")
    if isinstance(parameters, (Tensor, dict)):
        kind = "Tensor" if isinstance(parameters, Tensor) else "dict"
        raise TypeError(f"parameters must be a list of Tensors or of dicts (groups), not a {kind}")
    found = list(parameters)
    if not found:
        raise ValueError("an optimizer needs at least one parameter, but parameters is empty")
    return found


def checked_group(param_group: Any, known: set[str], optimizer: str) -> Options:
    """Return a copy of a group whose ``"params"`` is a list.

    Args:
        param_group: the group.
        known: the keys that it may have.
        optimizer: the optimizer's name, for the message.

    Raises:
        TypeError: it is not a dict with ordered ``"params"``.
        ValueError: it has a key that is not known.
    """
    if not isinstance(param_group, dict) or "params" not in param_group:
        raise TypeError("every parameter group must be a dict with 'params'")
    group = dict(param_group)
    params = group["params"]
    if isinstance(params, (set, frozenset)):
        raise TypeError("the parameters of a group must be ordered: give a list instead of a set")
    group["params"] = [params] if isinstance(params, Tensor) else list(params)
    unknown = sorted(set(group) - known)
    if unknown:
        raise ValueError(f"{optimizer} knows no group options {unknown}; it knows {sorted(known)}")
    return group


def check_names(others: Sequence[Tensor], params: Sequence[Any]) -> None:
    """Check that parameters are new and have names of their own; one without a name is given one.

    Args:
        others: the parameters that the optimizer already has.
        params: the ones to check.

    Raises:
        TypeError: one is not a Tensor.
        ValueError: one appears twice, or two have the same name.
    """
    names = {param.name: param for param in others}
    for param in params:
        if not isinstance(param, Tensor):
            raise TypeError(f"an optimizer takes Tensors, not {type(param).__name__}")
        if given_name(param) is None:
            param.name = f"unnamed_{len(names)}"
        if names.get(param.name) is param:
            raise ValueError(f"parameter {param.name!r} appears twice in the optimizer")
        if param.name in names:
            raise ValueError(f"two parameters are named {param.name!r}; the optimizer's state needs different names")
        names[param.name] = param
