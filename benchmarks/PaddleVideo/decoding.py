"""Eight frames of each video of a folder: ours beside decord, PyAV and torchcodec, in clips a second.

    python3.11 -m venv PEERS; PEERS/bin/pip install decord av torchcodec torch numpy
    python -m benchmarks.PaddleVideo.decoding FOLDER [--peers PYTHON] [--rounds 3] [--threads 1] [--processor]

Each side opens a file and gives eight frames at equal distances as RGB arrays; ours counts the frames first, and the
others seek as they do. What is not installed is left out; torchcodec also needs FFmpeg's libraries in the system. The
sides of a row take turns, each in a process of its own; the ratio is the median of the rounds' ratios, and above 1 says
that ours is faster. ``--processor`` compares the time that processors worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

from benchmarks.options import add_sides

Steps = Mapping[str, Callable[[], Any]]
Chosen = Callable[[int], Sequence[int]]
"""What says, of a number of frames, which are taken: in rising order, none twice."""

Reader = Callable[[str, Chosen], Any]
FRAMES = 8


def main() -> None:
    """Print one row for each peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with videos, also in folders below it")
    parser.add_argument("--every", type=int, default=1, help="take one video of so many (default 1)")
    add_sides(parser, rounds=3, threads=1, peers="the other decoders")
    options = parser.parse_args()
    from benchmarks.side import Side, compare, lacking

    files = [str(path) for path in sorted(options.folder.rglob("*.mp4"))[:: options.every]]
    settings = {"threads": options.threads, "processor": options.processor}
    mine = Side("ours", ours, (files, options.threads), **settings)
    print(f"{'clips a second':16} {'ours':>8} {'peer':>8} {'ratio':>7}")
    for name, package in PACKAGES.items():
        line = lacking(package, python=options.peers)
        if line:
            print(f"{name}: {line}")
            continue
        other = Side(name, peer, (name, files, options.threads), **settings, python=options.peers)
        own, theirs, ratio = compare((mine, "read"), (other, "read"), options.rounds)
        print(f"{name:16} {len(files) / own:8.1f} {len(files) / theirs:8.1f} {ratio:7.2f}", flush=True)
        other.close()
    mine.close()


# --- inside a side ---------------------------------------------------------------------------------------------------


def chosen(count: int) -> list[int]:
    """Return which frames are taken."""
    return np.linspace(0, count - 1, FRAMES).astype(int).tolist()


def ours(files: Sequence[str], threads: int) -> Steps:
    """Return the step that reads all files."""
    import cv2

    from core.vision.video_frames import VideoFrames

    cv2.setNumThreads(threads)

    def read(file: str) -> Any:
        video = VideoFrames(file)
        return np.stack(video.read(chosen(video.count)))

    return {"read": lambda: [read(file) for file in files] and None}


def peer(name: str, files: Sequence[str], threads: int) -> Steps:
    """Return the same of another decoder."""
    read = READERS[name](threads)
    return {"read": lambda: [read(file, chosen) for file in files] and None}


def decord(threads: int) -> Reader:
    """Return what reads frames with decord."""
    from decord import VideoReader

    def read(file: str, choose: Chosen) -> Any:
        video = VideoReader(file, num_threads=threads)
        return video.get_batch(choose(len(video))).asnumpy()

    return read


def pyav(threads: int) -> Reader:
    """Return what does so with PyAV, which decodes from the beginning as ours does."""
    import av

    def read(file: str, choose: Chosen) -> Any:
        with av.open(file) as container:
            stream = container.streams.video[0]
            stream.thread_count = threads
            wanted, found = set(choose(stream.frames)), []
            for number, frame in enumerate(container.decode(stream)):
                if number in wanted:
                    found.append(frame.to_ndarray(format="rgb24"))
                if len(found) == len(wanted):
                    break
            return np.stack(found)

    return read


def torchcodec(threads: int) -> Reader:
    """Return what does so with torchcodec."""
    from torchcodec.decoders import VideoDecoder

    def read(file: str, choose: Chosen) -> Any:
        video = VideoDecoder(file, num_ffmpeg_threads=threads, dimension_order="NHWC")
        return video.get_frames_at(list(choose(len(video)))).data.numpy()

    return read


READERS: dict[str, Callable[[int], Reader]] = {"decord": decord, "pyav": pyav, "torchcodec": torchcodec}
"""Other decoders; each takes a number of threads, and reads the frames of a file that a function chooses."""

PACKAGES = {"decord": "decord", "pyav": "av", "torchcodec": "torchcodec"}


if __name__ == "__main__":
    main()
