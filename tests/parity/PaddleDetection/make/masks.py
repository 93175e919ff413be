"""Store how PaddleDetection pastes seeded masks into an image.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/masks.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY / "PaddleDetection"))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from mask_cases import HEIGHT, WIDTH, cases  # noqa: E402
from ppdet.modeling.post_process import paste_mask  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "masks.npz"


def main() -> None:
    """Write the likelihood of each pixel."""
    masks, boxes = (paddle.to_tensor(array) for array in cases())
    likely = paste_mask(masks[:, None], boxes, HEIGHT, WIDTH).numpy()
    np.savez_compressed(TARGET, inside=np.packbits(likely >= 0.5), unsure=np.packbits(abs(likely - 0.5) < 1e-5))


if __name__ == "__main__":
    main()
