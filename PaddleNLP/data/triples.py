"""Triples of a query, a text that fits it and one that does not, for networks that learn which one is nearer."""

from __future__ import annotations

from array import array
from typing import Any, Optional

import numpy as np

from PaddleNLP.data.dataset import TextDataset, Texts, Transform
from PaddleNLP.data.joined import built
from PaddleNLP.data.lines import text_lines

COLUMNS = ("text", "positive", "negative")


class TriplesDataset(TextDataset):
    """Lines of SimNet's pairwise files: query, text that fits, text that does not, with tabs between them.

    Args:
        path: the file.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line has not three texts; names file and line.
    """

    def __init__(self, path: str, transform: Optional[Transform] = None) -> None:
        found = {name: Texts() for name in COLUMNS}
        lines = array("q")
        for number, line in text_lines(path):
            parts = line.split("\t")
            if len(parts) != 3 or not all(part.strip() for part in parts):
                wanted = "a query, a text that fits and one that does not, with tabs between them"
                raise ValueError(f"{path}:{number}: a line must be {wanted}, but has {len(parts)} columns")
            for name, part in zip(COLUMNS, parts):
                found[name].append(part)
            lines.append(number)
        super().__init__(found, (), path, lines, transform)


class TriplesOfPairs(TextDataset):
    """Triples of labelled pairs: for each pair that fits, a text that does not fit its first text.

    That is the second text of a pair of the same first text that does not fit; where there is none, of any other pair.

    Args:
        pairs: the data set of pairs as ``dataset`` of a split has it, perhaps with ``part``; the second of its two
            classes means that they fit.
        seed: of the texts that are drawn.
        transform: what to do with a sample.

    Raises:
        ValueError: these are no pairs of two classes, or none of them fits.
    """

    def __init__(self, pairs: dict[str, Any], seed: int = 0, transform: Optional[Transform] = None) -> None:
        source = built(pairs)
        if "text_pair" not in source.columns or len(source.labels) != 2 or "label" not in source.columns:
            raise ValueError(f"{source.path or 'TriplesOfPairs'}: triples are made of pairs of texts with two classes")
        samples = [source.sample(number) for number in range(len(source))]
        right = source.labels[1]
        other: dict[str, list[str]] = {}
        fitting: dict[str, set[str]] = {}
        for sample in samples:
            if sample["label"] == right:
                fitting.setdefault(sample["text"], set()).add(sample["text_pair"])
            else:
                other.setdefault(sample["text"], []).append(sample["text_pair"])
        draw = np.random.default_rng(seed)
        found = {name: Texts() for name in COLUMNS}
        for sample in samples:
            query = sample["text"]
            if sample["label"] != right:
                continue
            own = [text for text in other.get(query, ()) if text not in fitting[query]]
            if not own:
                drawn = (samples[int(number)]["text_pair"] for number in draw.integers(0, len(samples), 20))
                own = [text for text in drawn if text not in fitting[query] and text != query][:1]
            if own:
                for name, part in zip(COLUMNS, (query, sample["text_pair"], own[int(draw.integers(len(own)))])):
                    found[name].append(part)
        super().__init__(found, (), source.path, None, transform)
