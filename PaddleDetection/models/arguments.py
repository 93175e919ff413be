"""What a config may write beside a detector's name: the arguments of its entry function and of what that builds."""

from __future__ import annotations

import inspect

from core.train.config.signatures import entry_signature
from core.train.config.signatures import passes_on as passes_on
from PaddleDetection.models.registry import NETWORKS


def signature(name: str) -> inspect.Signature:
    """Return the arguments that an entry function takes, with those that it passes on to the detector's class.

    Args:
        name: of the detector, as the table has it.
    """
    return entry_signature(NETWORKS.resolve(name))
