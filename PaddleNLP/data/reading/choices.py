"""Questions with several answers to choose from, in the layout of C3."""

from __future__ import annotations

from array import array
from typing import Any, Optional

from core.weights.messages import shown
from PaddleNLP.data.dataset import TextDataset, TextLists, Texts, Transform
from PaddleNLP.data.lines import json_file
from PaddleNLP.data.reading.windows import Repeated

_LAYOUT = "[[texts, [{question, choice, answer}, ...], id], ...]"


class C3Dataset(TextDataset):
    """Sample i has "context", "question", "choices", and "label", which choice is right.

    Sun et al. 2020, Investigating Prior Knowledge for Challenging Chinese Machine Reading Comprehension,
    https://arxiv.org/abs/1904.09679. A file without answers, such as a test part, has samples without "label".

    Args:
        path: the JSON file: of each document its texts, such as turns of a dialogue, and its questions.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it has another layout, or an answer is none of the choices; names document and question.
    """

    def __init__(self, path: str, transform: Optional[Transform] = None) -> None:
        documents = json_file(path)
        if not isinstance(documents, list):
            raise ValueError(f"{path}: the file must hold {_LAYOUT}, not {shown(documents)}")
        contexts, questions, choices, labels = Repeated(), Texts(), TextLists(), array("q")
        for number, document in enumerate(documents, 1):
            where = f"{path}, document {number}"
            if not isinstance(document, list) or len(document) < 2 or not all(
                isinstance(part, list) for part in document[:2]
            ):
                raise ValueError(f"{where}: a document must be [texts, questions, id], not {shown(document)}")
            for place, entry in enumerate(document[1], 1):
                label = _label(entry, f"{where}, question {place}")
                contexts.append("\n".join(map(str, document[0])))
                questions.append(entry["question"])
                choices.append(entry["choice"])
                labels.extend([] if label is None else [label])
        if len(labels) not in (0, len(questions)):
            raise ValueError(f"{path}: {len(questions) - len(labels)} questions have no answer, which others have")
        columns = {"context": contexts, "question": questions, "choices": choices}
        super().__init__({**columns, **({"label": labels} if labels else {})}, path=path, transform=transform)


def _label(entry: Any, where: str) -> Optional[int]:
    """Return which choice is the answer of a question; None where it has no answer."""
    good = isinstance(entry, dict) and isinstance(entry.get("question"), str) and isinstance(entry.get("choice"), list)
    if not good or len(entry["choice"]) < 2 or not all(isinstance(one, str) and one for one in entry["choice"]):
        raise ValueError(f"{where}: it must have a question and two choices or more, not {shown(entry)}")
    answer = entry.get("answer")
    if answer in (None, ""):
        return None
    if answer not in entry["choice"]:
        raise ValueError(f"{where}: the answer {shown(answer)} is none of the choices {shown(entry['choice'])}")
    return int(entry["choice"].index(answer))
