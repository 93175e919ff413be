"""A graph of one's own, from an edge list in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional, Union

import numpy as np

from core.weights.compressed import file_limit
from core.weights.limits import LimitError
from PGL.data.edge_list import read_edge_list, read_node_types
from PGL.graph import Graph
from PGL.heter_graph import HeterGraph


class EdgeListDataset:
    """The graph of an edge list; typed edges make a :class:`PGL.HeterGraph`.

    Args:
        file: the edge list's name in the folder, plain or gzipped; see :func:`PGL.data.read_edge_list`.
        weighted: whether a column gives weights; they become the edge feature "weight".
        typed: whether the last column gives types.
        node_types: the name of a file of lines ``id type``, for typed edges.
        symmetry_edges: whether each edge is added in the other direction too, with its weight; a self loop is not.
        delimiter: what is between columns; None: blanks and tabs.
        renumber: whether nodes are numbered from 0 on in the order of their ids.
        root: the folder.
        maximum_bytes: how many bytes a file may unpack to, and the nodes up to its largest id may take at 8 bytes each;
            None: 2 GB or 200 times its size, whichever is more.

    Attributes:
        graph: the graph.
        node_names: the ids that the nodes have in the file, where they were numbered again; otherwise None.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a line is of another form; or arguments do not go together.
    """

    def __init__(
        self,
        file: str = "edges.txt",
        weighted: bool = False,
        typed: bool = False,
        node_types: Optional[str] = None,
        symmetry_edges: bool = False,
        delimiter: Optional[str] = None,
        renumber: bool = False,
        root: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        if root is None:
            raise ValueError(
                f"EdgeListDataset: give root, the folder of {file!r}; an edge list of your own has no address"
            )
        if typed and symmetry_edges:
            raise ValueError("EdgeListDataset: typed edges keep their direction; leave symmetry_edges out")
        if node_types is not None and not typed:
            raise ValueError("EdgeListDataset: node_types belongs to typed edges; give typed=True")
        if node_types is not None and renumber:
            raise ValueError("EdgeListDataset: node_types names ids of the file, so that nodes cannot be renumbered")
        read = read_edge_list(Path(root) / file, weighted, typed, delimiter, renumber, maximum_bytes)
        self.node_names = read.node_names
        count = int(read.edges.max()) + 1 if read.edges.size else 0
        try:
            file_limit(Path(root) / file, maximum_bytes).check(8 * count)
        except LimitError:
            raise ValueError(
                f"EdgeListDataset: {os.fspath(Path(root) / file)!r} names node {count - 1}, and every number below it "
                "is a node that takes memory; give renumber=True, or a larger maximum_bytes"
            ) from None
        self.graph: Union[Graph, HeterGraph]
        if typed:
            types = None if node_types is None else read_node_types(Path(root) / node_types, delimiter, maximum_bytes)
            edges = read.edges_by_type()
            if not edges:
                raise ValueError(
                    f"EdgeListDataset: {os.fspath(Path(root) / file)!r} has no edges, and so no types of them"
                )
            weights = (
                {name: {"weight": read.weights[read.types == n]} for n, name in enumerate(edges)} if weighted else None
            )
            self.graph = HeterGraph(edges, count if types is None else None, types, None, weights)
            return
        edges, weight = read.edges, read.weights
        if symmetry_edges:
            other = np.flatnonzero(edges[:, 0] != edges[:, 1])
            edges = np.concatenate([edges, edges[other][:, ::-1]])
            weight = None if weight is None else np.concatenate([weight, weight[other]])
        self.graph = Graph(edges, count, None, None if weight is None else {"weight": weight})
