"""Eager or compiled: what Paddle calls dynamic and static mode."""

from __future__ import annotations

from typing import Any

from core.kernels.dispatch import dispatcher
from core.kernels.place import check_place


def in_dynamic_mode() -> bool:
    """Return whether operators compute at once: True, but False while ``to_static`` traces a function."""
    return dispatcher.state.trace is None


in_dynamic_or_pir_mode = in_dynamic_mode


def in_to_static_mode() -> bool:
    """Return whether ``to_static`` traces a function just now."""
    return not in_dynamic_mode()


def in_pir_mode() -> bool:
    """Return False: programs are not Paddle's intermediate representation."""
    return False


use_pir_api = in_pir_mode


def disable_signal_handler() -> None:
    """Leave the process's signals alone, which core does anyway: it installs no handlers."""


def enable_static() -> None:
    """Refuse to build programs statement by statement.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "enable_static: programs built statement by statement (paddle.static) are not offered: write the model as"
        " ordinary code and compile it with core.jit.to_static"
    )


def disable_static(place: Any = None) -> None:
    """Compute at once, which is always so.

    Args:
        place: the current device, by name or as a place; tensors are not moved.

    Raises:
        RuntimeError: the place is another device.
    """
    if place is not None:
        check_place(place)
