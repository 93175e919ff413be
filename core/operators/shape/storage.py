"""Methods of Tensor about its storage: it is dense, contiguous, on one device, and can be made to hold other values."""

from __future__ import annotations

from typing import Any, Optional, Union

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DType, to_dtype
from core.kernels.engine import engine
from core.kernels.place import Place, check_place
from core.operators._arguments import Scalar
from core.operators._methods import in_place
from core.operators.creation.creation import cast
from core.operators.indexing.masking import where
from core.tensor import Tensor, readable


def where_(
    condition: Tensor, x: Union[Tensor, Scalar, None] = None, y: Any = None, name: Optional[str] = None
) -> Tensor:
    """Compute :func:`where` and move x to the result.

    Raises:
        OperatorError: x is no tensor, or its shape would change.
    """
    if not isinstance(x, Tensor):
        raise OperatorError(f"where_: x is what changes, so it must be a tensor, not {type(x).__name__}")
    return in_place(x, where(condition, x, y), "where_")


def contiguous(self: Tensor) -> Tensor:
    """Return this tensor: its elements always lie side by side."""
    return self


def is_contiguous(self: Tensor) -> bool:
    """Return True: the elements always lie side by side."""
    return True


def get_strides(self: Tensor) -> list[int]:
    """Return how many elements apart neighbours along each axis lie."""
    strides, step = [], 1
    for size in reversed(self.shape):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def data_ptr(self: Tensor) -> int:
    """Return the address of the first element, valid while this value lives.

    Raises:
        OperatorError: the tensor is traced or abstract and has no memory.
    """
    value = readable(self)
    return int(engine.view(value.array, *value.meta).ctypes.data)


def is_dense(self: Tensor) -> bool:
    """Return True: every element is stored."""
    return True


def is_sparse(self: Tensor) -> bool:
    """Return False: there are no sparse tensors."""
    return False


is_sparse_coo = is_sparse_csr = is_selected_rows = is_dist = is_sparse


def is_same_shape(self: Tensor, y: Tensor) -> bool:
    """Return whether another tensor has the same shape.

    Args:
        y: the other tensor.
    """
    return self.shape == y.shape


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return this tensor with another element type.

    It is called as ``to(dtype)``, ``to(device, dtype)`` or ``to(other)``, each with ``blocking`` at the end.

    Args:
        *args: ``device``, the current one, by name or as a place (tensors are not moved); ``dtype``; ``other``, a
            tensor whose element type is wanted; ``blocking``, a bool that changes nothing.
        **kwargs: the same by name.

    Returns:
        A tensor that gradients flow through, or this one where nothing changes.

    Raises:
        TypeError: an argument is none of those.
        RuntimeError: another device is asked for.
    """
    names = ["device", "dtype", "blocking"]
    if args and isinstance(args[0], Tensor):
        names = ["other", "blocking"]
    elif args and _is_dtype(args[0]):
        names = ["dtype", "blocking"]
    given = dict(zip(names, args), **kwargs)
    unknown = sorted(set(given) - {"device", "dtype", "other", "blocking"})
    if unknown or len(args) > len(names):
        wrong = f"there is no argument {unknown[0]!r}" if unknown else f"{len(args)} arguments are too many"
        raise TypeError(f"to: {wrong}: use to(device, dtype, blocking), to(dtype, blocking) or to(other, blocking)")
    if given.get("device") is not None:
        check_place(given["device"])
    other, dtype = given.get("other"), given.get("dtype")
    wanted = other.dtype if other is not None else self.dtype if dtype is None else to_dtype(dtype)
    return self if wanted is self.dtype else cast(self, wanted)


def _is_dtype(value: Any) -> bool:
    if isinstance(value, (Place, DType)):
        return isinstance(value, DType)
    try:
        to_dtype(value)
    except TypeError:
        return False
    return True


def cuda(self: Tensor, device_id: Optional[int] = None, blocking: bool = True) -> Tensor:
    """Return this tensor if it lives on that GPU.

    Args:
        device_id: number of the GPU; the current one when None.
        blocking: accepted for Paddle's signature.

    Raises:
        RuntimeError: tensors live elsewhere.
    """
    if device_id is not None or not self.place.is_gpu_place():
        check_place(f"gpu:{device_id or 0}")
    return self


def _set_data(self: Tensor, value: Any) -> None:
    if isinstance(value, Tensor) and value.shape != self.shape:
        raise OperatorError(f"data: a value of shape {value.shape} does not fit a tensor of shape {self.shape}")
    self.set_value(value)


data = property(contiguous, _set_data, doc="This tensor itself; what is assigned replaces its elements.")
strides = property(get_strides, doc="How many elements apart neighbours along each axis lie.")
offset = property(lambda self: 0, doc="0: a tensor begins where its memory begins.")

__all__: list[str] = []
TENSOR_METHODS = (
    "contiguous", "cuda", "data", "data_ptr", "get_strides", "is_contiguous", "is_dense", "is_dist", "is_same_shape",
    "is_selected_rows", "is_sparse", "is_sparse_coo", "is_sparse_csr", "offset", "strides", "to", "where_",
)  # fmt: skip
