"""Recognising the action of a clip: what a training step and an evaluation step are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core.nn import functional as F
from core.train.classification.task import ClassifierTask
from core.train.config.table import Component
from core.train.runner.task import Program, Suggestion
from PaddleVideo.data.dataset import ClipDataset
from PaddleVideo.exporting import recogniser_program
from PaddleVideo.models.registry import NETWORKS


class RecognitionTask(ClassifierTask):
    """Trains a network to tell clips apart.

    Args:
        config: the experiment, a :class:`PaddleVideo.config.VideoConfig`.
    """

    thing = "clip"

    def build_network(self, component: Component) -> Any:
        """Return a network that the config asks for."""
        return NETWORKS.build(component)

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data of another kind, with other classes, or that the network cannot take."""
        if not isinstance(dataset, ClipDataset):
            kind = type(dataset).__name__
            raise ValueError(f"data.{split}: Recognition takes clips, as of VideoDataset, not {kind}")
        super().check_dataset(split, dataset)

    def check_sample(self, split: str, dataset: ClipDataset) -> None:
        """Refuse a data set of which the network cannot take the first clip, before a run begins."""
        try:
            clip = dataset[0][0]
        except (OSError, ValueError) as error:
            raise ValueError(f"data.{split}, first clip: {error}") from None
        axes = getattr(clip, "ndim", 0)
        views = split != "train" and axes == 5
        if not isinstance(clip, np.ndarray) or clip.ndim != 4 + views or clip.dtype != np.float32:
            found = f"{clip.dtype} of shape {clip.shape}" if isinstance(clip, np.ndarray) else type(clip).__name__
            raise ValueError(
                f"data.{split}.transforms must give float32 of shape (frames, channels, height, width), not {found}; "
                "end them with ToTensor" + (", and take several views in data.test alone" if axes == 5 else "")
            )
        self.network.eval()
        try:
            with core.no_grad():
                self.network(core.to_tensor(clip[:1] if views else clip[None]))
        except ValueError as error:
            shape = " x ".join(map(str, clip.shape[-4:]))
            name = self.config.network.name
            raise ValueError(f"{name} cannot take the {shape} clips of data.{split}.transforms: {error}") from None

    def predict(self, clips: Any, labels: Any = None) -> Sequence[Any]:
        """Return the logits, shape (N, class_num); of several views the logarithm of their mean probabilities.

        Args:
            clips: float32 (N, T, C, H, W), or of several views (N, V, T, C, H, W).
            labels: not read.
        """
        if clips.ndim == 5:
            return [self.network(clips)]
        logits = self.network(core.reshape(clips, [-1, *clips.shape[2:]]))
        shares = core.reshape(F.softmax(logits, axis=-1), [-1, clips.shape[1], logits.shape[1]])
        return [core.log(core.clip(core.mean(shares, axis=1), min=1e-30))]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 4", "recognise four test clips and draw the answers")]

    def program(self) -> Program:
        """Return the network with its preprocessing and class names, for any batch size."""
        data = self.config.data
        section = data.test or data.valid or data.train
        return recogniser_program(self.network, section.transforms, list(self.class_names or []))
