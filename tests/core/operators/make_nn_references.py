"""Write nn_references.npz: what Paddle 2.6.2 answers to the cases of nn_cases.py, with first gradients, in float64.

Run with a Python that has paddlepaddle==2.6.2: ``python tests/core/operators/make_nn_references.py``.
"""

from __future__ import annotations

import zlib  # noqa: F401 - paddle needs it to be loaded first
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from nn_cases import CASES, cotangent


def run(name: str) -> dict[str, np.ndarray]:
    """Return outputs and gradients of one case."""
    function, arrays = CASES[name]
    tensors = [paddle.to_tensor(array, stop_gradient=array.dtype.kind != "f") for array in arrays]
    outputs = function(F, *tensors)
    outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    found = {}
    total = None
    for i, output in enumerate(outputs):
        found[f"{name}/output{i}"] = output.numpy()
        if not output.stop_gradient:
            term = (output * paddle.to_tensor(cotangent(output.shape, i))).sum()
            total = term if total is None else total + term
    if total is not None:
        total.backward()
    for i, tensor in enumerate(tensors):
        if tensor.grad is not None:
            found[f"{name}/gradient{i}"] = tensor.grad.numpy()
    return found


if __name__ == "__main__":
    paddle.set_default_dtype("float64")
    references: dict[str, np.ndarray] = {}
    for name in CASES:
        try:
            references.update(run(name))
        except Exception as error:  # noqa: BLE001 - the list of what the original cannot do is printed
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[-1] if str(error) else ''}")
    np.savez_compressed(Path(__file__).with_name("nn_references.npz"), **references)
