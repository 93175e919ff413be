"""A ``.npy`` file of one Python object, such as a dictionary of arrays, read without running it."""

from __future__ import annotations

import io
import pickle
from typing import Any, Optional

from numpy.lib import format as npy_format

from core.weights.atomic import PathLike
from core.weights.formats.pdparams import require_file
from core.weights.formats.pickle_records import ArrayRecord, Constructor, DataType
from core.weights.formats.pickle_scan import check_opcodes
from core.weights.formats.unpickler import PlainUnpickler, finished, one_error
from core.weights.limits import arrays_allowance

_OBJECT_CODES = ("O", "O4", "O8")


class _AnyType(DataType):
    """The record of a ``numpy.dtype``, which may be that of objects."""

    __slots__ = ("objects",)

    def __init__(self, code: Any, *flags: Any) -> None:
        self.objects = code in _OBJECT_CODES
        if not self.objects:
            super().__init__(code, *flags)

    def __setstate__(self, state: Any) -> None:
        if not self.objects:
            super().__setstate__(state)


class _ArrayOrObject(ArrayRecord):
    """The record of an array of numbers, or of one without axes that holds an object."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        super().__init__()
        self.held: Optional[list[Any]] = None

    def __setstate__(self, state: Any) -> None:
        kind = state[-3] if isinstance(state, tuple) and len(state) in (4, 5) else None
        if not isinstance(kind, _AnyType) or not kind.objects:
            super().__setstate__(state)
        elif state[-4] == () and isinstance(state[-1], list) and len(state[-1]) == 1:
            self.held = state[-1]
        else:
            raise pickle.UnpicklingError("an array of several objects is not admitted")


def _reconstruct(subtype: Any, _shape: Any, _dtype: Any) -> ArrayRecord:
    if getattr(subtype, "_name", "") != "numpy.ndarray":
        raise pickle.UnpicklingError("an array of a subclass of numpy.ndarray is not admitted")
    return _ArrayOrObject()


class _Unpickler(PlainUnpickler):
    """An unpickler that also admits arrays without axes that hold an object."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the placeholder for an admitted global name."""
        if (module, name) == ("numpy", "dtype"):
            return Constructor("numpy.dtype", _AnyType)
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return Constructor(f"{module}.{name}", _reconstruct)
        return super().find_class(module, name)


def read_npy_object(path: PathLike) -> Any:
    """Read the object of a ``.npy`` file that ``numpy.save`` wrote of one, without running any code of it.

    Args:
        path: the file.

    Returns:
        The object: arrays, numbers, strings and plain containers.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such file, is truncated, or asks for anything but arrays and plain containers.
    """
    require_file(path)
    with open(path, "rb") as stream:
        try:
            version = npy_format.read_magic(stream)
            read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
            shape, _, dtype = read(stream)
        except (ValueError, SyntaxError, TypeError, KeyError) as error:
            text = " ".join(str(error).split())
            raise ValueError(f"cannot read {str(path)!r}: it is no .npy file ({text})") from None
        if shape != () or not dtype.hasobject:
            raise ValueError(f"cannot read {str(path)!r}: it holds an array {shape} of {dtype}, not one object")
        content = io.BytesIO(stream.read())
    try:
        with one_error():
            scanned = check_opcodes(content)
            record = _Unpickler(content).load()
            if not isinstance(record, _ArrayOrObject) or record.held is None:
                raise pickle.UnpicklingError("it holds no object")
            return finished(record.held[0], scanned, arrays_allowance(scanned.size))
    except pickle.UnpicklingError as error:
        raise ValueError(f"cannot read {str(path)!r}: {error}; nothing in it was run") from None
