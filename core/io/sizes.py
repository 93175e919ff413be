"""Named sizes of ragged axes: each batch is padded to one of a few, so that few programs are compiled for them."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

SizeRule = Union[int, Sequence[int]]
"""How a size is padded: a list of buckets, in ascending order, or one integer, of which it is to be a multiple."""

TOO_LONG = ("error", "truncate")
"""What may become of what is longer than the last bucket."""


class Sizes:
    """The sizes to which ragged axes are padded, by the names that axes have.

    A name that is not here is padded to the largest size of each batch.

    Args:
        rules: for each name its buckets, or an integer of which it is to be a multiple.
        longest: what becomes of what is longer than the last bucket: "error" or "truncate".

    Raises:
        ValueError: a rule is neither a positive integer nor a rising list of them, or ``longest`` is something else.
    """

    def __init__(self, rules: Optional[Mapping[str, SizeRule]] = None, longest: str = "error") -> None:
        self.rules: dict[str, Union[int, list[int]]] = {
            name: check_rule(f"size {name!r}", rule) for name, rule in (rules or {}).items()
        }
        if longest not in TOO_LONG:
            raise ValueError(f"longest must be 'error' or 'truncate', not {longest!r}")
        self.longest = longest

    def limit(self, name: Optional[str]) -> Optional[int]:
        """Return the last bucket of a name, beyond which nothing may be; None where there is no end."""
        rule = None if name is None else self.rules.get(name)
        return rule[-1] if isinstance(rule, list) else None

    def padded(self, name: str, wanted: int) -> int:
        """Return the size to which something is padded.

        Args:
            name: of the size.
            wanted: how much there is.

        Returns:
            The smallest bucket or multiple that holds it, the last bucket if none does.
        """
        rule = self.rules.get(name)
        if rule is None:
            return wanted
        if isinstance(rule, int):
            return max(-(-wanted // rule), 1) * rule
        return rule[min(bisect.bisect_left(rule, wanted), len(rule) - 1)]


def check_buckets(owner: str, buckets: Any) -> list[int]:
    """Return buckets as a list of integers.

    Args:
        owner: what the message begins with.
        buckets: the sizes to check.

    Raises:
        ValueError: they are not positive integers, each larger than the one before.
    """
    sizes = [] if isinstance(buckets, (str, Mapping)) or not isinstance(buckets, Iterable) else list(buckets)
    if not sizes or any(isinstance(size, bool) or not hasattr(size, "__index__") for size in sizes):
        raise ValueError(f"{owner}: buckets must be a list of positive integers, as in [32, 64, 128], not {buckets!r}")
    sizes = [int(size) for size in sizes]
    if sizes[0] < 1:
        raise ValueError(f"{owner}: buckets must be positive, not {sizes[0]}")
    if any(after <= before for before, after in zip(sizes, sizes[1:])):
        raise ValueError(f"{owner}: buckets must be in ascending order: {sizes}")
    return sizes


def check_rule(owner: str, rule: Any) -> Union[int, list[int]]:
    """Return a rule for a size, checked.

    Args:
        owner: what the message begins with.
        rule: a list of buckets, or an integer.

    Raises:
        ValueError: it is neither a positive integer nor a rising list of them.
    """
    if hasattr(rule, "__index__") and not isinstance(rule, bool):
        if rule < 1:
            raise ValueError(f"{owner}: a multiple must be a positive integer, not {rule}")
        return int(rule)
    return check_buckets(owner, rule)
