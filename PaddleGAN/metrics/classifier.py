"""A small classifier, trained here in a minute: a judge of generated images that no generator was trained against."""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from core import nn
from core.io.randomness import batch_scope
from core.metric.metric import as_array
from core.nn import functional as F


class ClassifierNetwork(nn.Layer):
    """Four convolutions and a linear layer: (N, C, H, W) to (N, class_num), for images of any size from 16.

    Args:
        in_channels: of the images.
        class_num: the number of classes.
        width: channels after the first convolution; twice as many after each further one.
    """

    def __init__(self, in_channels: int, class_num: int, width: int = 16) -> None:
        super().__init__()
        widths = [in_channels, width, 2 * width, 4 * width, 4 * width]
        layers: list[Any] = []
        for before, after, stride in zip(widths, widths[1:], (1, 2, 2, 2)):
            layers += [
                nn.Conv2D(before, after, 3, stride, padding=1, bias_attr=False),
                nn.BatchNorm2D(after),
                nn.ReLU(),
            ]
        self.features = nn.Sequential(*layers)
        self.fc = nn.Linear(widths[-1], class_num)

    def forward_features(self, x: Any) -> Any:
        """Return the features, (N, 4 width)."""
        return core.flatten(F.adaptive_avg_pool2d(self.features(x), 1), 1)

    def forward(self, x: Any) -> Any:
        """Return the logits, (N, class_num)."""
        return self.fc(self.forward_features(x))


class ClassifierFeatures:
    """The features before a classifier's last layer.

    Args:
        classifier: the classifier.
        description: what it is.
    """

    def __init__(self, classifier: Classifier, description: str) -> None:
        self.classifier = classifier
        self.description = description

    def __call__(self, images: Any) -> np.ndarray:
        """Return the features of images (N, C, H, W), -1 to 1: float32, shape (N, D)."""
        return self.classifier.run(self.classifier.network.forward_features, images)


class Classifier:
    """A classifier trained on labelled images.

    Args:
        dataset: samples (image, class number), images float32 of shape (C, H, W), -1 to 1.
        class_num: the number of classes.
        epochs: how often to show each image.
        batch_size: images per step.
        learning_rate: of Adam.
        seed: of the weights and the order.

    Attributes:
        network: the network, trained.
        features: a function of images to features, for FID and KID.
    """

    def __init__(
        self,
        dataset: Any,
        class_num: int,
        epochs: int = 10,
        batch_size: int = 32,
        learning_rate: float = 2e-3,
        seed: int = 0,
    ) -> None:
        core.seed(seed)
        self.batch_size = batch_size
        self.network = ClassifierNetwork(int(dataset[0][0].shape[0]), class_num)
        description = (
            f"a classifier of {class_num} classes, trained here on {len(dataset)} {type(dataset).__name__} images"
        )
        self.features = ClassifierFeatures(self, description)
        model = core.Model(self.network)
        optimizer = core.optimizer.Adam(learning_rate, parameters=self.network.parameters())
        model.prepare(optimizer, nn.CrossEntropyLoss())
        with batch_scope(seed, 0, 0):  # the order depends on numpy's global generator, too
            model.fit(dataset, batch_size=batch_size, epochs=epochs, verbose=0, shuffle=True)
        self.network.eval()

    def predict(self, images: Any) -> np.ndarray:
        """Return the class numbers of images (N, C, H, W), -1 to 1: int64, shape (N,)."""
        return self.run(self.network, images).argmax(axis=1)

    def accuracy(self, images: Any, labels: Any) -> float:
        """Return the share of images whose class is the one given.

        Args:
            images: shape (N, C, H, W), -1 to 1.
            labels: class numbers, shape (N,): those of a test set, or those that a generator was given.
        """
        return float((self.predict(images) == as_array(labels).reshape(-1)).mean())

    def run(self, function: Any, images: Any) -> np.ndarray:
        """Return what a function of the network gives for images, batch by batch, as an array.

        Args:
            function: of a Tensor (N, C, H, W).
            images: all of them, an array or a Tensor.
        """
        array = as_array(images).astype(np.float32)
        with core.no_grad():
            parts = [
                function(core.to_tensor(array[start : start + self.batch_size])).numpy()
                for start in range(0, len(array), self.batch_size)
            ]
        return np.concatenate(parts)
