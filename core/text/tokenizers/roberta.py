"""RobertaTokenizer: Paddle's one name for RoBERTa's Chinese and English tokenisers."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from core.text.tokenizers.base import PretrainedTokenizer
from core.text.tokenizers.bert import RobertaChineseTokenizer
from core.text.tokenizers.gpt import RobertaBPETokenizer

PathLike = Union[str, "os.PathLike[str]"]


class RobertaTokenizer:
    """Makes a :class:`RobertaChineseTokenizer` or, where there are merges, a :class:`RobertaBPETokenizer`.

    Args:
        vocab_file: ``vocab.txt`` of the one, or ``vocab.json`` of the other.
        merges_file: the merges of the other.
        **settings: as those classes take them.

    Raises:
        OSError: a file cannot be read.
        ValueError: it is damaged, or a special token is not in it.
    """

    def __new__(  # type: ignore[misc]  # as in Paddle, the name of a choice and not of a class of its own
        cls, vocab_file: PathLike, merges_file: Optional[PathLike] = None, **settings: Any
    ) -> PretrainedTokenizer:
        """Return the tokeniser."""
        if merges_file is None:
            return RobertaChineseTokenizer(vocab_file, **settings)
        return RobertaBPETokenizer(vocab_file, merges_file, **settings)

    @staticmethod
    def from_pretrained(folder: PathLike, **settings: Any) -> PretrainedTokenizer:
        """Return the tokeniser of a local folder, by its files; see :meth:`PretrainedTokenizer.from_pretrained`."""
        merges = os.path.join(os.fspath(folder), RobertaBPETokenizer.resource_files_names["merges_file"])
        kind = RobertaBPETokenizer if os.path.exists(merges) else RobertaChineseTokenizer
        return kind.from_pretrained(folder, **settings)
