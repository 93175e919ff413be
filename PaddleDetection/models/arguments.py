"""What a config may write beside a detector's name: the arguments of its entry function and of its class."""

from __future__ import annotations

import functools
import inspect
import sys

from core.train.config.signatures import signature_of
from PaddleDetection.models.registry import NETWORKS


@functools.cache
def signature(name: str) -> inspect.Signature:
    """Return the arguments that an entry function takes, with those that it passes on to the detector's class.

    Args:
        name: of the detector, as the table has it.
    """
    entry = NETWORKS.resolve(name)
    detector = getattr(sys.modules[entry.__module__], entry.__annotations__["return"])
    own = [one for one in signature_of(entry).parameters.values() if one.kind is not one.VAR_KEYWORD]
    further = [
        one
        for one in signature_of(detector).parameters.values()
        if one.default is not one.empty and one.name not in {mine.name for mine in own}
    ]  # those without a default are what the entry function builds
    return inspect.Signature([one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in [*own, *further]])
