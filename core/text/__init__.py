"""Text: tokenisers, vocabularies, data sets, and sequences of tags (paddle.text)."""

from __future__ import annotations

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
    "learn_bpe",
    "learn_wordpiece",
    "text_batches",
    "tokenizers",
    "viterbi_decode",
]


def __getattr__(name: str) -> Any:
    if name in ("ViterbiDecoder", "viterbi_decode"):
        from core.text import decoder  # loads the engine, which reading and cutting text does not need

        return getattr(decoder, name)
    if name in ("LinearChainCrf", "LinearChainCrfLoss"):
        from core.text import crf  # likewise

        return getattr(crf, name)
    raise AttributeError(f"core.text has no attribute {name!r}")
