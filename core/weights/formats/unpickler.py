"""Reading a pickle without running it: numpy arrays, numbers, strings and plain containers alone are admitted.

A pickle is a program that may name any function of any module. Here the few names that arrays and containers need are
answered by placeholders of our own that check their arguments and build plain values; every other name is refused
before it is imported. Arrays arrive as records first and become ``numpy.ndarray`` after the program has ended, so a
file never reaches numpy's own ``__setstate__``.
"""
from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator
from typing import Any, BinaryIO, Callable

import numpy

from core.weights.formats.pickle_records import ArrayRecord, Attributes, Constructor, DataType, array_content
from core.weights.formats.pickle_scan import Scanned, check_opcodes
from core.weights.limits import arrays_allowance
from core.weights.messages import one_line

_PLAIN_TYPES = (type(None), bool, int, float, complex, str, bytes, bytearray, numpy.generic)
_UNFOLDED = 100_000
_DEEPEST = 200
_SIGNS_OF_TRUNCATION = ("exhausted before", "but only", "no newline found", "not enough data")


def _ndarray(*_arguments: Any) -> Any:
    raise pickle.UnpicklingError("numpy.ndarray is called directly; only numpy's own pickled form is admitted")


_NDARRAY = Constructor("numpy.ndarray", _ndarray)


def _reconstruct(subtype: Any, _shape: Any, _dtype: Any) -> ArrayRecord:
    if subtype is not _NDARRAY:
        raise pickle.UnpicklingError("an array of a subclass of numpy.ndarray is not admitted")
    return ArrayRecord()


def _from_buffer(buffer: Any, dtype: Any, shape: Any, order: Any = "C") -> ArrayRecord:
    if order not in ("C", "F"):
        raise pickle.UnpicklingError(f"unknown memory order {order!r} of a numpy array")
    record = ArrayRecord()
    record.content = array_content(shape, dtype, order == "F", buffer)
    return record


def _scalar(dtype: Any, raw: Any = None) -> Any:
    return array_content((), dtype, False, raw).array()[()]


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError("text is encoded in an unknown form")
    return text.encode("latin1")


def _static_tensor(expression: Any, names: Any = None) -> ArrayRecord:
    # Paddle's static graph writes a tensor as a call of eval that only returns the array handed to it.
    if expression == "data" and isinstance(names, dict) and list(names) == ["data"]:
        if isinstance(names["data"], ArrayRecord):
            return names["data"]
    raise pickle.UnpicklingError("the file asks to run Python code (builtins.eval)")


def _of(kind: type, admitted: tuple[type, ...]) -> Callable[..., Any]:
    """Return a constructor of ``kind`` from nothing or from one value of an ``admitted`` type."""

    def construct(*arguments: Any) -> Any:
        if len(arguments) > 1 or not all(isinstance(argument, admitted) for argument in arguments):
            raise pickle.UnpicklingError(f"builtins.{kind.__name__} is called in an unknown form")
        return kind(*arguments)

    return construct


def _complex(real: Any = 0.0, imaginary: Any = 0.0) -> complex:
    if not isinstance(real, (int, float)) or not isinstance(imaginary, (int, float)):
        raise pickle.UnpicklingError("builtins.complex is called in an unknown form")
    return complex(real, imaginary)


def _ordered(*arguments: Any) -> dict[Any, Any]:
    if any(not isinstance(argument, list) for argument in arguments) or len(arguments) > 1:
        raise pickle.UnpicklingError("collections.OrderedDict is called in an unknown form")
    return dict(*arguments)


def _default_dictionary(*arguments: Any) -> dict[Any, Any]:
    if arguments not in ((), (None,), (_LIST,)):
        raise pickle.UnpicklingError("collections.defaultdict is called in an unknown form")
    return {}


_LIST = Constructor("builtins.list", _of(list, (list,)))


def _table() -> dict[tuple[str, str], Constructor]:
    """Return the admitted names, each with its placeholder."""
    names: dict[tuple[str, str], Callable[..., Any]] = {
        ("numpy", "dtype"): DataType,
        ("_codecs", "encode"): _encode,
        ("collections", "OrderedDict"): _ordered,
        ("builtins", "eval"): _static_tensor,
        ("builtins", "complex"): _complex,
        ("builtins", "tuple"): _of(tuple, (tuple, list)),
        ("builtins", "set"): _of(set, (list,)),
        ("builtins", "frozenset"): _of(frozenset, (list,)),
        ("builtins", "bytes"): _of(bytes, (bytes,)),
        ("builtins", "bytearray"): _of(bytearray, (bytes,)),
    }
    for package in ("numpy.core", "numpy._core"):
        names[package + ".multiarray", "_reconstruct"] = _reconstruct
        names[package + ".multiarray", "scalar"] = _scalar
        names[package + ".numeric", "_frombuffer"] = _from_buffer
    table = {(module, name): Constructor(f"{module}.{name}", function) for (module, name), function in names.items()}
    table["numpy", "ndarray"] = _NDARRAY
    return table


_ADMITTED = _table()
_SPARSE: dict[tuple[str, str], Any] = {
    ("scipy.sparse.csr", "csr_matrix"): Attributes,
    ("scipy.sparse._csr", "csr_matrix"): Attributes,
    ("collections", "defaultdict"): Constructor("collections.defaultdict", _default_dictionary),
    ("builtins", "list"): _LIST,
}


class PlainUnpickler(pickle.Unpickler):
    """An unpickler that admits arrays and plain containers alone; :func:`load_plain` uses it and finishes its work.

    Args:
        stream: the file.
        sparse: whether sparse matrices are admitted too.
    """

    def __init__(self, stream: BinaryIO, sparse: bool = False) -> None:
        super().__init__(stream, encoding="latin1")
        self._sparse = _SPARSE if sparse else {}

    def find_class(self, module: str, name: str) -> Any:
        """Return the placeholder for an admitted global name.

        Raises:
            pickle.UnpicklingError: the name is not one that arrays and containers need.
        """
        if module == "__builtin__":  # Python 2's name, which protocols 0 to 2 keep
            module = "builtins"
        if (module, name) in self._sparse:
            return self._sparse[module, name]
        try:
            return _ADMITTED[module, name]
        except KeyError:
            asked = ascii(f"{module}.{name}")[1:-1]
            raise pickle.UnpicklingError(
                f"it asks for {asked[:200]}, which is neither a numpy array nor a plain container"
            ) from None


def load_plain(stream: BinaryIO, sparse: bool = False) -> Any:
    """Read and finish one pickled value made of arrays, numbers, strings and plain containers.

    Args:
        stream: a seekable binary file, positioned at the start of the pickle; protocols 0 to 5, files of Python 2
            included.
        sparse: whether SciPy's ``csr_matrix`` is admitted too, as the dictionary of its attributes, and ``defaultdict``
            of lists, as a dictionary; the published files of graphs hold them.

    Returns:
        The value; ``OrderedDict`` becomes ``dict``, arrays are writable and in native byte order. What the pickle
        shares stays shared.

    Raises:
        pickle.UnpicklingError: the file asks for anything else, is truncated, is no pickle, or makes arrays or
            containers out of proportion to its size. No code of the file ran.
    """
    with one_error():
        scanned = check_opcodes(stream)
        value = PlainUnpickler(stream, sparse).load()
        return finished(value, scanned, arrays_allowance(scanned.size))


def finished(value: Any, scanned: Scanned, allowed: int) -> Any:
    """Return an unpickler's value with arrays in the place of records.

    Args:
        value: what it loaded.
        scanned: what :func:`check_opcodes` counted before.
        allowed: how many bytes the arrays may have together.

    Raises:
        pickle.UnpicklingError: they have more, or something is neither an array nor a plain container.
    """
    return _Finisher(_UNFOLDED + 10 * scanned.opcodes, allowed).finish(value)


@contextlib.contextmanager
def one_error() -> Iterator[None]:
    """Turn whatever a damaged pickle raises into one error of one line.

    Raises:
        pickle.UnpicklingError: in its place.
    """
    try:
        yield
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(one_line(error)) from None
    except EOFError:
        raise pickle.UnpicklingError("it ends too early") from None
    except MemoryError:
        raise pickle.UnpicklingError("it announces more data than the memory holds") from None
    except RecursionError:
        raise pickle.UnpicklingError("its containers are nested too deeply") from None
    except (AttributeError, ImportError, IndexError, KeyError, OverflowError, TypeError, ValueError, Warning) as error:
        reason = one_line(error)
        if any(sign in reason for sign in _SIGNS_OF_TRUNCATION):
            raise pickle.UnpicklingError(f"it ends too early ({reason})") from None
        raise pickle.UnpicklingError(f"it is not a well-formed pickle ({reason})") from None


class _Finisher:
    """Turns the records of a loaded value into arrays; shared parts stay shared, cycles are refused.

    Args:
        unfolded: how many values it may have when shared parts are counted wherever they stand, as all who walk
            through it later will meet them.
        allowed: how many bytes its arrays may have together; bytes that several of them share count for each.
    """

    def __init__(self, unfolded: int, allowed: int) -> None:
        self._unfolded = unfolded
        self._allowed = allowed
        self._made = 0
        self._done: dict[int, Any] = {}
        self._open: set[int] = set()
        self._sizes: dict[int, int] = {}

    def finish(self, value: Any) -> Any:
        if isinstance(value, _PLAIN_TYPES):
            return value
        if isinstance(value, ArrayRecord):
            return self._array(value)
        if isinstance(value, Attributes):
            if not hasattr(value, "value"):
                raise pickle.UnpicklingError("a sparse matrix has no content")
            return self.finish(value.value)
        if not isinstance(value, (dict, list, tuple, set, frozenset)):
            raise pickle.UnpicklingError("it holds something that is neither a numpy array nor a plain container")
        identity = id(value)
        if identity in self._done:
            return self._done[identity]
        if identity in self._open:
            raise pickle.UnpicklingError("a container holds itself")
        self._open.add(identity)
        if len(self._open) > _DEEPEST:
            raise pickle.UnpicklingError("its containers are nested too deeply")
        if isinstance(value, dict):
            result: Any = {self._key(key): self.finish(part) for key, part in value.items()}
        else:
            result = type(value)([self.finish(part) for part in value])
        self._open.remove(identity)
        parts = value.values() if isinstance(value, dict) else value
        size = 1 + sum(self._sizes.get(id(part), 1) for part in parts)
        if size > self._unfolded:
            raise pickle.UnpicklingError("its containers hold themselves too many times over")
        self._sizes[identity] = size
        self._done[identity] = result
        return result

    def _array(self, record: ArrayRecord) -> numpy.ndarray:
        if id(record) in self._done:
            array: numpy.ndarray = self._done[id(record)]
            return array
        if record.content is None:
            raise pickle.UnpicklingError("a numpy array has no content")
        self._made += record.content.size
        if self._made > self._allowed:
            raise pickle.UnpicklingError(
                f"its arrays have more than {self._allowed:,} bytes, which is more than the file holds: they share them"
            )
        self._done[id(record)] = array = record.content.array()
        return array

    def _key(self, key: Any) -> Any:
        if isinstance(key, (ArrayRecord, Attributes, Constructor, DataType)):
            raise pickle.UnpicklingError("the key of a dictionary is not a plain value")
        return self.finish(key)
