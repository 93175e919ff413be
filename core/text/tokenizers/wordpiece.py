"""Words cut into the longest pieces that a vocabulary has (WordPiece)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Union

from tokenizers.models import WordPiece

from core.text.tokenizers.remembered import Remembered
from core.text.vocabulary import Vocab

_LONGEST_REMEMBERED = 32


class WordpieceTokenizer:
    """Cuts words into the longest pieces that a vocabulary has, from left to right (Schuster & Nakajima 2012).

    Pieces that do not begin a word have ``##`` before them. A word that cannot be cut, or is too long, is unknown.

    Args:
        vocab: the pieces and their ids.
        unk_token: the token for unknown words.
        max_input_chars_per_word: how many characters a word has at most that is not unknown.

    Attributes:
        placed: the pieces of each word as id, first character, and the one behind the last.

    Raises:
        ValueError: ``unk_token`` is not in the vocabulary.
    """

    def __init__(
        self, vocab: Union[Vocab, Mapping[str, int]], unk_token: str = "[UNK]", max_input_chars_per_word: int = 100
    ) -> None:
        self.vocab: Mapping[str, int] = vocab.token_to_idx if isinstance(vocab, Vocab) else vocab
        if unk_token not in self.vocab:
            raise ValueError(f"WordpieceTokenizer: the unknown token {unk_token!r} is not in the vocabulary")
        self.unk_token = unk_token
        self.max_input_chars_per_word = max_input_chars_per_word
        self._prepare()

    def _prepare(self) -> None:
        self._unknown = self.vocab[self.unk_token]
        self._model = WordPiece(
            dict(self.vocab), unk_token=self.unk_token, max_input_chars_per_word=self.max_input_chars_per_word
        )
        self._ids = Remembered(self._ids_of, _LONGEST_REMEMBERED)
        self.placed = Remembered(lambda word: tuple(self.pieces(word)), _LONGEST_REMEMBERED)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in ("_model", "_ids", "placed")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def pieces(self, word: str) -> list[tuple[int, int, int]]:
        """Return the pieces of a word as id, first character, and the one behind the last."""
        whole = [(self._unknown, 0, len(word))]
        if len(word) > self.max_input_chars_per_word:
            return whole
        if word in self.vocab:
            return [(self.vocab[word], 0, len(word))]
        try:
            found = self._model.tokenize(word)
        except UnicodeEncodeError:  # half a surrogate pair, which no vocabulary has
            return whole
        places, start = [], 0
        for token in found:
            end = start + len(token.value) - 2 * (start > 0)
            places.append((token.id, start, end))
            start = end
        return whole if len(found) == 1 and found[0].id == self._unknown else places

    def _ids_of(self, word: str) -> tuple[int, ...]:
        return tuple(index for index, _, _ in self.pieces(word))

    def ids(self, words: list[str]) -> list[int]:
        """Return the ids of the pieces of words."""
        return list(chain.from_iterable(map(self._ids.__getitem__, words)))

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of a word, or of words with white space between them."""
        found = []
        for word in text.split():
            pieces = self.placed[word]
            if pieces[0][0] == self._unknown:
                found.append(self.unk_token)
            else:
                found += [word[first:last] if first == 0 else f"##{word[first:last]}" for _, first, last in pieces]
        return found
