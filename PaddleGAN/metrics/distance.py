"""What FID and KID share: the features of generated and of real images."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from core.metric import Metric

Features = Callable[[Any], np.ndarray]
"""A function of images, as a generator gives them, to their features, shape (N, D), with a ``description``."""


class FeatureDistance(Metric):
    """A distance between generated and real images, by their features.

    Subclasses write ``accumulate``.

    Args:
        features: makes features of images; its ``description`` says what they are, as a distance means little without.
    """

    def __init__(self, features: Features) -> None:
        self.features = features
        self.reset()

    @property
    def description(self) -> str:
        """What the features are."""
        return str(getattr(self.features, "description", type(self.features).__name__))

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.generated: list[np.ndarray] = []
        self.real: list[np.ndarray] = []

    def update(self, generated: Optional[Any] = None, real: Optional[Any] = None) -> None:
        """Take in generated images, real ones, or both.

        Args:
            generated: as the features' function takes them; None: none.
            real: likewise; there need not be as many.
        """
        if generated is not None:
            self.generated.append(np.asarray(self.features(generated), np.float64))
        if real is not None:
            self.real.append(np.asarray(self.features(real), np.float64))

    def gathered(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the features of all generated and of all real images since the last reset.

        Returns:
            Float64, shapes (N, D) and (M, D).

        Raises:
            ValueError: there are fewer than two images of a kind, or features are infinite or not numbers.
        """
        owner = type(self).__name__
        for kind, part in (("generated", self.generated), ("real", self.real)):
            count = sum(map(len, part))
            if count < 2:
                raise ValueError(f"{owner}: at least two {kind} images are needed; there are {count}")
            if not all(np.isfinite(batch).all() for batch in part):
                raise ValueError(f"{owner}: features of {kind} images are infinite or not numbers; are the images?")
        return np.concatenate(self.generated), np.concatenate(self.real)
