"""The inference command: images and videos in, boxes and masks out, on the screen, in pictures and as JSON."""

from __future__ import annotations

import argparse
import collections
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from core.io.files import is_url
from core.train.logs.result_file import ResultFile
from core.train.logs.run_folder import writing
from core.train.runner.answering import answer_each, predictions_folder, write_predictions
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.vision.inputs import expand_named, read_picture
from core.vision.video import VIDEO_EXTENSIONS, VideoReader, VideoWriter
from core.weights.atomic import atomic_write
from core.weights.messages import counted
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.detector import Detections, Detector, ObjectDetector, open_detector
from PaddleDetection.pictures import draw_found

LEAST = 320
"""Pictures whose shorter side has fewer pixels are written enlarged."""


class Source(NamedTuple):
    """An image, or a video, to look at.

    Attributes:
        name: its path, or what it is called.
        stem: what its pictures are called.
        read: returns its pixels; None: it is a video.
    """

    name: str
    stem: str
    read: Optional[Callable[[], np.ndarray]]


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Find objects; write a picture with boxes and masks for each image, a video for each video, and predictions.json.

    Args:
        toolkit: of the run.
        options: of the command line: run (its folder, or an exported one), images (files, folders, patterns or URLs;
            video files), demo (how many images of the test split to take as well), draw_threshold (the lowest score
            that is drawn and written), save_txt (whether to write a text file for each image, too), checkpoint and
            output.

    Returns:
        The exit code: 1 when an image or video could not be read.
    """
    named = expand_named(options.images)
    detector = open_detector(options.run, options.checkpoint)
    sources = [*_files(named), *_demo(detector, options.demo or 0)]
    target = predictions_folder(detector.path, options.output)

    def answer(source: Source) -> dict[str, Any]:
        if source.read is None:
            return _watch(detector, source, options.draw_threshold, target)
        return _look(detector, source, source.read(), options.draw_threshold, target, options.save_txt)

    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        records = list(answer_each(sources, answer, _line, lambda source: "image" if source.read else "video"))
        write_predictions(target, records)
    failed = sum("error" in record for record in records)
    text = f"; {failed} of {len(records)} images could not be read" if failed else ""
    print(f"wrote {target}/predictions.json and {counted(len(records) - failed, 'picture')} beside it{text}")
    return 1 if failed else 0


def _look(
    detector: ObjectDetector, source: Source, image: np.ndarray, threshold: float, target: Path, text: bool
) -> dict[str, Any]:
    """Find the objects of an image, draw them, and return what is written of them."""
    found = detector.predict(image).above(threshold)
    picture = target / f"{source.stem}.png"
    write_image(picture, draw_found(image, found.rows, detector.class_names, found.masks, least=LEAST))
    if text:
        with atomic_write(target / f"{source.stem}.txt") as stream:
            stream.write("".join(f"{row}\n" for row in _rows(found)).encode("utf-8"))
    return {"image": source.name, "picture": str(picture), "objects": _objects(found)}


def _watch(detector: ObjectDetector, source: Source, threshold: float, target: Path) -> dict[str, Any]:
    """Find the objects of each frame of a video; write them drawn, and a line of JSON for each frame."""
    reader, rows = VideoReader(source.name), ResultFile(f"{source.stem}.jsonl")
    most: collections.Counter[str] = collections.Counter()
    with VideoWriter(target / f"{source.stem}.mp4", reader.height, reader.width, reader.frames_per_second) as writer:
        for frame in reader:
            found = detector.predict(frame).above(threshold)
            writer.write(draw_found(frame, found.rows, detector.class_names, found.masks))
            rows.append({"frame": len(rows), "objects": _objects(found)})
            most |= collections.Counter(found.names)
    written = {"picture": str(target / f"{source.stem}.mp4"), "frames": len(rows)}
    return {"video": source.name, **written, "lines": rows.write(target), "most_at_once": dict(sorted(most.items()))}


def _objects(found: Detections) -> list[dict[str, Any]]:
    """Return of each object what is written as JSON."""
    objects: list[dict[str, Any]] = [
        {"class": number, "name": name, "score": round(score, 6), "box": [round(corner, 3) for corner in box]}
        for number, name, score, box in zip(
            found.classes.tolist(), found.names, found.scores.tolist(), found.boxes.tolist()
        )
    ]
    for one, mask in zip(objects, found.masks or ()):
        one["mask"] = {"size": mask["size"], "counts": mask["counts"].decode("ascii")}
    return objects


def _rows(found: Detections) -> list[str]:
    """Return of each object its name, score, left, top, width and height, as PaddleDetection writes them."""
    rows = []
    for name, score, (left, top, right, bottom) in zip(found.names, found.scores.tolist(), found.boxes.tolist()):
        rows.append(f"{name} {score:.6f} {left:.2f} {top:.2f} {right - left:.2f} {bottom - top:.2f}")
    return rows


def _line(record: dict[str, Any]) -> str:
    if "video" in record:
        counts = ", ".join(f"{count} x {name}" for name, count in record["most_at_once"].items())
        found = f"at once at most {counts}" if counts else "nothing found"
        return f"{record['video']}: {record['frames']} frames; {found}"
    names = [one["name"] for one in record["objects"]]
    counted = [f"{names.count(name)} x {name}" for name in dict.fromkeys(sorted(names))]
    return f"{record['image']}: {', '.join(counted) if counted else 'nothing found'}"


def _files(named: dict[str, str]) -> Iterator[Source]:
    for stem, file in named.items():
        video = file.lower().endswith(VIDEO_EXTENSIONS) and not is_url(file)
        yield Source(file, stem, None if video else lambda file=file: read_picture(file))  # type: ignore[misc]  # a lambda's default


def _demo(detector: ObjectDetector, count: int) -> Sequence[Source]:
    if count < 1:
        return []
    if not isinstance(detector, Detector):
        raise ValueError("--demo needs the folder of a run: an exported one holds no images; name image files")
    dataset, decode = detector.section.build_dataset(detector.config.data.root), Decode()
    return [
        Source(f"test_{i:04d}", f"test_{i:04d}", lambda i=i: decode(dataset.sample(i))["image"])  # type: ignore[misc]  # a lambda's default
        for i in range(min(count, len(dataset)))
    ]
