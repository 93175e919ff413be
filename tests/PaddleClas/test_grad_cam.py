"""Heat maps: those of a small network by hand, and one of every family of models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
from core import nn
from core.train.classification.losses import main_logits
from PaddleClas.grad_cam import grad_cam
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.vision_transformer import VisionTransformer
from tests.PaddleClas.models.test_models import SMALLEST, images, small_first

FEATURES = np.array(
    [
        [[[1, 2], [3, 4]], [[0, 1], [0, 0]]],
        [[[5, 0], [0, 0]], [[0, 0], [2, 7]]],
    ],
    np.float32,
)
"""Of two images: two maps of 2 x 2."""


class Tiny(ImageClassifier):
    """Its features are twice the image; a class's logit is the mean square of one map less that of the other."""

    def forward_features(self, x: Any) -> Any:
        return 2 * x

    def forward_head(self, features: Any) -> Any:
        squares = (features * features).mean(axis=[2, 3])
        return core.stack([squares[:, 0] - squares[:, 1], squares[:, 1] - squares[:, 0], -squares.sum(axis=1)], axis=1)


def test_by_hand() -> None:
    # The gradient of the mean of squares is 2 map / 4; its mean, the map's weight, is half the map's mean. Doubled, the
    # maps of image 0 have means 5 and 1/2, weights 2.5 and -0.25 for class 0; those of image 1 have means 2.5 and 4.5,
    # weights -1.25 and 2.25 for class 1.
    expected = np.stack([[[5, 9.5], [15, 20]], [[0, 0], [9, 31.5]]])
    expected = expected / expected.max(axis=(1, 2), keepdims=True)
    network = Tiny()
    network.eval()
    heat = grad_cam(network, core.to_tensor(FEATURES), [0, 1])
    assert heat.dtype == np.float32
    np.testing.assert_allclose(heat, expected, rtol=1e-6)
    np.testing.assert_array_equal(grad_cam(network, core.to_tensor(FEATURES), [2, 2]), np.zeros((2, 2, 2)))


def test_behind_a_mean_and_a_linear_layer_it_is_the_class_activation_map() -> None:
    class Linear(ImageClassifier):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2D(3, 4, 3, stride=2)
            self.fc = nn.Linear(4, 5)

        def forward_features(self, x: Any) -> Any:
            return nn.functional.relu(self.conv(x))

        def forward_head(self, features: Any) -> Any:
            return self.fc(features.mean(axis=[2, 3]))

    core.seed(3)
    network = Linear()
    network.eval()
    batch = images((3, 3, 9, 11))
    maps, weight = network.forward_features(batch).numpy(), network.fc.weight.numpy()
    expected = np.maximum(np.einsum("nchw,nc->nhw", maps, weight[:, [4, 0, 2]].T), 0)
    expected /= np.maximum(expected.max(axis=(1, 2), keepdims=True), 1e-30)
    np.testing.assert_allclose(grad_cam(network, batch, [4, 0, 2]), expected, rtol=0, atol=1e-5)
    assert network.fc.weight.grad is None and network.conv.weight.grad is None


def test_a_head_that_takes_a_token_has_none() -> None:
    network = VisionTransformer(32, 16, 3, 4, 8, 1, 1)
    network.eval()
    with pytest.raises(ValueError, match="that a head takes; that of VisionTransformer takes a token's vector"):
        grad_cam(network, images((1, 3, 32, 32)), [0])


@pytest.mark.parametrize("name", small_first([name for name in SMALLEST if name[:4] != "DeiT"], share=4, turn=3))
def test_every_model_has_one(name: str) -> None:
    core.seed(0)
    network = PaddleClas.create_model(name)
    network.eval()
    batch = images((1, *SMALLEST[name][1:]))
    heat = grad_cam(network, batch, [int(main_logits(network(batch)).numpy().argmax())])
    assert heat.ndim == 3 and heat.shape[0] == 1 and heat.min() >= 0 and heat.max() in (0, 1)
