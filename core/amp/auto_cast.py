"""auto_cast: a block in which operators compute in 16 bits where that is fast and safe."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from core.amp.casts import Casts
from core.amp.support import is_bfloat16_supported, is_float16_supported
from core.amp.table import WHITE, operators_of
from core.kernels.dispatch import dispatcher
from core.kernels.dtypes import BY_NAME
from core.kernels.engine import engine

LEVELS = ("O0", "OD", "O1", "O2")
TYPES = ("float16", "bfloat16")

Names = Optional[Iterable[str]]


def auto_cast(
    enable: bool = True,
    custom_white_list: Names = None,
    custom_black_list: Names = None,
    level: str = "O1",
    dtype: str = "float16",
    use_promote: bool = True,
) -> contextlib.AbstractContextManager[None]:
    """Return a block, for ``with``, in which operators choose between 16 bits and float32.

    What a compiled function computes depends on the block that it is called in, or that is in it.

    Args:
        enable: False: nothing changes.
        custom_white_list: Names of operators, as in Paddle's lists, to compute in 16 bits. One for which the engine has
            no good 16-bit kernel computes in float32 all the same.
        custom_black_list: Names of operators to compute in float32.
        level: ``O1``: products and convolutions compute in 16 bits, and what is given 16 bits alone and has a kernel
            for it; the rest computes in float32. ``O2``: the same, for layers made 16-bit by :func:`decorate`. ``OD``:
            products and convolutions alone. ``O0``: nothing changes.
        dtype: ``bfloat16``, for CPUs, or ``float16``, for GPUs. On a device that does not compute in it the block has
            no effect, and a warning says so.
        use_promote: False, at ``O2``: what has a 16-bit kernel computes in 16 bits even where it is given float32.

    Returns:
        A context manager.

    Raises:
        ValueError: the level or type is unknown, or a name is in both lists.
        TypeError: a list holds something else than names.
    """
    casts = casts_for(enable, custom_white_list, custom_black_list, level, dtype, use_promote)
    return _block(casts)


@contextlib.contextmanager
def _block(casts: Optional[Casts]) -> Iterator[None]:
    with dispatcher.precision_mode(casts):
        try:
            yield
        finally:
            if casts is not None:
                casts.forget()


def casts_for(
    enable: bool, custom_white_list: Names, custom_black_list: Names, level: str, dtype: str, use_promote: bool
) -> Optional[Casts]:
    """Return the casts that the arguments of :func:`auto_cast` ask for; None where nothing changes."""
    if level not in LEVELS:
        raise ValueError(f"auto_cast: level is one of {', '.join(LEVELS)}, not {level!r}")
    name = getattr(dtype, "name", dtype)
    if enable and name not in TYPES:
        raise ValueError(f"auto_cast: dtype is 'bfloat16' or 'float16', not {dtype!r}")
    white = _listed("custom_white_list", custom_white_list)
    black = _listed("custom_black_list", custom_black_list)
    for twice in sorted(white & black):
        raise ValueError(f"auto_cast: {twice!r} is in both custom lists, white and black: take it out of one")
    if not enable or level == "O0":
        return None
    if not (is_float16_supported() if name == "float16" else is_bfloat16_supported()):
        where = engine.device_text()
        other = "; this one computes in dtype='bfloat16'" if is_bfloat16_supported() else ""
        warnings.warn(f"auto_cast: no effect, as {where} does not compute in {name}{other}", stacklevel=3)
        return None
    whites = {operator for entry in white for operator in operators_of(entry)} | WHITE
    blacks = {operator for entry in black for operator in operators_of(entry)}
    return Casts(BY_NAME[name], whites - blacks, blacks, level == "OD", level != "O2" or use_promote)


def _listed(argument: str, names: Any) -> set[str]:
    if names is None:
        return set()
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"auto_cast: {argument} must be a list or set of operators' names, not {names!r}")
    return set(names)


amp_guard = auto_cast

__all__ = ["amp_guard", "auto_cast", "casts_for"]
