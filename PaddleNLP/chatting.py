"""Talking to a network that replies: a line in, a reply out, and what was said is remembered where it is read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from PaddleNLP.data.dialogue.duconv import moment_of_line
from PaddleNLP.data.lines import decoded, text_lines
from PaddleNLP.readers.base import TextReader
from PaddleNLP.readers.dialogue.replies import ReplyReader


def chat(reader: TextReader, about: str) -> int:
    """Reply to each line of the standard input at once, until it ends.

    Args:
        reader: of a run, or of an exported folder.
        about: a file whose first line is a conversation of DuConv: its goal and facts are spoken of; "": there is none.

    Returns:
        The exit code.

    Raises:
        ValueError: the reader does not reply, or it needs a file and has none, or has one and needs none.
    """
    lines = (
        decoded(line, f"standard input:{number}").rstrip("\r\n") for number, line in enumerate(sys.stdin.buffer, 1)
    )
    for reply in replies(reader, about, lines):
        print(reply, flush=True)
    return 0


def replies(reader: TextReader, about: str, lines: Iterable[str]) -> Iterator[str]:
    """Return the replies to lines; with facts the reader speaks first.

    Args:
        reader: as in :func:`chat`.
        about: see there.
        lines: what is said, one after the other; empty ones are passed over.

    Raises:
        ValueError: see there.
    """
    if not isinstance(reader, ReplyReader):
        raise ValueError(f"--chat: {str(reader.path)!r} is of a task that does not reply; Reply does")
    if bool(about) != bool(reader.settings["facts"]):
        give = "give a file with a line of DuConv, whose goal and facts are spoken of: --chat FILE"
        raise ValueError(f"--chat: {give if not about else 'the network reads no facts; leave out the file'}")
    said = (line.strip() for line in lines)
    if not about:
        yield from (reader.predict(line).describe() for line in said if line)
        return
    first = next(iter(text_lines(about)), None)
    if first is None:
        raise ValueError(f"{about}: there is no line")
    moment = moment_of_line(first[1], f"{about}:{first[0]}")
    moment.history = list(moment.history)
    while True:
        reply = reader.reply(moment)
        yield reply.describe()
        line = next((line for line in said if line), None)
        if line is None:
            return
        moment.history += [reply.texts[0], line]
