"""The tokens of a tokeniser: its vocabulary, special tokens, added ones; ids from tokens and back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Optional, Union

from core.text.vocabulary import Vocab


class TokenTable:
    """The tokens of a tokeniser.

    Args:
        vocab: the tokens.
        **special: the special tokens, by keywords such as ``unk_token``; attributes, and so are their ids
            (``unk_token_id``). None: there is no such token.

    Attributes:
        special_tokens_map: the special tokens by their keywords.
        added_tokens_encoder: the ids of tokens that were added.

    Raises:
        ValueError: a special token is not in the vocabulary.
    """

    _spaces_count: ClassVar[bool] = True  # around special tokens in a text

    unk_token: str
    sep_token: str
    pad_token: str
    cls_token: str
    mask_token: str
    unk_token_id: int
    sep_token_id: int
    pad_token_id: int
    cls_token_id: int
    mask_token_id: int

    def __init__(self, vocab: Vocab, **special: Optional[str]) -> None:
        self.vocab = vocab
        self.special_tokens_map = {keyword: token for keyword, token in special.items() if token is not None}
        self.added_tokens_encoder: dict[str, int] = {}
        for keyword, token in special.items():
            if token is not None and token not in vocab:
                raise ValueError(
                    f"{type(self).__name__}: {keyword} {token!r} is not among the {len(vocab)} tokens of the vocabulary"
                )
            setattr(self, keyword, token)
            setattr(self, f"{keyword}_id", None if token is None else vocab.token_to_idx[token])
        self._find_special()

    @property
    def vocab_size(self) -> int:
        """How many rows a table of embeddings needs, added tokens not counted."""
        return len(self.vocab)

    def __len__(self) -> int:
        return len(self.vocab) + len(self.added_tokens_encoder)

    @property
    def all_special_tokens(self) -> list[str]:
        """The special tokens, each once."""
        return list(dict.fromkeys(self.special_tokens_map.values()))

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of the special tokens."""
        return self.convert_tokens_to_ids(self.all_special_tokens)

    def add_tokens(self, new_tokens: Union[str, Sequence[str]]) -> int:
        """Add tokens that texts are not cut inside of; returns how many are new.

        Tokens that the vocabulary has keep their ids, others get ids behind the vocabulary.
        """
        before = len(self.added_tokens_encoder)
        for token in [new_tokens] if isinstance(new_tokens, str) else new_tokens:
            if not token or token in self._apart:
                continue
            if token not in self.vocab:
                self.added_tokens_encoder[token] = len(self)
            self._apart.append(token)
        self._find_special(self._apart)
        return len(self.added_tokens_encoder) - before

    def _find_special(self, apart: Sequence[str] = ()) -> None:
        self._apart = list(apart)
        tokens = sorted({*self.all_special_tokens, *apart}, key=len, reverse=True)
        self._starts = "" if len({token[0] for token in tokens}) != 1 else tokens[0][0]
        self._special = re.compile("|".join(map(re.escape, tokens)) or r"(?!)")

    def _parts(self, text: str) -> Iterator[tuple[str, int, bool]]:
        """Yield the parts of a text, where each begins, and whether it is a special token."""
        if not self._spaces_count:
            yield from self._bare_parts(text)
            return
        start = 0
        for found in self._special.finditer(text):
            if found.start() > start:
                yield text[start : found.start()], start, False
            yield found[0], found.start(), True
            start = found.end()
        if start < len(text):
            yield text[start:], start, False

    def _bare_parts(self, text: str) -> Iterator[tuple[str, int, bool]]:
        """Yield the same without the white space around special tokens."""
        start = 0
        for found in [*self._special.finditer(text), None]:
            end = len(text) if found is None else found.start()
            part = text[start:end]
            part = part if found is None else part.rstrip()
            kept = part.lstrip() if start else part
            if kept:
                yield kept, start + len(part) - len(kept), False
            if found is not None:
                yield found[0], end, True
                start = found.end()

    def get_vocab(self) -> dict[str, int]:
        """Return the id of each token, added ones included."""
        return {**self.vocab.token_to_idx, **self.added_tokens_encoder}

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """Return the id of a token, or the ids of several; unknown ones have that of ``unk_token``."""
        if isinstance(tokens, str):
            index = self.added_tokens_encoder.get(tokens)
            return self.vocab.to_indices(tokens) if index is None else index
        return None if tokens is None else [self.convert_tokens_to_ids(token) for token in tokens]

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """Return the token of an id, or the tokens of several.

        Raises:
            ValueError: an id has no token.
        """
        added = {index: token for token, index in self.added_tokens_encoder.items()}
        if not hasattr(ids, "__len__"):
            return added[int(ids)] if int(ids) in added else self.vocab.to_tokens(ids)
        left_out = set(self.all_special_ids) if skip_special_tokens else set()
        numbers = [int(index) for index in ids]
        return [added.get(i) or self.vocab.to_tokens(i) for i in numbers if i not in left_out]

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Return tokens as a text."""
        return " ".join(tokens)

    def decode(self, token_ids: Sequence[int], skip_special_tokens: bool = False) -> str:
        """Return ids as a text."""
        return self.convert_tokens_to_string(self.convert_ids_to_tokens(token_ids, skip_special_tokens))
