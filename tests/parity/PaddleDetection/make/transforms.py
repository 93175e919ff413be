"""Store what PaddleDetection's own transforms make of seeded samples.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/transforms.py

REFERENCE_PYTHON has paddlepaddle 2.6.2, paddledet 2.6.0 and pycocotools.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
from ppdet.data.transform import batch_operators, operators  # noqa: E402
from pycocotools import mask as coco  # noqa: E402

from tests.parity.PaddleDetection import transform_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "transforms.npz"


def decode(mask):
    """Return the pixels of run lengths."""
    return coco.decode(coco.frPyObjects(mask, *mask["size"]) if isinstance(mask["counts"], list) else mask)


def in_shares(sample):
    """Return a sample whose boxes are shares of the image."""
    height, width = sample["image"].shape[:2]
    return {**sample, "gt_bbox": (sample["gt_bbox"] / np.array([width, height] * 2, np.float32)).astype(np.float64)}


def in_pixels(sample):
    """Return a sample whose boxes are pixels, without scores that it did not have."""
    height, width = sample["image"].shape[:2]
    sample["gt_bbox"] = sample["gt_bbox"] * [width, height, width, height]
    return {name: value for name, value in sample.items() if name != "gt_score" or len(value)}


def main() -> None:
    """Write what each case gives with each seed."""
    stored = {}
    for table, module, samples_of in (
        (cases.OF_SAMPLES, operators, lambda case: [cases.ready(case)]),
        (cases.OF_BATCHES, batch_operators, cases.batch),
    ):
        for case, (name, arguments) in table.items():
            for seed in cases.SEEDS:
                random.seed(cases.seed_of(case, seed))
                np.random.seed(cases.seed_of(case, seed))  # noqa: NPY002  # what the official transforms draw from
                transform = getattr(module, name)(**arguments)
                samples = samples_of(case)
                others = cases.OTHERS.get(name, 0)
                if name == "CropWithSampling":
                    made = [in_pixels(transform(in_shares(samples[0])))]
                elif others:
                    for _ in range(others):
                        np.random.randint(2)  # noqa: NPY002  # the data set's draws of further samples
                    made = [transform([samples[0], *(cases.sample(case, number + 1) for number in range(others))])]
                else:
                    made = [transform(samples[0])] if module is operators else transform(samples)
                stored[f"{case} {seed}"] = cases.flat(cases.described(made, decode))
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
