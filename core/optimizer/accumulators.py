"""What an optimizer remembers of each parameter, under the names that Paddle's ``.pdopt`` files use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.operators import cast, full
from core.tensor import Tensor


class Accumulator(NamedTuple):
    """One kind of remembered value.

    Args:
        name: its name, such as ``moment1``.
        fill: initial value.
        single: one number (of shape [1]) instead of one for each element of the parameter.
    """

    name: str
    fill: float = 0.0
    single: bool = False


class Accumulators:
    """The accumulators of all parameters of one optimizer, and the float32 copies of half-precision parameters.

    A parameter ``linear_0.w_0`` has its first moment under ``linear_0.w_0_moment1_0``, and with a float32 copy under
    ``linear_0.w_0_fp32_master_0_moment1_0``; the copy itself is in ``master_weights``.

    Args:
        prefix: the optimizer's own name, put before an accumulator's; None for none.
    """

    def __init__(self, prefix: Optional[str]) -> None:
        self._prefix = "" if prefix is None else f"{prefix}_"
        self._tensors: dict[str, dict[str, Tensor]] = {}
        self.masters: dict[str, Tensor] = {}
        self._waiting: dict[str, Any] = {}
        self._taken: set[str] = set()

    def master(self, param: Tensor) -> Tensor:
        """Return the float32 copy of a half-precision parameter, made on first use."""
        name = str(param.name)
        if name not in self.masters:
            self.masters[name] = cast(param, "float32").detach()
            self.masters[name].name = f"{name}_fp32_master_0"
        return self.masters[name]

    def of(self, owner: Tensor, kinds: Sequence[Accumulator]) -> list[Tensor]:
        """Return a parameter's accumulators, made on first use from a loaded state or from their initial values.

        Args:
            owner: the parameter, or its float32 copy.
            kinds: which accumulators the optimizer wants.

        Raises:
            ValueError: a state was loaded and it lacks one of them, or has it in another shape.
        """
        name = str(owner.name)
        found = []
        for kind in kinds:
            tensors = self._tensors.setdefault(kind.name, {})
            if name not in tensors:
                dtype = owner.dtype if owner.dtype.name == "float64" else "float32"
                tensors[name] = full([1] if kind.single else owner.shape, kind.fill, dtype)
                tensors[name].name = self._key(name, kind.name)
                if self._waiting:
                    self._restore(tensors[name])
            found.append(tensors[name])
        return found

    def _key(self, parameter: str, kind: str) -> str:
        return f"{parameter}_{self._prefix}{kind}_0"

    def _restore(self, tensor: Tensor) -> None:
        """Set a new accumulator from the loaded state."""
        key = str(tensor.name)
        if key not in self._waiting:
            # Paddle numbers the optimizers that one process makes for one parameter: ..._moment1_1
            others = [name for name in self._waiting if re.fullmatch(re.escape(key[:-1]) + r"\d+", name)]
            if len(others) != 1:
                raise ValueError(
                    f"the loaded optimizer state has no {key!r}; it holds e.g. {sorted(self._waiting)[:3]}: load a"
                    " state of this optimizer class, and of a model whose parameters have these names"
                )
            key = others[0]
        value = self._waiting[key]
        array = value.numpy() if isinstance(value, Tensor) else np.asarray(value)
        if array.size == tensor.size == 1:
            array = array.reshape(tensor.shape)
        if list(array.shape) != tensor.shape:
            raise ValueError(
                f"the optimizer state {key!r} has shape {list(array.shape)}, its parameter needs {tensor.shape}"
            )
        tensor.set_value(array)
        self._taken.add(key)

    def state(self) -> dict[str, Any]:
        """Return all accumulators by their full names, and the float32 copies under ``master_weights``.

        Those of a loaded state that no step has asked for yet are among them.
        """
        state: dict[str, Any] = {
            name: value if isinstance(value, Tensor) else Tensor(value)
            for name, value in self._waiting.items()
            if name not in self._taken and isinstance(value, (Tensor, np.ndarray))
        }
        state.update((str(tensor.name), tensor) for tensors in self._tensors.values() for tensor in tensors.values())
        if self.masters:
            state["master_weights"] = dict(self.masters)
        return state

    def load(self, state: dict[str, Any]) -> None:
        """Take over a state; accumulators that do not exist yet will take their value from it when they are made.

        Args:
            state: as :meth:`state` gives it, with Tensors or numpy arrays.

        Raises:
            ValueError: an accumulator that exists is missing, or has another shape.
        """
        state = dict(state)
        masters = state.pop("master_weights", {})
        for name, value in masters.items():
            array = value.numpy() if isinstance(value, Tensor) else np.asarray(value)
            self.masters[name] = Tensor(array, "float32", name=f"{name}_fp32_master_0")
        self._waiting, self._taken = state, set()
        for tensors in self._tensors.values():
            for tensor in tensors.values():
                self._restore(tensor)
