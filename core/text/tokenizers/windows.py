"""What is left of two texts that are too long, and windows over the second one."""

from __future__ import annotations

from typing import Optional, Union

STRATEGIES = ("longest_first", "only_first", "only_second", "do_not_truncate")


def strategy(truncation: Union[bool, str, None], max_length: Optional[int]) -> str:
    """Return the name of the strategy that ``truncation`` and ``max_length`` ask for, as in Paddle.

    Raises:
        ValueError: there is no such strategy, or no length to cut to.
    """
    if truncation is None or truncation is False:
        return "longest_first" if truncation is None and max_length is not None else "do_not_truncate"
    name = "longest_first" if truncation is True else truncation
    if name not in STRATEGIES:
        raise ValueError(f"truncation {truncation!r} is none of {', '.join(STRATEGIES)}")
    if max_length is None and name != "do_not_truncate":
        raise ValueError(f"truncation {truncation!r} needs max_length")
    return name


def room_for(max_length: int, special: int) -> int:
    """Return how many tokens of texts fit beside the special ones.

    Raises:
        ValueError: the special ones alone are too many.
    """
    if max_length < special:
        raise ValueError(f"max_length {max_length} is less than the {special} special tokens")
    return max_length - special


def kept(first: int, second: Optional[int], room: int, name: str) -> tuple[int, int]:
    """Return how many tokens of two texts are kept.

    Args:
        first: tokens of the first text.
        second: those of the second one, if there is one.
        room: for how many there is room.
        name: the strategy: take away from the longer one, from the second one where both are as long, until they fit;
            or from one of them alone.

    Raises:
        ValueError: the other text alone is too long.
    """
    surplus = first + (second or 0) - room
    if surplus <= 0 or name == "do_not_truncate":
        return first, second or 0
    if name == "longest_first":
        if second is None:
            return room, 0
        shorter = min(first, second)
        if room >= 2 * shorter:  # the longer one alone gives
            return (room - second, second) if first > second else (first, room - first)
        return (room + 1) // 2, room // 2
    of_first = name == "only_first"
    long, other = (first, second or 0) if of_first else (second or 0, first)
    if other > room:
        raise ValueError(
            f"truncation {name!r}: the {'second' if of_first else 'first'} text alone has {other} tokens, and there is "
            f"room for {room}; cut it, or choose another strategy"
        )
    return (room - other, other) if of_first else (other, room - other)


def windows(length: int, room: int, step: int) -> list[tuple[int, int]]:
    """Return the first tokens, and those behind the last, of windows over a text.

    Args:
        length: tokens of the text.
        room: how many tokens a window holds.
        step: by how many tokens each window begins after the one before it.

    Raises:
        ValueError: there is no room for a token.
    """
    if room < 1:
        raise ValueError(f"stride: the first text and special tokens leave room for {max(room, 0)} tokens in a window")
    found, start = [], 0
    while True:
        end = min(start + room, length)
        found.append((start, end))
        if end == length:
            return found
        start += min(end - start, step)
