"""The table of data sets that a config may name."""

from __future__ import annotations

from core.train.config.table import Table
from PaddleNLP.data.dialogues import DialogueMatchDataset, DialogueStateDataset
from PaddleNLP.data.drawn_reviews import DrawnReviews
from PaddleNLP.data.formats import FORMATS
from PaddleNLP.data.pretraining import PretrainingRows
from PaddleNLP.data.reading import DuReaderDataset, MRQADataset, SQuADDataset
from PaddleNLP.data.relations import RelationDataset
from PaddleNLP.data.tagging import CoNLLDataset, CoNLLUDataset, JoinedRows
from PaddleNLP.data.tsv import TableDataset

DATASETS = Table(
    "data set",
    {
        "DrawnReviews": DrawnReviews,
        "TableDataset": TableDataset,
        **FORMATS,
        "CoNLLDataset": CoNLLDataset,
        "CoNLLUDataset": CoNLLUDataset,
        "JoinedRows": JoinedRows,
        "SQuADDataset": SQuADDataset,
        "MRQADataset": MRQADataset,
        "DuReaderDataset": DuReaderDataset,
        "RelationDataset": RelationDataset,
        "DialogueMatchDataset": DialogueMatchDataset,
        "DialogueStateDataset": DialogueStateDataset,
        "PretrainingRows": PretrainingRows,
    },
    provided=("transform",),
    paths=("path", "labels"),
)
