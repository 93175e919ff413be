"""What a config may write beside a detector's name: the arguments of its entry function and of what that builds."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable, TypeVar

from core.train.config.signatures import signature_of
from PaddleDetection.models.registry import NETWORKS

Entry = TypeVar("Entry", bound=Callable[..., Any])


def passes_on(*functions: Callable[..., Any]) -> Callable[[Entry], Entry]:
    """Say of an entry function which functions it passes settings on to, besides the detector's class.

    Args:
        *functions: their arguments with a default are settings.
    """

    def marked(entry: Entry) -> Entry:
        entry.passes_on = functions  # type: ignore[attr-defined]
        return entry

    return marked


@functools.cache
def signature(name: str) -> inspect.Signature:
    """Return the arguments that an entry function takes, with those that it passes on to the detector's class.

    Args:
        name: of the detector, as the table has it.
    """
    entry = NETWORKS.resolve(name)
    detector = getattr(sys.modules[entry.__module__], entry.__annotations__["return"])
    found = {key: one for key, one in signature_of(entry).parameters.items() if one.kind is not one.VAR_KEYWORD}
    for source in (*getattr(entry, "passes_on", ()), *detector.__mro__):
        parameters = signature_of(source).parameters
        for key, one in parameters.items():
            if one.default is not one.empty:  # those without a default are what the entry function builds
                found.setdefault(key, one)
        if source in detector.__mro__ and all(one.kind is not one.VAR_KEYWORD for one in parameters.values()):
            break
    return inspect.Signature([one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in found.values()])
