"""The rows of dialogue understanding (DGU) that are no plain tables: answers that fit, and states of conversations."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Optional

from core.weights.messages import shown
from PaddleNLP.data.dataset import Labels, Names, TextDataset, Texts, Transform
from PaddleNLP.data.labels import ClassLabels, SeveralLabels
from PaddleNLP.data.lines import text_lines

JOINT = " [SEP] "
"""What is put between the turns of a conversation."""


def _columns(path: str, least: int, wanted: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in text_lines(path):
        columns = line.split("\t")
        if len(columns) < least:
            raise ValueError(f"{path}:{number}: a row must be {wanted}, but has {len(columns)} columns")
        empty = next((place for place, column in enumerate(columns, 1) if not column.strip()), None)
        if empty is not None:
            raise ValueError(f"{path}:{number}: column {empty} is empty; a row must be {wanted}")
        yield number, columns


class DialogueMatchDataset(TextDataset):
    """Rows "label, turns, response" of the Ubuntu corpus (UDC): "text" is the turns, "text_pair" the response.

    Lowe et al., The Ubuntu Dialogue Corpus, https://arxiv.org/abs/1506.08909.

    Args:
        path: the file; between columns there are tabs, and a row has a column for each turn.
        turns: the last so many turns count; None: all.
        candidates: so many rows in a row are the responses of one conversation, which "group" numbers; as in the test
            part, where the first of ten is right.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        turns: Optional[int] = None,
        candidates: Optional[int] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        texts, pairs, lines = Texts(), Texts(), array("q")
        labels = ClassLabels(["0", "1"])
        for number, (label, *said, response) in _columns(path, 3, "a label, turns, and a response"):
            labels.append(label, f"{path}:{number}")
            texts.append(JOINT.join(said if turns is None else said[-turns:]))
            pairs.append(response)
            lines.append(number)
        columns = {"text": texts, "text_pair": pairs, "label": labels.values()}
        if candidates:
            groups = [number // candidates for number in range(len(texts))]
            columns["group"] = Names([str(number) for number in range(len(texts) // candidates + 1)], groups)
        super().__init__(columns, ["0", "1"], path, lines, transform)


class DialogueStateDataset(TextDataset):
    """Rows "conversation, turns so far, labels" of DSTC2: "label" is the list of what holds after these turns.

    Henderson et al., The Second Dialog State Tracking Challenge, https://aclanthology.org/W14-4337.

    Args:
        path: the file; between columns there are tabs, between turns byte 0x01, between labels spaces.
        labels: a file of labels, one in each line, or the labels, at most 1,000; None: those that occur.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row is wrong; names file and line.
    """

    multi_label = True

    def __init__(self, path: str, labels: Labels = None, transform: Optional[Transform] = None) -> None:
        texts, lines = Texts(), array("q")
        known = ClassLabels(labels)
        rows: list[list[int]] = []
        for number, columns in _columns(path, 3, "a conversation, turns, and labels"):
            where = f"{path}:{number}"
            if len(columns) != 3:
                raise ValueError(f"{where}: a row must be a conversation, turns, and labels, not {shown(columns)}")
            rows.append([known.number(word, where) for word in columns[2].split()])
            texts.append(JOINT.join(columns[1].split("\x01")))
            lines.append(number)
        names = sorted(known.names) if known.open else known.names
        marks = SeveralLabels(names) if names else None
        for row, number in zip(rows, lines):
            given = {known.names[label] for label in row}
            assert marks is not None
            marks.append([int(name in given) for name in names], f"{path}:{number}")
        super().__init__({"text": texts, **({"label": marks} if marks else {})}, names, path, lines, transform)
