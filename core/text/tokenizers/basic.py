"""Words of a text as BERT cuts them: cleaned, lower case, without accents, CJK characters and punctuation alone."""

from __future__ import annotations

import re
import unicodedata
from typing import Optional

# What Paddle counts as symbols besides Unicode's category S.
_FURTHER_SYMBOLS = frozenset("\u00ad\u00b2\u00ba\u3007\u00b5\u00d8\u014b\u01b1")
_CJK = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_WORDS = re.compile(r"\S+")
_MOST_CHARACTERS = 1 << 17  # that a table remembers, so that no text fills the memory


class _Table(dict[int, str]):
    """What each character of a text becomes, worked out when it first occurs, for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_CHARACTERS:
            self.clear()
        text = self[code] = self.becomes(chr(code))
        return text

    def becomes(self, character: str) -> str:
        """Return what a character becomes."""
        raise NotImplementedError


class _Clean(_Table):
    """The first half: lower case, no control characters, one kind of space, CJK characters between spaces."""

    def __init__(self, lower: bool, clean: bool, chinese: bool) -> None:
        super().__init__()
        self.lower = lower
        self.clean = clean
        self.chinese = chinese

    def becomes(self, character: str) -> str:
        """Return what a character becomes."""
        return "".join(map(self._one, character.lower() if self.lower else character))

    def _one(self, character: str) -> str:
        if not self.clean:
            return character
        if character in "\t\n\r" or character.isspace() and not unicodedata.category(character).startswith("C"):
            return " "
        if character == "\ufffd" or unicodedata.category(character).startswith("C"):
            return ""
        if self.chinese and any(first <= ord(character) <= last for first, last in _CJK):
            return f" {character} "
        return character


class _Split(_Table):
    """The second half, after decomposition: no accents, punctuation and symbols between spaces."""

    def __init__(self, strip: bool) -> None:
        super().__init__()
        self.strip = strip

    def becomes(self, character: str) -> str:
        """Return what a character becomes."""
        category = unicodedata.category(character)
        if self.strip and category == "Mn":
            return ""
        ascii_mark = "!" <= character <= "~" and not character.isalnum()
        if ascii_mark or category[0] in "PS" or character in _FURTHER_SYMBOLS:
            return f" {character} "
        return character


class _Whole(_Table):
    """Both halves, one character at a time.

    Attributes:
        reorders: whether a character occurred that decomposition may exchange with a neighbour, which the halves have
            to be applied apart for.
    """

    def __init__(self, first: _Clean, second: Optional[_Split]) -> None:
        super().__init__()
        self.first = first
        self.second = second
        self.reorders = False

    def becomes(self, character: str) -> str:
        """Return what a character becomes."""
        text = self.first.becomes(character)
        if self.second is None:
            return text
        if self.second.strip:
            text = unicodedata.normalize("NFD", text)
            self.reorders |= any(unicodedata.combining(c) and unicodedata.category(c) != "Mn" for c in text)
        return text.translate(self.second)


class BasicTokenizer:
    """Cuts a text into words (Devlin et al. 2019, arXiv:1810.04805; paddlenlp.transformers.BasicTokenizer).

    All characters but the rarest can be dealt with one by one, so that a text is one ``str.translate``.

    Args:
        do_lower_case: lower case, without accents.
        tokenize_chinese_chars: each CJK character is a word.
        strip_accents: remove accents; None: if ``do_lower_case``.
        basic: False: nothing but lower case and cuts at spaces.
    """

    def __init__(
        self,
        do_lower_case: bool = True,
        tokenize_chinese_chars: bool = True,
        strip_accents: Optional[bool] = None,
        basic: bool = True,
    ) -> None:
        self.do_lower_case = do_lower_case
        self.tokenize_chinese_chars = tokenize_chinese_chars
        self.strip_accents = strip_accents
        strip = do_lower_case if strip_accents is None else strip_accents
        self._second = _Split(strip) if basic else None
        self._whole = _Whole(_Clean(do_lower_case, basic, tokenize_chinese_chars), self._second)

    def spaced(self, text: str) -> str:
        """Return a text as its words with white space between them."""
        spaced = text.translate(self._whole)
        return self._exactly(text) if self._whole.reorders else spaced

    def tokenize(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.spaced(text).split()

    def _exactly(self, text: str) -> str:
        assert self._second is not None
        return unicodedata.normalize("NFD", text.translate(self._whole.first)).translate(self._second)

    def with_places(self, text: str) -> tuple[list[tuple[str, int]], list[int]]:
        """Return the words of a text and where they come from.

        Returns:
            Words, each with the index of its first character in the spaced text; and for each character of the spaced
            text the index of that of ``text`` which it comes from.
        """
        pieces = [self._whole[ord(character)] for character in text]
        origins = [index for index, piece in enumerate(pieces) for _ in piece]
        spaced = self._exactly(text) if self._whole.reorders else "".join(pieces)
        return [(found[0], found.start()) for found in _WORDS.finditer(spaced)], origins
