"""ErnieTinyTokenizer: words of a dictionary, then pieces of a sentencepiece model."""

from __future__ import annotations

import io
import os
import pickle
from typing import ClassVar

from core.io.files import read_bytes
from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.segmentation import LongestMatch
from core.text.tokenizers.sentencepiece import Aligned, PathLike, _lower
from core.text.tokenizers.sentencepiece_model import SentencePieceModel
from core.text.vocabulary import Vocab
from core.weights.formats.unpickler import load_plain

_LONGEST_WORD = 5


class ErnieTinyTokenizer(PretrainedTokenizer):
    """Of ERNIE tiny (Sun et al. 2019, arXiv:1907.12412): words of a dictionary, cut by a sentencepiece model.

    Args:
        vocab_file: a token a line, or lines ``token<TAB>id``.
        sentencepiece_model_file: the sentencepiece model.
        word_dict: the words: a pickle of a set, a list, or a dictionary of strings. It is read without running it.
        do_lower_case: lower case before words are looked for; the model is given lower case in any case.
        unk_token: the token for what is unknown.
        sep_token: the token behind a text.
        pad_token: the token that fills batches.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is damaged, the pickle asks for code to be run, or a special token is not in the vocabulary.
    """

    resource_files_names: ClassVar[dict[str, str]] = {
        "sentencepiece_model_file": "spm_cased_simp_sampled.model",
        "vocab_file": "vocab.txt",
        "word_dict": "dict.wordseg.pickle",
    }

    def __init__(
        self,
        vocab_file: PathLike,
        sentencepiece_model_file: PathLike,
        word_dict: PathLike,
        do_lower_case: bool = True,
        unk_token: str = "[UNK]",
        sep_token: str = "[SEP]",
        pad_token: str = "[PAD]",
        cls_token: str = "[CLS]",
        mask_token: str = "[MASK]",
    ) -> None:
        super().__init__(
            Vocab.load_vocabulary(vocab_file, unk_token=unk_token, pad_token=pad_token),
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
        )
        self.do_lower_case = do_lower_case
        self.model = SentencePieceModel(sentencepiece_model_file)
        self.words = LongestMatch(read_words(os.fspath(word_dict)), _LONGEST_WORD)
        self._table = [self.vocab.to_indices(piece) for piece in self.model.pieces]

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        if self.do_lower_case:
            text = _lower(text)
        text = " ".join([word for word in self.words.cut(text) if word != " "]).lower()
        ids = self.model.ids(text)
        if self.model.unknown in ids:  # the vocabulary may have what the model has not
            found: list[int] = self.vocab.to_indices(self.model.cut(text))
            return found
        table = self._table
        return [table[number] for number in ids]

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        made = self._aligned(text)
        pieces, offsets = self.model.place(made.text)
        return self.vocab.to_indices(pieces), [made.origin(start, end) for start, end in offsets]

    def _aligned(self, text: str) -> Aligned:
        lower = [char.lower() for char in text] if self.do_lower_case else list(text)
        text = "".join(lower)
        places = range(len(text)) if len(text) == len(lower) else [n for n, part in enumerate(lower) for _ in part]
        made: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        place = 0
        for word in self.words.cut(text):
            after = place + len(word)
            if word != " ":
                if made:
                    around = ends[-1], places[place]  # two words may share a character that has become two
                    starts.append(min(around))
                    ends.append(max(around))
                origins = list(places[place:after])
                if not word.isascii() and len(word.lower()) != len(word):
                    origins = [origin for origin, char in zip(origins, word) for _ in char.lower()]
                made.append(word.lower())
                starts += origins
                ends += [origin + 1 for origin in origins]
            place = after
        return Aligned(" ".join(made), starts, ends)

    def save_resources(self, folder: str) -> None:
        """Write vocabulary, model and words into a folder."""
        names = self.resource_files_names
        self.vocab.save_vocabulary(os.path.join(folder, names["vocab_file"]))
        with open(os.path.join(folder, names["sentencepiece_model_file"]), "wb") as stream:
            stream.write(self.model.content)
        with open(os.path.join(folder, names["word_dict"]), "wb") as stream:
            pickle.dump(sorted(self.words.words), stream, protocol=2)


def read_words(path: str) -> list[str]:
    """Return the words of a pickle, which is read without running it.

    Args:
        path: the pickle of a set, a list or a dictionary of strings.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds anything else, asks for code to be run, or is damaged.
    """
    try:
        words = load_plain(io.BytesIO(read_bytes(path)))
    except pickle.UnpicklingError as error:
        raise ValueError(f"{path}: no pickle of words: {error}") from None
    if not isinstance(words, (set, frozenset, list, tuple, dict)) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{path}: no pickle of words: it holds something else than strings")
    return list(words)
