"""The inference command: videos in, actions out, on the screen, in pictures, in videos and as JSON."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from core.drawing import annotated
from core.train.logs.run_folder import writing
from core.train.runner.answering import answer_each, predictions_folder, write_predictions
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.vision.inputs import expand_named
from core.weights.messages import counted
from PaddleVideo.data.dataset import strip
from PaddleVideo.data.sources import FileFrames, FrameSource
from PaddleVideo.localization.inference import infer as find_intervals
from PaddleVideo.localization.localizer import finds_intervals
from PaddleVideo.pictures import timeline, write_annotated
from PaddleVideo.recogniser import Action, ActionRecogniser, Recogniser, open_recogniser

DRAWN = 5
"""How many of the best classes are drawn under a video's frames."""

WIDEST = 1600
"""Pixels of a strip of frames, at most."""


class Source(NamedTuple):
    """A video to look at.

    Attributes:
        name: its path, or what it is called.
        stem: what its pictures are called.
        frames: where its frames come from; None: the file ``name``.
        truth: the name of its class, where that is known.
    """

    name: str
    stem: str
    frames: Optional[FrameSource] = None
    truth: Optional[str] = None


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Recognise actions; write a strip of frames for each video, predictions.json, and what the options ask for.

    Args:
        toolkit: of the run.
        options: of the command line: run (its folder, or an exported one), videos (files, folders of them, patterns or
            URLs), demo (how many clips of the test split to take as well), top (how many classes to report), window
            and step (seconds), mp4 (whether to write videos), checkpoint and output. With a run that finds intervals
            the videos are files of features, and duration may say how long they are.

    Returns:
        The exit code: 1 when a video could not be read.
    """
    if finds_intervals(options.run):
        return find_intervals(options)
    if options.duration is not None:
        raise ValueError("--duration is for files of features; videos say how long they are")
    named = expand_named(options.videos, videos=True)
    recogniser = open_recogniser(options.run, options.checkpoint)
    sources = [*(Source(file, stem) for stem, file in named.items()), *_demo(recogniser, options.demo or 0)]
    target = predictions_folder(recogniser.path, options.output)

    def answer(source: Source) -> dict[str, Any]:
        frames = source.frames or FileFrames(source.name)
        found = _look(recogniser, frames, source.stem, options, target)
        return {"video": source.name, "true": source.truth, **found}

    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        records = list(answer_each(sources, answer, _line, lambda _: "video"))
        write_predictions(target, records)
    failed = sum("error" in record for record in records)
    text = f"; {failed} of {len(records)} videos could not be read" if failed else ""
    print(f"wrote {target}/predictions.json and pictures of {counted(len(records) - failed, 'video')} beside it{text}")
    return 1 if failed else 0


def _look(
    recogniser: ActionRecogniser, frames: FrameSource, stem: str, options: argparse.Namespace, target: Path
) -> dict[str, Any]:
    """Recognise the actions of a video, draw them, and return what is written of them."""
    if options.window is None:
        actions = [recogniser.predict(frames, options.top)]
    else:
        actions = list(recogniser.watch(frames, options.window, options.step, top=options.top))
    picture = target / f"{stem}.png"
    write_image(picture, annotated(strip(frames), _lines(actions), most=WIDEST))
    written = {"picture": str(picture)}
    if options.window is not None:
        path = target / f"{stem}_timeline.png"
        write_image(path, timeline(actions, recogniser.class_names, stem))
        written["timeline"] = str(path)
    if options.mp4:
        path = target / f"{stem}.mp4"
        write_annotated(path, frames, actions)
        written["mp4"] = str(path)
    return {**written, "actions": [dataclasses.asdict(action) for action in actions]}


def _lines(actions: Sequence[Action]) -> list[str]:
    """Return what is written under the frames: the best classes, or the first windows with their best class."""
    if len(actions) == 1:
        return [f"{name}  {p:.1%}" for name, p in zip(actions[0].names[:DRAWN], actions[0].probabilities)]
    lines = [f"{one.start:.1f} - {one.end:.1f} s: {one.names[0]}  {one.probabilities[0]:.1%}" for one in actions]
    more = len(lines) - DRAWN
    return lines if more <= 0 else [*lines[:DRAWN], f"and {more} more"]


def _demo(recogniser: ActionRecogniser, count: int) -> Sequence[Source]:
    if count < 1:
        return []
    if not isinstance(recogniser, Recogniser):
        raise ValueError("--demo needs the folder of a run: an exported one holds no clips; name video files")
    dataset = recogniser.section.build_dataset(recogniser.config.data.root)
    return [
        Source(f"test_{i:04d}", f"test_{i:04d}", dataset.source(i), dataset.class_names[dataset.label(i)])
        for i in range(min(count, len(dataset)))
    ]


def _line(record: dict[str, Any]) -> str:
    actions = record["actions"]
    if len(actions) > 1:
        parts = [f"{one['start']:.1f} s {one['names'][0]} {one['probabilities'][0]:.0%}" for one in actions[:DRAWN]]
        more = f", and {len(actions) - DRAWN} more" if len(actions) > DRAWN else ""
        return f"{record['video']}: {', '.join(parts)}{more}"
    best = ", ".join(f"{name}  {p:.1%}" for name, p in zip(actions[0]["names"], actions[0]["probabilities"]))
    return f"{record['video']}: {best}" + ("" if record["true"] is None else f"  (true: {record['true']})")
