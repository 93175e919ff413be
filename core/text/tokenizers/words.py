"""Tokenisers that look up whole words, or characters, in a vocabulary (paddlenlp.data)."""

from __future__ import annotations

import importlib
from typing import Any

from core.kernels.engine.requirements import PackageError, check
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.segmentation import LikeliestPath, Segmenter
from core.text.vocabulary import Vocab


def load_jieba(caller: str, use: str) -> Any:
    """Return the package jieba, which is an extra.

    Args:
        caller: for the message.
        use: what needs it.

    Raises:
        PackageError: it is not installed; the message has the command that installs it.
    """
    try:
        check("jieba", ("jieba",))
    except PackageError as error:
        raise PackageError(f"{caller} needs the extra jieba for {use}: {error}") from None
    return importlib.import_module("jieba")


class BaseTokenizer:
    """Base of tokenisers that cut a text and look up what comes out.

    Args:
        vocab: the tokens; with an ``unk_token``, unless all are known.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def cut(self, sentence: str) -> list[str]:
        """Return the tokens of a text."""
        raise NotImplementedError

    def place(self, sentence: str) -> tuple[list[str], Offsets]:
        """Return the tokens of a text, and the first character and the one behind the last of each."""
        tokens = self.cut(sentence)
        offsets, start = [], 0
        for token in tokens:
            start = sentence.index(token, start)
            offsets.append((start, start + len(token)))
            start += len(token)
        return tokens, offsets

    def encode(self, sentence: str) -> list[int]:
        """Return the ids of the tokens of a text.

        Raises:
            ValueError: one is unknown, and the vocabulary has no ``unk_token``.
        """
        found: list[int] = self.vocab.to_indices(self.cut(sentence))
        return found


class CharTokenizer(BaseTokenizer):
    """Each character but white space is a token."""

    def cut(self, sentence: str) -> list[str]:
        """Return the tokens of a text."""
        return [char for char in sentence if not char.isspace()]


class WordTokenizer(BaseTokenizer):
    """The words that a segmenter finds, but for white space.

    Args:
        vocab: the tokens; with an ``unk_token``, unless all are known.
        segmenter: cuts texts into words.
    """

    def __init__(self, vocab: Vocab, segmenter: Segmenter) -> None:
        super().__init__(vocab)
        self.segmenter = segmenter

    def cut(self, sentence: str) -> list[str]:
        """Return the tokens of a text."""
        return [word for word in self.segmenter.cut(sentence) if not word.isspace()]


class JiebaTokenizer(BaseTokenizer):
    """The vocabulary's words, all as likely, as jieba finds them; what is in none, by its hidden Markov model.

    Args:
        vocab: the tokens; with an ``unk_token``, unless all are known.
    """

    def __init__(self, vocab: Vocab) -> None:
        super().__init__(vocab)
        self._path = LikeliestPath(dict.fromkeys(vocab.token_to_idx, 1), prefixes=False)
        self._jieba: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_jieba": None}

    def cut(self, sentence: str, cut_all: bool = False, use_hmm: bool = True) -> list[str]:
        """Return the tokens of a text.

        Args:
            sentence: the text.
            cut_all: all words that are somewhere in the text.
            use_hmm: words that the vocabulary has not are guessed.

        Raises:
            PackageError: one of the two is asked for, and jieba is not installed.
        """
        if not cut_all and not use_hmm:
            return self._path.cut(sentence)
        if self._jieba is None:
            self._jieba = self._load()
        found: list[str] = self._jieba.lcut(sentence, cut_all, use_hmm)
        return found

    def _load(self) -> Any:
        jieba = load_jieba("JiebaTokenizer", "use_hmm=True and cut_all=True; use_hmm=False works without")
        tokenizer = jieba.Tokenizer()
        tokenizer.FREQ = dict.fromkeys(self.vocab.token_to_idx, 1)
        tokenizer.total = len(tokenizer.FREQ)
        tokenizer.initialized = True
        return tokenizer

    def encode(self, sentence: str, cut_all: bool = False, use_hmm: bool = True) -> list[int]:
        """Return the ids of the tokens of a text; see :meth:`cut`."""
        found: list[int] = self.vocab.to_indices(self.cut(sentence, cut_all, use_hmm))
        return found
