"""Folders that pgl 2.2's own ``Graph.dump`` and ``BiGraph.dump`` wrote: one ``.npy`` file for each array."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional

import numpy as np

EDGES = "edges.npy"
_DAMAGE = (OSError, EOFError, ValueError, SyntaxError, TypeError, OverflowError, MemoryError)


def load_pgl_dump(kind: Any, folder: Path, mmap_mode: Optional[str]) -> Any:
    """Read a graph; nothing in the files is executed.

    Args:
        kind: :class:`PGL.Graph` or :class:`PGL.BiGraph`.
        folder: where it is.
        mmap_mode: as for :func:`PGL.storage.graphs.load`.

    Returns:
        The graph, in numpy's arrays.

    Raises:
        ValueError: a file is missing or damaged, or the files are those of another kind of graph.
    """
    edges = _array(folder / EDGES, mmap_mode)
    counts = {name: _array(folder / f"{name}.npy", None) for name in kind.PARTS.values() if name != "num_edges"}
    features = {
        name: {path.stem: _array(path, mmap_mode) for path in sorted((folder / name).glob("*.npy"))}
        for name in kind.KINDS
    }
    graph = kind(edges, **counts, **features)
    indices = {part: folder / f"graph_{part}_index.npy" for part in kind.PARTS}
    if all(path.is_file() for path in indices.values()):
        graph.set_parts({part: _array(path, None) for part, path in indices.items()}, repr(os.fspath(folder)))
    return graph


def _array(path: Path, mmap_mode: Any) -> np.ndarray:
    try:
        return np.load(path, mmap_mode, allow_pickle=False)
    except _DAMAGE as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{os.fspath(path)!r} cannot be read ({reason}); pgl writes an array there") from None
