"""The table of data sets that a config may name."""

from __future__ import annotations

from core.train.config.table import Table
from PaddleNLP.data.drawn_reviews import DrawnReviews
from PaddleNLP.data.tagging import CoNLLDataset, CoNLLUDataset, JoinedRows
from PaddleNLP.data.tsv import FORMATS, TableDataset

DATASETS = Table(
    "data set",
    {
        "DrawnReviews": DrawnReviews,
        "TableDataset": TableDataset,
        **FORMATS,
        "CoNLLDataset": CoNLLDataset,
        "CoNLLUDataset": CoNLLUDataset,
        "JoinedRows": JoinedRows,
    },
    provided=("transform",),
    paths=("path", "labels"),
)
