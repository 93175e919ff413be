"""How well attributes were edited: those that should change did, and the others did not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.metric import Metric
from core.metric.metric import as_array
from core.vision.datasets.face_factors import FACE_ATTRIBUTES
from PaddleGAN.metrics.attributes import measure_attributes

Measure = Callable[[Any], np.ndarray]


class AttributeEditing(Metric):
    """Editing accuracy, and the share of the other attributes that were kept, both from 0 to 1.

    Args:
        names: the attributes, in the order of the vectors.
        measure: returns which attributes images have, bool (N, K); it must not be what the generator was trained
            against. None: by program, for drawn faces, :func:`PaddleGAN.metrics.measure_attributes`.

    Raises:
        ValueError: ``measure`` is None and drawn faces have no such attribute.
    """

    def __init__(self, names: Sequence[str], measure: Optional[Measure] = None) -> None:
        self.names = tuple(names)
        if measure is None:
            unknown = [name for name in self.names if name not in FACE_ATTRIBUTES]
            if unknown:
                raise ValueError(f"AttributeEditing: {unknown[0]!r} cannot be measured by program; give a classifier")
            columns = [FACE_ATTRIBUTES.index(name) for name in self.names]
            self.measure: Measure = lambda images: measure_attributes(images)[:, columns]
        else:
            self.measure = measure
        self.reset()

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.right = np.zeros((2, len(self.names)), np.int64)
        self.seen = np.zeros((2, len(self.names)), np.int64)

    def update(self, edited: Any, wanted: Any, changed: Any) -> None:
        """Take in a batch.

        Args:
            edited: images, as ``measure`` takes them.
            wanted: the attributes that they should have, 0 or 1, shape (N, K).
            changed: where these differ from what the originals had, shape (N, K).

        Raises:
            ValueError: the shapes differ.
        """
        target, differs = as_array(wanted) > 0.5, as_array(changed).astype(bool)
        found = self.measure(edited)
        if not found.shape == target.shape == differs.shape:
            raise ValueError(
                f"AttributeEditing: measured attributes of shape {found.shape}, wanted ones of {target.shape} and "
                f"changes of {differs.shape} do not fit"
            )
        for row, counted in enumerate((differs, ~differs)):
            self.right[row] += ((found == target) & counted).sum(axis=0)
            self.seen[row] += counted.sum(axis=0)

    def accumulate(self) -> list[float]:
        """Return editing accuracy and the share kept, since the last reset; 0.0 where nothing was to change or keep."""
        return [float(right / seen) if seen else 0.0 for right, seen in zip(self.right.sum(1), self.seen.sum(1))]

    def by_attribute(self) -> dict[str, list[float]]:
        """Return both numbers for each attribute, by name."""
        shares = self.right / np.maximum(self.seen, 1)
        return {name: shares[:, column].tolist() for column, name in enumerate(self.names)}

    def name(self) -> list[str]:
        """Return "editing_accuracy" and "attributes_kept"."""
        return ["editing_accuracy", "attributes_kept"]
