"""Heterogeneous graphs on disk: a folder with a stored graph for each type of edges, and the types of nodes.

``heter_graph.json`` names the types; graph number n is the folder ``n``, and the first one holds the features of nodes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Optional

import numpy as np

from PGL.graph import Graph
from PGL.storage.format import PathLike, new_folder

_HEADER = "heter_graph.json"
_CODES = "node_types.npy"
_MAGIC = "PGL stored heterogeneous graph"
_LONGEST = 1 << 24


def save(path: PathLike, graphs: Mapping[str, Graph], node_types: Optional[np.ndarray]) -> None:
    """Write a heterogeneous graph; see :meth:`PGL.HeterGraph.dump`.

    Args:
        path: the folder.
        graphs: the graphs by type of edges, in numpy's arrays.
        node_types: the type of each node, or None.
    """
    codes, numbers = {}, np.empty(0, np.int32)
    if node_types is not None:
        types = node_types.tolist()
        codes = {name: number for number, name in enumerate(dict.fromkeys(types))}
        numbers = np.array([codes[name] for name in types], np.int32)
    for name in (*graphs, *codes):
        if not isinstance(name, str) and (name in graphs or type(name) is not int):
            raise ValueError(f"HeterGraph.dump: the type {name!r} is not text; types of nodes may be whole numbers too")
    described = {"format": _MAGIC, "version": 1, "edge_types": list(graphs), "node_types": list(codes)}
    with new_folder(path, _HEADER) as folder:
        for number, graph in enumerate(graphs.values()):
            stored = graph.copy()
            if number:
                stored.set_node_feat({})
            stored.dump(folder / str(number))
        np.save(folder / _CODES, numbers, allow_pickle=False)
        (folder / _HEADER).write_text(json.dumps(described), encoding="utf-8")


def load(path: PathLike, mmap_mode: Optional[str], verify: bool) -> tuple[dict[str, Graph], Optional[np.ndarray]]:
    """Read a heterogeneous graph; see :meth:`PGL.HeterGraph.load`.

    Args:
        path: the folder.
        mmap_mode: as for :func:`PGL.storage.graphs.load`.
        verify: as for :func:`PGL.storage.graphs.load`.

    Returns:
        The graphs by type of edges, and the type of each node or None.
    """
    folder, where = Path(path), repr(os.fspath(path))
    edge_types, node_types = _read_header(folder / _HEADER, where)
    graphs = {name: Graph.load(folder / str(number), mmap_mode, verify) for number, name in enumerate(edge_types)}
    first = graphs[edge_types[0]]
    for graph in graphs.values():
        if graph.num_nodes != first.num_nodes:
            raise ValueError(f"{where} is damaged: its types of edges have different nodes; store it again")
        graph.set_node_feat(first.node_feat)
    if not node_types:
        return graphs, None
    try:
        codes = np.load(folder / _CODES, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        codes = np.empty(0, np.int32)
    fits = codes.dtype == np.int32 and codes.shape == (first.num_nodes,)
    if not fits or codes.size and (codes.min() < 0 or codes.max() >= len(node_types)):
        raise ValueError(f"{where} is damaged: {_CODES} does not give each node a type; store it again")
    names = np.empty(len(node_types), object)
    names[:] = node_types
    return graphs, names[codes]


def _read_header(path: Path, where: str) -> tuple[list[str], list[object]]:
    if not path.is_file():
        raise FileNotFoundError(f"{where} holds no stored heterogeneous graph: it has no {_HEADER}")
    try:
        said = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _LONGEST else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or said.get("format") != _MAGIC or said.get("version") != 1:
        raise ValueError(f"{where} is damaged or foreign: {_HEADER} does not describe a heterogeneous graph")
    edge_types, node_types = said.get("edge_types"), said.get("node_types")
    if (
        not isinstance(edge_types, list)
        or not isinstance(node_types, list)
        or not edge_types
        or not all(isinstance(name, str) for name in edge_types)
        or not all(type(name) in (str, int) for name in node_types)
        or len(set(edge_types)) != len(edge_types)
    ):
        raise ValueError(f"{where} is damaged: {_HEADER} lacks the types of edges and nodes")
    return edge_types, node_types
