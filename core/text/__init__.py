"""Text: tokenisers, vocabularies, data sets, and sequences of tags (paddle.text)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from core.text import datasets, tokenizers
from core.text.batching import EncodedTexts, TextCollate, text_batches
from core.text.datasets import WMT14, WMT16, Conll05st, Imdb, Imikolov, Movielens, UCIHousing
from core.text.tokenizers import (
    AlbertTokenizer,
    BasicTokenizer,
    BertTokenizer,
    CharTokenizer,
    DistilBertTokenizer,
    ElectraTokenizer,
    ErnieGramTokenizer,
    ErnieTinyTokenizer,
    ErnieTokenizer,
    GPTChineseTokenizer,
    GPTTokenizer,
    JiebaTokenizer,
    LikeliestPath,
    LongestMatch,
    NeZhaTokenizer,
    PretrainedTokenizer,
    RobertaBPETokenizer,
    RobertaChineseTokenizer,
    RobertaTokenizer,
    SkepTokenizer,
    SubwordBPE,
    TinyBertTokenizer,
    WordpieceTokenizer,
    WordTokenizer,
    XLNetTokenizer,
    learn_bpe,
    learn_wordpiece,
)
from core.text.vocabulary import Vocab

if TYPE_CHECKING:
    from core.operators.sequences.viterbi import viterbi_decode
    from core.text.crf import LinearChainCrf, LinearChainCrfLoss
    from core.text.decoder import ViterbiDecoder
    from core.text.generation import Generated, Generation, Shared, generate

__all__ = [
    "AlbertTokenizer",
    "BasicTokenizer",
    "BertTokenizer",
    "CharTokenizer",
    "Conll05st",
    "DistilBertTokenizer",
    "ElectraTokenizer",
    "EncodedTexts",
    "ErnieGramTokenizer",
    "ErnieTinyTokenizer",
    "ErnieTokenizer",
    "GPTChineseTokenizer",
    "GPTTokenizer",
    "Generated",
    "Generation",
    "Imdb",
    "Imikolov",
    "JiebaTokenizer",
    "LikeliestPath",
    "LinearChainCrf",
    "LinearChainCrfLoss",
    "LongestMatch",
    "Movielens",
    "NeZhaTokenizer",
    "PretrainedTokenizer",
    "RobertaBPETokenizer",
    "RobertaChineseTokenizer",
    "RobertaTokenizer",
    "Shared",
    "SkepTokenizer",
    "SubwordBPE",
    "TextCollate",
    "TinyBertTokenizer",
    "UCIHousing",
    "ViterbiDecoder",
    "Vocab",
    "WMT14",
    "WMT16",
    "WordTokenizer",
    "WordpieceTokenizer",
    "XLNetTokenizer",
    "datasets",
    "generate",
    "learn_bpe",
    "learn_wordpiece",
    "text_batches",
    "tokenizers",
    "viterbi_decode",
]


_LATE = {
    "Generated": "generation",
    "Generation": "generation",
    "LinearChainCrf": "crf",
    "LinearChainCrfLoss": "crf",
    "Shared": "generation",
    "ViterbiDecoder": "decoder",
    "generate": "generation",
    "viterbi_decode": "decoder",
}
"""Names whose modules load the engine, which reading and cutting text does not need."""


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(importlib.import_module(f"core.text.{_LATE[name]}"), name)
    raise AttributeError(f"core.text has no attribute {name!r}")
