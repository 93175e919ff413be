"""The Frechet inception distance.

Paper: M. Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium", 2017,
https://arxiv.org/abs/1706.08500.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from PaddleGAN.metrics.distance import FeatureDistance


def frechet_distance(
    mean_1: np.ndarray, covariance_1: np.ndarray, mean_2: np.ndarray, covariance_2: np.ndarray
) -> float:
    """Return the squared Frechet distance of two normal distributions: |m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2)).

    The trace of the root is the sum of the roots of the eigenvalues of C1^(1/2) C2 C1^(1/2), which is symmetric: so
    nothing becomes complex, and covariances of few samples, which have no inverse, do no harm.

    Args:
        mean_1: shape (D,).
        covariance_1: shape (D, D), symmetric, without negative eigenvalues.
        mean_2: shape (D,).
        covariance_2: shape (D, D).

    Returns:
        The distance, not negative but for rounding.
    """
    values, vectors = linalg.eigh(covariance_1)
    root = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    product = linalg.eigvalsh(root @ covariance_2 @ root)
    difference = mean_1 - mean_2
    traces = np.trace(covariance_1) + np.trace(covariance_2) - 2 * np.sqrt(np.clip(product, 0, None)).sum()
    return float(difference @ difference + traces)


class FID(FeatureDistance):
    """The Frechet distance of normal distributions fitted to the features of generated and of real images.

    It depends on the number of images and on the features: compare only like with like.

    Args:
        features: makes features of images; see :mod:`PaddleGAN.metrics.features`.
    """

    def accumulate(self) -> float:
        """Return the distance of everything gathered since the last reset.

        Raises:
            ValueError: there are fewer than two images of a kind.
        """
        parts = [(part.mean(axis=0), np.atleast_2d(np.cov(part, rowvar=False))) for part in self.gathered()]
        return frechet_distance(*parts[0], *parts[1])

    def name(self) -> str:
        """Return "fid"."""
        return "fid"
