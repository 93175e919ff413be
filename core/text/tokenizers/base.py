"""What all tokenisers have: special tokens, pairs, truncation, windows, offsets, batches, folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Optional, Union

from core.text.tokenizers.folders import Folders
from core.text.tokenizers.pieces import Offsets, Pieces, add_row
from core.text.tokenizers.token_table import TokenTable
from core.text.tokenizers.windows import kept, room_for, strategy, windows
from core.weights.messages import counted

Words = Union[str, Sequence[str]]
OPTIONS = {
    f"return_{column.replace('offset_', 'offsets_')}": column
    for column in (
        "token_type_ids",
        "attention_mask",
        "position_ids",
        "special_tokens_mask",
        "offset_mapping",
        "word_ids",
    )
}
"""What a call may ask for, and the column that it then has."""


class PretrainedTokenizer(TokenTable, Folders):
    """Base of tokenisers (paddlenlp.transformers.PretrainedTokenizer).

    A subclass says how a text without special tokens is cut (:meth:`encode_text`, :meth:`place_text`), and what
    is around one text or two.

    Args:
        vocab: the tokens.
        unk_token: the token for what is unknown.
        sep_token: the token behind a text.
        pad_token: the token that fills batches.
        cls_token: the token for the whole.
        mask_token: the token in place of one that is to be guessed.
        **special: further special tokens.

    Raises:
        ValueError: a special token is not in the vocabulary.
    """

    padding_side: ClassVar[str] = "right"
    model_input_names: ClassVar[tuple[str, ...]] = ("input_ids", "token_type_ids")
    pad_token_type_id: ClassVar[int] = 0

    def encode_text(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens in it."""
        raise NotImplementedError

    def place_text(self, text: str) -> tuple[list[int], Offsets]:
        """Return the ids of a text without special tokens in it, and the characters that each token covers."""
        raise NotImplementedError

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return the ids of one text or two with special tokens: ``[CLS] A [SEP]`` or ``[CLS] A [SEP] B [SEP]``."""
        sep = [self.sep_token_id]
        return [self.cls_token_id] + token_ids_0 + sep + ([] if token_ids_1 is None else token_ids_1 + sep)

    def around(self, pair: bool) -> tuple[int, int, int]:
        """Return how many special tokens stand before the first text, behind it, and behind the second."""
        return 1, 1, int(pair)

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
    ) -> list[int]:
        """Return 0 for the first text and the special tokens at it, 1 for the second."""
        first = [0] * (len(token_ids_0) + 2)
        return first if token_ids_1 is None else first + [1] * (len(token_ids_1) + 1)

    def get_special_tokens_mask(
        self, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None, already_has_special_tokens: bool = False
    ) -> list[int]:
        """Return 1 for each special token around one text or two, 0 for the texts' own."""
        if already_has_special_tokens:
            special = set(self.all_special_ids)
            return [int(index in special) for index in token_ids_0]
        return self.framed([0] * len(token_ids_0), None if token_ids_1 is None else [0] * len(token_ids_1), 1)

    def build_offset_mapping_with_special_tokens(
        self, offset_mapping_0: Offsets, offset_mapping_1: Optional[Offsets] = None
    ) -> Offsets:
        """Return the offsets of one text or two with (0, 0) for special tokens."""
        return self.framed(offset_mapping_0, offset_mapping_1, (0, 0))

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """Return how many special tokens stand around one text, or two."""
        return sum(self.around(pair))

    def framed(self, first: list[Any], second: Optional[list[Any]], value: Any) -> list[Any]:
        """Return what is said of the tokens of one text or two, with a value for each special token around them."""
        before, between, behind = self.around(second is not None)
        return [value] * before + first + [value] * between + (second or []) + [value] * behind

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text, without special ones around it."""
        tokens: list[str] = self.convert_ids_to_tokens(self._pieces(text, False, False).ids)
        return tokens

    def _pieces(self, text: Any, placed: bool, split: bool) -> Pieces:
        if split:
            return self._word_pieces(text, placed)
        if not isinstance(text, str):
            raise TypeError(f"{type(self).__name__}: a text is a string, and not {text!r:.60}")
        if self._starts and self._starts not in text:
            return Pieces(*self.place_text(text)) if placed else Pieces(self.encode_text(text))
        ids: list[int] = []
        offsets: Offsets = []
        for part, start, special in self._parts(text):
            if special:
                ids.append(self.convert_tokens_to_ids(part))
                offsets.append((start, start + len(part)))
            elif placed:
                found, places = self.place_text(part)
                ids += found
                offsets += [(first + start, last + start) for first, last in places]
            else:
                ids += self.encode_text(part)
        return Pieces(ids, offsets if placed else None)

    def _word_pieces(self, words: Any, placed: bool) -> Pieces:
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise TypeError(f"{type(self).__name__}: is_split_into_words takes lists of strings, not {words!r:.60}")
        ids: list[int] = []
        offsets: Offsets = []
        numbers: list[int] = []
        for number, word in enumerate(words):
            found = self._pieces(word, placed, False)
            ids += found.ids
            offsets += found.offsets or []
            numbers += [number] * len(found.ids)
        return Pieces(ids, offsets if placed else None, numbers)

    def __call__(
        self,
        text: Any,
        text_pair: Any = None,
        max_length: Optional[int] = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """Return what a network takes of a text, or a pair.

        Args:
            text: a text; a list of words, if ``is_split_into_words``. A list of those is taken as :meth:`batch` does.
            text_pair: the second text, of the same kind.
            max_length: how many tokens to keep at most, special ones included.
            stride: cut the last text into windows of ``max_length`` in all that begin so many tokens apart.
            is_split_into_words: texts come as lists of words; offsets then count inside each word.
            **options: see :meth:`batch`.

        Returns:
            ``input_ids``, ``token_type_ids`` and what the options ask for, as lists of numbers; with ``stride``, lists
            of windows, as :meth:`batch` returns them.

        Raises:
            ValueError: the special tokens alone are longer than ``max_length``, or an option is unknown.
            TypeError: a text is no string.
        """
        if text_pair is None and not (stride or is_split_into_words or options) and isinstance(text, str):
            return self._plain(text, max_length)
        inner = text[0] if isinstance(text, (list, tuple)) and text else None
        if isinstance(text, (list, tuple)) and (not is_split_into_words or isinstance(inner, (list, tuple))):
            return self.batch(text, text_pair, max_length, stride, is_split_into_words, **options)
        pairs = None if text_pair is None else [text_pair]
        columns = self.batch([text], pairs, max_length, stride, is_split_into_words, **options)
        return columns if stride else {name: column[0] for name, column in columns.items()}

    def batch(
        self,
        texts: Sequence[Words],
        pairs: Optional[Sequence[Words]] = None,
        max_length: Optional[int] = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        truncation: Union[bool, str, None] = None,
        add_special_tokens: bool = True,
        return_length: bool = False,
        return_num_truncated_tokens: bool = False,
        **returned: Optional[bool],
    ) -> dict[str, list[Any]]:
        """Return what a network takes of several texts, or pairs.

        Args:
            texts: the texts, as the call takes them.
            pairs: the second text of each.
            max_length: see the call, as for ``stride`` and ``is_split_into_words``.
            stride: see there.
            is_split_into_words: see there.
            truncation: which text is cut: "longest_first" (None and True: this one, if ``max_length`` is given),
                "only_first", "only_second", "do_not_truncate" (False).
            add_special_tokens: put special tokens around the texts.
            return_length: ``seq_len``, too, the number of tokens.
            return_num_truncated_tokens: ``num_truncated_tokens``, too: how many tokens of each row were cut off; of
                windows, none.
            **returned: ``return_token_type_ids``, ``return_attention_mask``, ``return_position_ids``,
                ``return_special_tokens_mask``, ``return_offsets_mapping`` (``offset_mapping``: the first character of
                each token and the one behind its last, of the text as given; (0, 0) for special tokens),
                ``return_word_ids`` (the word that each token is of; None for special tokens).

        Returns:
            A list for each column, of a list for each text; with ``stride``, of a list for each window, and
            ``overflow_to_sample`` says which text each window is of.

        Raises:
            ValueError: there are not as many pairs as texts; see the call, too.
            TypeError: a text is no string.
        """
        asked = stride or is_split_into_words or returned or return_length or return_num_truncated_tokens
        if pairs is None and not asked and truncation is None and add_special_tokens and not isinstance(texts, str):
            return self._plain_batch(texts, max_length)
        wanted = self._wanted(returned)
        if isinstance(texts, str) or isinstance(pairs, str):
            raise TypeError(f"{type(self).__name__}.batch takes lists of texts, not one text")
        if pairs is not None and len(pairs) != len(texts):
            given, beside = counted(len(texts), "text"), counted(len(pairs), "second text")
            raise ValueError(f"{type(self).__name__}: {given} and {beside}")
        if stride < 0 or (stride and max_length is None):
            raise ValueError(f"stride {stride}: a positive number of tokens, which needs max_length")
        name = strategy(truncation, max_length)
        special = self.num_special_tokens_to_add(pairs is not None) if add_special_tokens else 0
        whole = name == "do_not_truncate" and not stride
        room = None if max_length is None or whole else room_for(max_length, special)
        placed = "offset_mapping" in wanted
        columns: dict[str, list[Any]] = {column: [] for column in ("input_ids", *wanted)}
        samples: list[int] = []
        surplus = [0] * len(texts)
        for sample, text in enumerate(texts):
            first = self._pieces(text, placed, is_split_into_words)
            second = None if pairs is None else self._pieces(pairs[sample], placed, is_split_into_words)
            if room is None:
                add_row(self, columns, first, second, add_special_tokens)
            elif stride:
                last = first if second is None else second
                left = room - (0 if second is None else len(first.ids))
                for start, end in windows(len(last.ids), left, stride):
                    part = last.cut(start, end)
                    add_row(self, columns, first if pairs else part, part if pairs else None, add_special_tokens)
                    samples.append(sample)
            else:
                counts = kept(len(first.ids), None if second is None else len(second.ids), room, name)
                surplus[sample] = len(first.ids) + (0 if second is None else len(second.ids)) - sum(counts)
                shorter = None if second is None else second.cut(0, counts[1])
                add_row(self, columns, first.cut(0, counts[0]), shorter, add_special_tokens)
        if stride:
            columns["overflow_to_sample"] = samples
        if return_length:
            columns["seq_len"] = list(map(len, columns["input_ids"]))
        if return_num_truncated_tokens:
            columns["num_truncated_tokens"] = [0] * len(columns["input_ids"]) if stride else surplus
        return columns

    def _plain(self, text: str, max_length: Optional[int]) -> dict[str, Any]:
        """Return what a call does of a text without options."""
        ids = self._rows_of_ids((text,))[0]
        if max_length is not None:
            ids = ids[: room_for(max_length, self.num_special_tokens_to_add())]
        row: dict[str, Any] = {"input_ids": self.build_inputs_with_special_tokens(ids)}
        if "token_type_ids" in self.model_input_names:
            row["token_type_ids"] = self.create_token_type_ids_from_sequences(ids)
        return row

    def _plain_batch(self, texts: Sequence[Any], max_length: Optional[int]) -> dict[str, list[Any]]:
        """Return what :meth:`batch` does of single texts without options."""
        room = None if max_length is None else room_for(max_length, self.num_special_tokens_to_add())
        rows = self._rows_of_ids(texts)
        if room is not None:
            rows = [row if len(row) <= room else row[:room] for row in rows]
        columns: dict[str, list[Any]] = {"input_ids": list(map(self.build_inputs_with_special_tokens, rows))}
        if "token_type_ids" in self.model_input_names:
            columns["token_type_ids"] = list(map(self.create_token_type_ids_from_sequences, rows))
        return columns

    def _rows_of_ids(self, texts: Sequence[Any]) -> list[list[int]]:
        """Return the ids of each text, without special tokens around it."""
        start, encode = self._starts, self.encode_text
        if not start:
            return [self._pieces(text, False, False).ids for text in texts]
        return [
            encode(text) if isinstance(text, str) and start not in text else self._pieces(text, False, False).ids
            for text in texts
        ]

    def _wanted(self, returned: Mapping[str, Optional[bool]]) -> list[str]:
        if not returned:
            return [name for name in OPTIONS.values() if name in self.model_input_names]
        for option in returned:
            if option not in OPTIONS:
                raise ValueError(f"{type(self).__name__}: no option {option!r}; there are {', '.join(sorted(OPTIONS))}")
        asked = {column: returned.get(option) for option, column in OPTIONS.items()}
        return [name for name, asks in asked.items() if (name in self.model_input_names if asks is None else asks)]
