"""Graphs on disk as memory-mapped arrays: 4 bytes an edge and 8 a node for each direction while ids fit 32 bits.

A stored graph is a folder. ``graph.json`` says which format and version it is, how many nodes and edges there are, and
which arrays belong to it, each with type and shape; every array is a file in numpy's ``.npy`` format. The folder is
written under a temporary name and renamed when it is whole. Reading checks the names, types, shapes and sizes of all
files against ``graph.json`` and executes nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from core.graphs.adjacency import Adjacency, index_type
from PGL.storage.features import ScaledArray
from PGL.storage.format import (
    HEADER,
    ArrayFile,
    Header,
    PathLike,
    allocate,
    check_range,
    check_rows,
    map_array,
    new_folder,
    read_header,
    write_header,
)

DIRECTIONS = ("outgoing", "incoming")


class Feature(NamedTuple):
    """What a feature's file will hold.

    Attributes:
        shape: the shape of one row.
        dtype: its element type, such as "float32", "float16" or "int8".
        scale: for int8: float32 of one row's shape, by which its elements are multiplied when they are read.
    """

    shape: tuple[int, ...]
    dtype: Any = "float32"
    scale: Optional[np.ndarray] = None


class StoredGraph(NamedTuple):
    """The arrays of a graph on disk, memory-mapped.

    Attributes:
        num_sources: how many nodes edges begin at.
        num_targets: how many nodes edges end at; in a graph the same nodes.
        num_edges: how many edges there are.
        outgoing: the edges by source, or None.
        incoming: the edges by target, or None.
        features: tables by kind, such as "node_feat", and name; arrays or :class:`PGL.storage.features.ScaledArray`.
        arrays: further arrays by name.
    """

    num_sources: int
    num_targets: int
    num_edges: int
    outgoing: Optional[Adjacency]
    incoming: Optional[Adjacency]
    features: dict[str, dict[str, Any]]
    arrays: dict[str, np.ndarray]


@contextlib.contextmanager
def create(
    folder: PathLike,
    num_nodes: int,
    num_edges: int,
    directions: Sequence[str] = ("outgoing",),
    edge_ids: bool = False,
    num_targets: Optional[int] = None,
    features: Optional[Mapping[str, Mapping[str, Feature]]] = None,
    arrays: Optional[Mapping[str, np.ndarray]] = None,
) -> Iterator[StoredGraph]:
    """Offer a graph's arrays as writable memory maps of known size; the folder appears when the block ends.

    When the block raises, nothing is left; a process that is killed leaves ``.FOLDER.*.tmp`` beside, which may be
    deleted. A stored graph that is there already is replaced.

    Args:
        folder: where it shall be.
        num_nodes: how many nodes there are; of those at which edges begin, where ``num_targets`` is given.
        num_edges: how many edges there are.
        directions: "outgoing", "incoming" or both.
        edge_ids: whether the ids of edges are stored; otherwise an edge's place is its id.
        num_targets: how many nodes edges end at; None: they are the same nodes.
        features: the tables to make, by kind and name. Those of the kind "edge_feat" have a row for each edge, those of
            "dst_node_feat" for each target, all others for each node.
        arrays: further arrays, written at once.

    Yields:
        The graph with writable arrays filled with zeros; int8 features as plain int8.

    Raises:
        FileExistsError: the folder holds something else than a stored graph.
        ValueError: a direction or type is unknown.
        OSError: the disk is too small.
    """
    if not directions or not set(directions) <= set(DIRECTIONS):
        raise ValueError(f"directions must be of {', '.join(map(repr, DIRECTIONS))}, not {list(directions)}")
    sizes = int(num_nodes), int(num_nodes if num_targets is None else num_targets), int(num_edges)
    files = _files(*sizes, directions, edge_ids, features or {}, arrays or {})
    header = Header(*sizes, files)
    with new_folder(folder, HEADER) as temporary:
        maps = {file.key: allocate(temporary / file.name, file) for file in files}
        for kind, tables in (features or {}).items():
            for name, feature in tables.items():
                if feature.scale is not None:
                    maps["scale", kind, name][...] = feature.scale
        for name, array in (arrays or {}).items():
            maps["array", name][...] = array
        yield _assemble(header, {key: array.view(np.ndarray) for key, array in maps.items()}, scaled=False)
        for array in maps.values():
            array.flush()
        write_header(temporary / HEADER, header)


def _files(
    sources: int,
    targets: int,
    num_edges: int,
    directions: Sequence[str],
    edge_ids: bool,
    features: Mapping[str, Mapping[str, Feature]],
    arrays: Mapping[str, np.ndarray],
) -> list[ArrayFile]:
    """Return the files that a graph needs."""
    files = []
    for direction in sorted(directions):
        rows, columns = (sources, targets) if direction == "outgoing" else (targets, sources)
        files.append(ArrayFile((direction, "indptr"), f"{direction}.indptr.npy", "int64", (rows + 1,)))
        files.append(
            ArrayFile((direction, "indices"), f"{direction}.indices.npy", index_type(columns).__name__, (num_edges,))
        )
        if edge_ids:
            name = f"{direction}.edge_ids.npy"
            files.append(ArrayFile((direction, "edge_ids"), name, index_type(num_edges).__name__, (num_edges,)))
    for kind, tables in features.items():
        rows = {"edge_feat": num_edges, "dst_node_feat": targets}.get(kind, sources)
        for number, (name, feature) in enumerate(tables.items()):
            dtype, shape = np.dtype(feature.dtype).name, tuple(int(extent) for extent in feature.shape)
            files.append(ArrayFile(("feature", kind, name), f"{kind}.{number}.npy", dtype, (rows, *shape)))
            if feature.scale is not None:
                files.append(ArrayFile(("scale", kind, name), f"{kind}.{number}.scale.npy", "float32", shape))
    for number, (name, array) in enumerate(arrays.items()):
        files.append(ArrayFile(("array", name), f"array.{number}.npy", array.dtype.name, array.shape))
    return files


def _assemble(header: Header, maps: Mapping[tuple[str, ...], np.ndarray], scaled: bool = True) -> StoredGraph:
    """Return the graph of a header and its arrays."""
    directions = {}
    for direction, columns in (("outgoing", header.num_targets), ("incoming", header.num_sources)):
        if (direction, "indices") in maps:
            indptr, indices = maps[direction, "indptr"], maps[direction, "indices"]
            directions[direction] = Adjacency(indptr, indices, maps.get((direction, "edge_ids")), columns)
    features: dict[str, dict[str, Any]] = {}
    arrays = {}
    for file in header.files:
        if file.key[0] == "feature":
            _, kind, name = file.key
            scale = maps.get(("scale", kind, name))
            table = maps[file.key]
            features.setdefault(kind, {})[name] = ScaledArray(table, scale) if scaled and scale is not None else table
        elif file.key[0] == "array":
            arrays[file.key[1]] = maps[file.key]
    sizes = (header.num_sources, header.num_targets, header.num_edges)
    return StoredGraph(*sizes, directions.get("outgoing"), directions.get("incoming"), features, arrays)


def save(folder: PathLike, graph: StoredGraph) -> None:
    """Write a graph's arrays; see :func:`create`.

    Args:
        folder: where it shall be.
        graph: the arrays; both directions must have edge ids, or neither.
    """
    directions = [name for name in DIRECTIONS if getattr(graph, name) is not None]
    tables = {kind: {name: _described(table) for name, table in some.items()} for kind, some in graph.features.items()}
    numbered = any(getattr(graph, name).edge_ids is not None for name in directions)
    with create(
        folder, graph.num_sources, graph.num_edges, directions, numbered, graph.num_targets, tables, graph.arrays
    ) as made:
        for direction in directions:
            given, place = getattr(graph, direction), getattr(made, direction)
            place.indptr[...] = given.indptr
            place.indices[...] = given.indices
            if numbered:
                place.edge_ids[...] = given.ids()
        for kind, some in graph.features.items():
            for name, table in some.items():
                made.features[kind][name][...] = table.values if isinstance(table, ScaledArray) else table


def _described(table: Any) -> Feature:
    if isinstance(table, ScaledArray):
        return Feature(table.shape[1:], "int8", table.scale)
    return Feature(table.shape[1:], table.dtype)


def load(folder: PathLike, mmap_mode: Optional[str] = "r", verify: bool = True) -> StoredGraph:
    """Read a stored graph.

    Args:
        folder: where it is.
        mmap_mode: "r": its arrays stay on disk, read-only; "c": changes stay in memory; None: it is read into memory.
        verify: whether to read all ids once and check that they are in range. Only for a graph that this very program
            wrote, and that takes long to read, should it be False: ids out of range crash a compiled kernel.

    Returns:
        The graph.

    Raises:
        FileNotFoundError: there is no stored graph.
        ValueError: it is of another format or version, a file is missing, truncated or foreign, or an id is out of
            range.
    """
    if mmap_mode not in ("r", "c", None):
        raise ValueError(f"mmap_mode must be 'r', 'c' or None, not {mmap_mode!r}")
    path = Path(folder)
    header = read_header(path)
    maps = {file.key: map_array(path, file, mmap_mode) for file in header.files}
    graph = _assemble(header, maps)
    for direction in DIRECTIONS:
        adjacency = getattr(graph, direction)
        if adjacency is not None:
            check_rows(path, direction, adjacency)
            if verify:
                check_range(path, f"{direction}.indices", adjacency.indices, adjacency.columns)
                if adjacency.edge_ids is not None:
                    check_range(path, f"{direction}.edge_ids", adjacency.edge_ids, graph.num_edges)
    return graph
