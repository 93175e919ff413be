"""The inference command: embeddings as an array, whose each row is, a picture, and the nearest nodes of some."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.train.config.table import nearest as nearest_name
from core.train.runner.experiment import open_run
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.weights.atomic import atomic_path, atomic_write
from PGL.pictures import embedding_picture
from PGL.tasks.base import tsv


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Write embeddings.npy, further arrays, listings of their rows, embeddings.png, and nearest.json of some nodes.

    Args:
        toolkit: of the run.
        options: of the command line: run, checkpoint, overrides, near (numbers or names of nodes), top (how many nodes
            to find for each), picture ("pca", "tsne" or "none") and output.

    Returns:
        The exit code.

    Raises:
        ValueError: there is no such node.
    """
    task, folder = open_run(toolkit, options.run, options.checkpoint, options.overrides)
    rows = task.embeddings()
    chosen = [find_node(name, len(rows), task.names()) for name in options.near]
    target = Path(options.output) if options.output else folder.path / "embeddings"
    target.mkdir(parents=True, exist_ok=True)
    predicted = task.predictions(rows)
    arrays = {"embeddings": rows, **predicted}
    for name, array in arrays.items():
        with atomic_path(target / f"{name}.npy") as temporary, open(temporary, "wb") as stream:
            np.save(stream, array)
    wrote = [f"{name}.npy {list(array.shape)}" for name, array in arrays.items()]
    for name, columns in task.listings(predicted).items():
        with atomic_write(target / name) as stream:
            stream.write(tsv(columns))
        wrote.append(f"{name} ({', '.join(columns)})")
    if options.picture != "none":
        title = f"{task.config.network.name} on {task.config.data.dataset.name}"
        write_image(target / "embeddings.png", embedding_picture(rows, task.labels(), title, options.picture))
        wrote.append("embeddings.png")
    if chosen:
        records = [_neighbors(rows, node, options.top, task.names()) for node in chosen]
        with atomic_write(target / "nearest.json") as stream:
            stream.write((json.dumps(records, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
        for record in records:
            print(f"{record['node']}: " + ", ".join(f"{one['node']} {one['similarity']:.3f}" for one in record["near"]))
        wrote.append("nearest.json")
    print(f"wrote to {target}: {', '.join(wrote)}")
    return 0


def find_node(name: str, count: int, names: Optional[Sequence[str]]) -> int:
    """Return the number of a node that is given by number or name.

    Args:
        name: what was given.
        count: how many nodes there are.
        names: their names; None: they have none.

    Raises:
        ValueError: there is none.
    """
    if names is not None and name in names:
        return list(names).index(name)
    numbered = names is None or not all(one.isdigit() for one in names)  # else numbers are ids, and not those of rows
    if numbered and name.isascii() and name.isdigit() and int(name) < count:
        return int(name)
    if not numbered:
        raise ValueError(
            f"there is no node {name!r} among {count}; the nearest id is {nearest_name(name, names or [])!r}"
        )
    hint = "" if names is None else f", or names, of which the nearest is {nearest_name(name, names)!r}"
    raise ValueError(f"there is no node {name!r}; there are {count}, numbered from 0{hint}")


def nearest_nodes(rows: np.ndarray, node: int, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes most like one, best first, and the cosines of their rows with its row.

    Args:
        rows: [nodes, size].
        node: its number.
        top: how many.
    """
    lengths = np.linalg.norm(rows, axis=1)
    cosines = rows @ rows[node] / np.maximum(lengths * lengths[node], np.finfo(rows.dtype).tiny)
    cosines[node] = -np.inf
    best = np.argsort(-cosines, kind="stable")[: min(top, len(rows) - 1)]
    return best, cosines[best]


def _neighbors(rows: np.ndarray, node: int, top: int, names: Optional[Sequence[str]]) -> dict[str, Any]:
    best, cosines = nearest_nodes(rows, node, top)
    called = (lambda number: int(number)) if names is None else (lambda number: names[number])
    near = [{"node": called(number), "similarity": float(cosine)} for number, cosine in zip(best, cosines)]
    return {"node": called(node), "near": near}
