"""Opening a run's folder, or an exported one, as a reader."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

import core
from core.train.config.table import Table
from core.train.runner.experiment import open_run, opens_exported
from PaddleNLP.config import TOOLKIT
from PaddleNLP.readers.base import TextReader
from PaddleNLP.tokenizing import restored

READERS = Table(
    "reader",
    {
        "classification": "PaddleNLP.readers.classification:ClassificationReader",
        "multi_perspective": "PaddleNLP.readers.classification:MultiPerspectiveReader",
        "multi_label": "PaddleNLP.readers.classification:MultiLabelReader",
        "regression": "PaddleNLP.readers.classification:RegressionReader",
        "ranking": "PaddleNLP.readers.classification:RankingReader",
        "tagging": "PaddleNLP.readers.tagging:TaggingReader",
        "lexical": "PaddleNLP.readers.lexical:LexicalReader",
        "multi_task": "PaddleNLP.readers.multi_task:MultiTaskReader",
        "pair": "PaddleNLP.readers.choices:PairReader",
        "similarity": "PaddleNLP.readers.similarity:SimilarityReader",
        "choices": "PaddleNLP.readers.choices:ChoiceReader",
        "passages": "PaddleNLP.readers.passages:PassageReader",
        "distant_relation": "PaddleNLP.readers.distant:DistantRelationReader",
        "relations": "PaddleNLP.readers.relations:RelationReader",
        "language_model": "PaddleNLP.readers.language_model:LanguageModelReader",
        "selection": "PaddleNLP.readers.dialogue.selection:SelectionReader",
        "quality": "PaddleNLP.readers.dialogue.selection:QualityReader",
        "translation": "PaddleNLP.readers.translation:TranslationReader",
        "knowledge_selection": "PaddleNLP.readers.dialogue.knowledge:KnowledgeSelectionReader",
        "reply": "PaddleNLP.readers.dialogue.replies:ReplyReader",
        "answers": "PaddleNLP.readers.answers:AnswerReader",
    },
)
"""Kinds of readers; a task says which is its own."""

PROGRAMS = 64
"""So many sizes of batches stay prepared: texts have many lengths, and a prepared size takes a few megabytes."""


def open_reader(
    path: Union[str, os.PathLike[str]], checkpoint: str = "best", overrides: Sequence[str] = ()
) -> TextReader:
    """Open the folder of a run, or an exported one.

    Args:
        path: the folder.
        checkpoint: which one of a run.
        overrides: changes of keys of a run's config.

    Returns:
        A :class:`PaddleNLP.readers.base.TextReader`, whose ``predict`` reads texts.

    Raises:
        FileNotFoundError: it is neither, or there is no such checkpoint.
        ValueError: the exported folder is none that PaddleNLP/export.py wrote, or its task answers nothing.
    """
    if not opens_exported(path, checkpoint, overrides):
        task, folder = open_run(TOOLKIT, os.fspath(path), checkpoint, overrides)
        return reader_of(task, folder.path)
    predictor = core.jit.Predictor(path, PROGRAMS)
    record = predictor.preprocessing
    keys = {"reader", "tokenizer", "max_length"}
    if not isinstance(record, dict) or not keys <= set(record) or not isinstance(record["max_length"], int):
        raise ValueError(f"{os.fspath(path)!r} was not exported by PaddleNLP/export.py: it has no tokeniser")
    kind = _kind(record["reader"], path)
    names = predictor.input_names
    settings = {key: value for key, value in record.items() if key not in keys}

    def run(arrays: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        return predictor.flat_results([arrays[name] for name in names])

    tokenizer = restored(record["tokenizer"])
    reader: TextReader = kind(path, run, tokenizer, record["max_length"], predictor.class_names or (), settings)
    return reader


def reader_of(task: Any, path: Any) -> TextReader:
    """Return the reader of a task whose network is trained.

    Args:
        task: a :class:`PaddleNLP.tasks.base.LanguageTask`.
        path: of its run.
    """

    def run(arrays: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        with core.no_grad():
            given = [core.to_tensor(array) for array in arrays.values()]
            return [tensor.numpy() for tensor in _listed(task.reading_network(*given))]

    kind = _kind(task.reader, path)
    length, settings = task.config.tokenizer.max_length, task.reader_settings()
    reader: TextReader = kind(path, run, task.tokenizer, length, task.class_names, settings)
    return reader


def _kind(name: str, path: Any) -> Any:
    """Return the class of a kind of readers."""
    if not name:
        message = "its task learns what others start from, and answers nothing; vectors of texts"
        raise ValueError(f"{os.fspath(path)!r}: {message} are written by infer.py --features FILE.npy")
    return READERS.resolve(name)


def _listed(results: Any) -> Sequence[Any]:
    return results if isinstance(results, (tuple, list)) else [results]
