"""How good generated images are: distances of distributions, likeness to a target, attributes measured by program.

What needs a network, the features of :mod:`PaddleGAN.metrics.features` and :mod:`PaddleGAN.metrics.classifier`, is
imported from there; nothing here loads the engine.
"""

from __future__ import annotations

from PaddleGAN.metrics.attributes import attribute_margins, measure_attributes
from PaddleGAN.metrics.editing import AttributeEditing
from PaddleGAN.metrics.fid import FID, frechet_distance
from PaddleGAN.metrics.kid import KID, polynomial_mmd
from PaddleGAN.metrics.psnr import PSNR, psnr
from PaddleGAN.metrics.ssim import SSIM, ssim

__all__ = [
    "FID",
    "KID",
    "PSNR",
    "SSIM",
    "AttributeEditing",
    "attribute_margins",
    "frechet_distance",
    "measure_attributes",
    "polynomial_mmd",
    "psnr",
    "ssim",
]
