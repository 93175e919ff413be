"""The questions of files: SQuAD's layout, CMRC 2018's own, and the lines of MRQA 2019 and DuReader 2.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Optional

from core.weights.messages import shown
from PaddleNLP.data.lines import json_file, json_lines


class Question(NamedTuple):
    """A question as a file has it.

    Attributes:
        id: its name.
        question: it.
        context: the text that is asked about.
        answers: texts of answers, and where each begins in the context; None: at the first place that has it.
        references: all texts that count as right.
        is_impossible: whether the text does not answer it.
        where: the place in the file, for messages.
    """

    id: str
    question: str
    context: str
    answers: list[tuple[str, Optional[int]]]
    references: list[str]
    is_impossible: bool
    where: str


_KINDS: dict[type, str] = {str: "a text", list: "a list", dict: "an object", int: "a whole number"}


def _checked(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{where} must be {_KINDS[kind]}, not {shown(value)}")
    return value


def _of(record: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    if name not in record:
        raise ValueError(f"{where}: {name!r} is missing")
    return _checked(record[name], kind, f"{where}: {name!r}")


def _id(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, (str, int)) or value == "" or isinstance(value, bool):
        raise ValueError(f"{where}: {name!r} must name the question, not {shown(value)}")
    return str(value)


def _filled(record: Mapping[str, Any], name: str, where: str) -> str:
    text: str = _of(record, name, str, where)
    if not text.strip():
        raise ValueError(f"{where}: {name!r} is empty")
    return text


def squad_questions(path: str) -> Iterator[Question]:
    """Iterate over the questions of a file in SQuAD's layout, or in CMRC 2018's own, which says no places of answers.

    Args:
        path: the JSON file.

    Raises:
        ValueError: it is no such file; names article, paragraph and question.
    """
    top = json_file(path)
    if isinstance(top, list):
        yield from _cmrc(top, path)
        return
    for number, article in enumerate(_of(_checked(top, dict, path), "data", list, path), 1):
        place = f"{path}: article {number}"
        for count, paragraph in enumerate(_of(_checked(article, dict, place), "paragraphs", list, place), 1):
            yield from _paragraph(paragraph, f"{place}, paragraph {count}")


def _paragraph(paragraph: Any, place: str) -> Iterator[Question]:
    context = _filled(_checked(paragraph, dict, place), "context", place)
    for count, entry in enumerate(_of(paragraph, "qas", list, place), 1):
        name = _id(_checked(entry, dict, f"{place}, question {count}"), "id", f"{place}, question {count}")
        where = f"{place}, question {shown(name)}"
        impossible = entry.get("is_impossible", False)
        if not isinstance(impossible, bool):
            raise ValueError(f"{where}: 'is_impossible' must be true or false, not {shown(impossible)}")
        answers = []
        for answer in _checked(entry.get("answers", []), list, f"{where}: 'answers'"):
            text = _of(_checked(answer, dict, f"{where}: an answer"), "text", str, where)
            answers.append((text, _of(answer, "answer_start", int, where)))
        if impossible:
            answers = []
        references = [text for text, _ in answers]
        known = [(text, start) for text, start in answers if text]
        yield Question(name, _filled(entry, "question", where), context, known, references, impossible, where)


def _cmrc(top: list[Any], path: str) -> Iterator[Question]:
    for number, paragraph in enumerate(top, 1):
        place = f"{path}: paragraph {number}"
        context = _filled(_checked(paragraph, dict, place), "context_text", place)
        for count, entry in enumerate(_of(paragraph, "qas", list, place), 1):
            name = _id(_checked(entry, dict, f"{place}, question {count}"), "query_id", f"{place}, question {count}")
            where = f"{place}, question {shown(name)}"
            texts = [
                _checked(text, str, f"{where}: an answer")
                for text in _checked(entry.get("answers", []), list, f"{where}: 'answers'")
            ]
            known: list[tuple[str, Optional[int]]] = [(text, None) for text in dict.fromkeys(texts) if text]
            yield Question(name, _filled(entry, "query_text", where), context, known, texts, False, where)


def mrqa_questions(path: str) -> Iterator[Question]:
    """Iterate over the questions of a file of MRQA 2019: JSON lines, of which the first may be a header.

    Args:
        path: the file, perhaps compressed.

    Raises:
        ValueError: a line is wrong; names file and line.
    """
    for number, record in json_lines(path):
        place = f"{path}:{number}"
        if "header" in record and "context" not in record:
            continue
        context = _filled(record, "context", place)
        for entry in _of(record, "qas", list, place):
            name = _id(_checked(entry, dict, f"{place}: a question"), "qid", place)
            where = f"{place}: question {shown(name)}"
            answers: list[tuple[str, Optional[int]]] = []
            for found in _checked(entry.get("detected_answers", []), list, f"{where}: 'detected_answers'"):
                for span in _of(_checked(found, dict, f"{where}: an answer"), "char_spans", list, where):
                    start, end = _span(span, len(context), f"{where}: 'char_spans'")
                    answers.append((context[start : end + 1], start))
            references = [
                _checked(text, str, f"{where}: an answer")
                for text in _checked(entry.get("answers", []), list, f"{where}: 'answers'")
            ]
            right = references or [text for text, _ in answers]
            yield Question(name, _filled(entry, "question", where), context, answers, right, False, where)


def _span(span: Any, length: int, where: str) -> tuple[int, int]:
    """Return a pair of places, of which the second is within, too."""
    numbers = [_checked(value, int, where) for value in _checked(span, list, where)]
    if len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1] < length:
        raise ValueError(f"{where} must be two places from 0 to {length - 1}, not {shown(span)}")
    return numbers[0], numbers[1]


def dureader_questions(path: str) -> Iterator[Question]:
    """Iterate over the questions of a file of DuReader 2.0.

    Args:
        path: the file with a JSON object in each line.

    Raises:
        ValueError: a line is wrong; names file and line.
    """
    for number, record in json_lines(path):
        where = f"{path}:{number}"
        documents = _of(record, "documents", list, where)
        texts = [
            _checked(text, str, f"{where}: an answer")
            for text in _checked(record.get("answers", []), list, f"{where}: 'answers'")
        ]
        answers: list[tuple[str, Optional[int]]] = []
        tokens: list[str] = []
        spans = _checked(record.get("answer_spans", []), list, f"{where}: 'answer_spans'")
        if spans and record.get("answer_docs"):
            document = _checked(record["answer_docs"], list, f"{where}: 'answer_docs'")[0]
            if not isinstance(document, int) or not 0 <= document < len(documents):
                raise ValueError(f"{where}: 'answer_docs' names document {shown(document)} of {len(documents)}")
            tokens = _related(documents[document], where)  # -1, no paragraph, where the span is of none
        if tokens:
            first, last = _span(spans[0], len(tokens), f"{where}: 'answer_spans'")
            context = "".join(tokens)
            answers = [("".join(tokens[first : last + 1]), len("".join(tokens[:first])))]
        else:
            related = ["".join(_related(document, where) or _first(document)) for document in documents]
            context = "\n".join(text for text in related if text)
        if not context.strip():
            raise ValueError(f"{where}: no document has a paragraph")
        name = _id(record, "question_id", where)
        yield Question(name, _filled(record, "question", where), context, answers, texts, False, where)


def _first(document: Any) -> list[str]:
    return [str(token) for paragraph in document["segmented_paragraphs"][:1] for token in paragraph]


def _related(document: Any, where: str) -> list[str]:
    """Return the tokens of a document's most related paragraph; none where it has none (-1)."""
    paragraphs = _of(_checked(document, dict, f"{where}: a document"), "segmented_paragraphs", list, where)
    number = document.get("most_related_para", 0)
    if not paragraphs or number == -1:
        return []
    if not isinstance(number, int) or not 0 <= number < len(paragraphs):
        raise ValueError(f"{where}: 'most_related_para' is {shown(number)} of {len(paragraphs)} paragraphs")
    return [_checked(token, str, f"{where}: a token") for token in _checked(paragraphs[number], list, where)]
