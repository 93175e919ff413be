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


def write_own_graph(folder: Path, arrays: bool = False) -> Path:
    """Write a graph of three communities as a user has it: an edge list, features, labels and splits.

    Args:
        folder: where to.
        arrays: whether features, labels and splits are arrays by number; text by id otherwise, ids being 100, 107,
            114, ...
    """
    generator = np.random.default_rng(3)
    labels = np.arange(NODES) % CLASSES
    own = labels[:, None] == np.arange(WORDS) % CLASSES
    features = (generator.random((NODES, WORDS)) < np.where(own, 0.4, 0.1)).astype(np.float32)
    friends = generator.random((NODES, NODES)) < np.where(labels[:, None] == labels, 0.12, 0.01)
    ids = np.arange(NODES) if arrays else 100 + 7 * np.arange(NODES)
    edges = ids[np.argwhere(np.triu(friends, 1))]
    splits = {"train": np.arange(45), "valid": np.arange(45, 65), "test": np.arange(65, NODES)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "edges.csv").write_text("".join(f"{a},{b}\n" for a, b in edges))
    if arrays:
        np.save(folder / "features.npy", features)
        np.save(folder / "labels.npy", labels)
        np.savez(folder / "splits.npz", **splits)
        return folder
    rows = [f"{node}," + ",".join(f"{value:g}" for value in row) for node, row in zip(ids, features)]
    (folder / "features.csv").write_text("\n".join(rows[::-1]) + "\n")
    (folder / "labels.csv").write_text("node,class\n" + "".join(f"{n},kind{c}\n" for n, c in zip(ids, labels)))
    (folder / "splits.csv").write_text("".join(f"{ids[n]},{split}\n" for split in splits for n in splits[split]))
    return folder


def write_airports(folder: Path) -> Path:
    """Write a network of airports of three regions, each in a class, in the files of struc2vec's authors."""
    generator = np.random.default_rng(4)
    labels = np.arange(60) % 3
    flights = generator.random((60, 60)) < np.where(labels[:, None] == labels, 0.4, 0.02)
    ids = 10000 + 13 * np.arange(60)
    folder.mkdir(parents=True, exist_ok=True)
    edges = ids[np.argwhere(np.triu(flights, 1))]
    (folder / "usa-airports.edgelist").write_text("".join(f"{a} {b}\n" for a, b in edges))
    lines = [f"{node} {label}\n" for node, label in zip(ids, labels)]
    (folder / "labels-usa-airports.txt").write_text("node label\n" + "".join(lines))
    return folder


def write_graphs(folder: Path, count: int = 60, name: str = "RINGS", labels: bool = True) -> Path:
    """Write rings and stars as TU Dortmund's files: kinds of nodes are drawn, the class is the shape."""
    generator = np.random.default_rng(5)
    pairs, indicator, kinds, first = [], [], [], 1
    for graph in range(count):
        size = int(generator.integers(4, 8))
        ends = [(n, (n + 1) % size) for n in range(size)] if graph % 2 else [(0, n) for n in range(1, size)]
        for a, b in ends:
            pairs += [f"{first + a}, {first + b}\n", f"{first + b}, {first + a}\n"]
        indicator += [f"{graph + 1}\n"] * size
        kinds += [f"{kind}\n" for kind in generator.integers(0, 3, size)]
        first += size
    folder.mkdir(parents=True, exist_ok=True)
    files = {"A": pairs, "graph_indicator": indicator, "node_labels": kinds}
    if labels:
        files["graph_labels"] = [f"{2 * (graph % 2) - 1}\n" for graph in range(count)]
    for ending, lines in files.items():
        (folder / f"{name}_{ending}.txt").write_text("".join(lines))
    return folder


def write_texts(folder: Path) -> Path:
    """Write questions and answers of two topics, as ERNIESage's examples have them."""
    asked = ["how far is the sea", "who sings at night", "how deep is the sea", "who sings at noon"]
    answers = ["two miles", "a small bird", "nine miles", "a grey bird"]
    pairs = [(one, other) for i, one in enumerate(asked) for j, other in enumerate(answers) if i % 2 == j % 2]
    folder.mkdir(parents=True, exist_ok=True)
    for name, chosen in (("graph", pairs[:3]), ("train", pairs[2:5]), ("valid", pairs[5:6]), ("test", pairs[6:])):
        (folder / f"{name}.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in chosen))
    return folder
