"""The table of data sets that a config may name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from core.io.files import join_path
from core.train.config.table import Component, Table
from PaddleNLP.data.dialogue.understanding import DialogueMatchDataset, DialogueStateDataset
from PaddleNLP.data.drawn.markov import DrawnMarkovText
from PaddleNLP.data.drawn.reviews import DrawnReviews
from PaddleNLP.data.drawn.sequences import DrawnSequences
from PaddleNLP.data.formats import FORMATS
from PaddleNLP.data.parallel import ParallelDataset
from PaddleNLP.data.pretraining.documents import DocumentsDataset
from PaddleNLP.data.pretraining.masked_words import PretrainingRows
from PaddleNLP.data.reading.choices import C3Dataset
from PaddleNLP.data.reading.windows import DuReaderDataset, MRQADataset, SQuADDataset
from PaddleNLP.data.sentences import SentencesDataset
from PaddleNLP.data.tagging.relations import RelationDataset
from PaddleNLP.data.tagging.sentences import CoNLLDataset, CoNLLUDataset, JoinedRows, LacRows
from PaddleNLP.data.tsv import TableDataset

_PATHS = ("path", "labels", "source", "target")


class _Datasets(Table):
    """Data sets, of which one may be made of others."""

    def below(self, component: Component, root: Optional[str]) -> Component:
        """Return a component whose relative paths, also those of data sets in it, are joined to a folder."""
        return component.model_copy(update=rooted(component.arguments, root))


def rooted(value: Any, root: Optional[str]) -> Any:
    """Return what a config says of a data set, or of several, with relative paths joined to a folder.

    Args:
        value: what YAML can hold.
        root: the folder, a path or a URL; None: paths stay.
    """
    if root is None:
        return value
    if isinstance(value, Mapping):
        return {
            key: join_path(root, one) if key in _PATHS and isinstance(one, str) else rooted(one, root)
            for key, one in value.items()
        }
    return [rooted(one, root) for one in value] if isinstance(value, list) else value


DATASETS = _Datasets(
    "data set",
    {
        "DrawnReviews": DrawnReviews,
        "DrawnMarkovText": DrawnMarkovText,
        "SentencesDataset": SentencesDataset,
        "TableDataset": TableDataset,
        **FORMATS,
        "CoNLLDataset": CoNLLDataset,
        "CoNLLUDataset": CoNLLUDataset,
        "JoinedRows": JoinedRows,
        "LAC": LacRows,
        "SQuADDataset": SQuADDataset,
        "MRQADataset": MRQADataset,
        "DuReaderDataset": DuReaderDataset,
        "DuReaderPassages": "PaddleNLP.data.reading.dureader:DuReaderPassages",
        "RelationDataset": RelationDataset,
        "DistantRelations": "PaddleNLP.data.distant:DistantRelations",
        "C3Dataset": C3Dataset,
        "DialogueMatchDataset": DialogueMatchDataset,
        "DialogueStateDataset": DialogueStateDataset,
        "ContextResponseRows": "PaddleNLP.data.dialogue.conversations:ContextResponseRows",
        "MatchingPickle": "PaddleNLP.data.dialogue.conversations:MatchingPickle",
        "DuConvCandidates": "PaddleNLP.data.dialogue.duconv:DuConvCandidates",
        "DuConvReplies": "PaddleNLP.data.dialogue.duconv:DuConvReplies",
        "PostReplies": "PaddleNLP.data.dialogue.posts:PostReplies",
        "TriplesDataset": "PaddleNLP.data.triples:TriplesDataset",
        "TriplesOfPairs": "PaddleNLP.data.triples:TriplesOfPairs",
        "SeveralDatasets": "PaddleNLP.data.several:SeveralDatasets",
        "PretrainingRows": PretrainingRows,
        "DocumentsDataset": DocumentsDataset,
        "ParallelDataset": ParallelDataset,
        "DrawnSequences": DrawnSequences,
        "JoinedTexts": "PaddleNLP.data.joined:JoinedTexts",
    },
    provided=("transform",),
    paths=_PATHS,
)
