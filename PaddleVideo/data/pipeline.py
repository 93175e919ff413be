"""The tables of data sets, transforms and mixes that a config may name, and what a split of the data is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import pydantic

from core.train.classification.mixing import MixedSplitSection
from core.train.config.table import Component, Named, Table
from core.train.runner.pictures import to_picture
from core.vision import transforms
from core.vision.transforms import BaseTransform
from PaddleVideo.data import clips, files, sampling, youtube8m
from PaddleVideo.data.dataset import strip
from PaddleVideo.data.drawn_figures import DrawnFigures
from PaddleVideo.data.drawn_topics import DrawnTopics
from PaddleVideo.data.flow import OpticalFlow
from PaddleVideo.data.intervals.activitynet import ActivityNetFeatures
from PaddleVideo.data.intervals.concepts import ConceptFeatures
from PaddleVideo.data.intervals.frame_labels import SegmentedFeatures
from PaddleVideo.data.intervals.moving_digits import MovingDigitsIntervals
from PaddleVideo.data.moving_digits import MovingDigits
from PaddleVideo.data.skeletons import SkeletonFile, drawn
from PaddleVideo.data.sources import ArrayFrames

DATASETS = Table(
    "data set",
    {
        "MovingDigits": MovingDigits,
        "VideoDataset": files.VideoDataset,
        "VideoFolder": files.VideoFolder,
        "FrameDataset": files.FrameDataset,
        "PickledDataset": files.PickledDataset,
        "YouTube8M": youtube8m.YouTube8M,
        "YouTube8MPickles": youtube8m.YouTube8MPickles,
        "DrawnTopics": DrawnTopics,
        "SkeletonFile": SkeletonFile,
        "DrawnFigures": DrawnFigures,
        "ActivityNetFeatures": ActivityNetFeatures,
        "ConceptFeatures": ConceptFeatures,
        "SegmentedFeatures": SegmentedFeatures,
        "MovingDigitsIntervals": MovingDigitsIntervals,
    },
    provided=("transform",),
    paths=(
        *("root", "data_prefix", "file_path", "label_path", "class_names_path"),
        *("feat_path", "feature_path", "gt_path", "actions_map_file_path"),
    ),
)
SAMPLERS = {
    "SampleSegments": sampling.SampleSegments,
    "SampleUniform": sampling.SampleUniform,
    "SampleDense": sampling.SampleDense,
    "SampleClips": sampling.SampleClips,
}
"""What chooses frames; a list of transforms begins with one of them."""

TRANSFORMS = Table(
    "transform",
    {
        **SAMPLERS,
        "ResizeShort": clips.ResizeShort,
        "RandomResizeShort": clips.RandomResizeShort,
        "MultiScaleCrop": clips.MultiScaleCrop,
        "OpticalFlow": OpticalFlow,
        "RandomFlipClip": clips.RandomFlipClip,
        "ThreeCrops": clips.ThreeCrops,
        "TenCrops": clips.TenCrops,
        "Resize": transforms.Resize,
        "CenterCrop": transforms.CenterCrop,
        "RandomCrop": transforms.RandomCrop,
        "RandomResizedCrop": transforms.RandomResizedCrop,
        "RandomRotation": transforms.RandomRotation,
        "ColorJitter": transforms.ColorJitter,
        "BrightnessTransform": transforms.BrightnessTransform,
        "SaturationTransform": transforms.SaturationTransform,
        "HueTransform": transforms.HueTransform,
        "Grayscale": transforms.Grayscale,
        "ToTensor": transforms.ToTensor,
        "Normalize": transforms.Normalize,
    },
    provided=("keys",),
)
MIXES = Table(
    "mix", {"Mixup": transforms.Mixup, "CutMix": transforms.CutMix}, provided=("class_num", "data_format")
)

WIDEST_STRIP = 960
"""Pixels of a strip of frames in a preview, at most."""


def _begins_with_a_sampler(components: list[Component]) -> list[Component]:
    found = [number for number, component in enumerate(components) if component.name in SAMPLERS]
    if components and found != [0]:
        raise ValueError(f"must begin with one of {', '.join(SAMPLERS)}, which chooses frames, and have no other")
    return components


class SplitSection(MixedSplitSection):
    """One split of the data."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS
    mix_table: ClassVar[Table] = MIXES
    largest: ClassVar[int] = WIDEST_STRIP

    dataset: Annotated[Component, Named(DATASETS)] = pydantic.Field(description="with its settings")
    transforms: Annotated[
        list[Annotated[Component, Named(TRANSFORMS)]], pydantic.AfterValidator(_begins_with_a_sampler)
    ] = pydantic.Field([], description="in order; the first one chooses frames; none for features")
    mix: list[Annotated[Component, Named(MIXES)]] = pydantic.Field(
        [], description="each batch of training is mixed by one of these, drawn at random"
    )

    @classmethod
    def composed(cls, components: Sequence[Component], **provided: Any) -> Any:
        """Return one function of (source of frames, label) of some transforms."""
        steps: list[Any] = []
        for component in components:
            built = cls.transform_table.build(component, **provided)
            if not isinstance(built, BaseTransform):
                steps.append(built)
            elif steps and isinstance(steps[-1], clips.OverFrames):
                steps[-1].transforms.append(built)
            else:
                steps.append(clips.OverFrames([built]))
        return transforms.Compose(steps)

    # what preview.py shows

    def pictures(self, sample: Any) -> list[np.ndarray]:
        """Return frames of a clip side by side, of several views those of the first, or moments of a skeleton."""
        data: Any = sample[0] if isinstance(sample, tuple) else None
        if getattr(data, "ndim", 0) not in (4, 5):
            return []
        if not self.transforms:
            return [drawn(data)]
        frames = data[0] if data.ndim == 5 else data
        return [strip(ArrayFrames(np.stack([to_picture(frame, self.transforms) for frame in frames])))]

    def original(self, dataset: Any, index: int) -> list[tuple[Any, str]]:
        """Return a picture of a sample before the transforms, and its class, where there is such a picture."""
        return super().original(dataset, index) if hasattr(dataset, "image") else []
