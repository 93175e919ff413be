"""Store which regions PaddleDetection's balanced sampler takes, drawing with given numbers.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/libra.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from ppdet.modeling.proposal_generator import target  # noqa: E402

from tests.parity.PaddleDetection import libra_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "libra.npz"
CONCAT = paddle.concat


def concat(parts: list[Any], axis: int = 0) -> Any:
    """Join numbers, too: paddledet 2.6.0 was written when the parts of a shape had an axis."""
    return CONCAT([part.reshape([1]) if part.ndim == 0 else part for part in parts], axis)


paddle.concat = concat


def main() -> None:
    """Write the file."""
    found = {}
    for name, (fraction, _) in cases.CASES.items():
        regions, objects, classes, numbers = cases.given(name)

        def choice(places: Any, size: int, replace: bool, numbers: np.ndarray = numbers) -> np.ndarray:
            places = np.array(sorted(places))
            return places[np.argsort(numbers[places], kind="stable")[:size]]

        target.np.random.choice = choice
        rows, labels, boxes, places, count = target.libra_generate_proposal_target(
            [paddle.to_tensor(regions)],
            [paddle.to_tensor(classes[:, None])],
            [paddle.to_tensor(objects)],
            cases.SAMPLED,
            fraction,
            0.5,
            0.5,
            cases.CLASSES,
        )
        order = np.lexsort(rows[0].numpy().T)
        found[f"{name} regions"] = rows[0].numpy()[order]
        found[f"{name} labels"] = labels[0].numpy()[order].astype(np.int16)
    np.savez_compressed(TARGET, **found)


if __name__ == "__main__":
    main()
