"""Posts with replies, as MMPMS reads them: a post, a tab and a reply in each line, words between spaces."""

from __future__ import annotations

from array import array
from typing import Optional

from core.weights.messages import shown
from PaddleNLP.data.dataset import TextDataset, Texts, Transform
from PaddleNLP.data.lines import text_lines


class PostReplies(TextDataset):
    """Lines "post, reply" of MMPMS (``dial.train``): "source" is the post, "target" the reply.

    Args:
        path: the file.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong; names file and line.
    """

    def __init__(self, path: str, transform: Optional[Transform] = None) -> None:
        posts, replies, lines = Texts(), Texts(), array("q")
        for number, line in text_lines(path):
            columns = line.split("\t")
            if len(columns) != 2 or not all(column.strip() for column in columns):
                raise ValueError(f"{path}:{number}: a line must be a post, a tab and a reply, not {shown(columns)}")
            posts.append(columns[0].strip())
            replies.append(columns[1].strip())
            lines.append(number)
        super().__init__({"source": posts, "target": replies}, (), path, lines, transform)
