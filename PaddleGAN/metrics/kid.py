"""The kernel inception distance.

Paper: M. Binkowski et al., "Demystifying MMD GANs", 2018, https://arxiv.org/abs/1801.01401.
"""

from __future__ import annotations

import numpy as np

from PaddleGAN.metrics.distance import FeatureDistance, Features


def polynomial_mmd(first: np.ndarray, second: np.ndarray) -> float:
    """Return the unbiased estimate of the squared maximum mean discrepancy for the kernel (x y / D + 1)^3.

    Args:
        first: features, shape (N, D).
        second: features, shape (M, D).

    Returns:
        The estimate; around 0, and below it too, where both come from one distribution.
    """
    size = first.shape[1]
    within_1, within_2, between = (
        (one @ other.T / size + 1) ** 3 for one, other in ((first, first), (second, second), (first, second))
    )
    count_1, count_2 = len(first), len(second)
    same_1 = (within_1.sum() - np.trace(within_1)) / (count_1 * (count_1 - 1))
    same_2 = (within_2.sum() - np.trace(within_2)) / (count_2 * (count_2 - 1))
    return float(same_1 + same_2 - 2 * between.mean())


class KID(FeatureDistance):
    """The mean over random subsets of the squared maximum mean discrepancy of features; and its standard deviation.

    Args:
        features: makes features of images; see :mod:`PaddleGAN.metrics.features`.
        subsets: how many.
        subset_size: images in each; all images where there are fewer.
        seed: of the subsets.

    Raises:
        ValueError: ``subsets`` is not positive, or ``subset_size`` below 2.
    """

    def __init__(self, features: Features, subsets: int = 100, subset_size: int = 1000, seed: int = 0) -> None:
        if subsets < 1 or subset_size < 2:
            raise ValueError(
                f"KID: subsets must be positive and subset_size at least 2, not {subsets} and {subset_size}"
            )
        super().__init__(features)
        self.subsets = subsets
        self.subset_size = subset_size
        self.seed = seed

    def accumulate(self) -> list[float]:
        """Return mean and standard deviation for everything gathered since the last reset.

        Raises:
            ValueError: there are fewer than two images of a kind.
        """
        generated, real = self.gathered()
        size = min(self.subset_size, len(generated), len(real))
        source = np.random.default_rng(self.seed)
        values = [
            polynomial_mmd(*(part[source.choice(len(part), size, replace=False)] for part in (generated, real)))
            for _ in range(self.subsets)
        ]
        return [float(np.mean(values)), float(np.std(values))]

    def name(self) -> list[str]:
        """Return "kid" and "kid_deviation"."""
        return ["kid", "kid_deviation"]
