"""The adversarial steps that are compared with PyTorch: networks at reduced width, inputs, weights of the losses."""

from __future__ import annotations

from tests.parity.PaddleGAN.weights import attributes, images
from tests.parity.recipe import uniform

BATCH, C_DIM, SIZE = 3, 5, 16
GENERATOR = {"c_dim": C_DIM, "ngf": 4, "n_layers": 3}
DISCRIMINATOR = {"image_size": SIZE, "c_dim": C_DIM, "ndf": 4, "n_layers": 3, "fc_dim": 12}
WGAN = {"input_nc": 3, "ndf": 4, "image_size": SIZE}
PENALTY, CLASSES_CRITIC, CLASSES_GENERATOR, RECONSTRUCTION = 10.0, 1.0, 10.0, 100.0
"""Published factors of STGAN."""

LEARNING_RATE, BETA1, BETA2, EPSILON = 2e-4, 0.5, 0.999, 1e-8

INPUTS = {
    "real": images("real", BATCH, 3, SIZE, SIZE),
    "fake": images("fake", BATCH, 3, SIZE, SIZE),
    "share": uniform("share", (BATCH, 1, 1, 1), 0.0, 1.0),
    "source": attributes("source attributes", BATCH, C_DIM),
    "target": attributes("target attributes", BATCH, C_DIM),
}
"""Real images and their attributes, the attributes wanted, and the shares of the mixtures."""
