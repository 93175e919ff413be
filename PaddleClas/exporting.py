"""The export command: from a run, or a model with weights, to a folder that predicts on its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

import core
from core.jit.input_spec import InputSpec
from core.train.table import Component
from core.weights import Preprocessing
from PaddleClas.classifier import Classifier
from PaddleClas.data.pipeline import build_transform
from PaddleClas.models.registry import create_model
from PaddleClas.models.weights import WEIGHTS

PROBES = ((301, 257), (64, 83))
"""Sizes of images, height and width, that tell which sizes the preprocessing makes equal."""


def export_run(run: str, checkpoint: str, output: Optional[str], onnx: bool = False) -> int:
    """Export a run's network.

    Args:
        run: the run's folder.
        checkpoint: which one of the run.
        output: where to write; None: the run's folder "exported".
        onnx: whether to write an ONNX file, too.

    Returns:
        The exit code.
    """
    classifier = Classifier(run, checkpoint)
    print(f"weights: {classifier.checkpoint}")
    target = Path(output) if output else classifier.path / "exported"
    export(classifier.network, classifier.section.transforms, classifier.class_names, target, onnx)
    return 0


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
    export(network, transforms_for(preprocessing), names, Path(output), onnx)
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


def export(
    network: Any, transforms: Sequence[Component], class_names: Sequence[str], target: Path, onnx: bool = False
) -> None:
    """Write a network with its preprocessing and class names, for any batch size.

    Args:
        network: images to logits; of several heads, the program gives all, the main one's first.
        transforms: the preprocessing.
        class_names: the classes, in the order of their numbers.
        target: the folder to write.
        onnx: whether to write an ONNX file in it, too.

    Raises:
        OperatorError: what was written gives other numbers than the network, or ONNX cannot express it.
    """
    spec = InputSpec(input_shape(transforms), name="images")
    stored = [component.model_dump() for component in transforms]
    core.jit.save(network, target, [spec], preprocessing=stored, class_names=class_names)
    sizes = ", ".join("any" if size == -1 else str(size) for size in spec.shape)
    megabytes = sum(file.stat().st_size for file in target.iterdir()) / 1e6
    print(f"wrote {target}: images float32 [{sizes}] to {len(class_names)} classes, {megabytes:.1f} MB")
    print("compared with the live network: equal")
    if onnx:
        core.onnx.export(network, str(target / "model"), [spec])
        size = (target / "model.onnx").stat().st_size / 1e6
        print(f"wrote {target}/model.onnx, {size:.1f} MB; run by onnxruntime and compared: equal to 1e-4")


def input_shape(transforms: Sequence[Component]) -> list[Optional[int]]:
    """Return the network's input shape (N, C, H, W): None for the batch, and for what depends on an image's size."""
    transform = build_transform(transforms)
    first, second = [np.asarray(transform(np.zeros((*size, 3), np.uint8))).shape for size in PROBES]
    return [None, *[size if size == other else None for size, other in zip(first, second)]]
