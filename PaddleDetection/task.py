"""Object detection: what a training step and an evaluation step are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

import core
from core.jit.input_spec import InputSpec
from core.train.callback import Callback
from core.train.config.yaml_file import shortened
from core.train.logs.class_names import read_class_names, write_class_names
from core.train.logs.run_folder import RunFolder
from core.train.runner.task import Program, Suggestion, ToolkitTask
from core.train.task import Evaluator, Phase
from PaddleDetection.config import DetectionConfig
from PaddleDetection.data.anchors import anchor_facts
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.pipeline import batched_fields, network_fields
from PaddleDetection.evaluator import NUMBERS, DetectionEvaluator, metric_of
from PaddleDetection.face_views import FaceViews, vote
from PaddleDetection.metrics.base import Found
from PaddleDetection.models.registry import NETWORKS
from PaddleDetection.multi_scale_test import Views
from PaddleDetection.outputs import found_in
from PaddleDetection.pictures import write_pictures


class DetectionTask(ToolkitTask):
    """Trains a network to find objects in images.

    Args:
        config: the experiment.

    Attributes:
        class_names: the classes that the network knows, in order; None before a run's folder is opened.
    """

    def __init__(self, config: DetectionConfig) -> None:
        super().__init__(config)
        self.monitor = metric_of([], config.evaluate).monitor
        self.numbers = NUMBERS[config.evaluate.metric]
        if config.evaluate.face_views and config.num_classes != 1:
            raise ValueError(
                f"evaluate.face_views is for detectors of faces alone, but network.num_classes is {config.num_classes}"
                "; set evaluate.face_views: false"
            )
        self.class_names: Optional[Sequence[str]] = None
        self.network = self.add_network("model", NETWORKS, config.network, "network")
        self.detect = self.network

    def begin(self, folder: RunFolder) -> None:
        """Write the classes' names."""
        write_class_names(folder, self.dataset("train").class_names)

    def reopen(self, folder: RunFolder) -> None:
        """Read the classes' names."""
        self.class_names = read_class_names(folder, self.config.num_classes)

    def begin_evaluation(self) -> None:
        """Look at the sizes and mirror images that ``config.evaluate`` asks for."""
        options = self.config.evaluate
        if options.face_views:
            self.detect = FaceViews(self.network)
            return
        if options.scales != [1.0] or options.flip:
            self.detect = Views(self.network, options.scales, options.flip, **options.merge.model_dump())

    def check_dataset(self, split: str, dataset: DetectionDataset) -> None:
        """Refuse data with other classes than the network, or than the splits before, or with unfit images."""
        found, known = len(dataset.class_names), self.config.num_classes
        if found != known:
            raise ValueError(
                f"data.{split} has {found} classes, but network.num_classes is {known}; "
                f"set network.num_classes: {found}"
            )
        metric_of(dataset.class_names, self.config.evaluate)
        if self.class_names is None:
            self.class_names = dataset.class_names
        for number, (own, name) in enumerate(zip(self.class_names, dataset.class_names)):
            if own != name:
                raise ValueError(
                    f"data.{split}: class {number} is {name!r}, but {own!r} in what the network is trained on; "
                    f"name the same classes in the same order: {shortened(', '.join(self.class_names))}"
                )
        self._check_image(split, dataset)
        if split == "train" and self.network.learns_masks and "gt_segm" not in dataset[0]:
            raise ValueError(
                f"data.train.transforms: {self.config.network.name} learns masks, but the samples have no gt_segm; "
                "add Poly2Mask before Permute, or train a detector of boxes"
            )

    def _check_image(self, split: str, dataset: DetectionDataset) -> None:
        """Refuse transforms of which the network cannot take the first image, where those of batches change nothing."""
        if self.config.data.split(split).batch_transforms:
            return
        where, divisor = f"data.{split}.transforms", self.network.divisor
        try:
            image = network_fields(dataset[0])["image"]
        except KeyError as error:
            raise ValueError(f"{where}: the first sample has no {error}; begin with Decode") from None
        except ValueError as error:
            raise ValueError(f"{where}, first image: {error}") from None
        if image.ndim != 3 or len(image) != 3:
            raise ValueError(f"{where} must give images (3, height, width), not {image.shape}; end them with Permute")
        if any(side % divisor for side in image.shape[1:]):
            sides = " x ".join(map(str, image.shape[1:]))
            text = f"add batch_transforms: [{{name: PadBatch, pad_to_stride: {divisor}}}]"
            name = self.config.network.name
            raise ValueError(f"{where} give {sides} pixels, but {name} takes multiples of {divisor}; {text}")

    def collate(self, split: str) -> Any:
        """Return how each field of a batch is batched: what belongs to objects is padded."""
        return batched_fields(list(network_fields(self.dataset(split)[0])))

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the sum of the detector's losses."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def callbacks(self) -> list[Callback]:
        """Return what the detector gets to know which epoch it is."""
        return [EpochBegins(self.network)]

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the sum of the losses of a batch, and each of them."""
        targets = {**fields, "gt_count": fields["gt_bbox_lengths"]}
        losses = self.network.losses(fields["image"], fields["im_shape"], fields["scale_factor"], targets)
        return core.add_n(list(losses.values())), losses

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the images' sizes and factors, boxes (N, K, 6), their numbers (N,), and masks where there are any."""
        sizes = fields["im_shape"], fields["scale_factor"]
        return [*sizes, *self.detect(fields["image"], *sizes)]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> list[Found]:
        """Return what is found in each image of a batch, masks pasted into it."""
        im_shape, scale_factor, *found = outputs
        seen = found_in(found, im_shape, scale_factor)
        return [Found(vote(one.rows)) for one in seen] if isinstance(self.detect, FaceViews) else seen

    def evaluator(self, split: str) -> DetectionEvaluator:
        """Return an empty evaluator."""
        return DetectionEvaluator(self.dataset(split), self.config.evaluate)

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write precision_recall.png and detections.png; return their names."""
        assert isinstance(evaluator, DetectionEvaluator)
        return write_pictures(evaluator, self.config.network.name, split, folder)

    def facts(self) -> list[str]:
        """Return how many images there are, and a warning where anchors do not fit them."""
        (line,) = super().facts()
        return [f"{line} images", *anchor_facts(self.network, self.config.data.train, self.dataset("train"))]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "find the objects of eight test images and draw them")]

    def program(self) -> Program:
        """Return the detector from prepared images to boxes, for any number and size of images."""
        data = self.config.data
        section = data.test or data.valid or data.train
        divisor = self.network.divisor
        side = max(divisor, 64)  # of the coarsest level's cells: no map may have the same size for both examples
        examples = self.network.examples or {0: (2, 3), **dict.fromkeys((2, 3), (2 * side, 3 * side))}
        images = {axis: sizes for axis, sizes in examples.items() if axis == 0}
        specs = [
            InputSpec([None, 3, None, None], name="image", examples=examples),
            InputSpec([None, 2], name="im_shape", examples=images),
            InputSpec([None, 2], name="scale_factor", examples=images),
        ]
        stored = {
            key: [component.model_dump() for component in getattr(section, key)]
            for key in ("transforms", "batch_transforms")
        }
        stored["batch_transforms"].append({"name": "PadBatch", "pad_to_stride": divisor})
        names = list(self.class_names or [])
        extra = {"preprocessing": stored, "class_names": names}
        text = f"images float32 [any, 3, any, any] with their sizes to boxes of {len(names)} classes"
        return Program(self.network, specs, text, extra, ordered=False)


class EpochBegins(Callback):
    """Tells a detector which epoch it is, for some learn otherwise in the first or the last ones.

    Args:
        network: the detector.
    """

    def __init__(self, network: Any) -> None:
        self.network = network

    def on_epoch_begin(self, trainer: Any) -> None:
        """Tell it the epoch's number."""
        self.network.begin_epoch(trainer.progress.epoch)
