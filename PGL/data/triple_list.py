"""A knowledge graph of one's own, from text files of triples in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

import numpy as np

from PGL.data.text import read_text
from PGL.data.triples import SPLITS, KnowledgeGraph, numbered_triples, read_triples

_OWNER = "TripleListDataset"


class TripleListDataset(KnowledgeGraph):
    """A knowledge graph of lines ``head<TAB>relation<TAB>tail``, in one file for each part, or one of which parts are
    drawn.

    Entities and relations are numbered in the order in which they first occur, training first.

    Args:
        train: the name of the file for training in the folder, plain or gzipped.
        valid: that for validation; None: there is none, or it is drawn.
        test: that for the test; None: likewise.
        valid_ratio: without ``valid``: which share of the training file's triples is drawn for validation.
        test_ratio: without ``test``: which share is drawn for the test.
        seed: what the draw follows from.
        root: the folder.
        maximum_bytes: how many bytes a file may unpack to; None: 2 GB or 200 times its size, whichever is more.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a line is of another form; a triple is in two parts; no triple is for training; or a share is wrong.
    """

    def __init__(
        self,
        train: str = "train.txt",
        valid: Optional[str] = "valid.txt",
        test: Optional[str] = "test.txt",
        valid_ratio: float = 0.0,
        test_ratio: float = 0.0,
        seed: int = 0,
        root: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        if root is None:
            raise ValueError(
                f"{_OWNER}: give root, the folder of {train!r} (--data FOLDER): triples of your own have no address"
            )
        for part, file, share in (("valid", valid, valid_ratio), ("test", test, test_ratio)):
            if share and file is not None:
                raise ValueError(f"{_OWNER}: {part}_ratio draws what the file {part}: {file} gives; give one of them")
        if valid_ratio < 0 or test_ratio < 0 or valid_ratio + test_ratio >= 1:
            raise ValueError(
                f"{_OWNER}: valid_ratio and test_ratio are shares that make less than 1, not {valid_ratio} and"
                f" {test_ratio}"
            )
        files = dict(zip(SPLITS, (train, valid, test)))
        read = {}
        for split, file in files.items():
            path = None if file is None else os.fspath(Path(root) / file)
            read[split] = read_triples(b"" if path is None else read_text(path, maximum_bytes).encode(), path or split)
        parts, entities, relations = numbered_triples(read)
        if valid_ratio or test_ratio:
            parts = _drawn(parts, valid_ratio, test_ratio, seed)
        where = {split: repr(os.fspath(Path(root) / (file or train))) for split, file in files.items()}
        _check(parts, where, entities, relations)
        super().__init__(parts, entities, relations)


def _drawn(parts: dict[str, np.ndarray], valid: float, test: float, seed: int) -> dict[str, np.ndarray]:
    """Return parts of which validation and test, where they are empty, are drawn from training's different triples."""
    triples = np.unique(parts["train"], axis=0)
    triples = triples[np.random.default_rng(seed).permutation(len(triples))]
    first, second = round(valid * len(triples)), round((valid + test) * len(triples))
    drawn = {"train": triples[second:], "valid": triples[:first], "test": triples[first:second]}
    return {split: parts[split] if split != "train" and len(parts[split]) else drawn[split] for split in SPLITS}


def _check(parts: dict[str, np.ndarray], where: dict[str, str], entities: list[str], relations: list[str]) -> None:
    """Refuse a part without training triples, and a triple of two parts."""
    if not len(parts["train"]):
        raise ValueError(f"{where['train']} has no triples for training")
    seen: dict[tuple[int, ...], str] = {}
    for split in SPLITS:
        for triple in map(tuple, parts[split].tolist()):
            if seen.setdefault(triple, split) != split:
                message = f"{entities[triple[0]]}, {relations[triple[1]]}, {entities[triple[2]]}"
                raise ValueError(
                    f"{where[split]}: the triple ({message:.120}) is in {seen[triple]} too; leave it out of one"
                )
