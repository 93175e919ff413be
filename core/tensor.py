"""Tensor: a handle to one value, eager or being traced.

The arithmetic methods are attached by ``core.operators._methods``; here is what a handle itself knows: its value,
whether it needs a gradient, its gradient, and how to read it.
"""

from __future__ import annotations

import importlib
import itertools
import math
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from core.kernels.data import (
    default_dtype as default_dtype,
)
from core.kernels.data import (
    get_default_dtype as get_default_dtype,
)
from core.kernels.data import (
    numpy_of,
)
from core.kernels.data import (
    set_default_dtype as set_default_dtype,
)
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.errors import user_line as user_line
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DType, DTypeLike, bfloat16, to_dtype
from core.kernels.engine import engine, host_array
from core.kernels.place import Place, check_place, current_place
from core.kernels.printing import elements_text
from core.kernels.sizes.dimension import symbolic_shape

_generated, _results = itertools.count(), itertools.count()


class Tensor:
    """A multi-dimensional array that gradients can flow through.

    Users make tensors with :func:`core.to_tensor` and the creation functions; ``Tensor(data)`` does the same.

    Args:
        data: A :class:`Value` (inside core), or anything that numpy turns into an array.
        dtype: Element type; inferred from the data when None.
        stop_gradient: True when no gradient is wanted.
        name: A name for messages and checkpoints; one is made up when it is asked for.
        place: The current device, by name or as a place; None means the same.
        persistable: Whether layers keep it in checkpoints.
        zero_copy: Unused: the data are copied.

    Raises:
        RuntimeError: the place is another device.
    """

    __slots__ = ("_value", "_grad", "_hooks", "_name", "persistable", "__dict__", "__weakref__")

    def __init__(
        self,
        data: Any,
        dtype: DTypeLike = None,
        stop_gradient: bool = True,
        name: Optional[str] = None,
        *,
        place: Any = None,
        persistable: bool = False,
        zero_copy: Optional[bool] = None,
    ) -> None:
        if place is not None:
            check_place(place)
        if not isinstance(data, Value):
            data = value_from_data(data, dtype)
            data.owner = weakref.ref(self)
            data.requires_grad = not stop_gradient
        self._value: Value = data
        self._grad: Optional[Tensor] = None
        self._hooks: Optional[dict[int, Callable[[Tensor], Any]]] = None
        self._name = name
        self.persistable = persistable

    # what it is

    @property
    def name(self) -> str:
        """The name that it was given, or else a unique one: ``generated_tensor_0`` of data, ``eager_tmp_0`` else."""
        if self._name is None:
            data = self._value.owner is not None
            kind, numbers = ("generated_tensor", _generated) if data else ("eager_tmp", _results)
            self._name = f"{kind}_{next(numbers)}"
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def shape(self) -> list[int]:
        """The size of each axis; an empty list for a 0-D tensor."""
        return symbolic_shape(self._value) if self._value.second is not None else list(self._value.meta[0])

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._value.meta[1]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._value.meta[0])

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def place(self) -> Place:
        """The device that holds it, such as ``Place(cpu)``."""
        return current_place()

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user and not by a recorded operation."""
        return self._value.node is None

    def dim(self) -> int:
        """Return the number of axes."""
        return self.ndim

    ndimension = dim

    def element_size(self) -> int:
        """Return the bytes of one element."""
        return self.dtype.size

    def is_floating_point(self) -> bool:
        """Return whether the elements are real floating-point numbers."""
        return self.dtype.is_floating

    # reading

    def numpy(self) -> np.ndarray:
        """Return the elements as a new numpy array; bfloat16 comes as its bits in uint16, as in Paddle."""
        value = readable(self)
        array = host_array.to_numpy(value.held, *value.meta)
        return array.reshape(1) if dispatcher.at_least_1d and not array.ndim else array

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def item(self, *index: int) -> Union[int, float, bool]:
        """Return one element as a Python number.

        Raises:
            ValueError: there is more than one element and no index was given.
        """
        array = self.as_float_numpy()
        if not index and array.size != 1:
            raise ValueError(f"item() expects exactly one element, but the shape is {self.shape}: give an index")
        return array.item(*index)

    def tolist(self) -> Any:
        """Return nested lists of Python numbers, or one number for a 0-D tensor."""
        return self.as_float_numpy().tolist()

    def as_float_numpy(self) -> np.ndarray:
        """Return the elements as a numpy array in which bfloat16 is written out as float32."""
        if self.dtype is bfloat16:
            return engine.bfloat16_bits_to_float32(self.numpy())
        return self.numpy()

    def __len__(self) -> int:
        if not self._value.meta[0]:
            raise TypeError("len() of a 0-D tensor")
        return self.shape[0].__index__()

    def __iter__(self) -> Iterator[Tensor]:
        if not self._value.meta[0]:
            raise TypeError("iteration over a 0-D tensor")
        for i in range(len(self)):
            yield self[i]

    def __bool__(self) -> bool:
        return bool(self._one_element("bool()"))

    def __float__(self) -> float:
        return float(self._one_element("float()"))

    def __int__(self) -> int:
        return int(self._one_element("int()"))

    def __index__(self) -> int:
        if self.dtype.is_floating:
            raise TypeError(f"a tensor of {self.dtype.name} cannot be an index: cast it to int64")
        return int(self._one_element("an index"))

    def _one_element(self, use: str) -> Any:
        if self.size != 1:
            raise ValueError(f"{use} expects a tensor of one element, but the shape is {self.shape}")
        return self.as_float_numpy().reshape(()).item()

    def __hash__(self) -> int:
        return id(self)

    if TYPE_CHECKING:  # attached by core.operators._methods
        def __add__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]  # Paddle compares by element
        def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]  # Paddle compares by element
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

    def __format__(self, specification: str) -> str:
        if specification and self.size == 1:
            return format(self.item(), specification)
        return format(str(self), specification)

    def __repr__(self) -> str:
        head = f"Tensor(shape={self.shape}, dtype={self.dtype.name}"
        if self._value.traced or self._value.held is None:
            return f"{head}, {'traced' if self._value.traced else 'abstract'}, stop_gradient={self.stop_gradient})"
        body = elements_text(self.as_float_numpy())
        return f"{head}, place={self.place}, stop_gradient={self.stop_gradient},\n       {body})"

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError("only leaf tensors can be deep-copied: detach() or clone() the tensor")
        copy = type(self).__new__(type(self))
        memo[id(self)] = copy
        value = self._value
        array = None if value.held is None else host_array.from_numpy(self.numpy(), self.dtype)
        copy._value = Value(array, value.meta, requires_grad=value.requires_grad)
        copy._value.owner = weakref.ref(copy)
        copy._grad = None
        copy._hooks = None
        copy._name = self._name
        copy.persistable = self.persistable
        copy.__dict__.update(self.__dict__)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return Tensor, (self.numpy(), self.dtype, self.stop_gradient, self._name)

    # gradients

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient flows into this tensor; True for data, False for parameters."""
        return not self._value.requires_grad

    @stop_gradient.setter
    def stop_gradient(self, stop: bool) -> None:
        if stop == (not self._value.requires_grad):
            return
        if not stop and not self.dtype.is_floating:
            raise ValueError(f"a tensor of {self.dtype.name} cannot have a gradient: cast it to float32 first")
        old = self._value
        self._value = old.detached() if stop and old.node is not None else Value(old.held, old.meta, traced=old.traced)
        self._value.second = old.second
        self._value.requires_grad = not stop
        self._value.owner = weakref.ref(self)

    @property
    def grad(self) -> Optional[Tensor]:
        """The gradient that backward passes have accumulated, or None."""
        return self._grad

    @grad.setter
    def grad(self, gradient: Optional[Tensor]) -> None:
        if gradient is not None and gradient.shape != self.shape:
            raise ValueError(f"a gradient of shape {gradient.shape} does not fit a tensor of shape {self.shape}")
        self._grad = gradient

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Forget the gradient, or set it to zero (Paddle's default) where there is one."""
        if self._grad is None or not set_to_zero:
            self._grad = None
            return
        meta = self._grad._value.meta
        self._grad = Tensor(Value(host_array.from_numpy(np.zeros(meta[0], meta[1].numpy), meta[1]), meta))

    def clear_grad(self) -> None:
        """Set the gradient to zero where there is one, as :meth:`clear_gradient` does."""
        self.clear_gradient()

    def gradient(self) -> Optional[np.ndarray]:
        """Return the gradient as a numpy array, or None."""
        return None if self._grad is None else self._grad.numpy()

    def backward(self, grad_tensor: Optional[Tensor] = None, retain_graph: bool = False) -> None:
        """Accumulate the gradient of this tensor in ``grad`` of every leaf that it depends on.

        Args:
            grad_tensor: The gradient to start from, of this shape; ones when None.
            retain_graph: Keep the record, so that backward may run through it again.
        """
        registered("backward")([self], [grad_tensor], retain_graph)

    def register_hook(self, hook: Callable[[Tensor], Optional[Tensor]]) -> HookRemover:
        """Call ``hook(gradient)`` when this tensor's gradient is known; what it returns (not None) replaces it.

        Raises:
            RuntimeError: the tensor needs no gradient.
        """
        if self.stop_gradient:
            raise RuntimeError(
                "a hook on a tensor with stop_gradient=True would never run: set stop_gradient=False first"
            )
        if self._hooks is None:
            self._hooks = {}
            if self._value.traced:
                self._value = registered("with_hooks")(self, self._hooks)._value
            else:
                self._attach_hooks()
        key = max(self._hooks, default=-1) + 1
        self._hooks[key] = hook
        return HookRemover(self._hooks, key)

    def _attach_hooks(self) -> None:
        node = self._value.node
        if node is not None:
            if node.hooks is None:
                node.hooks = {}
            node.hooks.setdefault(self._value.index, []).append(self._hooks)

    def retain_grads(self) -> None:
        """Keep the gradient of this intermediate tensor in ``grad`` too, where a backward pass computes it."""
        if self.is_leaf or self.stop_gradient:
            return

        target = weakref.ref(self)

        def keep(gradient: Tensor) -> None:
            tensor = target()
            if tensor is not None:
                tensor._grad = gradient if tensor._grad is None else tensor._grad + gradient

        self.register_hook(keep)

    def detach(self) -> Tensor:
        """Return a tensor on the same memory that no gradient flows through."""
        return Tensor(self._value.detached(), name=self._name)

    def detach_(self) -> Tensor:
        """Cut this tensor from the operations that made it."""
        self._value = self._value.detached()
        return self

    # writing

    def set_value(self, value: Any) -> None:
        """Replace the elements in place, keeping shape, dtype and identity.

        Args:
            value: A Tensor or array of this shape.

        Raises:
            ValueError: the shape differs.
        """
        given = value if isinstance(value, Tensor) else None
        if given is not None and (given._value.traced or self._value.traced or dispatcher.state.trace is not None):
            self._update_in_trace(given)
            return
        data = given.numpy() if given is not None else np.asarray(value)
        if tuple(data.shape) != self._value.meta[0]:
            raise ValueError(
                f"set_value: {self._name or 'the tensor'} has shape {self.shape}, the new value {list(data.shape)}"
            )
        if given is not None and given.dtype is bfloat16 and self.dtype is not bfloat16:
            data = given.as_float_numpy()
        array = host_array.from_numpy(data, self.dtype)
        if self._value.held is None or self._value.node is not None:
            self._rebind(Value(array, self._value.meta, requires_grad=self._value.requires_grad))
        elif data.size:
            host_array.write(self._value.held, array)
            dispatcher.memory_written(of_indices=not self.dtype.is_floating)

    def _rebind(self, value: Value) -> None:
        if value.node is None:
            value.owner = weakref.ref(self)
        trace = dispatcher.state.trace
        if trace is not None:
            trace.rebound.setdefault(id(self), (self, self._value))
        self._value = value

    def update(self, new: Tensor) -> None:
        """Give a buffer its next value, unrecorded: eagerly by moving the handle, in a trace as an extra output."""
        if new._value.traced or dispatcher.state.trace is not None:
            self._update_in_trace(new)
        else:
            self._rebind(Value(new._value.held, new._value.meta))

    def _update_in_trace(self, new: Tensor) -> None:
        trace = dispatcher.state.trace
        assert trace is not None
        if new._value.meta != self._value.meta or new._value.second != self._value.second:
            raise ValueError(
                f"{self._name or 'the tensor'} has shape {self.shape} and dtype {self.dtype.name}, its new value"
                f" {new.shape} and {new.dtype.name}"
            )
        if self._value.owner is None and self._value.traced is None:
            self._value.owner = weakref.ref(self)
            trace.adopt(self._value, self)
        trace.rebound.setdefault(id(self), (self, self._value))
        trace.updates.setdefault(id(self), (self, self._value))
        self._value = trace.capture(new._value)

    def copy_(self, other: Tensor, blocking: bool = True) -> Tensor:
        """Copy the elements of another tensor of the same shape into this one."""
        self.set_value(other)
        return self

    def _is_initialized(self) -> bool:
        """Return whether it has memory, which what is traced or built under LazyGuard has not."""
        return self._value.traced is None and self._value.held is not None

    def get_tensor(self) -> Tensor:
        """Return this tensor (Paddle's inner tensor is the same thing here)."""
        return self

    value = get_tensor

    def cpu(self) -> Tensor:
        """Return this tensor, which lives on the CPU."""
        return self

    def pin_memory(self, blocking: bool = True) -> Tensor:
        """Return this tensor: there is no pinned memory to move it to."""
        return self


class HookRemover:
    """Takes a registered hook away again."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks = hooks
        self._key = key

    def remove(self) -> bool:
        """Remove the hook; returns whether it was still there."""
        return self._hooks.pop(self._key, None) is not None


def apply(operator: Operator, *tensors: Tensor, **attributes: Any) -> Any:
    """Dispatch an operator on tensors; returns one Tensor, or a tuple of them for an operator of several outputs."""
    values = dispatcher.invoke(operator, [tensor._value for tensor in tensors], attributes)
    if len(values) == 1:
        return Tensor(values[0])
    return tuple([Tensor(value) for value in values])


def value_from_data(data: Any, dtype: DTypeLike) -> Value:
    """Return a leaf value holding a copy of the data; Python floats become the default float type, ints int64."""
    if isinstance(data, Tensor):
        wanted = to_dtype(dtype) if dtype is not None else data.dtype
        array = data.numpy() if wanted is data.dtype else data.as_float_numpy()
    else:
        array, wanted = numpy_of(data, dtype)
    return Value(host_array.from_numpy(array, wanted), (tuple(array.shape), wanted))


def readable(tensor: Tensor) -> Value:
    """Return the tensor's value if it can be read now.

    Raises:
        OperatorError: it is traced and follows from an input (a trace computes nothing), or abstract (without memory).
    """
    value = tensor._value
    if dispatcher.state.trace is not None:
        value = dispatcher.state.trace.read(value) or value
    if value.traced:
        raise OperatorError(
            f"{user_line()}: the value of a tensor cannot be read while a program is being compiled: use tensor"
            " operators instead of numpy(), item(), float() or bool(), or compute this outside to_static"
        )
    if value.held is None:
        raise OperatorError(f"{tensor._name or 'this tensor'} is abstract (built under LazyGuard): initialize() it")
    return value


def numbers_now(tensor: Tensor) -> Optional[np.ndarray]:
    """Return a view of the elements, to be read at once, if there are any yet; None for a traced or abstract tensor.

    Checks of arguments by their numbers are left out where these are not known; see :func:`readable` for an error.
    """
    return host_array.view(tensor._value.held, *tensor._value.meta) if tensor._is_initialized() else None


def given_name(tensor: Tensor) -> Optional[str]:
    """Return the name that a tensor was given or has been asked for, None where it would have to be made up.

    Args:
        tensor: any tensor.
    """
    return tensor._name


_REGISTERED: dict[str, Callable[..., Any]] = {}


def register(name: str, function: Callable[..., Any]) -> None:
    """Register a function of a layer above that one below calls: ``backward``, ``with_hooks`` or ``while_loop``."""
    _REGISTERED[name] = function


def registered(name: str) -> Callable[..., Any]:
    """Return what was registered under a name."""
    if name not in _REGISTERED:
        importlib.import_module("core.autograd")  # which registers it, and that nothing has needed so far
    return _REGISTERED[name]


def __getattr__(name: str) -> Any:
    """Answer ``core.tensor.matmul`` and the like with the operator, as ``paddle.tensor`` does."""
    if not name.startswith("__"):
        importlib.import_module("core.autograd")  # the rules belong to the operators, which are above this layer
        operators = importlib.import_module("core.operators")
        if hasattr(operators, name):
            return getattr(operators, name)
    raise AttributeError(f"core.tensor has no attribute {name!r}")
