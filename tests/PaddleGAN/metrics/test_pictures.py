"""PSNR and SSIM, against the answers of scikit-image and ppgan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from PaddleGAN.metrics import PSNR, SSIM, psnr, ssim

STORED = np.load(Path(__file__).with_name("references.npz"))
GENERATED, TARGET = STORED["generated"], STORED["target"]


def as_numbers(images: np.ndarray) -> np.ndarray:
    """Return bytes as a generator gives them: float32, (N, C, H, W), -1 to 1."""
    return (images.transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)


@pytest.mark.parametrize(("measure", "name"), [(psnr, "psnr"), (ssim, "ssim")])
def test_as_scikit_image_and_ppgan(measure: object, name: str) -> None:
    found = measure(GENERATED, TARGET)
    assert np.allclose(found, STORED[name], rtol=1e-10, atol=0)
    assert np.allclose(found, STORED[f"ppgan_{name}"], rtol=1e-7, atol=0)


@pytest.mark.parametrize("measure", [psnr, ssim])
def test_bytes_and_numbers_are_alike(measure: object) -> None:
    found = measure(core.to_tensor(as_numbers(GENERATED)), as_numbers(TARGET))
    assert np.allclose(found, measure(GENERATED, TARGET), rtol=1e-5)


def test_psnr_of_a_known_difference() -> None:
    black = np.zeros((2, 4, 4, 1), np.uint8)
    assert psnr(black, black + np.array([0, 255]).reshape(2, 1, 1, 1).astype(np.uint8)).tolist() == [np.inf, 0.0]


def test_ssim_of_equal_images_is_one() -> None:
    assert np.allclose(ssim(TARGET, TARGET), 1, atol=1e-12)


@pytest.mark.parametrize(("metric", "measure", "name"), [(PSNR(), psnr, "psnr"), (SSIM(), ssim, "ssim")])
def test_the_mean_over_batches_is_over_images(metric: object, measure: object, name: str) -> None:
    assert metric.accumulate() == 0.0 and metric.name() == name
    values = measure(GENERATED, TARGET)
    assert metric.update(GENERATED[:1], TARGET[:1]) == pytest.approx(values[0])
    metric.update(GENERATED[1:], TARGET[1:])
    assert metric.accumulate() == pytest.approx(values.mean())
    metric.reset()
    assert metric.accumulate() == 0.0


def test_refusals() -> None:
    with pytest.raises(
        ValueError, match=r"PSNR: images of shapes \(3, 24, 30, 3\) and \(2, 24, 30, 3\) cannot be comp"
    ):
        psnr(GENERATED, TARGET[:2])
    with pytest.raises(ValueError, match=r"in grey or color, not uint8 of shape \(24, 30, 3\)"):
        psnr(GENERATED[0], TARGET[0])
    with pytest.raises(ValueError, match="SSIM: its window is 11 pixels wide; images of 10x30 are smaller"):
        ssim(GENERATED[:, :10], TARGET[:, :10])
