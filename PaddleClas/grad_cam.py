"""Grad-CAM: where in an image a network finds a class.

Paper: R. R. Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based Localization",
ICCV 2017, https://arxiv.org/abs/1610.02391.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core.nn import functional as F


def grad_cam(network: Any, images: Any, classes: Sequence[int]) -> np.ndarray:
    """Return how much each place of the last feature maps speaks for a class.

    Each map is weighted by the mean gradient of the class's logit with respect to it; what is positive of their sum is
    divided by its maximum.

    Args:
        network: a classifier in evaluation mode with ``forward_features`` and ``forward_head``, as all models here.
        images: float32, shape (N, C, H, W), as the network takes them.
        classes: a class number for each image.

    Returns:
        float32, shape (N, h, w) of the feature maps, from 0 to 1; all 0 where nothing speaks for the class.

    Raises:
        ValueError: the network's head takes no feature maps.
    """
    with core.no_grad():
        features = network.forward_features(images).detach()
    if len(features.shape) != 4:
        kind = type(network).__name__
        raise ValueError(f"Grad-CAM looks at the feature maps that a head takes; that of {kind} takes a token's vector")
    features.stop_gradient = False
    logits = network.forward_head(features)
    chosen = F.one_hot(core.to_tensor(np.asarray(classes, dtype=np.int64)), logits.shape[1])
    (gradient,) = core.grad((logits * chosen).sum(), features)
    weights = gradient.numpy().mean(axis=(2, 3), keepdims=True)
    heat = np.maximum((weights * features.numpy()).sum(axis=1), 0)
    most = heat.max(axis=(1, 2), keepdims=True)
    return np.divide(heat, most, out=np.zeros_like(heat), where=most > 0)
