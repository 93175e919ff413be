"""What becomes of the settings of Paddle's Config that choose nothing here: one table for code, errors and docs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TENSORRT = "TensorRT"
XPU = "Kunlun processors"
IPU = "Graphcore's processors"
QUANTIZED = "calibration in a predictor (an export with --int8, or PostTraining, makes programs in 8 bits)"

HARMLESS: dict[str, str] = {
    "switch_use_feed_fetch_ops": "run() and run(list) both work",
    "switch_specify_input_names": "inputs always have names",
    "delete_pass": "none of Paddle's passes is applied; switch_ir_optim(False) turns core's own off",
    "enable_new_executor": "there is one executor",
    "disable_onnxruntime": "ONNX Runtime is not used",
    "disable_mkldnn_fc_passes": "none of Paddle's passes is applied",
    "set_mkldnn_op": "the engine chooses oneDNN's kernels itself",
    "set_optim_cache_dir": "optimised programs are not kept",
}
"""Accepted without effect, and why they need none."""

REFUSED: dict[str, str] = {
    "collect_shape_range_info": TENSORRT,
    "enable_custom_device": "other devices than CPUs and NVIDIA's GPUs",
    "enable_dlnne": "DL-NNE",
    "enable_ipu": IPU,
    "enable_lite_engine": "Paddle Lite",
    "enable_onnxruntime": "ONNX Runtime (core.onnx.export writes files for it)",
    "enable_opencl": "OpenCL",
    "enable_ort_optimization": "ONNX Runtime (core.onnx.export writes files for it)",
    "enable_profile": "a profile of a predictor (core.profiler measures)",
    "enable_quantizer": QUANTIZED,
    "enable_tensorrt_dla": TENSORRT,
    "enable_tensorrt_engine": TENSORRT,
    "enable_tensorrt_explicit_quantization": TENSORRT,
    "enable_tensorrt_inspector": TENSORRT,
    "enable_tensorrt_memory_optim": TENSORRT,
    "enable_tensorrt_varseqlen": TENSORRT,
    "enable_tuned_tensorrt_dynamic_shape": TENSORRT,
    "enable_xpu": XPU,
    "exp_disable_tensorrt_ops": TENSORRT,
    "exp_enable_use_cutlass": "CUTLASS",
    "load_ipu_config": IPU,
    "mark_trt_engine_outputs": TENSORRT,
    "set_bfloat16_op": "a choice of operators alone (exp_disable_mixed_precision_ops leaves operators in float32)",
    "set_dist_config": "inference on several machines",
    "set_ipu_config": IPU,
    "set_ipu_custom_info": IPU,
    "set_model_buffer": "programs in memory (an exported program is a folder)",
    "set_tensorrt_optimization_level": TENSORRT,
    "set_trt_dynamic_shape_info": TENSORRT,
    "set_xpu_config": XPU,
    "set_xpu_device_id": XPU,
}
"""What a setting asks for that core does not have: calling it is an error."""

REFUSED_WHEN_ON: dict[str, tuple[str, bool, str]] = {
    "enable_low_precision_io": (
        "x", True, "16-bit inputs for float32 programs (convert_to_mixed_precision(..., keep_io_types=False) makes one)"
    ),
    "enable_save_optim_model": ("save_optimized_model", False, "files of optimised programs"),
    "switch_ir_debug": ("x", True, "files of each step of the optimisation"),
}  # fmt: skip
"""Settings that may be turned off, but not on: the argument, its default, and what being on asks for."""

OFF = (
    "lite_engine_enabled", "model_from_memory", "onnxruntime_enabled",
    "shape_range_info_collected", "tensorrt_dla_enabled", "tensorrt_dynamic_shape_enabled", "tensorrt_engine_enabled",
    "tensorrt_explicit_quantization_enabled", "tensorrt_inspector_enabled", "tensorrt_varseqlen_enabled",
    "tuned_tensorrt_dynamic_shape", "use_opencl", "use_xpu",
)  # fmt: skip
"""Questions about what is refused: False."""


def add_settings(config: type) -> None:
    """Give Paddle's Config the methods of the tables.

    Args:
        config: the class.
    """
    for name, reason in HARMLESS.items():
        setattr(config, name, _accepting(name, reason))
    for name, what in REFUSED.items():
        setattr(config, name, _refusing(name, what))
    for name, (argument, default, what) in REFUSED_WHEN_ON.items():
        setattr(config, name, _refusing_when_on(name, argument, default, what))
    for name in OFF:
        setattr(config, name, _answering_no(name))


def _accepting(name: str, reason: str) -> Callable[..., None]:
    def setting(self: Any, *args: Any, **kwargs: Any) -> None:
        return None

    setting.__doc__ = f"Accept this without effect: {reason}."
    return _as_method(name, setting)


def _refusing(name: str, what: str) -> Callable[..., None]:
    def setting(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"Config.{name}: core does not have {what}: leave the setting out")

    setting.__doc__ = f"Refuse: core does not have {what}."
    return _as_method(name, setting)


def _refusing_when_on(name: str, argument: str, default: bool, what: str) -> Callable[..., None]:
    refused = _refusing(name, what)

    def setting(self: Any, *args: Any, **kwargs: Any) -> None:
        if args[0] if args else kwargs.get(argument, default):
            refused(self)

    setting.__doc__ = f"Accept False alone: core does not have {what}."
    return _as_method(name, setting)


def _answering_no(name: str) -> Callable[..., bool]:
    def setting(self: Any) -> bool:
        return False

    setting.__doc__ = "Return False: core does not have it."
    return _as_method(name, setting)


def _as_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__, function.__qualname__ = name, f"Config.{name}"
    return function
