"""An exported detector finds at sizes that it was never traced with what the live one finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

import core
from core.static import InputSpec


def found_at_open_sizes(
    model: Any,
    folder: Path,
    examples: Optional[Mapping[int, tuple[int, int]]] = None,
    im_shape: Optional[tuple[float, float]] = None,
) -> list[Sequence[core.Tensor]]:
    """Export a detector, compare what it finds in one image and in two, and return that.

    Args:
        model: finds rows, how many of them each image has, and perhaps more.
        folder: where the export goes.
        examples: the sizes that are traced.
        im_shape: what the input says of the images' size; None: the size.
    """
    model.eval()
    spec = [
        InputSpec([None, 3, None, None], "float32", "image", examples=examples or {2: (96, 128), 3: (64, 96)}),
        InputSpec([None, 2], "float32", "im_shape"),
        InputSpec([None, 2], "float32", "scale_factor"),
    ]
    core.jit.save(model, str(folder / "model"), spec)
    loaded = core.jit.load(str(folder / "model"))
    results = []
    for images, height, width in ((1, 128, 128), (2, 64, 160)):
        numbers = np.sin(np.arange(images * 3 * height * width, dtype=np.float32))
        image = core.to_tensor(numbers.reshape(images, 3, height, width))
        shape = core.to_tensor(np.array([im_shape or (height, width)] * images, np.float32))
        given = image, shape, core.full([images, 2], 0.5)
        found, wanted = loaded(*given), model(*given)
        assert wanted[1].numpy().min() > 0
        np.testing.assert_array_equal(found[1].numpy(), wanted[1].numpy())
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-4, atol=1e-3)
        results.append(found)
    return results
