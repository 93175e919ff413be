"""Checking an exported model: that it is valid, and that onnxruntime computes what the layer computes."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import numpy as np
import onnx

from core.jit.exported.rounding import STEPS, steps_between
from core.kernels.dispatch.errors import OperatorError

TOLERANCE = {"float16": 1e-2}
"""Largest difference, relative to the largest element (at least 1); 1e-4 for all other types."""


def check_model(model: onnx.ModelProto) -> None:
    """Let ONNX's own checker look at the model, its shapes and types included.

    Raises:
        OperatorError: it is not valid.
    """
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        reason = str(error).strip().splitlines()[0]
        raise OperatorError(f"onnx.export: ONNX's checker refuses the model ({reason}); nothing was written") from error


def has_runtime() -> bool:
    """Return whether onnxruntime is installed."""
    return importlib.util.find_spec("onnxruntime") is not None


class RuntimeSession:
    """The model in onnxruntime, on the CPU.

    Args:
        model: The model.

    Raises:
        OperatorError: onnxruntime cannot run it.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        import onnxruntime  # no part of an installation

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors only: they are raised as well
        if any(node.op_type == "QuantizeLinear" for node in model.graph.node):
            # node by node as the file says: fused, sums of two products of bytes saturate on processors without VNNI
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            self.session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its errors have no common public class
            reason = str(error).splitlines()[0]
            raise OperatorError(
                f"onnx.export: onnxruntime cannot run this model ({reason}): if it lacks a kernel for an element type,"
                " convert the layer with layer.float() first"
            ) from error
        self.input_names = [given.name for given in self.session.get_inputs()]

    def run(self, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Compute the outputs; inputs that the model does not use are left out."""
        return self.session.run(None, {name: arrays[name] for name in self.input_names})


def compare(
    names: Sequence[str], results: Sequence[np.ndarray], expected: Sequence[np.ndarray], in_steps: bool = False
) -> None:
    """Make sure that two runs gave the same numbers.

    Args:
        names: Of the outputs.
        results: Of onnxruntime.
        expected: Of the layer.
        in_steps: Whether numbers are rounded to 8 bits on the way, where single ones may come out one step apart.

    Raises:
        OperatorError: they differ; the message names the first output that does, and by how much.
    """
    for name, got, wanted in zip(names, results, expected):
        if got.dtype != wanted.dtype or got.shape != wanted.shape:
            raise OperatorError(
                f"onnx.export: output {name!r} is {got.dtype}{list(got.shape)} in onnxruntime but"
                f" {wanted.dtype}{list(wanted.shape)} in the layer; nothing was written"
            )
        difference = (steps_between if in_steps else relative_difference)(got, wanted)
        if difference > (STEPS if in_steps else TOLERANCE.get(wanted.dtype.name, 1e-4)):
            raise OperatorError(
                f"onnx.export: output {name!r} differs between onnxruntime and the layer by {difference:.1e} of its"
                f" {'size' if in_steps else 'largest element'}; nothing was written"
            )


def relative_difference(got: np.ndarray, wanted: np.ndarray) -> float:
    """Return the largest difference relative to the largest finite element (at least 1); infinite where only one of the
    two is finite."""
    first, second = got.astype(np.float64), wanted.astype(np.float64)
    finite = np.isfinite(second)
    if not np.array_equal(first[~finite], second[~finite], equal_nan=True):
        return np.inf
    scale = max(1.0, float(np.abs(second[finite]).max(initial=0)))
    worst = float(np.abs(first[finite] - second[finite]).max(initial=0)) / scale
    return worst if np.isfinite(worst) else np.inf
