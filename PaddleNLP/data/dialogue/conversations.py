"""Conversations with a response each: DAM's pickles and rows, ADE's rows, and how they are cut into turns and ids."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Literal, Optional, Union, cast

from core.io.files import open_path
from core.weights.formats.unpickler import load_plain
from core.weights.messages import one_line, shown
from PaddleNLP.data.dataset import Names, TextDataset, Texts, Transform
from PaddleNLP.data.dialogue.understanding import JOINT
from PaddleNLP.data.labels import ClassLabels, NumberLabels
from PaddleNLP.data.lines import text_lines

Keep = Literal["first", "last"]
"""Which tokens, and turns, of what is too long are kept."""

PARTS = {"train": 0, "valid": 1, "test": 2}
"""Where DAM's pickles have each part."""


class ContextResponseRows(TextDataset):
    """Rows "context, response, label" with tabs between them, as DAM and ADE have them: ids or words between spaces.

    Args:
        path: the file.
        end_of_turn: the word behind each turn of a context; None: a context is one turn, as in ADE's files.
        candidates: so many rows in a row are the responses to one context, which "group" numbers.
        numeric: whether labels are numbers, such as how good a response is, instead of the classes 0 and 1.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        end_of_turn: Union[int, str, None] = None,
        candidates: Optional[int] = None,
        numeric: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        texts, responses, lines = Texts(), Texts(), array("q")
        labels: Union[NumberLabels, ClassLabels] = NumberLabels() if numeric else ClassLabels(["0", "1"])
        for number, line in text_lines(path):
            where, columns = f"{path}:{number}", line.split("\t")
            if len(columns) != 3 or not all(column.strip() for column in columns):
                wanted = "a context, a response and a label, with tabs between them"
                raise ValueError(f"{where}: a row must be {wanted}, not {shown(columns)}")
            texts.append(JOINT.join(turns_of(columns[0].split(), end_of_turn)))
            responses.append(columns[1].strip())
            labels.append(columns[2].strip(), where)
            lines.append(number)
        found = {"text": texts, "text_pair": responses, "label": labels.values(), **grouped(len(texts), candidates)}
        super().__init__(found, [] if numeric else ["0", "1"], path, lines, transform)


class MatchingPickle(TextDataset):
    """DAM's published pickles, such as ``ubuntu/data.pkl``: three parts, each of lists "y", "c" and "r" of ids.

    They are read by an unpickler that admits plain containers and numbers alone: no code of the file runs.

    Args:
        path: the file.
        part: "train", "valid" or "test".
        end_of_turn: the id behind each turn: 28270 in the Ubuntu corpus, 1 in the Douban corpus.
        candidates: so many samples in a row are the responses to one context, 10 in both test parts.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such pickle; names file and place.
    """

    def __init__(
        self,
        path: str,
        part: Literal["train", "valid", "test"] = "train",
        end_of_turn: int = 28270,
        candidates: Optional[int] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        if part not in PARTS:
            raise ValueError(f"{path}: part is train, valid or test, not {part!r}")
        with open_path(path) as stream:
            try:
                value = load_plain(cast(BinaryIO, stream))
            except pickle.UnpicklingError as error:
                raise ValueError(f"{path}: not a pickle of ids: {one_line(error, 200)}") from None
        if not isinstance(value, (list, tuple)) or len(value) != 3:
            raise ValueError(f"{path}: DAM's pickles hold three parts, train, valid and test, not {shown(value)}")
        columns = _columns(value[PARTS[part]], f"{path}, part {part}")
        texts, responses = Texts(), Texts()
        labels = ClassLabels(["0", "1"])
        for number, (label, context, response) in enumerate(zip(*columns), 1):
            where = f"{path}, part {part}, sample {number}"
            labels.append(str(label), where)
            texts.append(JOINT.join(turns_of(_words(context, where), end_of_turn)))
            responses.append(" ".join(_words(response, where)))
        found = {"text": texts, "text_pair": responses, "label": labels.values(), **grouped(len(texts), candidates)}
        super().__init__(found, ["0", "1"], f"{path}, part {part}", None, transform)


def _columns(part: Any, where: str) -> list[Sequence[Any]]:
    """Return labels, contexts and responses of a part of a pickle."""
    if isinstance(part, dict):  # files of Python 2 that were written again have keys of bytes
        part = {key.decode("latin1") if isinstance(key, bytes) else key: value for key, value in part.items()}
    if not isinstance(part, dict) or any(key not in part for key in "ycr"):
        raise ValueError(f"{where}: it must be a dictionary with the lists y, c and r, not {shown(part)}")
    columns = [part[key] for key in "ycr"]
    counts = [len(column) if hasattr(column, "__len__") else -1 for column in columns]
    if -1 in counts or len(set(counts)) > 1:
        raise ValueError(f"{where}: y, c and r must be lists of one length, not {shown(counts)}")
    return columns


def _words(ids: Any, where: str) -> list[str]:
    try:
        return [str(int(number)) for number in ids]
    except (TypeError, ValueError):
        raise ValueError(f"{where}: ids must be lists of whole numbers, not {shown(ids)}") from None


def turns_of(words: Sequence[str], end_of_turn: Union[int, str, None]) -> list[str]:
    """Return the turns of a context, each with spaces between its words; an empty one at the end is none.

    Args:
        words: of the context.
        end_of_turn: the word behind each turn; None: there is one turn.
    """
    turns: list[list[str]] = [[]]
    for word in words:
        if end_of_turn is not None and word == str(end_of_turn):
            turns.append([])
        else:
            turns[-1].append(word)
    if len(turns) > 1 and not turns[-1]:
        turns.pop()
    return [" ".join(turn) for turn in turns]


def grouped(count: int, candidates: Optional[int]) -> dict[str, Names]:
    """Return the column "group" where so many samples in a row belong together; none where that is not known.

    Args:
        count: samples.
        candidates: of a group; None: it is not known.
    """
    if not candidates:
        return {}
    groups = [number // candidates for number in range(count)]
    return {"group": Names([str(number) for number in range(count // candidates + 1)], groups)}


def fitted(turns: Sequence[str], count: int, keep: Keep) -> list[str]:
    """Return so many turns: empty ones are put behind, and what is too long loses its first or last ones.

    Args:
        turns: of a conversation.
        count: how many.
        keep: which are kept.
    """
    kept = list(turns[:count] if keep == "first" else turns[-count:])
    return kept + [""] * (count - len(kept))


def cut_ids(tokenizer: Any, texts: Iterable[str], max_length: int, keep: Keep) -> dict[str, list[list[int]]]:
    """Return the column "input_ids" of texts, without special tokens.

    Args:
        tokenizer: of :mod:`core.text`.
        texts: the texts.
        max_length: tokens of one at most.
        keep: which of a longer one's are kept.
    """
    rows = (tokenizer.encode_text(text) for text in texts)
    return {"input_ids": [row[:max_length] if keep == "first" else row[-max_length:] for row in rows]}


def said_and_reply(sample: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the turns of a sample's conversation, and the response."""
    return str(sample["text"]).split(JOINT), str(sample["text_pair"])
