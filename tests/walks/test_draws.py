"""What a registered transform draws depends on seed, epoch and sample, and not on which thread or worker reads it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pytest

from core.io import DataLoader, Dataset, loader
from core.vision.transforms.mixing import OneOf
from PaddleClas.data import pipeline as classification
from PaddleDetection.data import pipeline as detection
from PaddleGAN.data import pipeline as generation
from tests.parity.PaddleDetection import face_cases, transform_cases

SHAPE = (30, 36, 3)
TIMES = 6
"""How often each transform is applied: often enough that two draws differ."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "BrightnessTransform": {"value": 0.4},
    "CenterCrop": {"size": 20},
    "ColorJitter": {"brightness": 0.4, "hue": 0.1},
    "ContrastTransform": {"value": 0.4},
    "CropImage": {"size": 20},
    "Cutout": {"length": 10},
    "GridMask": {"d1": 8, "d2": 16, "prob": 0.8},
    "HideAndSeek": {"grid_sizes": [8]},
    "HueTransform": {"value": 0.2},
    "Normalize": {"mean": 0.5, "std": 0.25},
    "NormalizeImage": {"order": "hwc"},
    "Pad": {"padding": 2},
    "RandCropImage": {"size": 20},
    "RandomAffine": {"degrees": 20, "translate": [0.1, 0.2]},
    "RandomCrop": {"size": 20},
    "RandomErasing": {"prob": 0.8},
    "RandomPerspective": {"prob": 0.8},
    "RandomResizedCrop": {"size": 20},
    "RandomRotation": {"degrees": 40},
    "Resize": {"size": 20},
    "ResizeImage": {"size": 20},
    "ResizeToScale": {"size": [20, 20], "scale": 4},
    "SRPairedRandomCrop": {"gt_patch_size": 20, "scale": 1},
    "SaturationTransform": {"value": 0.4},
}
"""Of PaddleClas and PaddleGAN, where the defaults do not do."""

OF_OBJECTS: dict[str, dict[str, Any]] = {
    **dict(reversed(transform_cases.OF_SAMPLES.values())),
    "AutoAugment": {"autoaug_type": "v1"},
    "CropWithDataAchorSampling": {
        "batch_sampler": face_cases.BATCH_SAMPLER,
        "anchor_sampler": face_cases.ANCHOR_SAMPLER,
        "target_size": 20,
    },
    "Decode": {},
    "RandomExpand": {"ratio": 2.0},
    "RandomScaledCrop": {"target_dim": 16},
    "RandomSelect": {"transforms1": [{"name": "RandomFlip"}], "transforms2": [{"name": "Permute"}]},
}
"""Of PaddleDetection's samples."""

TABLES = {
    "PaddleClas": classification.TRANSFORMS,
    "PaddleDetection": detection.TRANSFORMS,
    "PaddleGAN": generation.TRANSFORMS,
}
NAMES = [(toolkit, name) for toolkit, table in TABLES.items() for name in table.list()]


class Transformed(Dataset):
    """Sample i has gone through the transform number i of all, modulo how many there are."""

    def __getitem__(self, index: int) -> list[np.ndarray]:
        toolkit, name = NAMES[index % len(NAMES)]
        transform = TABLES[toolkit].resolve(name)
        if toolkit == "PaddleDetection":
            return arrays([transform(**OF_OBJECTS[name])(objects(name))])
        image = np.random.RandomState(0).randint(0, 256, SHAPE, dtype=np.uint8)
        given: Any = cv2.imencode(".png", image)[1].tobytes() if name == "DecodeImage" else image
        return [np.asarray(transform(**ARGUMENTS.get(name, {}))(given))]

    def __len__(self) -> int:
        return TIMES * len(NAMES)


def objects(name: str) -> dict[str, Any]:
    """Return an image with three objects, as a transform of PaddleDetection takes it."""
    sample = transform_cases.sample(name)
    if name in ("CropWithSampling", "CropWithDataAchorSampling"):
        sample["gt_bbox"] /= np.array([*sample["image"].shape[1::-1]] * 2, np.float32)
    if name not in ("Resize", "RandomFlip", "Pad", "Poly2Mask", "RandomCrop"):
        del sample["gt_poly"]
    another = np.random.RandomState(1)
    sample["another"] = lambda: transform_cases.sample("another", another.randint(4))
    return sample


def arrays(samples: Sequence[dict[str, Any]]) -> list[np.ndarray]:
    """Return what transforms change of samples."""
    fields = transform_cases.FIELDS
    return [np.array(sample[name]) for sample in samples for name in fields if name in sample and name != "gt_poly"]


def together(samples: Sequence[Any]) -> tuple[Any, list[np.ndarray]]:
    """Return samples as they are, and what the transforms of whole batches and the mixes make of a batch."""
    made = []
    for case, (name, arguments) in transform_cases.OF_BATCHES.items():
        made += arrays(detection.BATCH_TRANSFORMS.resolve(name)(**arguments)(transform_cases.batch(case)))
    source = np.random.RandomState(0)
    pairs = [(source.rand(3, 16, 16).astype(np.float32), index % 3) for index in range(4)]
    mixes = [classification.MIXES.resolve(name)(class_num=3) for name in classification.MIXES.list()]
    for mix in [*mixes, OneOf(mixes)]:
        made += [np.array(field) for pair in mix(copy.deepcopy(pairs)) for field in pair]
    return samples, made


def read(workers: int) -> tuple[list[list[np.ndarray]], list[list[np.ndarray]]]:
    """Return all samples, and what is made of each batch."""
    reader = DataLoader(Transformed(), batch_size=16, num_workers=workers, collate_fn=together, seed=5)
    reader.set_epoch(3)
    batches = list(reader)
    return [sample for samples, _ in batches for sample in samples], [made for _, made in batches]


def same(found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> bool:
    return len(found) == len(expected) and all(map(np.array_equal, found, expected))


def test_draws_are_the_same_for_any_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "to_tensors", lambda batch: batch)
    samples, batches = read(0)
    for workers in (1, 2):
        samples_there, batches_there = read(workers)
        assert len(samples_there) == len(samples) == TIMES * len(NAMES)
        for index, (found, expected) in enumerate(zip(samples_there, samples)):
            assert same(found, expected), (NAMES[index % len(NAMES)], workers)
        assert list(map(same, batches_there, batches)) == [True] * len(batches), workers
    assert not same(batches[0], batches[1])
    for position, (toolkit, name) in enumerate(NAMES):
        first, *others = samples[position :: len(NAMES)]
        if name.startswith(("Rand", "Mix", "Cut", "Mosaic", "Auto")):
            assert not all(same(other, first) for other in others), f"{name} of {toolkit} drew nothing"
