"""Paddle 2.6's public API on MXNet's kernels: ``import core as paddle``.

Names are resolved on first use, so that a process that only reads data never loads the engine.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

SUBMODULES = (
    "amp", "audio", "autograd", "callbacks", "common_ops_import", "device", "distributed", "distribution", "drawing",
    "fft", "framework", "geometric", "graphs", "hub", "incubate", "inference", "io", "jit", "kernels", "linalg",
    "metric", "nn", "onnx", "operators", "optimizer", "profiler", "quantization", "reader", "regularizer", "signal",
    "static", "tensor", "text", "train", "utils", "version", "vision", "weights",
)  # fmt: skip

NAMES = {
    "Tensor": "core.tensor",
    "get_default_dtype": "core.tensor",
    "set_default_dtype": "core.tensor",
    "enable_grad": "core.autograd",
    "grad": "core.autograd",
    "is_grad_enabled": "core.autograd",
    "no_grad": "core.autograd",
    "set_grad_enabled": "core.autograd",
    "CPUPlace": "core.device",
    "CUDAPinnedPlace": "core.device",
    "CUDAPlace": "core.device",
    "get_cudnn_version": "core.device",
    "get_device": "core.device",
    "is_compiled_with_cinn": "core.device",
    "is_compiled_with_cuda": "core.device",
    "is_compiled_with_custom_device": "core.device",
    "is_compiled_with_distribute": "core.device",
    "is_compiled_with_ipu": "core.device",
    "is_compiled_with_mlu": "core.device",
    "is_compiled_with_npu": "core.device",
    "is_compiled_with_rocm": "core.device",
    "is_compiled_with_xpu": "core.device",
    "set_device": "core.device",
    "disable_signal_handler": "core.framework",
    "disable_static": "core.framework",
    "enable_static": "core.framework",
    "finfo": "core.framework",
    "get_flags": "core.framework",
    "iinfo": "core.framework",
    "in_dynamic_mode": "core.framework",
    "set_flags": "core.framework",
    "set_printoptions": "core.kernels.printing",
    "batch": "core.reader",
    "DataParallel": "core.distributed",
    "LazyGuard": "core.nn",
    "ParamAttr": "core.nn",
    "create_parameter": "core.nn",
    "Model": "core.train.model.model",
    "flops": "core.train.model.flops",
    "summary": "core.train.model.summary",
    "install_as_paddle": "core.paddle_alias",
    "load": "core.weights",
    "save": "core.weights",
    "float16": "core.kernels.dtypes",
    "bfloat16": "core.kernels.dtypes",
    "float32": "core.kernels.dtypes",
    "float64": "core.kernels.dtypes",
    "as_complex": "core.operators.arithmetic.complex_parts",
    "as_real": "core.operators.arithmetic.complex_parts",
    "complex": "core.operators.arithmetic.complex_parts",
    "imag": "core.operators.arithmetic.complex_parts",
    "polar": "core.operators.arithmetic.complex_parts",
    "real": "core.operators.arithmetic.complex_parts",
    "complex64": "core.kernels.dtypes",
    "complex128": "core.kernels.dtypes",
    "uint8": "core.kernels.dtypes",
    "int8": "core.kernels.dtypes",
    "int16": "core.kernels.dtypes",
    "int32": "core.kernels.dtypes",
    "int64": "core.kernels.dtypes",
}
RENAMED = {"bool": ("core.kernels.dtypes", "bool_"), "dtype": ("core.kernels.dtypes", "DType")}


def __getattr__(name: str) -> Any:
    if name in SUBMODULES:
        try:
            return importlib.import_module(f"core.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"core.{name}":
                raise
            raise AttributeError(f"core has no attribute {name!r}") from None
    if name in NAMES:
        found = getattr(importlib.import_module(NAMES[name]), name)
    elif name in RENAMED:
        module, original = RENAMED[name]
        found = getattr(importlib.import_module(module), original)
    elif name.startswith("__"):
        raise AttributeError(name)
    else:
        importlib.import_module("core.autograd")  # the rules belong to the operators
        try:
            found = getattr(importlib.import_module("core.operators"), name)
        except AttributeError:
            raise AttributeError(f"core has no attribute {name!r}") from None
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    operators = importlib.import_module("core.operators")
    return sorted({*SUBMODULES, *NAMES, *RENAMED, *dir(operators)})
