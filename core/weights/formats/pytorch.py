"""PyTorch's files of parameters (``pytorch_model.bin``, ``.pt``), read without running them.

Since PyTorch 1.6 such a file is a zip archive: ``NAME/data.pkl``, a pickle in which a tensor is a view (offset, sizes,
strides) of a storage, and ``NAME/data/KEY``, the bytes of each storage. Before, it is one stream: the pickles of a
magic number, a version, a description of the machine, the value, and the keys of its storages, and then of each storage
its 64-bit length and its bytes. (``torch/serialization.py``.)
"""

from __future__ import annotations

import io
import os
import pickle
import re
import zipfile
from typing import IO, Any, BinaryIO, NamedTuple, Optional

import numpy

from core.weights.archives import check_zip
from core.weights.atomic import PathLike
from core.weights.compressed import ArchiveError, damage
from core.weights.formats.pdparams import require_file
from core.weights.formats.pickle_records import ArrayRecord, Constructor
from core.weights.formats.pickle_scan import Scanned, check_opcodes
from core.weights.formats.unpickler import PlainUnpickler, finished, one_error
from core.weights.limits import LimitError, array_bytes, arrays_allowance
from core.weights.messages import shown

ZIP = b"PK\x03\x04"
STREAM = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""The first bytes of an older file: the pickle of its magic number."""

_PART = 1 << 24
_PICKLE = re.compile(r"[^/]+/data\.pkl")
_NESTED = ("state_dict", "model_state_dict", "model")
_TYPES = {
    "Double": "<f8",
    "Float": "<f4",
    "Half": "<f2",
    "BFloat16": "<u2",
    "Long": "<i8",
    "Int": "<i4",
    "Short": "<i2",
    "Char": "i1",
    "Byte": "u1",
    "Bool": "?",
}


class _Type:
    """The record of a storage's class: the type of its elements."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: str) -> None:
        self.dtype = numpy.dtype(dtype)

    def __setstate__(self, _state: Any) -> None:
        raise pickle.UnpicklingError("the file tries to change a type")


class _Storage:
    """The record of a storage: its numbers, which come after the pickle."""

    __slots__ = ("count", "dtype", "values", "views")

    def __init__(self, dtype: numpy.dtype, count: int) -> None:
        self.dtype = dtype
        self.count = count
        self.values: Optional[numpy.ndarray] = None
        self.views: dict[Any, ArrayRecord] = {}

    def __setstate__(self, _state: Any) -> None:
        raise pickle.UnpicklingError("the file tries to change a storage")

    def fill(self, stream: IO[bytes], key: str) -> None:
        """Read the numbers, of which the file must have as many as it says.

        Args:
            stream: where they begin.
            key: the storage's name, for messages.
        """
        parts, left = [], self.count * self.dtype.itemsize
        while left:
            part = stream.read(min(left, _PART))
            if not part:
                raise pickle.UnpicklingError(f"the storage {shown(key)} is truncated")
            parts.append(part)
            left -= len(part)
        self.values = numpy.frombuffer(b"".join(parts), self.dtype)


class _View(NamedTuple):
    """A tensor: a view of a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return array_bytes(self.shape, self.storage.dtype.itemsize)

    def array(self) -> numpy.ndarray:
        """Return a copy in native byte order."""
        values = self.storage.values
        if values is None:
            raise pickle.UnpicklingError("the file has no bytes for a tensor")
        item = self.storage.dtype.itemsize
        steps = [step * item for step in self.strides]
        seen = numpy.lib.stride_tricks.as_strided(values[self.offset :], self.shape, steps, writeable=False)
        return numpy.array(seen, self.storage.dtype.newbyteorder("="), order="C")


class _Dictionary(dict):
    """An ``OrderedDict``, whose attributes (versions of layers) are of no use here."""

    __slots__ = ()

    def __setstate__(self, _state: Any) -> None:
        pass


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_rest: Any) -> ArrayRecord:
    numbers = (offset, *shape, *strides) if isinstance(shape, tuple) and isinstance(strides, tuple) else (-1,)
    if not isinstance(storage, _Storage) or any(type(one) is not int or not 0 <= one < 1 << 62 for one in numbers):
        raise pickle.UnpicklingError("a tensor has an unknown form")
    last = offset + sum((size - 1) * step for size, step in zip(shape, strides))
    if len(shape) != len(strides) or (0 not in shape and last >= storage.count) or offset > storage.count:
        raise pickle.UnpicklingError(f"a tensor of shape {list(shape)} reaches beyond its storage of {storage.count}")
    array_bytes(shape, 1)  # refuses shapes that no array has
    record = storage.views.setdefault((offset, shape, strides), ArrayRecord())  # shared tensors stay shared
    record.content = _View(storage, offset, shape, strides)
    return record


def _parameter(data: Any, *_rest: Any) -> ArrayRecord:
    if not isinstance(data, ArrayRecord):
        raise pickle.UnpicklingError("a parameter has an unknown form")
    return data


def _ordered(*arguments: Any) -> _Dictionary:
    if any(not isinstance(argument, list) for argument in arguments) or len(arguments) > 1:
        raise pickle.UnpicklingError("collections.OrderedDict is called in an unknown form")
    return _Dictionary(*arguments)


_ADMITTED: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): Constructor("torch._utils._rebuild_tensor_v2", _tensor),
    ("torch._utils", "_rebuild_parameter"): Constructor("torch._utils._rebuild_parameter", _parameter),
    ("collections", "OrderedDict"): Constructor("collections.OrderedDict", _ordered),
    **{("torch", f"{name}Storage"): _Type(dtype) for name, dtype in _TYPES.items()},
}


class _Unpickler(PlainUnpickler):
    """An unpickler that admits tensors besides; storages are collected by their keys."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        """Return the placeholder for an admitted global name."""
        return _ADMITTED.get((module, name)) or super().find_class(module, name)

    def persistent_load(self, description: Any) -> _Storage:
        """Return the record of a storage."""
        known = isinstance(description, tuple) and len(description) >= 5 and description[0] == "storage"
        if not known or not isinstance(description[1], _Type) or type(description[4]) is not int or description[4] < 0:
            raise pickle.UnpicklingError("a storage has an unknown form")
        if description[5:] not in ((), (None,)):
            raise pickle.UnpicklingError("a storage is a view of another one, which only PyTorch before 0.4 wrote")
        made = _Storage(description[1].dtype, description[4])
        found = self.storages.setdefault(str(description[2]), made)
        if (found.dtype, found.count) != (made.dtype, made.count):
            raise pickle.UnpicklingError(f"the storage {shown(str(description[2]))} is described in two ways")
        return found


def is_pytorch(path: PathLike) -> bool:
    """Tell whether a file begins like one of PyTorch: as a zip archive, or with the older magic number."""
    with open(path, "rb") as stream:
        return stream.read(len(STREAM)).startswith((ZIP, STREAM))


def read_pytorch(path: PathLike) -> tuple[dict[str, numpy.ndarray], set[str]]:
    """Read a file of parameters that ``torch.save`` wrote.

    Args:
        path: the file; its value is a dictionary of tensors, or has one under "state_dict" or "model".

    Returns:
        Parameter name to array, and the names of the uint16 arrays that hold the bits of bfloat16.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, asks for anything but tensors and plain containers, or holds something else.
    """
    require_file(path)
    name = repr(os.fspath(path))
    try:
        with open(path, "rb") as stream:
            value = _from_zip(path) if stream.read(4) == ZIP else _from_stream(stream, os.path.getsize(path))
    except pickle.UnpicklingError as error:
        raise ValueError(f"cannot read {name}: {error}; nothing in it was run") from None
    except (ArchiveError, LimitError, OSError) as error:
        raise ValueError(f"cannot read {name}: the archive is damaged ({error}); fetch it again") from None
    return _named(value, name)


def _from_zip(path: PathLike) -> Any:
    with damage(), zipfile.ZipFile(path) as archive:
        size = os.path.getsize(path)
        check_zip(archive, path, 2 * size)  # PyTorch compresses nothing
        if any(entry.compress_size > size for entry in archive.infolist()):
            raise pickle.UnpicklingError("the archive is damaged: an entry is larger than the file")
        entries = set(archive.namelist())
        pickles = [entry for entry in entries if _PICKLE.fullmatch(entry)]
        if len(pickles) != 1:
            raise pickle.UnpicklingError("it is a zip archive, but none of PyTorch: it has no NAME/data.pkl")
        folder = pickles[0].rpartition("/")[0]
        if f"{folder}/byteorder" in entries and archive.read(f"{folder}/byteorder") != b"little":
            raise pickle.UnpicklingError("its numbers are big-endian")
        unpickler, value, scanned = _unpickled(io.BytesIO(archive.read(pickles[0])))
        for key, storage in unpickler.storages.items():
            entry = f"{folder}/data/{key}"
            if entry not in entries:
                raise pickle.UnpicklingError(f"it has no {shown(entry)}")
            with archive.open(entry) as stream:
                storage.fill(stream, key)
    with one_error():
        return finished(value, scanned, arrays_allowance(size))


def _from_stream(stream: BinaryIO, size: int) -> Any:
    stream.seek(len(STREAM))
    for _ in range(2):  # a version, a description of the machine
        _unpickled(stream)
    unpickler, value, scanned = _unpickled(stream)
    _, keys, _ = _unpickled(stream)
    if not isinstance(keys, list) or set(map(str, keys)) != unpickler.storages.keys():
        raise pickle.UnpicklingError("its storages are not those of its tensors")
    for key in map(str, keys):
        storage = unpickler.storages[key]
        head = stream.read(8)
        count = int.from_bytes(head, "little")
        if len(head) != 8 or count != storage.count or count * storage.dtype.itemsize > size:
            raise pickle.UnpicklingError(f"the storage {shown(key)} is truncated")
        storage.fill(stream, key)
    with one_error():
        return finished(value, scanned, arrays_allowance(size))


def _unpickled(stream: BinaryIO) -> tuple[_Unpickler, Any, Scanned]:
    with one_error():
        scanned = check_opcodes(stream)
        unpickler = _Unpickler(stream)
        return unpickler, unpickler.load(), scanned


def _named(value: Any, name: str) -> tuple[dict[str, numpy.ndarray], set[str]]:
    if isinstance(value, dict):
        value = next((value[key] for key in _NESTED if isinstance(value.get(key), dict)), value)
    if not isinstance(value, dict):
        raise ValueError(f"{name} holds a {type(value).__name__}, not a dictionary of parameters")
    for key, part in value.items():
        if not isinstance(key, str) or not isinstance(part, numpy.ndarray):
            kind = type(part).__name__
            raise ValueError(f"{name} holds {kind} under {shown(key)}; a file of parameters holds tensors alone")
    return value, {key for key, part in value.items() if part.dtype == numpy.uint16}
