"""The inference command: images in, classes out, on the screen, in pictures, as JSON and as CSV."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
from tqdm import tqdm

from core.drawing import annotated
from core.train.runner.answering import predictions_folder, write_predictions
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.vision.inputs import expand, read_picture
from core.weights.atomic import atomic_write
from core.weights.messages import counted
from PaddleClas.classifier import BATCH_SIZE, Classifier, ImageClassifier, Prediction, batches, open_classifier
from PaddleClas.features import open_encoder, write_features

DRAWN = 5
"""How many of the best classes are drawn under an image."""

MANY = 16
"""From more images on, a terminal shows a progress bar."""


@dataclasses.dataclass
class Source:
    """An image to classify.

    Attributes:
        name: its path, or what it is called.
        read: returns its pixels.
        truth: the name of its class, where that is known.
    """

    name: str
    read: Callable[[], np.ndarray]
    truth: Optional[str] = None


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Classify images; write one annotated picture for each, predictions.json and predictions.csv.

    Args:
        toolkit: of the run.
        options: of the command line: run (its folder, or an exported one), images (files, folders of them, patterns or
            URLs), demo (how many images of the test split to take as well), top (how many classes to report),
            checkpoint, output, batch_size (how many images go through the network at once), and grad_cam (whether to
            write a second picture, of where the network finds the best class), features (a file of vectors, which is
            written instead).

    Returns:
        The exit code: 1 when an image could not be read.
    """
    top, batch_size, heat_maps = options.top, options.batch_size, options.grad_cam
    files = expand(options.images)
    if options.features:
        return _write_vectors(options, files)
    classifier = open_classifier(options.run, options.checkpoint)
    if heat_maps and not isinstance(classifier, Classifier):
        raise ValueError("--grad-cam needs the folder of a run: an exported program has no gradients")
    sources = [*_sources(files), *_demo_sources(classifier, options.demo or 0)]
    target = predictions_folder(classifier.path, options.output)
    target.mkdir(parents=True, exist_ok=True)
    records: list[dict[str, Any]] = []
    hidden = len(sources) <= MANY or not sys.stderr.isatty()
    with tqdm(total=len(sources), unit="image", dynamic_ncols=True, disable=hidden) as bar:
        for first in range(0, len(sources), batch_size):
            chosen = sources[first : first + batch_size]
            stems = [Path(_printable(source.name)).stem[:80] for source in chosen]
            pictures = [target / f"{number:04d}_{stem}.png" for number, stem in enumerate(stems, first)]
            several = len(sources) > batch_size
            for record in classify(classifier, chosen, top, pictures, batch_size, several, heat_maps):
                stream = sys.stderr if "error" in record else sys.stdout
                tqdm.write(_line(record), file=stream)
                stream.flush()
                records.append(record)
            bar.update(len(chosen))
    write_predictions(target, records)
    with atomic_write(target / "predictions.csv") as stream:
        stream.write(_table(records).encode("utf-8"))
    failed = sum("error" in record for record in records)
    text = f"; {failed} of {len(records)} images could not be read" if failed else ""
    drawn = counted(len(records) - failed, "picture")
    print(f"wrote {target}/predictions.json, predictions.csv and {drawn} beside them{text}")
    return 1 if failed else 0


def _write_vectors(options: argparse.Namespace, files: Sequence[str]) -> int:
    """Write the vectors of images; return 1 when an image could not be read."""
    encoder = open_encoder(options.run, options.checkpoint)
    sources = [*_sources(files), *_demo_sources(encoder, options.demo or 0)]
    failures = list(write_features(encoder, sources, options.features, options.batch_size))
    for failure in failures:
        print(f"error: {_printable(failure)}", file=sys.stderr)
    text = f"; {len(failures)} of {len(sources)} images could not be read" if failures else ""
    print(f"wrote {options.features}: float32 {[len(sources) - len(failures), encoder.size]}{text}")
    return 1 if failures else 0


def classify(
    classifier: ImageClassifier,
    sources: Sequence[Source],
    top: int,
    pictures: Sequence[Path],
    batch_size: int = BATCH_SIZE,
    several: bool = False,
    heat_maps: bool = False,
) -> list[dict[str, Any]]:
    """Classify images together, and draw each with its best classes.

    Args:
        classifier: what knows the classes.
        sources: the images.
        top: how many classes to report.
        pictures: the file to draw for each.
        batch_size: how many images go through the network at once.
        several: whether these are one of several batches.
        heat_maps: whether to draw NAME_grad_cam.png beside each picture, too; the classifier must be one of a run.

    Returns:
        For each image "image", "picture", "true", "classes", "names" and "probabilities", and "grad_cam" with
        ``heat_maps``; or, where it cannot be read or is too small for the preprocessing, "image" and "error", one line.
    """
    records: dict[int, dict[str, Any]] = {}
    read: list[tuple[int, np.ndarray, np.ndarray]] = []
    for number, source in enumerate(sources):
        try:
            image = source.read()
            read.append((number, image, classifier.preprocess(image)))
        except (OSError, ValueError) as error:
            records[number] = _failure(source, error)
    for members, size in batches([entry for _, _, entry in read], batch_size, several):
        try:
            answers = classifier.answers([read[member][2] for member in members], size)
        except ValueError as error:
            records.update({read[member][0]: _failure(sources[read[member][0]], error) for member in members})
            continue
        for member, row in zip(members, answers):
            number, image, _ = read[member]
            drawn = _draw(classifier, image, classifier.best(row, top), pictures[number], heat_maps)
            records[number] = {"image": _printable(sources[number].name), "true": sources[number].truth, **drawn}
    return [records[number] for number in range(len(sources))]


def _draw(
    classifier: ImageClassifier, image: np.ndarray, prediction: Prediction, picture: Path, heat_maps: bool
) -> dict[str, Any]:
    """Draw an image with its best classes; return what its record says of them."""
    lines = [f"{label}  {p:.1%}" for label, p in zip(prediction.names[:DRAWN], prediction.probabilities)]
    write_image(picture, annotated(image, lines))
    drawn = {"picture": str(picture)}
    if heat_maps:
        assert isinstance(classifier, Classifier)
        heat = picture.with_name(f"{picture.stem}_grad_cam.png")
        write_image(heat, annotated(classifier.grad_cam(image, prediction.classes[0]), lines[:1]))
        drawn["grad_cam"] = str(heat)
    return {**drawn, **dataclasses.asdict(prediction)}


def _failure(source: Source, error: Exception) -> dict[str, Any]:
    name, reason = _printable(source.name), _printable(" ".join(str(error).split()))
    return {"image": name, "error": reason if name in reason else f"{name}: {reason}"}


def _sources(files: Sequence[str]) -> Iterator[Source]:
    for file in files:
        yield Source(file, lambda file=file: read_picture(file))  # type: ignore[misc]  # a lambda's default


def _demo_sources(classifier: ImageClassifier, count: int) -> Iterator[Source]:
    if count < 1:
        return
    if not isinstance(classifier, Classifier):
        raise ValueError("--demo needs the folder of a run: an exported one holds no images; name image files")
    dataset = classifier.section.build_dataset(classifier.config.data.root)
    for i in range(min(count, len(dataset))):
        yield Source(f"test_{i:04d}", lambda i=i: dataset.image(i), dataset.class_names[dataset.label(i)])  # type: ignore[misc]  # a lambda's default


def _line(record: dict[str, Any]) -> str:
    if "error" in record:
        return f"error: {record['error']}"
    best = ", ".join(f"{name}  {p:.1%}" for name, p in zip(record["names"], record["probabilities"]))
    return f"{record['image']}: {best}" + ("" if record["true"] is None else f"  (true: {record['true']})")


def _table(records: Sequence[dict[str, Any]]) -> str:
    """Return one row for each image: its name and true class, its best classes with probabilities, or its error."""
    count = max((len(record.get("names", [])) for record in records), default=0)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    ranks = [column for rank in range(1, count + 1) for column in (f"class_{rank}", f"probability_{rank}")]
    rows.writerow(["image", "true", *ranks, "error"])
    for record in records:
        best = [cell for pair in zip(record.get("names", []), record.get("probabilities", [])) for cell in pair]
        best += [""] * (2 * count - len(best))
        rows.writerow([record["image"], record.get("true") or "", *best, record.get("error", "")])
    return text.getvalue()


def _printable(name: str) -> str:
    """Return a file's name as text that can be printed and written, whatever bytes it is made of."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
