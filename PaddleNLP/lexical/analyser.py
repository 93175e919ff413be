"""An object that analyses texts as baidu's LAC package does: words, and their tags."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any, Literal, Union

from PaddleNLP.lexical.user_dictionary import Conflict, UserDictionary


class LAC:
    """Cuts texts into words, with their parts of speech and names.

    Args:
        path: the folder of a run of the task ``LexicalAnalysis``, or an exported one.
        mode: "lac", words and tags; "seg", words alone.
        user_dictionary: a file of words that the user knows better; see :class:`UserDictionary`.
        conflict: what counts where such a word and the network's differ: "override" or "keep".

    Raises:
        FileNotFoundError: there is no such folder or file.
        ValueError: the folder is one of another task, or the dictionary is broken.

    Example:
        >>> lac = PaddleNLP.LAC("runs/lac")
        >>> lac.run("他来到北京")
        [['他', '来到', '北京'], ['r', 'v', 'LOC']]
    """

    def __init__(
        self,
        path: Union[str, os.PathLike[str]],
        mode: Literal["lac", "seg"] = "lac",
        user_dictionary: Union[str, os.PathLike[str], None] = None,
        conflict: Conflict = "override",
    ) -> None:
        if mode not in ("lac", "seg"):
            raise ValueError(f"LAC: mode is 'lac' or 'seg', not {mode!r}")
        self.mode = mode
        self.reader: Any = importlib.import_module("PaddleNLP.readers.opening").open_reader(path)  # loads the engine
        if not hasattr(self.reader, "dictionary"):
            raise ValueError(f"LAC: {os.fspath(path)!r} is of another task than LexicalAnalysis")
        if user_dictionary is not None:
            self.load_customization(user_dictionary, conflict)

    def load_customization(self, path: Union[str, os.PathLike[str]], conflict: Conflict = "override") -> None:
        """Take words of a dictionary from now on, in place of those before.

        Args:
            path: the file; see :class:`UserDictionary`.
            conflict: see the class.

        Raises:
            OSError: it cannot be read.
            ValueError: a line is wrong; names file and line.
        """
        self.reader.dictionary = UserDictionary.read(path, conflict)

    def run(self, texts: Union[str, Sequence[str]]) -> Any:
        """Return the words of a text, and their tags.

        Args:
            texts: a text, or a list of them.

        Returns:
            A list of the words and a list of their tags, or the words alone in mode "seg"; of a list of texts a list.

        Raises:
            TypeError: a text is no string.
        """
        if isinstance(texts, str):
            return self._result(self.reader.predict(texts))
        return [self._result(one) for one in self.reader.predict(list(texts), 80)]

    def _result(self, found: Any) -> Any:
        words = [chunk.text for chunk in found.chunks]
        return words if self.mode == "seg" else [words, [chunk.kind for chunk in found.chunks]]
