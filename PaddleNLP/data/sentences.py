"""Plain texts, a sentence in each line, as language models learn them: the files of the Penn Treebank."""

from __future__ import annotations

from array import array
from typing import Optional

from PaddleNLP.data.dataset import TextDataset, Texts, Transform
from PaddleNLP.data.lines import text_lines


class SentencesDataset(TextDataset):
    """The lines of a file in their order, without the white space around them; empty ones are passed over.

    Args:
        path: the file, UTF-8.
        share: where in the file the part begins and ends, as [0.8, 0.9] for its ninth tenth of lines; None: all of it.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no text file, the share is none, or no line is left.
    """

    def __init__(self, path: str, share: Optional[list[float]] = None, transform: Optional[Transform] = None) -> None:
        begin, end = (0.0, 1.0) if share is None else share if len(share) == 2 else (1.0, 0.0)
        if not 0 <= begin < end <= 1:
            raise ValueError(f"SentencesDataset: share must be two numbers such as [0.8, 0.9], not {share}")
        texts, lines = Texts(), array("q")
        for number, line in text_lines(path):
            if line.strip():
                texts.append(line.strip())
                lines.append(number)
        first, last = (round(place * len(texts)) for place in (begin, end))
        super().__init__({"text": Texts(texts[first:last])}, path=path, lines=lines[first:last], transform=transform)
