"""Run PyTorch networks on seeded weights and inputs, in float64, and store what they answer.

Not part of the tests: it needs PyTorch, the tests need only the files that it wrote.

    pip install torch numpy
    python -m tests.parity.PaddleGAN.make_torch_references

It writes ``references/CASE.npz`` for each case of ``cases.PYTORCH``: ``names`` and ``shapes`` of the parameters and
buffers, and ``evaluation 0``, ``training 0`` and so on, the outputs in either mode as float32, large
ones thinned out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.parity.PaddleGAN.cases import PYTORCH, Case, flat, thinned
from tests.parity.PaddleGAN.torch_networks import NETWORKS, Parameters
from tests.parity.PaddleGAN.weights import state, weight

REFERENCES = Path(__file__).with_name("references")


def tensor(array: np.ndarray) -> torch.Tensor:
    """Return an array as a Tensor: float64, or int64."""
    return torch.tensor(array, dtype=torch.float64 if array.dtype.kind == "f" else torch.int64)


def run(case: Case, training: bool) -> tuple[dict[str, Any], list[Any]]:
    """Return the parameters and buffers by name, and the outputs."""
    network, inputs = NETWORKS[case.network], [tensor(array) for array in case.inputs]
    with torch.no_grad():
        names = Parameters(weight, training)  # a first run only shows which there are, and their shapes
        network(names, *inputs, **case.arguments)
        values = state({name: tuple(found.shape) for name, found in names.found.items()})
        p = Parameters(lambda name, shape: values[name], training)
        outputs = flat(network(p, *inputs, **case.arguments))
    return p.found, outputs


def main() -> None:
    """Write the answers to all cases."""
    REFERENCES.mkdir(exist_ok=True)
    for name, case in PYTORCH.items():
        answers = {}
        for mode in ("evaluation", "training"):
            found, outputs = run(case, mode == "training")
            for i, output in enumerate(outputs):
                answers[f"{mode} {i}"] = thinned(output.numpy().astype("float32"))
        np.savez_compressed(
            REFERENCES / f"{name}.npz",
            names=np.array(list(found), "S"),
            shapes=np.array([",".join(map(str, value.shape)) for value in found.values()], "S"),
            **answers,
        )
        print(f"{name}: {len(found)} entries, up to {np.abs(answers['evaluation 0']).max():.3g}")


if __name__ == "__main__":
    main()
