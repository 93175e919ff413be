"""Tokenisers under Paddle's names: texts to ids, without the engine."""

from __future__ import annotations

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
from core.text.tokenizers.ernie import ErnieGramTokenizer, ErnieTokenizer, SkepTokenizer
from core.text.tokenizers.wordpiece import WordpieceTokenizer

__all__ = [
    "BasicTokenizer",
    "BertTokenizer",
    "DistilBertTokenizer",
    "ElectraTokenizer",
    "ErnieGramTokenizer",
    "ErnieTokenizer",
    "NeZhaTokenizer",
    "PretrainedTokenizer",
    "RobertaChineseTokenizer",
    "SkepTokenizer",
    "TinyBertTokenizer",
    "WordpieceTokenizer",
]
