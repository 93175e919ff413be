"""The tables of data sets, transforms and mixes that a config may name, and what a split of the data is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import pydantic

from core.train.config.table import Component, Named, Table
from core.train.runner import splits
from core.vision import transforms
from core.vision.transforms import BaseTransform
from core.vision.transforms.mixing import OneOf
from PaddleVideo.data import clips, files, sampling, youtube8m
from PaddleVideo.data.drawn_figures import DrawnFigures
from PaddleVideo.data.drawn_topics import DrawnTopics
from PaddleVideo.data.intervals.activitynet import ActivityNetFeatures
from PaddleVideo.data.intervals.concepts import ConceptFeatures
from PaddleVideo.data.intervals.frame_labels import SegmentedFeatures
from PaddleVideo.data.intervals.moving_digits import MovingDigitsIntervals
from PaddleVideo.data.moving_digits import MovingDigits
from PaddleVideo.data.skeletons import SkeletonFile

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


def _begins_with_a_sampler(components: list[Component]) -> list[Component]:
    found = [number for number, component in enumerate(components) if component.name in SAMPLERS]
    if components and found != [0]:
        raise ValueError(f"must begin with one of {', '.join(SAMPLERS)}, which chooses frames, and have no other")
    return components


class SplitSection(splits.SplitSection):
    """One split of the data."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS

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

    def mixes(self, class_num: int) -> OneOf:
        """Return what makes a batch of samples, mixed.

        Args:
            class_num: the number of classes.
        """
        return OneOf([MIXES.build(mix, class_num=class_num) for mix in self.mix])

    # what preview.py shows

    def steps(self) -> list[str]:
        """Return the names of what is done to the clips."""
        return [component.name for component in [*self.transforms, *self.mix]]
