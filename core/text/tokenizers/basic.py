"""Words of a text as BERT cuts them: cleaned, lower case, without accents, CJK characters and punctuation alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Optional

# What Paddle counts as symbols besides Unicode's category S.
_FURTHER_SYMBOLS = frozenset("\u00ad\u00b2\u00ba\u3007\u00b5\u00d8\u014b\u01b1")
_CJK = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
SIGMA = "\u03a3"
_COMMON = "".join(map(chr, range(0x20, 0x7F))) + "\t\n\r，。！？；：、“”‘’（）《》〈〉「」【】…—·～￥％"
_CHARACTERS = "\u4e00-\u9fff"  # a class of Chinese ones, which neither case nor accents change
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
            return " " if character.isspace() else character
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

    def decomposed(self, word: str, where: list[int]) -> tuple[str, list[int]]:
        """Return a word without its accents, and of each character what ``where`` says of the one it comes from."""
        if not self.strip:
            return word, where
        pairs = [(c, place) for character, place in zip(word, where) for c in unicodedata.normalize("NFD", character)]
        start = 0
        for index in range(len(pairs) + 1):  # marks in the order of their classes, as Unicode says
            if index == len(pairs) or not unicodedata.combining(pairs[index][0]):
                pairs[start:index] = sorted(pairs[start:index], key=lambda pair: unicodedata.combining(pair[0]))
                start = index + 1
        pairs = [pair for pair in pairs if unicodedata.category(pair[0]) != "Mn"]
        return "".join(character for character, _ in pairs), [place for _, place in pairs]

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
        reordered: characters that occurred and cannot be dealt with alone, as decomposition may exchange them with a
            neighbour.
    """

    def __init__(self, first: _Clean, second: Optional[_Split], left_out: str) -> None:
        super().__init__()
        self.first = first
        self.left_out = left_out
        self.second = second
        self.reordered: set[str] = set()

    def becomes(self, character: str) -> str:
        """Return what a character becomes."""
        if character == self.left_out:
            return character
        text = self.first.becomes(character)
        if self.second is None:
            return text
        if self.second.strip:
            text = unicodedata.normalize("NFD", text)
            if any(unicodedata.combining(c) and unicodedata.category(c) != "Mn" for c in text):
                self.reordered.add(character)
        return text.translate(self.second)


class BasicTokenizer:
    """Cuts a text into words (Devlin et al. 2019, arXiv:1810.04805; paddlenlp.transformers.BasicTokenizer).

    All characters but the rarest can be dealt with one by one, so that a text is one ``str.translate``.

    Args:
        do_lower_case: lower case, without accents.
        never_split: words that stay as they are where white space or CJK characters surround them.
        tokenize_chinese_chars: each CJK character is a word.
        strip_accents: remove accents; None: if ``do_lower_case``.
        basic: False: nothing but lower case and cuts at white space.
        final_sigma: a capital sigma at the end of a word becomes the letter for it. Where the text is lower case before
            it is cut, as for most of Paddle's tokenisers, it does not.
    """

    def __init__(
        self,
        do_lower_case: bool = True,
        never_split: Iterable[str] = (),
        tokenize_chinese_chars: bool = True,
        strip_accents: Optional[bool] = None,
        basic: bool = True,
        final_sigma: bool = True,
    ) -> None:
        self._arguments = (
            *(do_lower_case, tuple(never_split), tokenize_chinese_chars, strip_accents, basic, final_sigma),
        )
        self.do_lower_case = do_lower_case
        self.never_split = set(never_split)
        self._by_word = do_lower_case and basic and final_sigma
        strip = do_lower_case if strip_accents is None else strip_accents
        first = _Clean(do_lower_case, basic, tokenize_chinese_chars)
        self._whole = _Whole(first, _Split(strip) if basic else None, SIGMA if self._by_word else "")
        self._clean = _Clean(False, basic, tokenize_chinese_chars) if self._by_word else first
        possible = [word for word in self.never_split if basic and word == word.translate(self._clean)]
        self._forms = [word.translate(self._whole).strip() for word in possible]
        self._common, self._longer = self._patterns()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments

    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Return what matches texts of common characters alone, and what finds the longer words in them.

        Other words of such texts are single characters. Those that begin a word that is never split are not common.
        """
        first = {word[0] for word in self.never_split if word}
        table = {char: self._whole[ord(char)] for char in (*_COMMON, "\u4e00") if char not in first}
        if any(char.isalnum() for char in first):
            table = {}
        lower = str.lower if self.do_lower_case else str
        inside = "".join(char for char, text in table.items() if text == lower(char) and not char.isspace())
        others = "".join(char for char, text in table.items() if text in (f" {char} ", " "))
        inside, others = (re.escape(part).replace("\u4e00", _CHARACTERS) for part in (inside, others))
        longer = re.compile(f"([{inside}]+)" if inside else r"(?!)()")
        return re.compile(f"[{inside}{others}]*" if table else r"(?!)"), longer

    def spaced(self, text: str) -> str:
        """Return a text as its words with white space between them."""
        spaced = text.translate(self._whole)
        return self._slowly(text)[0] if self._rare(text, spaced) else spaced

    def tokenize(self, text: str) -> list[str]:
        """Return the words of a text."""
        if text.isascii() or not self._common.fullmatch(text):
            return self.spaced(text).split()
        words: list[str] = []
        for number, part in enumerate(self._longer.split(text.lower() if self.do_lower_case else text)):
            if number % 2:
                words.append(part)
            else:
                words += "".join(part.split())
        return words

    def with_origins(self, text: str) -> tuple[str, list[int]]:
        """Return :meth:`spaced`, and for each of its characters the index of that of ``text`` which it comes from."""
        pieces = list(map(self._whole.__getitem__, map(ord, text)))
        spaced = "".join(pieces)
        if self._rare(text, spaced):
            return self._slowly(text)
        if len(spaced) == len(text) and "" not in pieces:
            return spaced, list(range(len(text)))
        return spaced, [index for index, piece in enumerate(pieces) for _ in piece]

    def _rare(self, text: str, spaced: str) -> bool:
        """Tell whether the characters of a text cannot be dealt with one by one."""
        if self._by_word and SIGMA in text or self._whole.reordered and not self._whole.reordered.isdisjoint(text):
            return True
        return any(form in spaced for form in self._forms)

    def _slowly(self, text: str) -> tuple[str, list[int]]:
        """Do what :meth:`with_origins` does, word by word."""
        second = self._whole.second
        assert second is not None
        found: list[str] = []
        origins: list[int] = []
        cleaned = [self._clean[ord(character)] for character in text]
        places = [index for index, piece in enumerate(cleaned) for _ in piece]
        for run in re.finditer(r"\S+", "".join(cleaned)):
            word, where = run[0], places[run.start() : run.end()]
            if word not in self.never_split:
                if self._by_word:
                    where = [place for character, place in zip(word, where) for _ in character.lower()]
                    word = word.lower()
                word, where = second.decomposed(word, where)
            whole = word in self.never_split
            for character, place in zip(word, where):
                piece = character if whole else second[ord(character)]
                found.append(piece)
                origins += [place] * len(piece)
            found.append(" ")
            origins.append(where[-1] if where else 0)
        return "".join(found), origins
