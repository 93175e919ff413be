"""What the whole library agrees on (paddle.framework): modes, flags, ranges of types. Names load on first use."""

from __future__ import annotations

import importlib
from typing import Any

_WHERE = {
    "core.framework.flags": ("get_flags", "set_flags"),
    "core.framework.mode": (
        "disable_signal_handler", "disable_static", "enable_static", "in_dynamic_mode", "in_dynamic_or_pir_mode",
        "in_pir_mode", "use_pir_api",
    ),
    "core.framework.ranges": ("finfo", "iinfo"),
    "core.nn.layer_helper": ("LayerHelper",),
    "core.device": ("CPUPlace", "CUDAPinnedPlace", "CUDAPlace"),
    "core.autograd": ("grad", "no_grad"),
    "core.nn": ("ParamAttr", "Parameter"),
    "core.operators": ("get_rng_state", "seed", "set_rng_state"),
    "core.tensor": ("get_default_dtype", "set_default_dtype"),
    "core.weights": ("load", "save"),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}
_RENAMED = {
    "convert_np_dtype_to_dtype_": ("core.kernels.dtypes", "to_dtype"),
    "dtype": ("core.kernels.dtypes", "DType"),
}

__all__ = [*_MODULE_OF, *_RENAMED, "core"]


def __getattr__(name: str) -> Any:
    if name == "core":
        return importlib.import_module("core.framework.core")
    module, original = _RENAMED.get(name) or (_MODULE_OF.get(name), name)
    if module is None:
        raise AttributeError(f"core.framework has no attribute {name!r}")
    return getattr(importlib.import_module(module), original)


def __dir__() -> list[str]:
    return list(__all__)
