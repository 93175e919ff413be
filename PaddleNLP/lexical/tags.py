"""The tags of LAC, and the widths of characters: what its ``tag.dic`` and ``q2b.dic`` say."""

from __future__ import annotations

from PaddleNLP.word_level import NARROW

PARTS_OF_SPEECH = {
    "n": "noun",
    "f": "direction",
    "s": "place",
    "t": "time",
    "nr": "person's name",
    "ns": "place's name",
    "nt": "organisation's name",
    "nw": "title of a work",
    "nz": "other name",
    "v": "verb",
    "vd": "verb as adverb",
    "vn": "verb as noun",
    "a": "adjective",
    "ad": "adjective as adverb",
    "an": "adjective as noun",
    "d": "adverb",
    "m": "number",
    "q": "measure word",
    "r": "pronoun",
    "p": "preposition",
    "c": "conjunction",
    "u": "particle",
    "xc": "other function word",
    "w": "punctuation",
}
"""The 24 parts of speech."""

NAMES = {"PER": "person", "LOC": "place", "ORG": "organisation", "TIME": "time"}
"""The four kinds of names."""

TAGS = [f"{kind}-{mark}" for kind in (*PARTS_OF_SPEECH, *NAMES) for mark in "BI"] + ["O"]
"""The 57 tags: each kind at the beginning of a word and inside of one, and O."""

WIDTHS = {chr(wide): chr(narrow) for wide, narrow in sorted(NARROW.items())}
"""Characters of full width and their narrow kin."""
