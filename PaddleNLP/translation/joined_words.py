"""Raw text to words and signs, and back without loss: a mark says where there was no space.

The mark and its rules are those of OpenNMT's Tokenizer in its mode "aggressive" with ``joiner_annotate``:
``Hello, world!`` becomes ``Hello ￭, world ￭!``. White space is made single spaces.
"""

from __future__ import annotations

import re

JOINER = "￭"
"""Marks where a word or a sign was not apart from its neighbour."""

_LOOKALIKE = "■"
_PARTS = re.compile(r"[^\W_]+|[\W_]")
_JOINED = re.compile(f" ?{JOINER} ?")


def cut(text: str) -> str:
    """Return a text with single spaces between words and signs, which carry the mark where they were not apart.

    Args:
        text: any text; the mark in it becomes another square.
    """
    found: list[str] = []
    for word in text.replace(JOINER, _LOOKALIKE).split():
        parts = _PARTS.findall(word)
        for place, part in enumerate(parts):
            if part[0].isalnum():
                found.append(part)
                continue
            left = JOINER if place else ""
            right = JOINER if place + 1 < len(parts) and parts[place + 1][0].isalnum() else ""
            found.append(f"{left}{part}{right}")
    return " ".join(found)


def joined(text: str) -> str:
    """Return the text that :func:`cut` made words and signs of.

    Args:
        text: words and signs with spaces between them.
    """
    return _JOINED.sub("", text).strip()
