"""The inference command: images in, classes out, on the screen, in pictures and as JSON."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import numpy as np

from core.vision.image import image_files, read_image, write_image
from core.weights.atomic import atomic_write
from PaddleClas.classifier import Classifier, ImageClassifier, open_classifier
from PaddleClas.data.pipeline import build_dataset
from PaddleClas.pictures import annotated


def infer(run: str, paths: Sequence[str], demo: int, top: int, checkpoint: str, output: Optional[str]) -> int:
    """Classify images; write one annotated picture for each, and predictions.json.

    Args:
        run: a run's folder, or an exported one.
        paths: image files, or folders of them.
        demo: how many images of the test split to take as well.
        top: how many classes to report.
        checkpoint: which one of the run.
        output: where to write; None: the run's folder "predictions", or a folder beside the exported one.

    Returns:
        The exit code.
    """
    files = _expand(paths)
    classifier = open_classifier(run, checkpoint)
    images = [(path, read_image(path), None) for path in files] + _demo_images(classifier, demo)
    own = (
        classifier.path / "predictions"
        if isinstance(classifier, Classifier)
        else Path(f"{classifier.path}_predictions")
    )
    target = Path(output) if output else own
    target.mkdir(parents=True, exist_ok=True)
    records = []
    for number, (name, image, truth) in enumerate(images):
        prediction = classifier.predict([image], top)[0]
        lines = [f"{label}  {p:.1%}" for label, p in zip(prediction.names, prediction.probabilities)]
        told = "" if truth is None else f"  (true: {truth})"
        print(f"{name}: {', '.join(lines)}{told}")
        picture = target / f"{number:04d}_{Path(name).stem}.png"
        write_image(picture, annotated(image, lines[:5]))
        records.append({"image": name, "picture": str(picture), "true": truth, **dataclasses.asdict(prediction)})
    with atomic_write(target / "predictions.json") as stream:
        stream.write((json.dumps(records, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    print(f"wrote {target}/predictions.json and {len(records)} pictures beside it")
    return 0


def _expand(paths: Sequence[str]) -> list[str]:
    files = []
    for path in paths:
        found = image_files(path) if os.path.isdir(path) else [path]
        if not found:
            raise FileNotFoundError(f"there are no images in {path!r}")
        files += found
    for file in files:
        if not os.path.isfile(file):
            raise FileNotFoundError(f"no image file {file!r}")
    return files


def _demo_images(classifier: ImageClassifier, count: int) -> list[tuple[str, np.ndarray, Optional[str]]]:
    if count < 1:
        return []
    if not isinstance(classifier, Classifier):
        raise ValueError("--demo needs the folder of a run: an exported one holds no images; name image files")
    dataset = build_dataset(classifier.section)
    return [
        (f"test_{i:04d}", dataset.image(i), dataset.class_names[dataset.label(i)])
        for i in range(min(count, len(dataset)))
    ]
