"""Run pgl's graph layers on seeded weights and inputs and store what they answer.

Not part of the tests: it needs pgl, the tests need only the files that it wrote. In an environment of Python 3.10:

    pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3' pgl==2.2.6
    python -m tests.parity.PGL.make_layer_references

It writes ``references/CASE.npz`` for each case of layer_cases.py: ``names`` and ``shapes`` of the official state,
``output`` (further ones: ``output_1`` …), and ``gradient NAME`` of a weighted sum of the output towards every input and
parameter. pgl computes in float32. And ``references/TransformerConv_gate.pdparams``: a file that Paddle itself wrote.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.parity.PGL.layer_cases import CASES, run  # it imports zlib, which crashes when paddle came before


def main() -> None:
    """Write the answers to all cases."""
    import paddle
    import pgl

    folder = Path(__file__).with_name("references")
    folder.mkdir(exist_ok=True)
    for name, case in CASES.items():
        layer, answers = run(case, pgl, paddle)
        state = layer.state_dict()
        np.savez_compressed(
            folder / f"{name}.npz",
            names=np.array(list(state), "S"),
            shapes=np.array([",".join(map(str, tensor.shape)) for tensor in state.values()], "S"),
            **answers,
        )
        if name == "TransformerConv_gate":
            paddle.save(state, str(folder / f"{name}.pdparams"))
        print(f"{name}: {len(state)} parameters, output {answers['output'].shape}")


if __name__ == "__main__":
    main()
