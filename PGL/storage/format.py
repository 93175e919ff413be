"""The files of a stored graph: ``graph.json`` and arrays in numpy's ``.npy`` format, checked before they are mapped."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union, cast

import numpy as np

from core.graphs import Adjacency
from core.weights.atomic import synchronise_directory

PathLike = Union[str, "os.PathLike[str]"]

HEADER = "graph.json"
MAGIC = "PGL stored graph"
VERSION = 1
_TYPES = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
TYPES = (*_TYPES, "float16", "float32", "float64")
_LONGEST = 1 << 24
_CHUNK = 1 << 24


class ArrayFile(NamedTuple):
    """One array of a stored graph.

    Attributes:
        key: what it is: (direction, part), ("feature", kind, name), ("scale", kind, name) or ("array", name).
        name: its file's name.
        dtype: its element type.
        shape: its shape.
    """

    key: tuple[str, ...]
    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The bytes of its elements; exact, however large."""
        size = np.dtype(self.dtype).itemsize
        for extent in self.shape:
            size *= extent
        return size

    def head(self) -> bytes:
        """Return the beginning of its ``.npy`` file, a multiple of 64 bytes."""
        descr = np.dtype(self.dtype).newbyteorder("<").str
        text = repr({"descr": descr, "fortran_order": False, "shape": self.shape}).encode()
        length = -(-(10 + len(text) + 1) // 64) * 64
        return b"\x93NUMPY\x01\x00" + (length - 10).to_bytes(2, "little") + text.ljust(length - 11) + b"\n"


class Header(NamedTuple):
    """What ``graph.json`` says.

    Attributes:
        num_sources: how many nodes edges begin at.
        num_targets: how many nodes edges end at.
        num_edges: how many edges there are.
        files: the arrays.
    """

    num_sources: int
    num_targets: int
    num_edges: int
    files: list[ArrayFile]

    def rows(self, key: tuple[str, ...]) -> Optional[int]:
        """Return the first extent that an array must have, None where any will do."""
        if key[0] in ("outgoing", "incoming"):
            rows = self.num_sources if key[0] == "outgoing" else self.num_targets
            return rows + 1 if key[1] == "indptr" else self.num_edges
        if key[0] != "feature":
            return None
        return {"edge_feat": self.num_edges, "dst_node_feat": self.num_targets}.get(key[1], self.num_sources)


@contextlib.contextmanager
def new_folder(folder: PathLike, marker: str) -> Iterator[Path]:
    """Offer a temporary folder that gets its name when the block ends; when the block raises, nothing is left of it.

    Args:
        folder: the name that it shall have.
        marker: a file by which a folder of that name is known as one of this kind, which may be replaced.

    Yields:
        The temporary folder, beside ``folder``.

    Raises:
        FileExistsError: there is something else of that name.
    """
    target = Path(os.path.abspath(folder))
    if target.exists() and not (target / marker).is_file() and (not target.is_dir() or any(target.iterdir())):
        raise FileExistsError(f"{os.fspath(folder)!r} holds something else than a stored graph; choose another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent))
    old = temporary.with_suffix(".old")
    try:
        temporary.chmod(0o755)
        yield temporary
        synchronise_directory(temporary)
        if target.exists():
            os.replace(target, old)
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    synchronise_directory(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def allocate(path: Path, file: ArrayFile) -> np.memmap:
    """Make an array's file, its disk space reserved, and return it as a writable map of zeros.

    Raises:
        ValueError: its type cannot be stored.
        OSError: the disk is too small.
    """
    if file.dtype not in TYPES:
        raise ValueError(
            f"a stored graph holds no arrays of {file.dtype} ({file.key[-1]}); convert it to one of {TYPES}"
        )
    head = file.head()
    with open(path, "wb") as stream:
        stream.write(head)
        stream.flush()
        try:
            os.posix_fallocate(stream.fileno(), 0, len(head) + file.size)
        except OSError as error:
            raise OSError(
                error.errno, f"cannot reserve {file.size:,} bytes for {path} ({error.strerror}); free disk space"
            ) from None
    return np.memmap(path, file.dtype, "r+", len(head), file.shape)


def map_array(folder: Path, file: ArrayFile, mode: Optional[str]) -> np.ndarray:
    """Return an array of a stored graph, mapped into memory, or read for the mode None.

    Raises:
        ValueError: its file is missing, truncated or another one.
    """
    path, head = folder / file.name, file.head()
    try:
        with open(path, "rb") as stream:
            found, length = stream.read(len(head)), os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise ValueError(
            f"{os.fspath(path)!r} cannot be read ({error.strerror}); the stored graph is damaged"
        ) from None
    if found != head:
        raise ValueError(
            f"{os.fspath(path)!r} is not the {file.dtype} array of shape {list(file.shape)} that {HEADER} announces;"
            " store the graph again"
        )
    if length != len(head) + file.size:
        raise ValueError(
            f"{os.fspath(path)!r} has {length:,} bytes where {len(head) + file.size:,} are announced: it is truncated"
            " or foreign; store the graph again"
        )
    array = np.memmap(path, file.dtype, cast(Any, mode or "r"), len(head), file.shape).view(np.ndarray)
    return array if mode else array.copy()


def write_header(path: Path, header: Header) -> None:
    """Write ``graph.json``."""
    entries = [{**file._asdict(), "key": list(file.key), "shape": list(file.shape)} for file in header.files]
    text = json.dumps({"format": MAGIC, "version": VERSION, **header._asdict(), "files": entries}, indent=1)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def read_header(folder: Path) -> Header:
    """Read ``graph.json`` and check all that it says.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is not a stored graph's, of another version, or contradicts itself.
    """
    path = folder / HEADER
    if not path.is_file():
        raise FileNotFoundError(f"{os.fspath(folder)!r} holds no stored graph: it has no {HEADER}")
    where = f"{os.fspath(path)!r}"
    if path.stat().st_size > _LONGEST:
        raise ValueError(f"{where} is too long for the description of a stored graph")
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{where} is damaged: it is not JSON; store the graph again") from None
    if not isinstance(said, dict) or said.get("format") != MAGIC:
        raise ValueError(f"{where} does not describe a stored graph")
    if said.get("version") != VERSION:
        raise ValueError(f"{where} is of version {said.get('version')!r:.40}, and this program reads version {VERSION}")
    sizes: Any = [said.get(name) for name in ("num_sources", "num_targets", "num_edges")]
    entries = said.get("files")
    if not all(_is_size(size) for size in sizes) or not isinstance(entries, list):
        raise ValueError(f"{where} is damaged: it lacks the numbers of nodes and edges, or the list of arrays")
    header = Header(sizes[0], sizes[1], sizes[2], [_file(where, entry) for entry in entries])
    _check(where, header)
    return header


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _file(where: str, entry: Any) -> ArrayFile:
    fields = [entry.get(name) for name in ArrayFile._fields] if isinstance(entry, dict) else [None] * 4
    key, name, dtype, shape = fields
    if (
        not isinstance(key, list)
        or not key
        or not all(isinstance(part, str) for part in key)
        or not isinstance(name, str)
        or name != os.path.basename(name)
        or name in ("", ".", "..", HEADER)
        or "\0" in name
        or dtype not in TYPES
        or not isinstance(shape, list)
        or len(shape) > 32
        or not all(_is_size(extent) for extent in shape)
    ):
        raise ValueError(f"{where} is damaged: it describes an array in an unknown form")
    return ArrayFile(tuple(key), name, dtype, tuple(shape))


def _check(where: str, header: Header) -> None:
    """Check that the arrays are known ones and fit the numbers of nodes and edges, and each other."""
    files = {file.key: file for file in header.files}
    if len(files) != len(header.files):
        raise ValueError(f"{where} is damaged: it describes an array twice")
    if not any((direction, "indices") in files for direction in ("outgoing", "incoming")):
        raise ValueError(f"{where} is damaged: it describes no edges")
    for key, file in files.items():
        name = "/".join(key)
        if key[0] in ("outgoing", "incoming") and key[1:] in (("indptr",), ("indices",), ("edge_ids",)):
            types = ("int64",) if key[1] == "indptr" else ("int32", "int64")
            partners = [(key[0], "indptr"), (key[0], "indices")]
            fits = len(file.shape) == 1 and file.dtype in types and all(partner in files for partner in partners)
        elif len(key) == 3 and key[0] == "feature":
            fits = len(file.shape) >= 1
        elif len(key) == 3 and key[0] == "scale":
            table = files.get(("feature", *key[1:]))
            fits = (
                table is not None and table.dtype == "int8" and (file.dtype, file.shape) == ("float32", table.shape[1:])
            )
        else:
            fits = len(key) == 2 and key[0] == "array"
        rows = header.rows(key) if fits else None
        if not fits or rows is not None and file.shape[0] != rows:
            raise ValueError(
                f"{where} is damaged: its array {name!r:.80} of {file.dtype} and shape {list(file.shape)} does not fit"
                f" {header.num_sources} nodes and {header.num_edges} edges"
            )


def check_rows(path: Path, direction: str, adjacency: Adjacency) -> None:
    """Check that a direction's ``indptr`` rises from 0 to the number of edges.

    Raises:
        ValueError: it does not.
    """
    indptr = adjacency.indptr
    rises = indptr[0] == 0 and indptr[-1] == adjacency.num_edges
    for start in range(0, len(indptr) - 1, _CHUNK):
        part = indptr[start : start + _CHUNK + 1]
        rises = rises and bool((part[1:] >= part[:-1]).all())
    if not rises:
        raise ValueError(
            f"{os.fspath(path)!r}: {direction}.indptr does not rise from 0 to {adjacency.num_edges}; store the graph"
            " again"
        )


def check_range(path: Path, name: str, ids: np.ndarray, count: int) -> None:
    """Check that all ids are from 0 to below ``count``.

    Raises:
        ValueError: one is not.
    """
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        if part.min() < 0 or part.max() >= count:
            raise ValueError(f"{os.fspath(path)!r}: {name} holds ids outside 0 to {count - 1}; store the graph again")
