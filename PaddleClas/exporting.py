"""What an export of a classifier holds; and the export of a model with weights, without a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.jit.input_spec import InputSpec
from core.train.config.table import Component
from core.train.runner.exporting import write_program
from core.train.runner.task import Program
from core.weights import Preprocessing
from PaddleClas.data.pipeline import SplitSection
from PaddleClas.models.registry import create_model
from PaddleClas.models.weights import WEIGHTS

PROBES = ((301, 257), (64, 83))
"""Sizes of images, height and width, that show which sizes the preprocessing makes equal."""


def export_model(name: str, weights: Optional[str], class_num: int, output: str, onnx: bool = False) -> int:
    """Export a model with a weight file, for images as ImageNet's are prepared.

    Args:
        name: one of PaddleClas.list_models().
        weights: a weight file; None: the official one.
        class_num: the number of classes.
        output: where to write.
        onnx: whether to write an ONNX file, too.

    Returns:
        The exit code.
    """
    network = create_model(name, class_num=class_num, pretrained=weights or True)
    record = WEIGHTS.get(name)
    preprocessing = record.preprocessing if record is not None and record.preprocessing else Preprocessing()
    names = [str(number) for number in range(class_num)]
    write_program(classifier_program(network, transforms_for(preprocessing), names), Path(output), onnx)
    return 0


def transforms_for(preprocessing: Preprocessing) -> list[Component]:
    """Return the transforms that a weight record's preprocessing stands for, as a config would name them."""
    parts: list[dict[str, Any]] = [
        {"name": "Resize", "size": preprocessing.resize_short, "interpolation": preprocessing.interpolation},
        {"name": "CenterCrop", "size": list(preprocessing.input_size)},
        {"name": "ToTensor"},
        {"name": "Normalize", "mean": list(preprocessing.mean), "std": list(preprocessing.std)},
    ]
    return [Component.model_validate(part) for part in parts]


def classifier_program(network: Any, transforms: Sequence[Component], class_names: Sequence[str]) -> Program:
    """Return the program of a network with its preprocessing and class names, for any batch size.

    Args:
        network: images to logits; of several heads, the program gives all, the main one's first.
        transforms: the preprocessing.
        class_names: the classes, in the order of their numbers.
    """
    spec = InputSpec(input_shape(transforms), name="images")
    sizes = ", ".join("any" if size == -1 else str(size) for size in spec.shape)
    stored = [component.model_dump() for component in transforms]
    extra = {"preprocessing": stored, "class_names": class_names}
    return Program(network, [spec], f"images float32 [{sizes}] to {len(class_names)} classes", extra)


def input_shape(transforms: Sequence[Component]) -> list[Optional[int]]:
    """Return the network's input shape (N, C, H, W): None for the batch, and for what depends on an image's size."""
    transform = SplitSection.composed(transforms)
    first, second = [np.asarray(transform(np.zeros((*size, 3), np.uint8))).shape for size in PROBES]
    return [None, *[size if size == other else None for size, other in zip(first, second)]]
