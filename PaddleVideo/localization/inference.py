"""The inference command for networks of intervals: files of features in, intervals out, as pictures and JSON."""

from __future__ import annotations

import argparse
import dataclasses
import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from core.train.logs.run_folder import writing
from core.train.runner.answering import answer_each, predictions_folder, write_predictions
from core.vision.image import write_image
from core.vision.inputs import named_apart
from core.weights.messages import counted
from PaddleVideo.data.intervals.features import ENDINGS
from PaddleVideo.localization.localizer import Localizer, RunLocalizer, open_localizer
from PaddleVideo.localization.pictures import Line, timelines
from PaddleVideo.localization.submission import rows_of, write_submission


class Source(NamedTuple):
    """A video to look at.

    Attributes:
        name: its file, or what it is called.
        stem: what its picture is called, and its entry in the submission.
        values: its features, (T, D); None: the file ``name``.
        duration: seconds; None: the file says it.
        truth: class, begin and end of its actions, (G, 3), where they are known.
    """

    name: str
    stem: str
    values: Optional[np.ndarray] = None
    duration: Optional[float] = None
    truth: Optional[np.ndarray] = None


def infer(options: argparse.Namespace) -> int:
    """Find intervals; write a timeline of each video, predictions.json and submission.json.

    Args:
        options: of the command line: run, videos (files of features, folders of them, or patterns), demo, top (how many
            intervals to print), duration, checkpoint and output.

    Returns:
        The exit code: 1 when a file could not be read.

    Raises:
        ValueError: an option is for networks of clips.
    """
    for name in ("window", "step", "mp4"):
        if getattr(options, name):
            raise ValueError(f"--{name} is for networks of clips; {options.run!r} finds intervals by itself")
    files = feature_files(options.videos)
    localizer = open_localizer(options.run, options.checkpoint)
    sources = [*(Source(file, stem, None, options.duration) for stem, file in files.items())]
    sources += _demo(localizer, options.demo or 0)
    target, results = predictions_folder(localizer.path, options.output), {}

    def answer(source: Source) -> dict[str, Any]:
        duration, found = _look(localizer, source, target)
        results[source.stem] = rows_of(found, localizer.class_names)
        intervals = [dataclasses.asdict(interval) for interval in localizer.named(found)]
        picture = str(target / f"{source.stem}.png")
        return {"video": source.name, "duration": duration, "picture": picture, "intervals": intervals}

    def line(record: dict[str, Any]) -> str:
        note = [f"{one['name']} {one['start']:.1f}-{one['end']:.1f} s" for one in record["intervals"]]
        more = f", and {len(note) - options.top} more" if len(note) > options.top else ""
        return f"{record['video']}: {', '.join(note[: options.top]) or 'nothing'}{more}"

    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        records = list(answer_each(sources, answer, line, lambda _: "video"))
        write_predictions(target, records)
        write_submission(target, results)
    failed = sum("error" in record for record in records)
    note = f"; {failed} of {len(records)} files could not be read" if failed else ""
    videos = counted(len(results), "video")
    print(f"wrote {target}/predictions.json, submission.json and timelines of {videos} beside them{note}")
    return 1 if failed else 0


def _look(localizer: Localizer, source: Source, target: Path) -> tuple[float, np.ndarray]:
    """Find the intervals of a video, draw them, and return its duration and them."""
    values, duration = localizer.read(source.name if source.values is None else source.values, source.duration)
    found = localizer.find(values, duration, repr(source.name))
    line = Line(source.name, duration, found, source.truth)
    write_image(target / f"{source.stem}.png", timelines([line], localizer.class_names))
    return duration, found


def feature_files(paths: Sequence[str]) -> dict[str, str]:
    """Return the files of features that a command line names, by names of their own without ending.

    Args:
        paths: files, folders of them, or patterns.

    Raises:
        FileNotFoundError: a file is missing, a folder holds none, or a pattern matches no file.
    """
    files: list[tuple[str, str]] = []
    for path in paths:
        if os.path.isdir(path):
            found = sorted(os.path.join(path, file) for file in os.listdir(path) if file.endswith(ENDINGS))
        else:
            found = [path] if os.path.isfile(path) else sorted(glob.glob(path, recursive=True))
        if not found:
            raise FileNotFoundError(f"no file of features {path!r}; such files are NAME{' or NAME'.join(ENDINGS)}")
        files += [(Path(file).stem, file) for file in found]
    return named_apart(files)


def _demo(localizer: Localizer, count: int) -> Sequence[Source]:
    if count < 1:
        return []
    if not isinstance(localizer, RunLocalizer):
        raise ValueError("--demo needs the folder of a run: an exported one holds no videos; name files of features")
    data = localizer.config.data
    videos = data.build_dataset(data.names[-1])
    sources = []
    for index in range(min(count, len(videos))):
        name, values = videos.name(index), videos[index]
        truth = localizer.steps.truth(videos, index, len(values))
        sources.append(Source(name, name, values, videos.duration(index), truth))
    return sources
