"""The inference command: images in, classes out, on the screen, in pictures, as JSON and as CSV."""

from __future__ import annotations

import csv
import dataclasses
import glob
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from core.io.files import is_url
from core.vision.image import image_files, write_image
from core.weights.atomic import atomic_write
from PaddleClas.classifier import Classifier, ImageClassifier, open_classifier
from PaddleClas.data.dataset import read_picture
from PaddleClas.data.pipeline import build_dataset
from PaddleClas.pictures import annotated

DRAWN = 5
"""How many of the best classes are drawn under an image."""


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


def infer(run: str, paths: Sequence[str], demo: int, top: int, checkpoint: str, output: Optional[str]) -> int:
    """Classify images; write one annotated picture for each, predictions.json and predictions.csv.

    Args:
        run: a run's folder, or an exported one.
        paths: image files, folders of them, patterns or URLs.
        demo: how many images of the test split to take as well.
        top: how many classes to report.
        checkpoint: which one of the run.
        output: where to write; None: the run's folder "predictions", or a folder beside the exported one.

    Returns:
        The exit code: 1 when an image could not be read.
    """
    files = expand(paths)
    classifier = open_classifier(run, checkpoint)
    sources = [*_sources(files), *_demo_sources(classifier, demo)]
    own = (
        classifier.path / "predictions"
        if isinstance(classifier, Classifier)
        else Path(f"{classifier.path}_predictions")
    )
    target = Path(output) if output else own
    target.mkdir(parents=True, exist_ok=True)
    records = []
    for number, source in enumerate(sources):
        stem = Path(_printable(source.name)).stem[:80]
        record = classify(classifier, source, top, target / f"{number:04d}_{stem}.png")
        print(_line(record), file=sys.stderr if "error" in record else sys.stdout, flush=True)
        records.append(record)
    with atomic_write(target / "predictions.json") as stream:
        stream.write((json.dumps(records, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    with atomic_write(target / "predictions.csv") as stream:
        stream.write(_table(records).encode("utf-8"))
    failed = sum("error" in record for record in records)
    told = f"; {failed} of {len(records)} images could not be read" if failed else ""
    print(f"wrote {target}/predictions.json, predictions.csv and {len(records) - failed} pictures beside them{told}")
    return 1 if failed else 0


def classify(classifier: ImageClassifier, source: Source, top: int, picture: Path) -> dict[str, Any]:
    """Classify one image, and draw it with its best classes.

    Args:
        classifier: what knows the classes.
        source: the image.
        top: how many classes to report.
        picture: the file to draw.

    Returns:
        "image", "picture", "true", "classes", "names" and "probabilities"; or, where the image cannot be read or is too
        small for the preprocessing, "image" and "error", one line.
    """
    name = _printable(source.name)
    try:
        image = source.read()
        prediction = classifier.predict([image], top)[0]
    except (OSError, ValueError) as error:
        reason = _printable(" ".join(str(error).split()))
        return {"image": name, "error": reason if name in reason else f"{name}: {reason}"}
    lines = [f"{label}  {p:.1%}" for label, p in zip(prediction.names[:DRAWN], prediction.probabilities)]
    write_image(picture, annotated(image, lines))
    return {"image": name, "picture": str(picture), "true": source.truth, **dataclasses.asdict(prediction)}


def expand(paths: Sequence[str]) -> list[str]:
    """Return the image files that folders and patterns stand for; files and URLs stay as they are.

    Args:
        paths: what the command line names.

    Raises:
        FileNotFoundError: a file is missing, a folder holds no images, or a pattern matches no file.
    """
    files = []
    for path in paths:
        if os.path.isdir(path):
            found = image_files(path)
            if not found:
                raise FileNotFoundError(f"there are no images in {path!r}")
        elif is_url(path) or os.path.isfile(path):
            found = [path]
        elif glob.has_magic(path):
            found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not found:
                raise FileNotFoundError(f"no file matches {path!r}")
        else:
            raise FileNotFoundError(f"no image file {path!r}")
        files += found
    return files


def _sources(files: Sequence[str]) -> Iterator[Source]:
    for file in files:
        yield Source(file, lambda file=file: read_picture(file))  # type: ignore[misc]


def _demo_sources(classifier: ImageClassifier, count: int) -> Iterator[Source]:
    if count < 1:
        return
    if not isinstance(classifier, Classifier):
        raise ValueError("--demo needs the folder of a run: an exported one holds no images; name image files")
    dataset = build_dataset(classifier.section, classifier.config.data.root)
    for i in range(min(count, len(dataset))):
        yield Source(f"test_{i:04d}", lambda i=i: dataset.image(i), dataset.class_names[dataset.label(i)])  # type: ignore[misc]


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
