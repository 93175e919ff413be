"""Write the videos of tests that OpenCV does not write: with frames out of order, of varying rate, turned.

    REFERENCE_PYTHON tests/core/vision/make_videos.py

REFERENCE_PYTHON has PyAV with libx264 and libx265.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

FOLDER = Path(__file__).with_name("videos")
COUNT, HEIGHT, WIDTH = 30, 48, 64


def frames() -> list[np.ndarray]:
    """Return frames of noise that moves, with a square on it: no two alike."""
    source = np.random.RandomState(0)
    ground = source.randint(0, 120, (HEIGHT // 8, 2 * WIDTH // 8, 3)).astype(np.uint8).repeat(8, 0).repeat(8, 1)
    pictures = []
    for number in range(COUNT):
        picture = ground[:, number : number + WIDTH].copy()
        picture[16:32, (3 * number) % 48 : (3 * number) % 48 + 16] = 250, 8 * number, 10
        pictures.append(picture)
    return pictures


def write(name: str, codec: str, options: dict[str, str], times: list[int] | None = None) -> None:
    """Encode the frames; ``times`` are in thirtieths of a second."""
    with av.open(str(FOLDER / name), "w") as container:
        stream = container.add_stream(codec, rate=30, options=options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 30)
        for number, picture in enumerate(frames()):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = number if times is None else times[number]
            frame.time_base = Fraction(1, 30)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    print(name, (FOLDER / name).stat().st_size)


def turned(source: str, target: str) -> None:
    """Copy an MP4 file with a matrix that turns its frames by 90 degrees."""
    data = bytearray((FOLDER / source).read_bytes())
    place = data.index(b"tkhd") + 4 + 4 + 20 + 16  # version and flags, times and number, layer to reserved
    one = 1 << 16
    data[place : place + 36] = struct.pack(">9i", 0, one, 0, -one, 0, 0, HEIGHT << 16, 0, 1 << 30)
    (FOLDER / target).write_bytes(data)


def main() -> None:
    """Write all."""
    FOLDER.mkdir(exist_ok=True)
    write("b_frames.mp4", "libx264", {"x264-params": "keyint=10:bframes=3:scenecut=0:b-pyramid=normal"})
    write("open_groups.mp4", "libx264", {"x264-params": "keyint=10:bframes=3:scenecut=0:open-gop=1"})
    gaps = np.cumsum(np.resize([1, 1, 3, 1, 5], COUNT)).tolist()
    write("varying_rate.mp4", "libx264", {"x264-params": "keyint=10:bframes=2"}, gaps)
    write("varying_rate.mkv", "libx264", {"x264-params": "keyint=10:bframes=2"}, gaps)
    write("hevc.mkv", "libx265", {"x265-params": "keyint=10:bframes=3:log-level=none"})
    turned("b_frames.mp4", "turned.mp4")


if __name__ == "__main__":
    main()
