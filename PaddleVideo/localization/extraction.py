"""The features command: what recognisers of clips say of each moment of a video, written to a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import numpy as np
from tqdm import tqdm

from core.train.logs.run_folder import OutputError, writing
from core.vision.inputs import expand_named
from core.weights import write_pickle
from core.weights.messages import counted
from PaddleVideo.data.intervals.features import resampled
from PaddleVideo.recogniser import ActionRecogniser, Recogniser, Video, frames_of, open_recogniser


def extract(options: argparse.Namespace) -> int:
    """Write NAME.pkl for each video, unless it is there.

    Args:
        options: of the command line: run, second, videos, window, step, length, bytes, again, checkpoint and output.

    Returns:
        The exit code: 1 when a video could not be read.
    """
    named = expand_named(options.videos, videos=True)
    recognisers = [open_recogniser(run, options.checkpoint) for run in (options.run, options.second) if run]
    first = recognisers[0]
    own = first.path / "features" if isinstance(first, Recogniser) else f"{first.path}_features"
    target, written, failed = Path(options.output or own), 0, 0
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        for stem, file in tqdm(named.items(), unit="video", dynamic_ncols=True, disable=not sys.stderr.isatty()):
            path = target / f"{stem}.pkl"
            if path.exists() and not options.again:
                continue
            try:
                scores, duration = scores_of(recognisers, file, options.window, options.step)
            except OutputError:
                raise
            except (OSError, ValueError) as error:
                failed += 1
                tqdm.write(f"error: {' '.join(str(error).split())}", file=sys.stderr)
                continue
            text = f"{file}: {len(scores)} steps of {scores.shape[1]} scores"
            if options.length:
                scores = resampled(scores, options.length)[None]
            if options.bytes:
                scores = np.rint(scores * 255.0).astype(np.uint8)
            write_pickle({"scores": scores, "duration": duration}, str(path))
            tqdm.write(f"{text}, {duration:.1f} s")
            written += 1
    kept = len(named) - written - failed
    text = f"; {kept} were there already" if kept else ""
    text += f"; {failed} of {len(named)} videos could not be read" if failed else ""
    print(f"wrote features of {counted(written, 'video')} to {target}{text}")
    return 1 if failed else 0


def scores_of(
    recognisers: Sequence[ActionRecogniser], video: Video, window: float, step: Optional[float] = None
) -> tuple[np.ndarray, float]:
    """Return the probabilities of all recognisers' classes, side by side, float32 (steps, D), and the duration.

    Only the frames of one window are in memory.

    Args:
        recognisers: who looks at it, one after another.
        video: a file or its URL, frames, or where they come from.
        window: seconds that a step looks at.
        step: seconds from one step to the next; None: windows follow each other.

    Raises:
        OSError: the video cannot be read.
        ValueError: it is damaged, or a window or a step would hold no frame.
    """
    source = frames_of(video)
    parts = []
    for recogniser in recognisers:
        count = len(recogniser.class_names)
        rows = []
        for action in recogniser.watch(source, window, step, top=count):
            row = np.zeros(count, np.float32)
            row[action.classes] = action.probabilities
            rows.append(row)
        parts.append(np.stack(rows))
    return np.concatenate(parts, axis=1), source.count / source.frames_per_second
