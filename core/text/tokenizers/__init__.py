"""Tokenisers under Paddle's names: texts to ids, without the engine."""

from __future__ import annotations

from core.text.tokenizers.albert import AlbertChineseTokenizer, AlbertEnglishTokenizer, AlbertTokenizer
from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.basic import BasicTokenizer
from core.text.tokenizers.bert import (
    BertTokenizer,
    DistilBertTokenizer,
    ElectraTokenizer,
    NeZhaTokenizer,
    RobertaChineseTokenizer,
    TinyBertTokenizer,
)
from core.text.tokenizers.ernie import ErnieGramTokenizer, ErnieTokenizer
from core.text.tokenizers.ernie_tiny import ErnieTinyTokenizer
from core.text.tokenizers.gpt import GPTTokenizer, RobertaBPETokenizer
from core.text.tokenizers.gpt_chinese import GPTChineseTokenizer
from core.text.tokenizers.roberta import RobertaTokenizer
from core.text.tokenizers.segmentation import LikeliestPath, LongestMatch, read_frequencies
from core.text.tokenizers.sentencepiece import SentencePieceTokenizer
from core.text.tokenizers.skep import SkepTokenizer
from core.text.tokenizers.subword_nmt import SubwordBPE, read_codes, read_pieces, write_codes
from core.text.tokenizers.subword_nmt_learning import count_words, learn_bpe
from core.text.tokenizers.wordpiece import WordpieceTokenizer
from core.text.tokenizers.wordpiece_learning import learn_wordpiece
from core.text.tokenizers.words import CharTokenizer, JiebaTokenizer, WordTokenizer
from core.text.tokenizers.xlnet import XLNetTokenizer

__all__ = [
    "AlbertChineseTokenizer",
    "AlbertEnglishTokenizer",
    "AlbertTokenizer",
    "BasicTokenizer",
    "BertTokenizer",
    "CharTokenizer",
    "DistilBertTokenizer",
    "ElectraTokenizer",
    "ErnieGramTokenizer",
    "ErnieTinyTokenizer",
    "ErnieTokenizer",
    "GPTChineseTokenizer",
    "GPTTokenizer",
    "JiebaTokenizer",
    "LikeliestPath",
    "LongestMatch",
    "NeZhaTokenizer",
    "PretrainedTokenizer",
    "RobertaBPETokenizer",
    "RobertaChineseTokenizer",
    "RobertaTokenizer",
    "SentencePieceTokenizer",
    "SkepTokenizer",
    "SubwordBPE",
    "TinyBertTokenizer",
    "WordTokenizer",
    "WordpieceTokenizer",
    "XLNetTokenizer",
    "count_words",
    "learn_bpe",
    "learn_wordpiece",
    "read_codes",
    "read_frequencies",
    "read_pieces",
    "write_codes",
]
