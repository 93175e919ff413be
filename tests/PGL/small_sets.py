"""Small data sets in the published formats, on which a network learns something in a second."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import scipy.sparse

CLASSES, WORDS, NODES, TESTED = 3, 24, 90, 30


def write_cora(folder: Path, value: float = 1.0, name: str = "cora", left_out: int = 0) -> Path:
    """Write a citation graph of three communities, each with its own words, as ind.cora.*.

    Args:
        folder: where to.
        value: of the first word of node 0.
        name: another name than "cora".
        left_out: so many test nodes, the first ones, are in the graph alone, as fifteen of Citeseer.
    """
    generator = np.random.default_rng(0)
    labels = np.tile(np.arange(CLASSES), NODES // CLASSES)
    own = labels[:, None] == np.arange(WORDS) % CLASSES
    features = (generator.random((NODES, WORDS)) < np.where(own, 0.35, 0.1)).astype(np.float32)
    features[0, 0] = value
    friends = generator.random((NODES, NODES)) < np.where(labels[:, None] == labels, 0.12, 0.01)
    lists = {node: np.flatnonzero(row).tolist() for node, row in enumerate(friends)}
    classes = np.eye(CLASSES, dtype=np.int32)[labels]
    known = NODES - TESTED
    tested = range(known + left_out, NODES)
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "x": scipy.sparse.csr_matrix(features[:15]), "allx": scipy.sparse.csr_matrix(features[:known]),
        "tx": scipy.sparse.csr_matrix(features[tested.start :]), "y": classes[:15], "ally": classes[:known],
        "ty": classes[tested.start :], "graph": lists,
    }  # fmt: skip
    for part, content in parts.items():
        (folder / f"ind.{name}.{part}").write_bytes(pickle.dumps(content, protocol=2))
    (folder / f"ind.{name}.test.index").write_text("".join(f"{node}\n" for node in tested))
    return folder


def write_blog_catalog(folder: Path) -> Path:
    """Write a social network of three groups, one of them with a further group across."""
    generator = np.random.default_rng(1)
    groups = np.arange(60) % 3
    friends = generator.random((60, 60)) < np.where(groups[:, None] == groups, 0.4, 0.02)
    folder.mkdir(parents=True, exist_ok=True)
    edges = np.argwhere(np.triu(friends, 1)) + 1
    members = [(node + 1, group + 1) for node, group in enumerate(groups)]
    members += [(node, 4) for node in range(1, 60, 4)]
    for name, rows in (("edges", edges), ("group-edges", members)):
        (folder / f"{name}.csv").write_text("".join(f"{first},{second}\n" for first, second in rows))
    for name, count in (("nodes", 60), ("groups", 4)):
        (folder / f"{name}.csv").write_text("".join(f"{number}\n" for number in range(1, count + 1)))
    return folder


def write_triples(folder: Path) -> Path:
    """Write a knowledge graph of a clock of twelve hours: next, before, opposite."""
    triples = [
        (f"h{hour}", name, f"h{(hour + step) % 12}")
        for hour in range(12)
        for name, step in (("next", 1), ("before", -1), ("opposite", 6))
    ]
    order = np.random.default_rng(2).permutation(len(triples))
    folder.mkdir(parents=True, exist_ok=True)
    for split, numbers in (("train", order[:28]), ("valid", order[28:32]), ("test", order[32:])):
        lines = ["\t".join(triples[number]) + "\n" for number in numbers]
        (folder / f"{split}.txt").write_text("".join(lines))
    return folder
