"""Knowledge graphs as triples: head, relation and tail, a triple a line.

Data: Dettmers et al., "Convolutional 2D Knowledge Graph Embeddings", AAAI 2018, https://arxiv.org/abs/1707.01476
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from core.weights.archives import archive_members
from core.weights.compressed import ArchiveError
from PGL.data.source import PathLike
from PGL.graph import Graph

SPLITS = ("train", "valid", "test")
_HOME = "https://raw.githubusercontent.com/TimDettmers/ConvE/f3c0eb286025410fa5b4c04696c918264163d0ca/"
_ARCHIVES = {
    "FB15k-237": "311df7930f842a02979eaa7a802484a6afe62303c07f915f1e6edbc30cbe05e8",
    "nations": None,
    "umls": None,
}
_MEMBERS = {
    "nations": (
        "0830fa9da8e5bba2ccdaa45b7bdc9130451ba66b09ff2708f35fccaf82473e57",
        "2b337a62e51a2f45c283eac98a70d21b7e0e102136be1539b2a52c652a7b0530",
        "3971085165b47b6aeaec68058c6d8d98b3005e929db81268410b95ae4db770ab",
    ),
    "umls": (
        "873ef4925516b83e7f6f8cc02b4be51d848828710a7f65a956f0ac4a9e452f35",
        "025c98f8a4891e2a6582ec5b40ee0d904031edad9c52554522f4b7904820c98e",
        "a7eb529a3d2810fcc96341ccc97c625a5e202f8389673aa6bd317eeebbb79014",
    ),
}


class Triples(NamedTuple):
    """Triples of names, as a file lists them.

    Args:
        heads: the first entity of each triple.
        relations: its relation.
        tails: the second entity.
    """

    heads: list[str]
    relations: list[str]
    tails: list[str]


def read_triples(content: bytes, where: str) -> Triples:
    """Read lines ``head<TAB>relation<TAB>tail``.

    Args:
        content: a file's bytes, UTF-8.
        where: its path, for messages.

    Raises:
        ValueError: a line has other columns; names it. Or it is no text.
    """
    try:
        lines = content.decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        raise ValueError(f"{where!r} is no UTF-8 text") from None
    rows = []
    for number, line in enumerate(lines, 1):
        row = line.split("\t")
        if len(row) == 3 and all(row):
            rows.append(row)
        elif line.strip():
            raise ValueError(f"{where!r}, line {number}: {len(row)} columns where head, relation and tail belong")
    columns = [list(column) for column in zip(*rows)] or [[], [], []]
    return Triples(*columns)


def numbered_triples(parts: Mapping[str, Triples]) -> tuple[dict[str, np.ndarray], list[str], list[str]]:
    """Number entities and relations in the order in which they first occur.

    Args:
        parts: triples of names by split.

    Returns:
        Triples of numbers by split, int64 [n, 3]; the entities' names by number; the relations' names by number.
    """
    entities: dict[str, int] = {}
    relations: dict[str, int] = {}
    numbered = {}
    for split, triples in parts.items():
        columns = [
            [numbers.setdefault(word, len(numbers)) for word in words]
            for words, numbers in zip(triples, (entities, relations, entities))
        ]
        numbered[split] = np.array(columns, np.int64).T.reshape(-1, 3)
    return numbered, list(entities), list(relations)


class KnowledgeGraph:
    """Triples of numbers, in a training, a validation and a test part.

    Args:
        parts: triples (head, relation, tail) of each split, int64 of shape [n, 3].
        entities: the entities' names by number.
        relations: the relations' names by number.

    Attributes:
        train: the triples for training.
        valid: those for validation.
        test: those for the test.
        entities: as given.
        relations: as given.
        num_entities: how many entities there are.
        num_relations: how many relations there are.
        graph: the :class:`PGL.Graph` of the training triples, with the edge feature "relation".
    """

    def __init__(self, parts: dict[str, np.ndarray], entities: list[str], relations: list[str]) -> None:
        self.train, self.valid, self.test = (parts[split] for split in SPLITS)
        self.entities, self.relations = entities, relations
        self.num_entities, self.num_relations = len(entities), len(relations)
        self.graph = Graph(self.train[:, [0, 2]], self.num_entities, None, {"relation": self.train[:, 1].copy()})


class TriplesDataset(KnowledgeGraph):
    """A knowledge graph in triples of numbers, with its training, validation and test parts.

    Entities and relations are numbered in the order in which they first occur in the three parts, training first.

    Args:
        name: "FB15k-237", "umls" or "nations"; or that of a folder or NAME.tar.gz of your own in ``root``.
        root: the folder that holds train.txt, valid.txt and test.txt, or a folder NAME of them, or NAME.tar.gz; None:
            the published archive is fetched once.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: files are missing; says where they come from.
        ValueError: a file or archive is damaged, unpacks to too much, or the name is unknown.
        ConnectionError: the archive cannot be fetched.
    """

    def __init__(
        self, name: str = "FB15k-237", root: Optional[str] = None, maximum_bytes: Optional[int] = None
    ) -> None:
        contents = _contents(name, root, maximum_bytes)
        read = {split: read_triples(content, f"{name}/{split}.txt") for split, content in contents.items()}
        super().__init__(*numbered_triples(read))


def _contents(name: str, root: Optional[PathLike], maximum_bytes: Optional[int]) -> dict[str, bytes]:
    """Return the contents of the three files."""
    archive_name = f"{name}.tar.gz"
    if root is None:
        if name not in _ARCHIVES:
            known = ", ".join(map(repr, _ARCHIVES))
            raise ValueError(f"TriplesDataset: name must be one of {known}, or give root; it is {name!r}")
        from core.weights.downloads.download import fetch

        contents = _unpacked(fetch(_HOME + archive_name, _ARCHIVES[name]), maximum_bytes)
        for content, checksum in zip(contents.values(), _MEMBERS.get(name, ())):
            if hashlib.sha256(content).hexdigest() != checksum:
                raise ValueError(
                    f"TriplesDataset: the archive at {_HOME + archive_name} holds other files than published"
                )
        return contents
    for folder in (Path(root), Path(root) / name):
        paths = {split: folder / f"{split}.txt" for split in SPLITS}
        if all(path.is_file() for path in paths.values()):
            return {split: path.read_bytes() for split, path in paths.items()}
    if (Path(root) / archive_name).is_file():
        return _unpacked(Path(root) / archive_name, maximum_bytes)
    raise FileNotFoundError(
        f"TriplesDataset: the folder {os.fspath(root)!r} lacks train.txt, valid.txt and test.txt, a folder {name!r} of"
        f" them, and {archive_name}; the files come from {_HOME}"
    )


def _unpacked(path: Path, maximum_bytes: Optional[int]) -> dict[str, bytes]:
    """Return the three files of an archive, which are read and not written anywhere."""
    found = {}
    try:
        for member in archive_members(path, maximum_bytes):
            split = Path(member.name).name.removesuffix(".txt")
            if member.kind == "file" and Path(member.name).suffix == ".txt" and split in SPLITS:
                found[split] = member.read()
    except ArchiveError:
        raise ValueError(f"{os.fspath(path)!r} is no .tar.gz archive, or damaged") from None
    missing = [f"{split}.txt" for split in SPLITS if split not in found]
    if missing:
        raise ValueError(f"{os.fspath(path)!r} lacks {', '.join(missing)}")
    return {split: found[split] for split in SPLITS}
