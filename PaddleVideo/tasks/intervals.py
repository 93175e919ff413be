"""Actions in long videos, given as features: what detection, proposals and segmentation share."""

from __future__ import annotations

import abc
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Optional

import numpy as np

from core.jit.input_spec import InputSpec
from core.train.logs.class_names import read_class_names, write_class_names
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import Program, Suggestion, ToolkitTask
from core.train.task import Evaluator, Phase
from core.vision.image import write_image
from PaddleVideo.data.intervals.dataset import FeatureVideos, IntervalDataset
from PaddleVideo.localization.pictures import Line, timelines
from PaddleVideo.localization.steps import Steps
from PaddleVideo.localization.submission import rows_of, write_submission
from PaddleVideo.models.registry import NETWORKS

DRAWN = 6
"""How many videos an evaluation draws."""


class IntervalEvaluator(Evaluator):
    """Gathers the intervals of all videos of a split for a metric, and for a submission.

    Args:
        videos: of the split.
        class_names: the classes.
        steps: what surrounds the network.
    """

    def __init__(self, videos: FeatureVideos, class_names: Sequence[str], steps: Steps) -> None:
        self.videos = videos
        self.class_names = class_names
        self.steps = steps
        self.results: dict[str, Any] = {}
        self.drawn: list[Line] = []

    def update(self, outputs: Sequence[Any], batch: Sequence[Any]) -> None:
        """Take in what was found in each video, and its number, the batch's last field."""
        for index, found in zip(batch[-1].numpy().tolist(), outputs):
            truth = self.judge(index, found)
            rows = self.rows(found)
            name = self.videos.name(index)
            self.results[name] = rows_of(rows, self.class_names)
            if len(self.drawn) < DRAWN:
                self.drawn.append(Line(name, self.videos.duration(index), rows, truth))

    @abc.abstractmethod
    def judge(self, index: int, found: Any) -> np.ndarray:
        """Compare what was found in a video with the truth, which is returned: class, begin and end, (G, 3)."""

    def rows(self, found: Any) -> np.ndarray:
        """Return what was found as class, score, begin and end, (M, 4)."""
        return np.asarray(found)

    def write(self, folder: Path) -> list[str]:
        """Write submission.json."""
        return [write_submission(folder, self.results)]


class IntervalTask(ToolkitTask):
    """Trains a network to say when which action happens.

    Args:
        config: the experiment, a :class:`PaddleVideo.config.VideoConfig`; the network says what its loss is.

    Attributes:
        takes: the network's class, and an example of one.
        data: the class of its data sets, and an example of one.
        class_names: the classes that the network knows, in order; None before data is read.

    Raises:
        ValueError: the network is of another kind.
    """

    takes: ClassVar[tuple[str, str]]
    data: ClassVar[tuple[Any, str]] = (IntervalDataset, "ActivityNetFeatures")

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.class_names: Optional[Sequence[str]] = None

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        kind, example = self.takes
        network = NETWORKS.build(self.config.network)
        if type(network).__name__ not in kind.split():
            name = self.config.network.name
            raise ValueError(f"task {self.config.task.name} takes a network such as {example}, not {name}")
        return network

    @functools.cached_property
    def networks(self) -> dict[str, Any]:  # type: ignore[override]  # an attribute that is made on first use
        """The same under the name that it has in checkpoints."""
        return {"model": self.network}

    @property
    @abc.abstractmethod
    def steps(self) -> Steps:
        """What surrounds the network."""

    def names(self, videos: Any) -> Sequence[str]:
        """Return the classes of a data set, as the network counts them."""
        found: Sequence[str] = videos.class_names
        return found

    def begin(self, folder: RunFolder) -> None:
        """Write the classes' names."""
        write_class_names(folder, list(self.names(self.dataset("train"))))

    def reopen(self, folder: RunFolder) -> None:
        """Read the classes' names."""
        self.class_names = read_class_names(folder, 0)

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data of another kind, with other classes or features than the network, before a run begins."""
        kind, example = self.data
        task = self.config.task.name
        if not isinstance(dataset, kind):
            raise ValueError(f"data.{split}: task {task} takes {example}, not {type(dataset).__name__}")
        width, found = self.steps.feature_dim, list(self.names(dataset))  # a network of another kind is found first
        wanted = self.config.network.arguments.get("class_num")
        if wanted is not None and wanted != len(found):
            raise ValueError(f"data.{split} has {len(found)} classes, but network.class_num is {wanted}")
        if self.class_names is None:
            self.class_names = found
        if list(self.class_names) != found:
            raise ValueError(f"data.{split} has other classes than what the network is trained on")
        if dataset.feature_dim != width:
            raise ValueError(
                f"data.{split} has {dataset.feature_dim} features a step, but the network takes {width}; set "
                "dataset.feature_dim to what the files have, and the network's number of features to the same"
            )
        try:
            self.targets(split, dataset)[0]
        except (OSError, ValueError) as error:
            raise ValueError(f"data.{split}, first video: {error}") from None

    @abc.abstractmethod
    def targets(self, split: str, videos: Any) -> Any:
        """Return the data set of what the network takes and learns."""

    def fields(self, split: str) -> Any:
        """Return the data set whose samples are the fields of a split's batches."""
        return self.targets(split, self.dataset(split))

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    @abc.abstractmethod
    def loss(self, features: Any, *truth: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and numbers by name."""

    def predict(self, features: Any, *truth: Any) -> Sequence[Any]:
        """Return the network's outputs."""
        return list(self.network(features))

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        """Return the intervals of each video of a batch."""
        videos = batch[0].shape[0]
        durations = [self._videos.duration(index) for index in batch[-1].numpy().tolist()]
        return [self.steps.found([part[row] for part in outputs], durations[row]) for row in range(videos)]

    def evaluator(self, split: str) -> IntervalEvaluator:
        """Return an empty evaluator."""
        self._videos = self.dataset(split)
        return self.judge(self._videos)

    @abc.abstractmethod
    def judge(self, videos: Any) -> IntervalEvaluator:
        """Return an empty evaluator of a data set."""

    def facts(self) -> list[str]:
        """Return how many videos there are."""
        (line,) = super().facts()
        return [f"{line} videos"]

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write timelines.png: what was found in a few videos, and what is true."""
        assert isinstance(evaluator, IntervalEvaluator)
        if not evaluator.drawn:
            return []
        name = self.config.network.name
        write_image(folder / "timelines.png", timelines(evaluator.drawn, evaluator.class_names, f"{name}, {split}"))
        return ["timelines.png"]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 4", "find the actions of four test videos and draw them")]

    def program(self) -> Program:
        """Return the network with its classes and what surrounds it, for any number of videos."""
        steps = self.steps
        shape = self.targets("test", self.dataset(self.config.data.names[-1]))[0][0].shape
        open_shape = [None, *(shape[:-1] if steps.features_first else shape), *([None] if steps.features_first else [])]
        sizes = ", ".join("any" if size is None else str(size) for size in open_shape)
        text = f"features float32 [{sizes}] to what {type(steps).__name__} makes intervals of"
        extra = {"preprocessing": {"task": steps.kind, **steps.record()}, "class_names": list(self.class_names or [])}
        return Program(self.network, [InputSpec(open_shape, name="features")], text, extra)
