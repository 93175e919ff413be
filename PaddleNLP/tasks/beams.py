"""What a search for texts needs of a vocabulary."""

from __future__ import annotations


def check_beams(beams: int, tokens: int) -> None:
    """Refuse a search that is wider than the vocabulary.

    Args:
        beams: sequences that it follows.
        tokens: of the vocabulary.

    Raises:
        ValueError: it is wider.
    """
    if beams > tokens:
        raise ValueError(f"task.beam_size {beams} is wider than the vocabulary of {tokens} tokens; lower it")
