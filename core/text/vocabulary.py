"""Tokens and their ids: Paddle's Vocab."""

from __future__ import annotations

import collections
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from core.io.files import read_bytes
from core.text.vocabulary_files import read_vocabulary

PathLike = Union[str, "os.PathLike[str]"]


class Vocab:
    """Tokens and their ids (paddlenlp.data.Vocab).

    Args:
        counter: how often each token occurs. Special tokens come first, in the alphabetical order of their keywords,
            then tokens from frequent to rare, equals in alphabetical order.
        max_size: how many tokens of ``counter`` to take at most.
        min_freq: how often a token must occur.
        token_to_idx: the id of each token. With ``counter``: ids of some tokens, which change places with those there.
        unk_token: the token whose id unknown ones get; without one they are refused.
        pad_token: the token that fills batches.
        bos_token: the token for the beginning.
        eos_token: the token for the end.
        **kwargs: further special tokens, by keywords that end in ``_token``; attributes of the vocabulary, all of them.

    Attributes:
        token_to_idx: the id of each token.
        idx_to_token: the token of each id.

    Raises:
        ValueError: neither tokens nor ids are given, an id is given twice or is none, or a special token is missing.
    """

    unk_token: Optional[str]
    pad_token: Optional[str]
    bos_token: Optional[str]
    eos_token: Optional[str]

    def __init__(
        self,
        counter: Optional[Mapping[str, int]] = None,
        max_size: Optional[int] = None,
        min_freq: int = 1,
        token_to_idx: Optional[Mapping[str, int]] = None,
        unk_token: Optional[str] = None,
        pad_token: Optional[str] = None,
        bos_token: Optional[str] = None,
        eos_token: Optional[str] = None,
        **kwargs: Optional[str],
    ) -> None:
        special = {
            **kwargs,
            "unk_token": unk_token,
            "pad_token": pad_token,
            "bos_token": bos_token,
            "eos_token": eos_token,
        }
        for keyword, token in special.items():
            if not keyword.endswith("_token") or keyword.startswith("_"):
                raise ValueError(f"Vocab: {keyword} is no keyword of a special token; those end in _token")
            setattr(self, keyword, token)
        self._special = special
        given = [special[keyword] for keyword in sorted(special)]
        tokens = list(dict.fromkeys(token for token in given if token is not None))
        if counter is None:
            if not token_to_idx:
                raise ValueError("Vocab needs counter or token_to_idx")
            self.token_to_idx = dict(token_to_idx)
        else:
            self.token_to_idx = _counted(counter, tokens, max_size, min_freq)
            if token_to_idx:
                _rearrange(self.token_to_idx, token_to_idx)
        self.idx_to_token: dict[int, str] = {}
        for token, index in self.token_to_idx.items():
            if not isinstance(index, (int, np.integer)) or index < 0:
                raise ValueError(f"Vocab: the id of {token!r} is {index!r}; ids are 0, 1, 2, ...")
            if index in self.idx_to_token:
                raise ValueError(f"Vocab: {self.idx_to_token[index]!r} and {token!r} have the same id, {index}")
            self.idx_to_token[int(index)] = token
        for token in tokens:
            if token not in self.token_to_idx:
                raise ValueError(f"Vocab: the special token {token!r} is not among the {len(self.token_to_idx)} tokens")
        self._unknown = None if unk_token is None else self.token_to_idx[unk_token]
        self._size = max(self.idx_to_token, default=-1) + 1

    def __len__(self) -> int:
        """Return the greatest id plus one: how many rows a table of embeddings needs."""
        return self._size

    def __contains__(self, token: object) -> bool:
        return token in self.token_to_idx

    def __getitem__(self, tokens: Any) -> Any:
        return self.to_indices(tokens)

    def __call__(self, tokens: Any) -> Any:
        """Return :meth:`to_indices` of the tokens."""
        return self.to_indices(tokens)

    def to_indices(self, tokens: Union[str, Sequence[str]]) -> Any:
        """Return the id of a token, or the list of ids of several.

        Raises:
            ValueError: a token is unknown, and there is no ``unk_token``.
        """
        if not isinstance(tokens, (list, tuple)):
            return self._index(tokens)  # type: ignore[arg-type]  # a token of any type that is none is unknown
        return [self._index(token) for token in tokens]

    def _index(self, token: str) -> int:
        index = self.token_to_idx.get(token, self._unknown)
        if index is None:
            raise ValueError(f"Vocab: {token!r} is not among the {len(self.token_to_idx)} tokens; give an unk_token")
        return index

    def to_tokens(self, indices: Union[int, Sequence[int], np.ndarray]) -> Any:
        """Return the token of an id, or the list of tokens of several.

        Raises:
            ValueError: an id has no token, or the ids are of more than one dimension.
        """
        if not isinstance(indices, (list, tuple, np.ndarray)):
            return self._token(indices)
        if np.ndim(indices) > 1:
            raise ValueError(f"Vocab.to_tokens: ids have one dimension, these have {np.ndim(indices)}")
        return [self._token(index) for index in indices]

    def _token(self, index: Any) -> str:
        try:
            return self.idx_to_token[int(index)]
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"Vocab: no token has the id {index!r}; ids are below {len(self)}") from None

    def get_unk_token_id(self) -> Optional[int]:
        """Return the id that unknown tokens get."""
        return self._unknown

    def get_pad_token_id(self) -> Optional[int]:
        """Return the id that fills batches."""
        return None if self.pad_token is None else self.token_to_idx[self.pad_token]

    def get_bos_token_id(self) -> Optional[int]:
        """Return the id for the beginning."""
        return None if self.bos_token is None else self.token_to_idx[self.bos_token]

    def get_eos_token_id(self) -> Optional[int]:
        """Return the id for the end."""
        return None if self.eos_token is None else self.token_to_idx[self.eos_token]

    @classmethod
    def from_dict(cls, token_to_idx: Mapping[str, int], **special: Optional[str]) -> Vocab:
        """Return a vocabulary of tokens with ids; ``special`` are the special tokens, as the class takes them."""
        return cls(token_to_idx=token_to_idx, **special)  # type: ignore[arg-type]  # tokens

    @classmethod
    def build_vocab(
        cls,
        iterator: Iterable[Iterable[str]],
        max_size: Optional[int] = None,
        min_freq: int = 1,
        token_to_idx: Optional[Mapping[str, int]] = None,
        **special: Optional[str],
    ) -> Vocab:
        """Return a vocabulary of the tokens of texts.

        Args:
            iterator: texts, each as its tokens.
            max_size: as the class takes it, as are the others.
            min_freq: see there.
            token_to_idx: see there.
            **special: the special tokens.
        """
        counter: collections.Counter[str] = collections.Counter()
        for tokens in iterator:
            counter.update(tokens)
        return cls(counter, max_size, min_freq, token_to_idx, **special)

    @classmethod
    def load_vocabulary(cls, filepath: PathLike, **special: Optional[str]) -> Vocab:
        """Return the vocabulary of a file, of one token a line or of lines ``token<TAB>id``.

        What can be repaired is, with a warning: a byte order mark, Windows line ends, a token given twice (its last
        line counts, as in Paddle), ids without a token.

        Args:
            filepath: the file, a local path or a URL.
            **special: the special tokens, as the class takes them.

        Raises:
            OSError: the file cannot be read.
            ValueError: a line is no line of a vocabulary, the file is not UTF-8, or a special token is missing.
        """
        token_to_idx = read_vocabulary(filepath)
        try:
            return cls(token_to_idx=token_to_idx, **special)  # type: ignore[arg-type]  # tokens
        except ValueError as error:
            raise ValueError(f"{os.fspath(filepath)}: {error}") from None

    def save_vocabulary(self, filepath: PathLike) -> None:
        """Write one token a line, or ``token<TAB>id`` where ids are missing.

        Raises:
            ValueError: a token holds a line break, so that no line can hold it.
        """
        rows = sorted(self.idx_to_token.items())
        for index, token in rows:
            if "\n" in token or "\r" in token or not token:
                raise ValueError(f"Vocab: the token {token!r} of id {index} cannot be a line of a file")
        whole = len(rows) == len(self)
        with open(filepath, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{token}\n" if whole else f"{token}\t{index}\n" for index, token in rows)

    def to_json(self, path: Optional[PathLike] = None) -> str:
        """Return the vocabulary as JSON, which ``from_json`` reads; written to a file, too, if ``path`` is given."""
        content = {
            "idx_to_token": self.idx_to_token,
            "token_to_idx": self.token_to_idx,
            "unk_token": self.unk_token,
            "identifiers_to_tokens": self._special,
        }
        text = json.dumps(content)
        if path is not None:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
        return text

    @classmethod
    def from_json(cls, json_str: str) -> Vocab:
        """Return the vocabulary that ``to_json`` wrote.

        Args:
            json_str: the JSON, or the path of a file of it.

        Raises:
            ValueError: it is none of a vocabulary.
        """
        path = None if json_str.lstrip().startswith("{") else json_str
        name = "Vocab.from_json" if path is None else path
        try:
            content = json.loads(json_str if path is None else read_bytes(path))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name}: no JSON of a vocabulary: {type(error).__name__}") from None
        tokens = content.get("token_to_idx") if isinstance(content, dict) else None
        special = content.get("identifiers_to_tokens", {}) if isinstance(content, dict) else None
        if not isinstance(tokens, dict) or not isinstance(special, dict):
            raise ValueError(f"{name}: no JSON of a vocabulary: token_to_idx is no mapping of tokens to ids")
        try:
            return cls(token_to_idx=tokens, **special)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from None


def _counted(
    counter: Mapping[str, int], special: Sequence[str], max_size: Optional[int], min_freq: int
) -> dict[str, int]:
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    tokens = [token for token, count in ordered if count >= min_freq and token not in special]
    return {token: index for index, token in enumerate([*special, *tokens[:max_size]])}


def _rearrange(ids: dict[str, int], wanted: Mapping[str, int]) -> None:
    tokens = {index: token for token, index in ids.items()}
    if len(set(wanted.values())) != len(wanted):
        raise ValueError("Vocab: token_to_idx gives one id to several tokens")
    for token, index in wanted.items():
        if token not in ids or index not in tokens:
            raise ValueError(f"Vocab: token_to_idx: {token!r} or its id {index} is not in the vocabulary of {len(ids)}")
    for token, index in wanted.items():
        old, ousted = ids[token], tokens[index]
        ids[token], ids[ousted] = index, old
        tokens[index], tokens[old] = token, ousted
