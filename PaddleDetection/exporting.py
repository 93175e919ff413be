"""The end of the export command: what was written finds what the training code finds."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.vision.inputs import expand
from PaddleDetection.comparing import compare
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.detector import Detector, Image, open_detector

COUNT = 4
"""Images of the test split that are looked at."""


def check_export(options: argparse.Namespace) -> int:
    """Compare what a run and its export, also as ONNX, find in images.

    Args:
        options: of the command line: run, checkpoint, overrides, output, onnx, and check (files, folders or patterns;
            None: images of the test split, if its data is here).

    Returns:
        The exit code: 1 where they find different objects.
    """
    live = Detector(options.run, options.checkpoint, options.overrides)
    target = Path(options.output) if options.output else live.path / "exported"
    try:
        images = {file: file for file in expand(options.check)} if options.check else _of_split(live)
    except (OSError, ValueError) as error:
        if options.check:
            raise
        print(f"not compared on images, for the test split cannot be read ({error}); name some with --check")
        return 0
    equal = True
    for name, path in {"exported": target, **({"model.onnx": target / "model.onnx"} if options.onnx else {})}.items():
        result = compare(live, open_detector(path), images)
        equal &= result.equal
        print(f"{name} and the training code: {result.describe()}")
    return 0 if equal else 1


def _of_split(detector: Detector) -> dict[str, Image]:
    """Return the first images of the test split."""
    dataset, decode = detector.section.build_dataset(detector.config.data.root), Decode()
    count = min(COUNT, len(dataset))
    return {f"test_{index:04d}": decode(dataset.sample(index))["image"] for index in range(count)}
