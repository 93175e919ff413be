"""The inference command: images in, boxes out, on the screen, in pictures and as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np
from tqdm import tqdm

from core.drawing.objects import draw_boxes
from core.train.logs.run_folder import writing
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.vision.inputs import expand_named, read_picture
from core.weights.atomic import atomic_write
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.detector import Detections, Detector, ObjectDetector, open_detector


class Source(NamedTuple):
    """An image to look at.

    Attributes:
        name: its path, or what it is called.
        stem: what its pictures are called.
        read: returns its pixels.
    """

    name: str
    stem: str
    read: Callable[[], np.ndarray]


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Find objects; write a picture with boxes for each image, and predictions.json.

    Args:
        toolkit: of the run.
        options: of the command line: run (its folder, or an exported one), images (files, folders, patterns or URLs),
            demo (how many images of the test split to take as well), draw_threshold (the lowest score that is drawn
            and written), save_txt (whether to write a text file for each image, too), checkpoint and output.

    Returns:
        The exit code: 1 when an image could not be read.
    """
    named = expand_named(options.images)
    detector = open_detector(options.run, options.checkpoint)
    sources = [*_files(named), *_demo(detector, options.demo or 0)]
    own = detector.path / "predictions" if isinstance(detector, Detector) else Path(f"{detector.path}_predictions")
    target = Path(options.output) if options.output else own
    records = []
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        for source in tqdm(sources, unit="image", dynamic_ncols=True, disable=not sys.stderr.isatty()):
            try:
                record = _look(detector, source, options.draw_threshold, target, options.save_txt)
            except (OSError, ValueError) as error:
                reason = " ".join(str(error).split())
                record = {"image": source.name, "error": reason}
                tqdm.write(f"error: {reason}", file=sys.stderr)
            else:
                tqdm.write(_line(record))
            records.append(record)
        with atomic_write(target / "predictions.json") as stream:
            stream.write((json.dumps(records, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    failed = sum("error" in record for record in records)
    told = f"; {failed} of {len(records)} images could not be read" if failed else ""
    print(f"wrote {target}/predictions.json and {len(records) - failed} pictures beside it{told}")
    return 1 if failed else 0


def _look(detector: ObjectDetector, source: Source, threshold: float, target: Path, text: bool) -> dict[str, Any]:
    """Find the objects of an image, draw them, and return what is written of them."""
    image = source.read()
    found = detector.predict(image).above(threshold)
    picture = target / f"{source.stem}.png"
    classes = found.classes.tolist()
    write_image(picture, draw_boxes(image, found.boxes, classes, found.scores.tolist(), detector.class_names))
    if text:
        with atomic_write(target / f"{source.stem}.txt") as stream:
            stream.write("".join(f"{row}\n" for row in _rows(found)).encode("utf-8"))
    objects = [
        {"class": number, "name": name, "score": round(score, 6), "box": [round(corner, 3) for corner in box]}
        for number, name, score, box in zip(classes, found.names, found.scores.tolist(), found.boxes.tolist())
    ]
    return {"image": source.name, "picture": str(picture), "objects": objects}


def _rows(found: Detections) -> list[str]:
    """Return of each object its name, score, left, top, width and height, as PaddleDetection writes them."""
    rows = []
    for name, score, (left, top, right, bottom) in zip(found.names, found.scores.tolist(), found.boxes.tolist()):
        rows.append(f"{name} {score:.6f} {left:.2f} {top:.2f} {right - left:.2f} {bottom - top:.2f}")
    return rows


def _line(record: dict[str, Any]) -> str:
    names = [one["name"] for one in record["objects"]]
    counted = [f"{names.count(name)} x {name}" for name in dict.fromkeys(sorted(names))]
    return f"{record['image']}: {', '.join(counted) if counted else 'nothing found'}"


def _files(named: dict[str, str]) -> Iterator[Source]:
    for stem, file in named.items():
        yield Source(file, stem, lambda file=file: read_picture(file))  # type: ignore[misc]


def _demo(detector: ObjectDetector, count: int) -> Sequence[Source]:
    if count < 1:
        return []
    if not isinstance(detector, Detector):
        raise ValueError("--demo needs the folder of a run: an exported one holds no images; name image files")
    dataset, decode = detector.section.build_dataset(detector.config.data.root), Decode()
    return [
        Source(f"test_{i:04d}", f"test_{i:04d}", lambda i=i: decode(dataset.sample(i))["image"])  # type: ignore[misc]
        for i in range(min(count, len(dataset)))
    ]
