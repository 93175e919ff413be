"""Patches of road scenes, each of the class that covers most of it: a small set of photographs to train on first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from core.vision import image_load, read_image

CLASSES = {"building": 1, "car": 8, "pavement": 4, "road": 3, "sky": 0, "tree": 5}
"""The classes, and their numbers in the masks."""

SIZE, STEP = 112, 40
"""Height and width of a patch, and the distance between neighbours, pixels."""

SHARE = 0.4
"""How much of a patch its class covers at least."""


def write_patches(scenes: Path, folder: Path) -> dict[str, int]:
    """Cut the training and validation pictures of CamVid's folders into folders of classes.

    Args:
        scenes: holds ``train``, ``trainannot``, ``val`` and ``valannot``, PNG files of equal names.
        folder: where to write: SPLIT/CLASS/SCENE_NUMBER.png.

    Returns:
        How many patches each split has.
    """
    counts = {}
    for split in ("train", "val"):
        counts[split] = 0
        for file in sorted((scenes / split).glob("*.png")):
            picture = Image.fromarray(read_image(file))
            mask = np.asarray(image_load(scenes / f"{split}annot" / file.name, backend="pil"))
            for number, (left, top, name) in enumerate(chosen_patches(mask)):
                target = folder / split / name / f"{file.stem}_{number:02}.png"
                target.parent.mkdir(parents=True, exist_ok=True)
                picture.crop((left, top, left + SIZE, top + SIZE)).save(target, compress_level=1)
                counts[split] += 1
    return counts


def chosen_patches(mask: np.ndarray) -> list[tuple[int, int, str]]:
    """Return left, top and class of each patch of which one class covers enough.

    Args:
        mask: the class of each pixel, uint8, shape (H, W).
    """
    found = []
    for top in range(0, mask.shape[0] - SIZE + 1, STEP):
        for left in range(0, mask.shape[1] - SIZE + 1, STEP):
            patch = mask[top : top + SIZE, left : left + SIZE]
            shares = {name: float((patch == number).mean()) for name, number in CLASSES.items()}
            best = max(shares, key=lambda name: shares[name])
            if shares[best] >= SHARE:
                found.append((left, top, best))
    return found
