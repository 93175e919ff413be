"""A text as tokens: what a tokeniser's rules make of it, before special tokens are put around it."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

Offsets = list[tuple[int, int]]
"""Of each token the first character that it covers, and the one behind the last."""


class Pieces(NamedTuple):
    """A text as tokens: ids, and where asked for, the characters that each covers and the word that it is of."""

    ids: list[int]
    offsets: Optional[Offsets] = None
    words: Optional[list[int]] = None

    def cut(self, start: int, end: int) -> Pieces:
        """Return some of the tokens."""
        if start == 0 and end >= len(self.ids):
            return self
        return Pieces(*(None if column is None else column[start:end] for column in self))  # type: ignore[arg-type]  # columns in order


def add_row(
    tokenizer: Any, columns: dict[str, list[Any]], first: Pieces, second: Optional[Pieces], special: bool
) -> None:
    """Add one row to the columns of a batch.

    Args:
        tokenizer: says what is around texts.
        columns: by name.
        first: the first text.
        second: the second one of a pair.
        special: whether special tokens stand around them.
    """
    ids, pair = first.ids, None if second is None else second.ids
    row = tokenizer.build_inputs_with_special_tokens(ids, pair) if special else ids + (pair or [])
    columns["input_ids"].append(row)
    for name in columns:
        if name == "token_type_ids":
            types = tokenizer.create_token_type_ids_from_sequences(ids, pair) if special else [0] * len(row)
            columns[name].append(types)
        elif name == "attention_mask":
            columns[name].append([1] * len(row))
        elif name == "position_ids":
            columns[name].append(list(range(len(row))))
        elif name == "special_tokens_mask":
            mask = tokenizer.get_special_tokens_mask(ids, pair) if special else [0] * len(row)
            columns[name].append(mask)
        elif name != "input_ids":
            column = "offsets" if name == "offset_mapping" else "words"
            own = getattr(first, column)
            other = None if second is None else getattr(second, column)
            if own is None:
                raise ValueError("return_word_ids goes with is_split_into_words")
            empty = (0, 0) if column == "offsets" else None
            columns[name].append(tokenizer.framed(own, other, empty) if special else own + (other or []))
