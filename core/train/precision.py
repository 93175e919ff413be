"""Mixed precision of a training step: the block that the loss is computed in, and the scaling of its gradient."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any, Optional

from core.amp import GradScaler, auto_cast, decorate, is_bfloat16_supported, is_float16_supported

_SCALING = (
    "init_loss_scaling", "incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf",
    "use_dynamic_loss_scaling",
)  # fmt: skip
_CHOICES = ("level", "dtype", "custom_white_list", "custom_black_list", "use_pure_fp16", *_SCALING)


@dataclasses.dataclass
class MixedPrecision:
    """How a loss is computed in 16 bits; evaluations are in float32.

    Attributes:
        dtype: ``bfloat16`` or ``float16``.
        level: see :func:`core.amp.auto_cast`.
        custom_white_list: operators to compute in 16 bits.
        custom_black_list: operators to compute in float32.
        scaling: the arguments of a GradScaler; None: losses are not scaled.
    """

    dtype: str
    level: str = "O1"
    custom_white_list: Any = None
    custom_black_list: Any = None
    scaling: Optional[Mapping[str, Any]] = None

    def block(self) -> contextlib.AbstractContextManager[None]:
        """Return the block in which to compute a loss."""
        return auto_cast(True, self.custom_white_list, self.custom_black_list, self.level, self.dtype)

    def scaler(self) -> Optional[GradScaler]:
        """Return a new scaler of gradients, or None."""
        return None if self.scaling is None else GradScaler(**self.scaling)

    def prepare(self, network: Any, optimizer: Any) -> None:
        """Make a network's parameters 16-bit, at level O2, with float32 ones beside them in its optimizer."""
        if self.level == "O2":
            decorate(network, optimizer, level="O2", dtype=self.dtype)


def precision_named(name: str, scaling: Optional[Mapping[str, Any]] = None) -> Optional[MixedPrecision]:
    """Return what a config's precision means; None for float32.

    Args:
        name: "float32", "bfloat16" or "float16", whose gradients are scaled.
        scaling: the arguments of a GradScaler; None: the defaults with float16, no scaling with bfloat16.

    Raises:
        ValueError: the device does not compute in it.
    """
    if name == "float32":
        return None
    if not (is_bfloat16_supported() if name == "bfloat16" else is_float16_supported()):
        other = "bfloat16" if is_bfloat16_supported() else "float32"
        raise ValueError(f"train.precision: this device does not compute in {name}: set it to {other}")
    return MixedPrecision(name, scaling={} if scaling is None and name == "float16" else scaling)


def precision_chosen(choices: Any, caller: str) -> Optional[MixedPrecision]:
    """Return what the ``amp_configs`` of a Model mean; None for float32.

    Args:
        choices: None, a level, or a dict of the arguments of auto_cast and GradScaler.
        caller: for messages.

    Raises:
        ValueError: a key or the level is unknown.
        TypeError: it is neither of these.
    """
    if choices is None or isinstance(choices, str):
        choices = {"level": choices or "O0"}
    if not isinstance(choices, Mapping):
        raise TypeError(f"{caller}: amp_configs must be a level or a dict, not {type(choices).__name__}")
    for key in choices:
        if key not in _CHOICES:
            raise ValueError(f"{caller}: amp_configs has the unknown key {key!r}: it takes {', '.join(_CHOICES)}")
    level = "O2" if choices.get("use_pure_fp16") else choices.get("level", "O1")
    if level not in ("O0", "O1", "O2"):
        raise ValueError(f"{caller}: the level of amp_configs is O0, O1 or O2, not {level!r}")
    if level == "O0":
        return None
    dtype = choices.get("dtype") or ("float16" if is_float16_supported() else "bfloat16")
    scaling = {key: choices[key] for key in _SCALING if key in choices}
    lists = choices.get("custom_white_list"), choices.get("custom_black_list")
    chosen = MixedPrecision(dtype, level, *lists, scaling if scaling or dtype == "float16" else None)
    with chosen.block():  # says at once what is wrong
        chosen.scaler()
    return chosen
