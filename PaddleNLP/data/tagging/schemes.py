"""How tags of tokens say where chunks begin and end: BIO, BIOES, BMES, BMEO, with the mark in front or behind.

``B-PER I-PER`` and ``B-PER M-PER E-PER`` have their marks in front; LAC's ``n-B n-I`` behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

OUTSIDE = "O"
BEGIN, INSIDE, END, SINGLE = range(4)

_MARKS = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "S": SINGLE}

SCHEMES = {"BIO": "BIIB", "BIOES": "BIES", "BMES": "BMES", "BMEO": "BMEB", "BIS": "BIIS"}
"""Of each scheme the marks of the first token of a chunk, of those inside, of the last, and of an only one."""


class Tag(NamedTuple):
    """What a tag says: the mark, BEGIN to SINGLE, and the kind of chunk; None: outside of chunks."""

    mark: int
    kind: str


def has_suffixes(tags: Sequence[str]) -> bool:
    """Return whether the marks stand behind, as in ``n-B``, and not in front.

    Args:
        tags: all tags.

    Raises:
        ValueError: a tag has its mark in neither place.
    """
    inside = [tag for tag in tags if tag != OUTSIDE]
    if all(tag[0] in _MARKS and tag[1:2] in ("-", "") for tag in inside if tag):
        return False
    if all(tag[-1] in _MARKS and tag[-2:-1] in ("-", "") for tag in inside if tag):
        return True
    odd = next(tag for tag in inside if not (tag[:1] in _MARKS and tag[1:2] in ("-", "")))
    raise ValueError(f"the tag {odd!r} does not say where a chunk begins, as B-{odd[:20]} or {odd[:20]}-B do")


def parsed(tag: str, suffix: bool) -> Optional[Tag]:
    """Return what a tag says; None: the token is in no chunk.

    Args:
        tag: such as "B-PER", "PER-B" or "O".
        suffix: whether the mark comes last.
    """
    if tag == OUTSIDE:
        return None
    return Tag(_MARKS[tag[-1]], tag[:-2]) if suffix else Tag(_MARKS[tag[0]], tag[2:])


def written(kind: str, length: int, scheme: str, suffix: bool = False) -> Iterator[str]:
    """Iterate over the tags of a chunk.

    Args:
        kind: of the chunk.
        length: how many tokens it has.
        scheme: one of :data:`SCHEMES`.
        suffix: whether the mark comes last.
    """
    first, inside, last, only = tuple(SCHEMES[scheme])
    for mark in only if length == 1 else f"{first}{inside * (length - 2)}{last}":
        yield (f"{kind}-{mark}" if suffix else f"{mark}-{kind}") if kind else mark


def breaks(tags: Sequence[Optional[Tag]], closing: bool, single: bool) -> Iterator[tuple[int, str]]:
    """Iterate over the places of a sentence where its tags break their scheme.

    Args:
        tags: of the sentence's tokens.
        closing: whether chunks of several tokens end with END.
        single: whether chunks of one token are SINGLE.

    Yields:
        The token's number, and what is wrong.
    """
    before: Optional[Tag] = None
    for place, tag in enumerate((*tags, None)):
        goes_on = tag is not None and tag.mark in (INSIDE, END)
        if before is not None and before.mark in (BEGIN, INSIDE):
            follows = goes_on and tag is not None and tag.kind == before.kind
            if goes_on and not follows:
                yield place, "goes on with a chunk of another kind"
            elif not follows and closing and (before.mark == INSIDE or single):
                yield place - 1, "is followed by no end of its chunk"
        elif goes_on:
            yield place, "goes on with a chunk that has not begun"
        before = tag


def chunks(tags: Sequence[Optional[Tag]]) -> Iterator[tuple[str, int, int]]:
    """Iterate over the chunks of a sentence as conlleval and seqeval find them, whether or not the tags keep a scheme.

    Args:
        tags: of the sentence's tokens.

    Yields:
        The kind, and the numbers of the first token and of that behind the last.
    """
    start, before = 0, None
    for place, tag in enumerate((*tags, None)):
        new = tag is not None and (
            before is None or tag.mark in (BEGIN, SINGLE) or before.mark in (END, SINGLE) or tag.kind != before.kind
        )
        if before is not None and (new or tag is None):
            yield before.kind, start, place
        if new:
            start = place
        before = tag
