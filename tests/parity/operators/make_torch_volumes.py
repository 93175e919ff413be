"""Store what PyTorch's 3-D convolutions answer in float64: outputs, and gradients of first and second order.

    PYTHON_WITH_TORCH tests/parity/operators/make_torch_volumes.py

For each case of ``tests/parity/operators/volume_cases.py``: ``y``; the gradients ``x``, ``kernel`` and ``bias`` of the
sum of y squared; and ``xx`` and ``kernel kernel``, those by x and by the kernel of the gradients' products with
two directions. Large arrays are thinned.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
import torch

from tests.parity.operators.volume_cases import CASES, STORED, arrays, thinned


def main() -> None:
    """Write the answers to all cases."""
    stored = {}
    for name, case in CASES.items():
        given = {key: torch.tensor(array, dtype=torch.float64) for key, array in arrays(name).items()}
        x, kernel, bias = (given[key].requires_grad_() for key in ("x", "kernel", "bias"))
        y = torch.nn.functional.conv3d(x, kernel, bias, case.stride, case.padding, case.dilation, case.groups)
        first = torch.autograd.grad((y**2).sum(), (x, kernel, bias), create_graph=True)
        product = (first[0] * given["along x"]).sum() + (first[1] * given["along kernel"]).sum()
        second = torch.autograd.grad(product, (x, kernel))
        found = {"y": y, **dict(zip(("x", "kernel", "bias"), first)), **dict(zip(("xx", "kernel kernel"), second))}
        for key, tensor in found.items():
            stored[f"{name}: {key}"] = thinned(tensor.detach().numpy()).astype(np.float64)
    np.savez_compressed(STORED, **stored)
    print(f"{len(CASES)} cases, {STORED.stat().st_size} B")


if __name__ == "__main__":
    main()
