"""BertTokenizer, and the tokenisers of networks that took over its rules."""

from __future__ import annotations

import os
from typing import ClassVar, Optional, Union

from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.basic import BasicTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.wordpiece import WordpieceTokenizer
from core.text.vocabulary import Vocab

PathLike = Union[str, "os.PathLike[str]"]


class BertTokenizer(PretrainedTokenizer):
    """Words, then the longest pieces that the vocabulary has (Devlin et al. 2019, arXiv:1810.04805).

    Args:
        vocab_file: a token a line, or lines ``token<TAB>id``.
        do_lower_case: lower case, without accents.
        do_basic_tokenize: cut at punctuation and CJK characters before pieces are looked for, and not at spaces alone.
        unk_token: the token for unknown words.
        sep_token: the token behind a text.
        pad_token: the token that fills batches.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.
        tokenize_chinese_chars: each CJK character is a word.
        strip_accents: remove accents; None: if ``do_lower_case``.

    Raises:
        OSError: the vocabulary cannot be read.
        ValueError: it is damaged, or a special token is not in it.
    """

    _special_words: ClassVar[bool] = True  # what is a special token when cleaned is one, too
    _final_sigma: ClassVar[bool] = False

    def __init__(
        self,
        vocab_file: PathLike,
        do_lower_case: bool = True,
        do_basic_tokenize: bool = True,
        unk_token: str = "[UNK]",
        sep_token: str = "[SEP]",
        pad_token: str = "[PAD]",
        cls_token: str = "[CLS]",
        mask_token: str = "[MASK]",
        tokenize_chinese_chars: bool = True,
        strip_accents: Optional[bool] = None,
    ) -> None:
        vocab = Vocab.load_vocabulary(vocab_file, unk_token=unk_token, pad_token=pad_token)
        super().__init__(
            vocab,
            unk_token=unk_token,
            sep_token=sep_token,
            pad_token=pad_token,
            cls_token=cls_token,
            mask_token=mask_token,
        )
        self.vocab_file = os.fspath(vocab_file)
        self.do_lower_case = do_lower_case
        self.do_basic_tokenize = do_basic_tokenize
        self.tokenize_chinese_chars = tokenize_chinese_chars
        self.strip_accents = strip_accents
        self.basic_tokenizer = BasicTokenizer(
            do_lower_case,
            self.all_special_tokens if self._special_words else (),
            tokenize_chinese_chars,
            strip_accents,
            do_basic_tokenize,
            self._final_sigma,
        )
        self.wordpiece_tokenizer = WordpieceTokenizer(vocab, unk_token)

    def save_resources(self, folder: str) -> None:
        """Write the vocabulary into a folder."""
        self.vocab.save_vocabulary(os.path.join(folder, self.resource_files_names["vocab_file"]))

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        return self.wordpiece_tokenizer.ids(self.basic_tokenizer.tokenize(text))

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        spaced, origins = self.basic_tokenizer.with_origins(text)
        placed = self.wordpiece_tokenizer.placed
        ids: list[int] = []
        offsets: Offsets = []
        words = spaced.split(" ")
        end = -1
        for word in words:
            start = end + 1
            end = start + len(word)
            if not word:
                continue
            pieces = placed[word]
            if len(pieces) == 1:
                ids.append(pieces[0][0])
                offsets.append((origins[start], origins[end - 1] + 1))
            else:
                for index, first, last in pieces:
                    ids.append(index)
                    offsets.append((origins[start + first], origins[start + last - 1] + 1))
        return ids, offsets

    def convert_tokens_to_string(self, tokens: list[str]) -> str:  # type: ignore[override]  # lists alone
        """Return tokens as a text, pieces put together to words."""
        return " ".join(tokens).replace(" ##", "").strip()


class ElectraTokenizer(BertTokenizer):
    """Of ELECTRA (Clark et al. 2020, arXiv:2003.10555): BERT's rules."""


class RobertaChineseTokenizer(BertTokenizer):
    """Of RoBERTa-wwm-ext (Cui et al. 2019, arXiv:1906.08101): BERT's rules and Chinese vocabulary."""


class NeZhaTokenizer(BertTokenizer):
    """Of NEZHA (Wei et al. 2019, arXiv:1909.00204): BERT's rules."""

    _special_words = False
    _final_sigma = True


class TinyBertTokenizer(BertTokenizer):
    """Of TinyBERT (Jiao et al. 2019, arXiv:1909.10351): BERT's rules."""


class DistilBertTokenizer(BertTokenizer):
    """Of DistilBERT (Sanh et al. 2019, arXiv:1910.01108): BERT's rules; the network takes no ``token_type_ids``."""

    model_input_names: ClassVar[tuple[str, ...]] = ("input_ids",)
