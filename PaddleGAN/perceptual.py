"""The distance of images in the feature maps of VGG-19.

Paper: Johnson, Alahi and Fei-Fei, "Perceptual losses for real-time style transfer and super-resolution", ECCV 2016,
https://arxiv.org/abs/1603.08155, with the layers and weights of SPADE, https://arxiv.org/abs/1903.07291
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core.nn import functional as F
from core.weights import cache_path
from PaddleClas.models.vgg import VGG19, WIDTHS
from PaddleClas.models.weights import WEIGHTS

LAYER_WEIGHTS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1.0)
"""Of the feature maps behind the first convolution of each of the five blocks."""

_MEAN = (0.485, 0.456, 0.406)
_STD = (0.229, 0.224, 0.225)


def vgg_path() -> Any:
    """Return where the weights of VGG-19 lie, or would lie, in the cache."""
    return cache_path(WEIGHTS["VGG19"].url)


class OfVGG19:
    """A distance of images by PaddleClas' VGG-19, which does not learn and gets images normalised as PaddleClas does.

    Args:
        weights: the weight file; None: the one that PaddleClas publishes, from the cache, without a download.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it does not fit the network.
    """

    def __init__(self, weights: Optional[str] = None) -> None:
        self.network = VGG19(pretrained=str(vgg_path()) if weights is None else weights)
        self.network.eval()
        for parameter in self.network.parameters():
            parameter.stop_gradient = True
        self.mean = core.to_tensor(_MEAN).reshape([1, 3, 1, 1])
        self.std = core.to_tensor(_STD).reshape([1, 3, 1, 1])

    def normalised(self, images: Any) -> Any:
        """Return images (N, 3, H, W), 0 to 1, as the network takes them."""
        return (images - self.mean) / self.std


class PerceptualLoss(OfVGG19):
    """The mean absolute differences of VGG-19's feature maps, weighted and summed.

    The authors of SPADE give their network images as they are.
    """

    def __call__(self, images: Any, targets: Any) -> Any:
        """Return the loss, 0-D.

        Args:
            images: (N, 3, H, W), -1 to 1.
            targets: the same shape; no gradient flows into them.
        """
        with core.no_grad():
            wanted = self.maps(targets)
        return sum(
            weight * F.l1_loss(found, target.detach())
            for weight, found, target in zip(LAYER_WEIGHTS, self.maps(images), wanted)
        )

    def maps(self, images: Any) -> list[Any]:
        """Return the feature maps behind the first convolution of each block."""
        x, maps = self.normalised((images + 1) / 2), []
        for number in range(1, len(WIDTHS) + 1):
            block = getattr(self.network, f"conv_block_{number}")
            x = F.relu(block.conv1(x))
            maps.append(x)
            for further in range(2, block.convolutions + 1):
                x = F.relu(getattr(block, f"conv{further}")(x))
            x = F.max_pool2d(x, 2, 2)
        return maps


class FeatureDistance(OfVGG19):
    """The mean absolute difference of what VGG-19's last convolution gives, before its activation.

    Paper: Wang et al., "ESRGAN: Enhanced super-resolution generative adversarial networks", ECCV workshops 2018,
    https://arxiv.org/abs/1809.00219
    """

    def __call__(self, images: Any, targets: Any) -> Any:
        """Return the distance, 0-D.

        Args:
            images: (N, 3, H, W), 0 to 1.
            targets: the same shape; no gradient flows into them.
        """
        with core.no_grad():
            wanted = self.features(targets)
        return F.l1_loss(self.features(images), wanted.detach())

    def features(self, images: Any) -> Any:
        """Return the results of the last convolution, (N, 512, H / 16, W / 16)."""
        x = self.normalised(images)
        for number in range(1, len(WIDTHS) + 1):
            block = getattr(self.network, f"conv_block_{number}")
            if number > 1:
                x = F.max_pool2d(x, 2, 2)
            for layer in range(1, block.convolutions + 1):
                x = getattr(block, f"conv{layer}")(x)
                if (number, layer) != (len(WIDTHS), block.convolutions):
                    x = F.relu(x)
        return x
