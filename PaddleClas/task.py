"""Image classification: what a training step and an evaluation step are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core.train.classification.losses import main_logits
from core.train.classification.task import ClassifierTask
from core.train.config.table import Component
from core.train.runner.task import Program, Suggestion
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.exporting import classifier_program
from PaddleClas.models.registry import NETWORKS
from PaddleClas.test_time_augmentation import averaged


class ClassificationTask(ClassifierTask):
    """Trains a network to tell images apart.

    Args:
        config: the experiment, a :class:`PaddleClas.config.ClassificationConfig`.
    """

    def build_network(self, component: Component) -> Any:
        """Return a network that the config asks for."""
        return NETWORKS.build(component)

    def check_sample(self, split: str, dataset: ImageDataset) -> None:
        """Refuse a data set of which the network cannot take the first image, before a run begins."""
        try:
            image = dataset[0][0]
        except (OSError, ValueError) as error:
            raise ValueError(f"data.{split}, first image: {error}") from None
        if not isinstance(image, np.ndarray) or image.ndim != 3 or image.dtype != np.float32:
            found = f"{image.dtype} of shape {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
            raise ValueError(
                f"data.{split}.transforms must give float32 of shape (channels, height, width), not {found}; "
                "end them with ToTensor, or with NormalizeImage and ToCHWImage"
            )
        self.network.eval()
        try:
            with core.no_grad():
                self.network(core.to_tensor(image[None]))
        except ValueError as error:
            shape = " x ".join(map(str, image.shape))
            name = self.config.network.name
            raise ValueError(f"{name} cannot take the {shape} images of data.{split}.transforms: {error}") from None

    def predict(self, images: Any, labels: Any = None) -> Sequence[Any]:
        """Return the logits, shape (N, class_num); averaged over the config's views, where there are several."""
        options = self.config.evaluate
        if not self.several_views or (options.crops == 1 and not options.flip):
            return [main_logits(self.network(images))]
        views = {"crops": options.crops, "flip": options.flip, "crop_size": options.crop_size}
        return [averaged(self.network, images, **views)]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "classify eight test images and draw the answers")]

    def program(self) -> Program:
        """Return the network with its preprocessing and class names, for any batch size."""
        data = self.config.data
        section = data.test or data.valid or data.train
        return classifier_program(self.network, section.transforms, list(self.class_names or []))
