"""Recognising the action of skeletons: what a training step and an evaluation step are."""

from __future__ import annotations

from typing import Any

import core
from core.jit.input_spec import InputSpec
from core.train.classification.task import ClassifierTask
from core.train.config.table import Component
from core.train.runner.task import Program, Suggestion
from PaddleVideo.data.skeletons import SkeletonDataset
from PaddleVideo.models.registry import NETWORKS
from PaddleVideo.models.skeletons.base import SkeletonClassifier


class SkeletonTask(ClassifierTask):
    """Trains a network to tell actions of skeletons apart.

    Args:
        config: the experiment, a :class:`PaddleVideo.config.VideoConfig`.
    """

    thing = "skeleton"

    def build_network(self, component: Component) -> Any:
        """Return a network that the config asks for."""
        network = NETWORKS.build(component)
        if not isinstance(network, SkeletonClassifier):
            raise ValueError(f"SkeletonRecognition takes a network of skeletons, such as stgcn, not {component.name}")
        return network

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data of another kind, with other classes, or that the network cannot take."""
        if not isinstance(dataset, SkeletonDataset):
            kind = type(dataset).__name__
            raise ValueError(f"data.{split}: SkeletonRecognition takes skeletons, as of SkeletonFile, not {kind}")
        super().check_dataset(split, dataset)

    def check_sample(self, split: str, dataset: Any) -> None:
        """Refuse a data set of which the network cannot take the first skeleton, before a run begins."""
        try:
            skeleton = dataset[0][0]
        except (OSError, ValueError) as error:
            raise ValueError(f"data.{split}, first skeleton: {error}") from None
        self.network.eval()
        try:
            with core.no_grad():
                self.network(core.to_tensor(skeleton[None]))
        except ValueError as error:
            raise ValueError(f"data.{split}: {error}") from None

    def suggestions(self) -> list[Suggestion]:
        """Return nothing more: skeletons are no files to look at."""
        return []

    def program(self) -> Program:
        """Return the network with its class names, for any number of skeletons."""
        shape = self.dataset(self.config.data.names[-1])[0][0].shape
        sizes = ", ".join(map(str, shape))
        names = list(self.class_names or [])
        text = f"skeletons float32 [any, {sizes}] to {len(names)} classes"
        return Program(self.network, [InputSpec([None, *shape], name="skeletons")], text, {"class_names": names})
