"""Named sizes of ragged axes: each batch is padded to one of a few, so that few programs are compiled for them."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

SizeRule = Union[int, Sequence[int]]
"""How a size is padded: a list of buckets, in ascending order, or one integer, of which it is to be a multiple."""

Longest = Union[str, Mapping[str, str]]
"""What becomes of what is longer than the last bucket: of all sizes, or of each by name."""


class Sizes:
    """The sizes to which ragged axes are padded, by the names that axes have.

    A name that is not here is padded to the largest size of each batch.

    Args:
        rules: for each name its buckets, or an integer of which it is to be a multiple.
        longest: how to treat what is longer than the last bucket: "error" or "truncate", or one of these for each
            name ("error" for one that is not there).

    Attributes:
        section: the section of a config that says them, for messages; empty: none does.

    Raises:
        ValueError: a rule is neither a positive integer nor a rising list of them, or ``longest`` is something else.
    """

    section = ""

    def __init__(self, rules: Optional[Mapping[str, SizeRule]] = None, longest: Longest = "error") -> None:
        self.rules: dict[str, Union[int, list[int]]] = {
            name: check_rule(f"size {name!r}", rule) for name, rule in (rules or {}).items()
        }
        self.longest = dict.fromkeys(self.rules, longest) if isinstance(longest, str) else dict(longest)
        for name, how in [("", longest)] if isinstance(longest, str) else longest.items():
            if how not in ("error", "truncate"):
                of = f" of size {name!r}" if name else ""
                raise ValueError(f"longest{of} must be 'error' or 'truncate', not {how!r}")
            if name and not isinstance(self.rules.get(name), list):
                raise ValueError(f"longest says how to treat size {name!r}, which has no buckets")

    def limit(self, name: str) -> Optional[int]:
        """Return the last bucket of a name, beyond which nothing may be; None where nothing is refused."""
        rule = self.rules.get(name)
        return rule[-1] if isinstance(rule, list) and self.longest.get(name) != "truncate" else None

    def advice(self, name: str) -> str:
        """Return what to do about what is longer than the last bucket of a name, in words."""
        if self.section:
            return f"add a bucket to {self.section}.buckets.{name}, or set {self.section}.longest: truncate"
        return "add a bucket, or pass longest='truncate'"

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
