"""How a command of a page is run in the tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Union


@dataclasses.dataclass
class Run:
    """A command that is run.

    Attributes:
        smaller: words to add, so that it takes seconds.
        instead: what is in the command, and what takes its place here.
        says: what it must print.
        code: how it must end.
    """

    smaller: str = ""
    instead: Mapping[str, str] = dataclasses.field(default_factory=dict)
    says: str = ""
    code: int = 0


@dataclasses.dataclass
class NotRun:
    """A command that is not run here.

    Attributes:
        why: the reason, and where it is run instead.
    """

    why: str


Commands = list[tuple[str, Union[Run, NotRun]]]
"""The commands of a page in its order."""

PEERS = NotRun("it trains for minutes to hours, beside another framework that must be installed; see tests/benchmarks")
