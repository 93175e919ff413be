"""Sending memory-mapped arrays to other processes by the names of their files, which are mapped again there."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from core.graphs import Adjacency
from PGL.storage.features import ScaledArray


class MappedFile(NamedTuple):
    """Where an array lies on disk."""

    path: str
    dtype: str
    offset: int
    shape: tuple[int, ...]

    def array(self) -> np.ndarray:
        """Map it, read-only."""
        return np.memmap(self.path, self.dtype, "r", self.offset, self.shape).view(np.ndarray)


class Packed(NamedTuple):
    """An object by its class and the packed arguments that make it."""

    kind: Any
    parts: tuple[Any, ...]


def pack(value: Any) -> Any:
    """Return something that stands for a value and is small where the value is memory-mapped; see :func:`unpack`.

    Args:
        value: An array, an :class:`PGL.Adjacency`, a :class:`PGL.storage.features.ScaledArray`, or anything else.
    """
    if isinstance(value, Adjacency):
        return Packed(Adjacency, (pack(value.indptr), pack(value.indices), pack(value.edge_ids), value.columns))
    if isinstance(value, ScaledArray):
        return Packed(ScaledArray, (pack(value.values), pack(value.scale)))
    if isinstance(value, np.ndarray):
        return _mapped_file(value) or value
    return value


def unpack(packed: Any) -> Any:
    """Return what :func:`pack` stood for."""
    if isinstance(packed, MappedFile):
        return packed.array()
    if isinstance(packed, Packed):
        return packed.kind(*(unpack(part) for part in packed.parts))
    return packed


def _mapped_file(array: np.ndarray) -> Optional[MappedFile]:
    """Return the file of an array that is a whole, unchanged piece of one."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and not isinstance(owner, np.memmap):
        owner = owner.base
    if not isinstance(owner, np.memmap) or owner.filename is None or owner.mode not in ("r", "r+"):
        return None
    if not array.flags.c_contiguous:
        return None
    distance = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return MappedFile(str(owner.filename), array.dtype.str, owner.offset + distance, array.shape)
