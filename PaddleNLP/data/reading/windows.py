"""Questions about texts, whose answers are parts of them: SQuAD's layout, CMRC's own, MRQA's and DuReader's lines."""

from __future__ import annotations

import os
import warnings
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Optional

from core.io.files import is_url, list_files
from core.weights.messages import shown
from PaddleNLP.data.dataset import Column, TextDataset, TextLists, Texts, Transform
from PaddleNLP.data.reading.questions import Question, dureader_questions, mrqa_questions, squad_questions

BadAnswers = Literal["refuse", "skip"]


class Repeated(Sequence[str]):
    """A text of each sample, where neighbours often have the same: it is kept once."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.numbers = array("q")
        self._last: Optional[str] = None

    def append(self, text: str) -> None:
        """Add the text of the next sample."""
        if text != self._last:
            self.texts.append(text)
            self._last = text
        self.numbers.append(len(self.texts) - 1)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.texts[number] for number in self.numbers[index]]
        return self.texts[self.numbers[index]]


class NumberLists(Column[list[int]]):
    """A list of whole numbers of each sample."""

    what = "lists"

    def __init__(self) -> None:
        self._numbers, self._ends = array("q"), array("q", [0])

    def append(self, numbers: Iterable[int]) -> None:
        """Add a list at the end."""
        self._numbers.extend(numbers)
        self._ends.append(len(self._numbers))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _at(self, number: int) -> list[int]:
        return self._numbers[self._ends[number] : self._ends[number + 1]].tolist()


class ReadingDataset(TextDataset):
    """Sample i is a question: "id", "question", "context", "answers", "answer_starts", "references" ...

    "answers" are texts that stand in the context, from the characters "answer_starts" on; "references" are all texts
    that count as right; "is_impossible" says that the context does not answer it; "group" is the set that it is of.

    Args:
        parts: of each set its name, and its questions.
        path: the file or folder, for messages.
        bad_answers: what to do with an answer that is not in its context: "refuse"; or "skip", which leaves it out of
            "answers", but not of "references", and warns of how many there are.
        transform: what to do with a sample.

    Raises:
        ValueError: an id occurs twice in a set, or an answer is not in its context.
    """

    def __init__(
        self,
        parts: Iterable[tuple[str, Iterable[Question]]],
        path: str,
        bad_answers: BadAnswers = "refuse",
        transform: Optional[Transform] = None,
    ) -> None:
        columns: dict[str, Any] = {
            "id": Texts(),
            "question": Texts(),
            "context": Repeated(),
            "answers": TextLists(),
            "answer_starts": NumberLists(),
            "references": TextLists(),
            "is_impossible": _Flags(),
            "group": Repeated(),
        }
        seen: set[tuple[str, str]] = set()
        moved, left_out = [], []
        for group, questions in parts:
            for found in questions:
                if (group, found.id) in seen:
                    raise ValueError(f"{found.where}: the id {shown(found.id)} is there twice")
                seen.add((group, found.id))
                texts, starts = [], []
                for text, start in found.answers:
                    place = _place(found.context, text, start)
                    if place < 0:
                        if bad_answers == "refuse":
                            problem = f"{found.where}: the answer {shown(text)} is not in the text"
                            raise ValueError(f"{problem}; put it right, or pass over such answers (bad_answers: skip)")
                        left_out.append(found.where)
                        continue
                    if start is not None and place != start:
                        moved.append(found.where)
                    texts.append(text)
                    starts.append(place)
                values = (found.id, found.question, found.context, texts, starts, found.references)
                for column, value in zip(columns.values(), (*values, found.is_impossible, group)):
                    column.append(value)
        lines = [
            f"{len(places)} answers {what}, the first is of {places[0]}"
            for what, places in (
                ("begin elsewhere than is said, where the nearest place is taken", moved),
                ("are not in their texts and left out", left_out),
            )
            if places
        ]
        if lines:
            warnings.warn(f"{path}: {'; '.join(lines)}", stacklevel=3)
        super().__init__(columns, path=path, transform=transform)

    @property
    def groups(self) -> list[str]:
        """The names of the sets, in order."""
        return list(dict.fromkeys(self.columns["group"]))


class _Flags(Sequence[bool]):
    def __init__(self) -> None:
        self._values = bytearray()

    def append(self, value: bool) -> None:
        self._values.append(value)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        found = self._values[index]
        return list(map(bool, found)) if isinstance(index, slice) else bool(found)


def _place(context: str, text: str, start: Optional[int]) -> int:
    """Return where an answer begins: as is said, or at the nearest place that has it; -1: nowhere."""
    if start is None:
        return context.find(text)
    if 0 <= start and context.startswith(text, start):
        return start
    before = context.rfind(text, 0, max(start, 0) + len(text))
    after = context.find(text, max(start, 0))
    places = [place for place in (before, after) if place >= 0]
    return min(places, key=lambda place: abs(place - start), default=-1)


class SQuADDataset(ReadingDataset):
    """Questions of a file in SQuAD's layout, 1.1 or 2.0, or in CMRC 2018's own.

    SQuAD's layout is also that of XQuAD, DRCD, DuReader-robust, and CMRC 2018 in its later form.

    Args:
        path: the JSON file.
        bad_answers: "refuse" answers that are not in their texts, or "skip" them.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such file, or an answer is not in its text; names file, paragraph and question.
    """

    def __init__(self, path: str, bad_answers: BadAnswers = "refuse", transform: Optional[Transform] = None) -> None:
        super().__init__([(set_name(path), squad_questions(path))], path, bad_answers, transform)


class MRQADataset(ReadingDataset):
    """Questions of several sets: the files of a folder, each in MRQA 2019's lines, perhaps compressed, or in SQuAD's.

    Fisch et al., MRQA 2019 Shared Task, https://arxiv.org/abs/1910.09753.

    Args:
        path: the folder, whose files end with ``.jsonl``, ``.jsonl.gz`` or ``.json``; or one such file. "group" is the
            file's name without its ending.
        bad_answers: "refuse" answers that are not in their texts, or "skip" them.
        transform: what to do with a sample.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: there is no such file in it, or a line is wrong; names file and line.
    """

    def __init__(self, path: str, bad_answers: BadAnswers = "refuse", transform: Optional[Transform] = None) -> None:
        endings = (".json", ".jsonl", ".jsonl.gz")
        single = path.endswith(endings) and (is_url(path) or not os.path.isdir(path))
        files = [path] if single else list_files(path, endings)
        if not files:
            raise ValueError(f"{path}: no file ends with {', '.join(endings)}")
        readers = (squad_questions if file.endswith(".json") else mrqa_questions for file in files)
        parts = ((set_name(file), reader(file)) for file, reader in zip(files, readers))
        super().__init__(parts, path, bad_answers, transform)


class DuReaderDataset(ReadingDataset):
    """Questions of DuReader 2.0's lines: the text is the paragraph that has the answer, or those most related to it.

    He et al., DuReader, https://arxiv.org/abs/1711.05073. Where answers are marked ("answer_docs" and "answer_spans"),
    the text is the most related paragraph of the answer's document; elsewhere those of all documents, a line each.

    Args:
        path: the file with a JSON object in each line.
        bad_answers: "refuse" answers that are not in their texts, or "skip" them.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong, or an answer is outside of its paragraph; names file and line.
    """

    def __init__(self, path: str, bad_answers: BadAnswers = "refuse", transform: Optional[Transform] = None) -> None:
        super().__init__([(set_name(path), dureader_questions(path))], path, bad_answers, transform)


def set_name(path: str) -> str:
    """Return the name of a set, that of its file without the ending."""
    return os.path.basename(path).split(".json")[0]
