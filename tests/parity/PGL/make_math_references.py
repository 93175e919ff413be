"""Ask pgl.math what it answers to the uses of math_cases.py, and store it.

Not part of the tests: it needs pgl, the tests need only the file that it wrote. In an environment of Python 3.10:

    pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3' pgl==2.2.6
    python -m tests.parity.PGL.make_math_references

It writes ``references/math.npz``: each array of each case as "CASE: NAME".
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.parity.PGL.math_cases import CASES  # it imports zlib, which crashes when paddle came before


def main() -> None:
    """Write the answers to all cases."""
    import paddle
    import pgl

    answers = {f"{case}: {name}": array for case, ask in CASES.items() for name, array in ask(pgl, paddle).items()}
    np.savez_compressed(Path(__file__).with_name("references") / "math.npz", **answers)


if __name__ == "__main__":
    main()
