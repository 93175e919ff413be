"""SkepTokenizer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar, Optional

from core.text.tokenizers.byte_pairs import (
    CHARACTERS,
    BytePairs,
    PathLike,
    read_merges,
    read_pieces,
    text_of,
    write_files,
)
from core.text.tokenizers.ernie import ErnieTokenizer
from core.text.tokenizers.pieces import Offsets
from core.text.tokenizers.token_table import TokenTable
from core.text.vocabulary import Vocab


class SkepTokenizer(ErnieTokenizer):
    """Of SKEP (Tian et al. 2020, arXiv:2005.05635).

    On ERNIE 1.0 (Chinese) and 2.0 (English) it has ERNIE's rules, on RoBERTa (English) byte-level byte pair encoding:
    ``use_bpe_encoder``, ``add_two_sep_token_inter``, and no ``need_token_type_id``.

    Args:
        vocab_file: the vocabulary.
        bpe_vocab_file: the merges, below a heading, of byte pair encoding.
        bpe_json_file: JSON of its pieces and their ids. A special token that it lacks gets an id behind those of
            ``vocab_file``, as in paddlenlp.
        do_lower_case: lower case, without accents; byte pair encoding leaves texts as they are.
        use_bpe_encoder: byte pair encoding instead of ERNIE's rules.
        need_token_type_id: whether the network takes ``token_type_ids``.
        add_two_sep_token_inter: ``[CLS] A [SEP] [SEP] B [SEP]`` of a pair.
        unk_token: the token for unknown words.
        sep_token: the token behind a text.
        pad_token: the token that fills batches.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is damaged or missing, or a special token is not in the vocabulary.
    """

    resource_files_names: ClassVar[dict[str, str]] = {
        "vocab_file": "vocab.txt",
        "bpe_vocab_file": "vocab.bpe",
        "bpe_json_file": "encoder.json",
    }
    _final_sigma = True
    _spaces_count = False

    def __init__(
        self,
        vocab_file: PathLike,
        bpe_vocab_file: Optional[PathLike] = None,
        bpe_json_file: Optional[PathLike] = None,
        do_lower_case: bool = True,
        use_bpe_encoder: bool = False,
        need_token_type_id: bool = True,
        add_two_sep_token_inter: bool = False,
        unk_token: str = "[UNK]",
        sep_token: str = "[SEP]",
        pad_token: str = "[PAD]",
        cls_token: str = "[CLS]",
        mask_token: str = "[MASK]",
    ) -> None:
        super().__init__(vocab_file, do_lower_case, unk_token, sep_token, pad_token, cls_token, mask_token)
        self.use_bpe_encoder = use_bpe_encoder
        self.need_token_type_id = need_token_type_id
        self.add_two_sep_token_inter = add_two_sep_token_inter
        if not need_token_type_id:
            self.model_input_names = ("input_ids",)  # type: ignore[misc]  # of the class in all others
        self._words = self.vocab
        self.pairs: Optional[BytePairs] = None
        if use_bpe_encoder:
            if bpe_vocab_file is None or bpe_json_file is None:
                raise ValueError("SkepTokenizer: use_bpe_encoder needs the files bpe_vocab_file and bpe_json_file")
            self._read_pairs(bpe_vocab_file, bpe_json_file)

    def _read_pairs(self, merges: PathLike, path: PathLike) -> None:
        """Take the tokens of byte pair encoding in place of the vocabulary's."""
        pieces = read_pieces(path)
        unknown = pieces.get(self.unk_token)
        lacking = next((char for char in CHARACTERS.values() if char not in pieces), None)
        if unknown is None and lacking is not None:
            raise ValueError(f"{os.fspath(path)}: it has no {lacking!r}, and no {self.unk_token!r} in its place")
        self.pairs = BytePairs(pieces, read_merges(merges, pieces), 0 if unknown is None else unknown)
        ids, special = dict(pieces), dict(self.special_tokens_map)
        further = [token for token in special.values() if token not in pieces and token != self.unk_token]
        ids.update({token: len(self._words) + number for number, token in enumerate(further)})
        if unknown is None:
            del special["unk_token"]
        TokenTable.__init__(self, Vocab(token_to_idx=ids), **special)
        if unknown is None:  # every byte has a piece
            self.unk_token_id = None  # type: ignore[assignment]  # as in paddlenlp

    @property
    def vocab_size(self) -> int:
        """How many rows a table of embeddings needs, tokens behind the vocabulary not counted."""
        return len(self._words)

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        return super().encode_text(text) if self.pairs is None else self.pairs.encode(text)

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        return super().place_text(text) if self.pairs is None else self.pairs.place(text)

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text or two with special tokens; see ``add_two_sep_token_inter``."""
        sep = [self.sep_token_id]
        twice = sep if self.add_two_sep_token_inter else []
        return [self.cls_token_id] + token_ids_0 + sep + ([] if token_ids_1 is None else twice + token_ids_1 + sep)

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return how many special tokens stand before the first text, behind it, and behind the second."""
        return 1, 1 + int(pair and self.add_two_sep_token_inter), int(pair)

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text and the special tokens at it, 1 for the second."""
        before, between, behind = self.around(token_ids_1 is not None)
        return [0] * (before + len(token_ids_0) + between) + [1] * (len(token_ids_1 or []) + behind)

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Return tokens as a text, pieces put together to words."""
        if self.pairs is None:
            return super().convert_tokens_to_string(list(tokens))
        return text_of(tokens, set(self.all_special_tokens), "replace")

    def save_resources(self, folder: str) -> None:
        """Write vocabulary, and pieces and merges where there are some, into a folder."""
        paths = {name: os.path.join(folder, file) for name, file in self.resource_files_names.items()}
        self._words.save_vocabulary(paths["vocab_file"])
        if self.pairs is not None:
            write_files(self.pairs, paths["bpe_json_file"], paths["bpe_vocab_file"])
