"""The tables of data sets and transforms that a config may name, and what a split of the data is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import pydantic

from core.io import DataLoader, Keep, Pad
from core.train.config.batching import Batching
from core.train.config.table import Component, Named, Table
from core.train.runner.splits import RaggedSplitSection
from PaddleDetection.data.cityscapes import CityscapesDataset
from PaddleDetection.data.coco import COCODataset
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.data.face_scenes import FaceScenes
from PaddleDetection.data.labelme import LabelmeDataset
from PaddleDetection.data.transforms import (
    auto_augment,
    basic,
    batch,
    boxes,
    color,
    cropping,
    erasing,
    faces,
    mixing,
    mosaic,
    padding,
    resizing,
    sampling,
    targets,
)
from PaddleDetection.data.voc import VOCDataset
from PaddleDetection.data.wider_face import WIDERFaceDataset
from PaddleDetection.data.yolo_text import YOLODataset

DATASETS = Table(
    "data set",
    {
        "DigitScenes": DigitScenes,
        "FaceScenes": FaceScenes,
        "COCODataset": COCODataset,
        "VOCDataset": VOCDataset,
        "CityscapesDataset": CityscapesDataset,
        "LabelmeDataset": LabelmeDataset,
        "YOLODataset": YOLODataset,
        "WIDERFaceDataset": WIDERFaceDataset,
    },
    provided=("transform",),
    paths=("dataset_dir",),
)

_OF_SAMPLES = {
    "Decode": basic.Decode,
    "Resize": basic.Resize,
    "RandomFlip": basic.RandomFlip,
    "NormalizeImage": basic.NormalizeImage,
    "Permute": basic.Permute,
    "Mixup": mixing.Mixup,
    "Cutmix": mixing.Cutmix,
    "Mosaic": mosaic.Mosaic,
    "RandomDistort": color.RandomDistort,
    "Lighting": color.Lighting,
    "AugmentHSV": color.AugmentHSV,
    "AutoAugment": auto_augment.AutoAugment,
    "RandomErasingImage": erasing.RandomErasingImage,
    "GridMask": erasing.GridMask,
    "Pad": padding.Pad,
    "RandomExpand": padding.RandomExpand,
    "RandomCrop": cropping.RandomCrop,
    "RandomResizeCrop": cropping.RandomResizeCrop,
    "RandomScaledCrop": cropping.RandomScaledCrop,
    "RandomSizeCrop": cropping.RandomSizeCrop,
    "CropWithSampling": sampling.CropWithSampling,
    "RandomSelect": sampling.RandomSelect,
    "CropWithDataAchorSampling": faces.CropWithDataAchorSampling,
    "RandomResize": resizing.RandomResize,
    "RandomShortSideResize": resizing.RandomShortSideResize,
    "PadResize": resizing.PadResize,
    "NormalizeBox": boxes.NormalizeBox,
    "BboxXYXY2XYWH": boxes.BboxXYXY2XYWH,
    "PadBox": boxes.PadBox,
    "Poly2Mask": boxes.Poly2Mask,
}
TRANSFORMS = Table("transform", _OF_SAMPLES)
BATCH_TRANSFORMS = Table(
    "batch transform",
    {
        "BatchRandomResize": batch.BatchRandomResize,
        "PadBatch": batch.PadBatch,
        "Gt2YoloTarget": targets.Gt2YoloTarget,
        "Gt2TTFTarget": targets.Gt2TTFTarget,
        **_OF_SAMPLES,
    },
)

OBJECTS = "objects"
"""The size of a batch that counts the objects of an image."""

FIELDS = {
    "gt_bbox": Pad(OBJECTS, mask=False, lengths=True),
    "gt_class": Pad(OBJECTS, mask=False),
    "gt_score": Pad(OBJECTS, mask=False),
    "is_crowd": Pad(OBJECTS, mask=False),
    "gt_segm": Pad(OBJECTS, mask=False),
    "index": Keep(),
}
"""How the fields of a sample are batched, where it has them; those that are not here are stacked."""


class SplitSection(RaggedSplitSection):
    """One split of the data."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS

    dataset: Annotated[Component, Named(DATASETS)] = pydantic.Field(description="with its settings")
    transforms: list[Annotated[Component, Named(TRANSFORMS)]] = pydantic.Field(description="of each sample, in order")
    batch_transforms: list[Annotated[Component, Named(BATCH_TRANSFORMS)]] = pydantic.Field(
        [], description="of the samples of a batch together, in order"
    )
    batching: Batching = pydantic.Field(
        Batching.model_validate({"buckets": {OBJECTS: [8, 16, 32, 64, 128, 256]}}),
        description="to how many objects the samples of a batch are padded",
    )

    def loader_of(self, dataset: Any, collate_fn: Any, **options: Any) -> DataLoader:
        """Return a loader of batches whose samples went through the batch transforms together."""
        before = batch.InOrder([BATCH_TRANSFORMS.build(part) for part in self.batch_transforms], network_fields)
        return self.batching.loader(dataset, collate_fn, self.batch_size, before=before, **options)

    # what preview.py shows

    def steps(self) -> list[str]:
        """Return the names of what is done to the images."""
        return [component.name for component in [*self.transforms, *self.batch_transforms]]


def network_fields(sample: Sample) -> Sample:
    """Return what a batch has of a sample: the image with its sizes, and of each object what networks learn from."""
    boxes = np.asarray(sample["gt_bbox"], np.float32).reshape(-1, 4)
    count = len(boxes)
    fields = network_image(sample)
    fields["gt_bbox"] = boxes
    fields["gt_class"] = np.asarray(sample["gt_class"], np.int64).reshape(count)
    fields["is_crowd"] = np.asarray(sample.get("is_crowd", np.zeros(count)), np.int64).reshape(count)
    fields["gt_score"] = np.asarray(sample.get("gt_score", np.ones(count)), np.float32).reshape(count)
    if "gt_segm" in sample:
        fields["gt_segm"] = np.asarray(sample["gt_segm"], np.uint8)
    return {**fields, "index": sample["index"]}


def network_image(sample: Sample) -> Sample:
    """Return what a network needs of a sample to find objects: the image with its sizes."""
    return {name: np.asarray(sample[name], np.float32) for name in ("image", "im_shape", "scale_factor")}


def batched_fields(names: Sequence[str]) -> dict[str, Any]:
    """Return how the named fields of a sample are batched."""
    return {name: FIELDS[name] for name in names if name in FIELDS}
