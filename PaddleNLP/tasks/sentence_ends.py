"""What language models on sentences share: a vocabulary with a word for the end of a sentence."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

from PaddleNLP.data.encoded import texts_of
from PaddleNLP.tasks.base import LanguageTask
from PaddleNLP.tokenizing import TOKENIZERS, build_tokenizer

END = "<eos>"
"""The word behind each sentence."""


class SentenceEnds(LanguageTask):
    """A task on sentences whose ends are a word, too."""

    @functools.cached_property
    def tokenizer(self) -> Any:
        """What makes ids of words; of a run it is in its folder."""
        section = self.config.tokenizer
        kind: Any = TOKENIZERS.resolve(section.name)
        if self._folder is not None:
            return kind.from_pretrained(self._folder)
        spaces = section.arguments.get("segmenter", "spaces") == "spaces"
        texts = (f"{text} {END}" if spaces else text for text in texts_of(self.dataset("train")))
        found = build_tokenizer(section, self.config.data.root, lambda: texts)
        if END in found.vocab.token_to_idx:
            return found
        if section.learn is None:
            message = f"the vocabulary has no word {END!r}, which ends sentences"
            raise ValueError(f"tokenizer: {message}; add it to the file, or learn a vocabulary")
        with tempfile.TemporaryDirectory() as folder:
            found.save_pretrained(folder)
            with open(Path(folder) / "vocab.txt", "a", encoding="utf-8") as stream:
                stream.write(f"{END}\n")
            return kind.from_pretrained(folder)

    @property
    def end(self) -> int:
        """The number of the word that ends sentences."""
        return int(self.tokenizer.vocab.token_to_idx[END])
