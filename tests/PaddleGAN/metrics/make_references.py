"""Let scikit-image, ppgan and scipy judge seeded images and features, and store what they say.

Not part of the tests: it needs ppgan and scikit-image, the tests need only the file that it wrote. In an environment of
Python 3.10:

    pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    pip install --no-deps ppgan==2.1.0
    pip install 'opencv-python-headless<4.10' pyyaml tqdm 'scipy<1.12' 'scikit-image<0.23' imageio natsort munch
    python -m tests.PaddleGAN.metrics.make_references

It writes ``references.npz``: ``generated`` and ``target``, images; for each of them ``psnr``, ``ssim`` (scikit-image)
and ``ppgan_psnr``, ``ppgan_ssim``; ``features_1`` and ``features_2``, and ``ppgan_fid`` and ``kernel_mmd`` of the two.
"""

from __future__ import annotations

import zlib  # noqa: F401 -- paddle crashes where it comes first
from pathlib import Path

import cv2
import numpy as np
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from tests.parity.PaddleGAN.make_ppgan_references import official_names

COUNT, HEIGHT, WIDTH = 3, 24, 30


def seeded_images() -> tuple[np.ndarray, np.ndarray]:
    """Return smooth random images, and the same with more and more noise: uint8, shape (3, 24, 30, 3)."""
    source = np.random.RandomState(0)
    smooth = [cv2.GaussianBlur(source.uniform(-200, 455, (HEIGHT, WIDTH, 3)), (0, 0), 2) for _ in range(COUNT)]
    target = np.clip(np.stack(smooth), 0, 255).astype(np.uint8)
    strength = np.array([2, 10, 40]).reshape(-1, 1, 1, 1)
    generated = np.clip(target + strength * source.standard_normal(target.shape), 0, 255).astype(np.uint8)
    return generated, target


def seeded_features() -> tuple[np.ndarray, np.ndarray]:
    """Return features of two sets, correlated and shifted: float64, shapes (60, 8) and (50, 8)."""
    source = np.random.RandomState(1)
    mix = source.standard_normal((8, 8))
    return source.standard_normal((60, 8)) @ mix, source.standard_normal((50, 8)) @ mix * 0.7 + 0.5


def kernel_mmd(first: np.ndarray, second: np.ndarray) -> float:
    """Return the unbiased squared mean discrepancy, pair by pair, as the paper writes it down."""

    def kernel(one: np.ndarray, other: np.ndarray) -> float:
        return float((one @ other / len(one) + 1) ** 3)

    def within(rows: np.ndarray) -> float:
        pairs = [kernel(one, other) for i, one in enumerate(rows) for j, other in enumerate(rows) if i != j]
        return float(np.mean(pairs))

    between = np.mean([kernel(one, other) for one in first for other in second])
    return within(first) + within(second) - 2 * float(between)


def main() -> None:
    """Write the file."""
    official_names()  # lets ppgan be imported
    from ppgan.metrics.fid import calculate_fid_given_img
    from ppgan.metrics.psnr_ssim import calculate_psnr, calculate_ssim

    generated, target = seeded_images()
    pairs = list(zip(generated, target))
    window = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False, "data_range": 255}
    first, second = seeded_features()
    np.savez_compressed(
        Path(__file__).with_name("references.npz"),
        generated=generated,
        target=target,
        psnr=[peak_signal_noise_ratio(one, other, data_range=255) for one, other in pairs],
        ssim=[structural_similarity(one, other, channel_axis=2, **window) for one, other in pairs],
        ppgan_psnr=[calculate_psnr(one, other, 0) for one, other in pairs],
        ppgan_ssim=[calculate_ssim(one, other, 0) for one, other in pairs],
        features_1=first,
        features_2=second,
        ppgan_fid=calculate_fid_given_img(first, second),
        kernel_mmd=kernel_mmd(first, second),
    )


if __name__ == "__main__":
    main()
