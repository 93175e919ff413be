"""Graphs whose nodes are texts: pairs of texts as edges, and pairs to be found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.text import ErnieTokenizer, learn_wordpiece
from PGL.data.edges import prepared_edges
from PGL.data.text import lines, read_text
from PGL.graph import Graph

PARTS = ("train", "valid", "test")
Pairs = list[tuple[str, str]]


class TextGraph:
    """Texts, the edges between them, and pairs that belong together.

    Args:
        edges: pairs of texts; each leads both ways.
        pairs: by part: pairs (asked, found).
        vocab_file: a vocabulary of ERNIE's, a token a line; None: one is learned from the texts.
        learn: how many tokens it has at most.
        max_seqlen: tokens of a text, the one at its end included; longer texts are cut.

    Attributes:
        graph: the :class:`PGL.Graph` of the edges.
        node_names: the texts.
        term_ids: int64 [nodes, max_seqlen], filled up with 0.
        tokens: the vocabulary.
        train: pairs of node numbers, int64 [n, 2]; ``valid`` and ``test`` likewise.
        found: the nodes that may be the second of a pair, int64.
    """

    def __init__(
        self, edges: Pairs, pairs: dict[str, Pairs], vocab_file: Optional[str], learn: int, max_seqlen: int
    ) -> None:
        numbers: dict[str, int] = {}
        numbered = [
            np.array([[numbers.setdefault(text, len(numbers)) for text in pair] for pair in one], np.int64).reshape(
                -1, 2
            )
            for one in (edges, *(pairs[part] for part in PARTS))
        ]
        self.node_names = list(numbers)
        self.graph = Graph(prepared_edges(numbered[0], len(numbers), True, False), len(numbers))
        self.train, self.valid, self.test = numbered[1:]
        self.found = np.unique(np.concatenate([part[:, 1] for part in numbered[1:]]))
        tokenizer = _tokenizer(self.node_names, vocab_file, learn)
        self.tokens = tokenizer.convert_ids_to_tokens(list(range(tokenizer.vocab_size)))
        self.cls_token_id, self.max_seqlen = int(tokenizer.cls_token_id), max_seqlen
        self.term_ids = np.zeros((len(numbers), max_seqlen), np.int64)
        for row, text in zip(self.term_ids, self.node_names):
            ids = [*tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))[: max_seqlen - 1], tokenizer.sep_token_id]
            row[: len(ids)] = ids


class TextGraphDataset(TextGraph):
    """A graph of texts of one's own: lines of two texts with a tab between them, as ERNIESage's examples have.

    Args:
        graph: the name of the file of edges.
        train: that of the pairs for training.
        valid: that for validation; None: there are none.
        test: that for the test; None: likewise.
        vocab_file: the name of ERNIE's vocabulary; None: one is learned from the texts.
        learn: how many tokens it has at most.
        max_seqlen: tokens of a text; longer texts are cut.
        root: the folder.
        maximum_bytes: how many bytes a file may unpack to; None: 2 GB or 200 times its size, whichever is more.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a line has other columns, there is nothing to train on, a pair is in two parts, or an argument is
            wrong.
    """

    def __init__(
        self,
        graph: str = "graph.tsv",
        train: str = "train.tsv",
        valid: Optional[str] = "valid.tsv",
        test: Optional[str] = "test.tsv",
        vocab_file: Optional[str] = None,
        learn: int = 8000,
        max_seqlen: int = 40,
        root: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        if root is None:
            raise ValueError(f"TextGraphDataset: give root, the folder of {graph!r} and {train!r} (--data FOLDER)")
        if max_seqlen < 2 or learn < 10:
            raise ValueError(
                f"TextGraphDataset: max_seqlen must be 2 and learn 10 at least, not {max_seqlen} and {learn}"
            )
        folder, seen = Path(root), dict[tuple[str, str], str]()
        edges = read_pairs(folder / graph, maximum_bytes)
        pairs: dict[str, Pairs] = {}
        for part, file in zip(PARTS, (train, valid, test)):
            pairs[part] = [] if file is None else read_pairs(folder / file, maximum_bytes)
            for pair in pairs[part]:
                if seen.setdefault(pair, part) != part:
                    message = f"({pair[0]:.40}, {pair[1]:.40})"
                    raise ValueError(f"{os.fspath(folder / str(file))!r}: the pair {message} is in {seen[pair]} too")
        if not pairs["train"]:
            raise ValueError(f"{os.fspath(folder / train)!r} has no pairs for training")
        super().__init__(
            edges, pairs, None if vocab_file is None else os.fspath(folder / vocab_file), learn, max_seqlen
        )


def read_pairs(path: Any, maximum_bytes: Optional[int] = None) -> Pairs:
    """Read lines of two texts with a tab between them.

    Raises:
        FileNotFoundError: there is no file.
        ValueError: a line has other columns; names it.
    """
    found = []
    for number, line in enumerate(lines(read_text(path, maximum_bytes)), 1):
        row = [text.strip() for text in line.rstrip("\n").split("\t")]
        if len(row) == 2 and all(row):
            found.append((row[0], row[1]))
        elif line.strip():
            raise ValueError(f"{os.fspath(path)!r}, line {number}: {len(row)} columns where two texts belong")
    return found


def _tokenizer(texts: Sequence[str], vocab_file: Optional[str], learn: int) -> Any:
    if vocab_file is not None:
        return ErnieTokenizer(vocab_file)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vocab.txt"
        learn_wordpiece(texts, learn, "ernie").save_vocabulary(str(file))
        return ErnieTokenizer(str(file))


class DrawnTextGraph(TextGraph):
    """Drawn questions and answers of some topics, which have no word in common: which answer belongs to a question?

    Each topic has words of questions and other words of answers. A text has three of them. A question and an answer of
    one topic belong together: so the answer is known, and comparing words does not help.

    Args:
        topics: how many there are.
        texts: questions of each topic, and answers of each.
        seed: what they follow from.
        max_seqlen: tokens of a text.
        root: not used.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self, topics: int = 12, texts: int = 10, seed: int = 0, max_seqlen: int = 8, root: Optional[str] = None
    ) -> None:
        if not 2 <= topics <= 200 or not 3 <= texts <= 200:
            raise ValueError(
                f"DrawnTextGraph: topics must be from 2 to 200 and texts from 3 to 200, not {topics} and {texts}"
            )
        generator = np.random.default_rng(seed)
        syllables = np.array([first + last for first in "bdfgklmnprst" for last in "aeiou"])
        codes = generator.permutation(len(syllables) ** 2)[: 12 * topics]
        words = np.char.add(syllables[codes // len(syllables)], syllables[codes % len(syllables)]).reshape(topics, 2, 6)
        edges, pairs = [], {part: list[tuple[str, str]]() for part in PARTS}
        for of_topic in words:
            asked, answers = ([" ".join(generator.permutation(side)[:3]) for _ in range(texts)] for side in of_topic)
            everything = sorted({(one, other) for one in asked for other in answers})
            order = generator.permutation(len(everything))
            edges += [everything[number] for number in order[: len(order) // 10]]
            ends = (len(order) // 10, len(order) // 2, 3 * len(order) // 5, len(order))
            for part, begin, end in zip(PARTS, ends, ends[1:]):
                pairs[part] += [everything[number] for number in order[begin:end]]
        super().__init__(edges, pairs, None, 4000, max_seqlen)
