"""Documents of sentences, as BERT's pretraining reads them: a sentence a line, a blank line between documents."""

from __future__ import annotations

from array import array
from typing import Optional

from PaddleNLP.data.dataset import TextDataset, TextLists, Transform
from PaddleNLP.data.lines import text_lines


class DocumentsDataset(TextDataset):
    """Sample i has "sentences", the list of the sentences of document i.

    Args:
        path: the file: a sentence in each line, blank lines between documents; perhaps compressed.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is no text, or there are no documents.
    """

    def __init__(self, path: str, transform: Optional[Transform] = None) -> None:
        documents, lines = TextLists(), array("q")
        waiting: list[str] = []
        for number, line in text_lines(path, blank=True):
            if line.strip():
                if not waiting:
                    lines.append(number)
                waiting.append(line.strip())
            elif waiting:
                documents.append(waiting)
                waiting = []
        if waiting:
            documents.append(waiting)
        super().__init__({"sentences": documents}, path=path, lines=lines, transform=transform)
