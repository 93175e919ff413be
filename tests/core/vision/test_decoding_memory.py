"""Decoding takes at most 12 bytes a pixel and 64 MB, measured as peak resident size in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from PIL import Image

from tests.hostile_images import HOSTILE_IMAGES, encoded

ROOT = Path(__file__).resolve().parents[3]
MEGABYTE = 1 << 20
ALLOWED = 64 * MEGABYTE
A_PIXEL = 12

MEASURE = """
import io, json, os, resource, signal, sys, time

def resident(key):
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) << 10 for line in stream if line.startswith(key))

from PIL import Image
from core.vision.decoding import decode_image, open_with_pillow
for kind in ("JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF", "PPM"):  # what is loaded late is no picture's
    small = io.BytesIO()
    Image.new("RGB", (4, 4)).save(small, kind)
    decode_image(small.getvalue(), "small")
    open_with_pillow(small.getvalue(), "small")
for path, read in [(path, read) for path in sys.argv[1:] for read in (decode_image, open_with_pillow)]:
    with open(path, "rb") as stream:
        data = stream.read()
    child = os.fork()  # a heap that nothing was freed in
    if child == 0:
        signal.alarm(120)
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        with open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")  # the peak begins anew
        before, mapped, pixels, message = resident("VmRSS"), resident("RssFile"), 0, None
        try:
            image = read(data, "photo")
            pixels = image.shape[0] * image.shape[1] if read is decode_image else image.width * image.height
        except ValueError as error:
            message = str(error)
        taken = resident("VmHWM") - before - (resident("RssFile") - mapped)  # the libraries' own pages are no picture's
        print(json.dumps([path, read.__name__, taken, pixels, message]), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, path
"""


def measured(files: dict[str, bytes], folder: Path) -> Iterator[tuple[str, str, int, int, Any]]:
    """Yield (name, function, bytes taken, pixels decoded, message) of each file and function."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    result = subprocess.run(
        [sys.executable, "-c", MEASURE, *files],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (result.returncode, result.stderr) == (0, "")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line[0] for line in lines[::2]] == list(files)
    yield from lines


# What the first word of a message is, of each file that is not decoded; the rest is decoded, in proportion.
REFUSALS = {
    "jpeg_behind_a_false_header": "claims 65000 x 65000 pixels, more than 120000000",
    "jpeg_beyond_the_limit": "claims 65000 x 65000 pixels, more than 120000000",
    "jpeg_behind_rubbish": "claims 65000 x 65000 pixels, more than 120000000",
    "jpeg_with_a_thumbnail_of_another_size": "claims 65000 x 65000 pixels, more than 120000000",
    "jpeg_with_two_frame_headers": "is damaged: it holds two frame headers",
    "jpeg_of_many_scans": "is damaged: it has 3000 scans; at most 100 are decoded",
    "png_beyond_the_limit": "claims 65000 x 65000 pixels, more than 120000000",
    "png_within_the_limit": "is damaged: image file is truncated",
    "png_with_two_headers": "is damaged: it holds two IHDR chunks",
    "png_with_a_header_behind_the_pixels": "is damaged: it holds two IHDR chunks",
    "png_with_a_profile": "is damaged: Decompressed data too large",
    "gif_beyond_the_limit": "claims 65000 x 65000 pixels, more than 120000000",
    "gif_whose_frame_is_larger": "claims 10000 x 17000 pixels, more than 120000000",
    "gif_with_a_frame_far_away": "claims 65001 x 65001 pixels, more than 120000000",
    "gif_within_the_limit": "is damaged: image file is truncated",
    "gif_of_many_frames": "is damaged: ",
    "bmp_beyond_the_limit": "claims 65000 x 65000 pixels, more than 120000000",
    "bmp_upside_down": "claims 65000 x 65000 pixels, more than 120000000",
    "bmp_within_the_limit": "is damaged: image file is truncated",
    "bmp_of_one_column": "claims 120000000 x 1 pixels, more than 1048576 on one side",
    "webp_beyond_the_limit": "claims 16384 x 16384 pixels, more than 120000000",
    "webp_whose_canvas_is_larger": "is damaged: its picture has another size than its canvas",
    "webp_whose_canvas_is_smaller": "is damaged: its picture has another size than its canvas",
    "webp_whose_frame_is_larger": "is damaged: its first frame has another size than it states",
    "tiff_beyond_the_limit": "claims 65000 x 65000 pixels, more than 120000000",
    "tiff_within_the_limit": "is damaged: decoder error",
    "tiff_of_two_sizes": "is damaged: it states a size twice",
    "tiff_of_huge_tiles": "is damaged: its tiles of 30000 x 30000 pixels are larger than its 16 x 16 pixels",
    "tiff_of_many_strips": "is damaged: it has 3000000 strips or tiles; at most 131072 are read",
    "tiff_whose_tags_share_their_values": "is damaged: its tags claim more bytes than the file has",
    "tiff_whose_exif_tags_share_their_values": "is damaged: its tags claim more bytes than the file has",
    "tiff_with_a_larger_jpeg_file": "is damaged: decoder error",
    "ppm_beyond_the_limit": "claims more pixels than Pillow reads",
    "ppm_within_the_limit": "is damaged: not enough image data",
    "ppm_of_words": "is damaged: not enough image data",
    "postscript": "is not an image file that can be read (JPEG, PNG, GIF, BMP, WEBP, TIFF, PPM)",
}
LARGE = {  # decoded whole, 120 million pixels of them, which takes seconds
    "jpeg_within_the_limit",
    "jpeg_of_four_channels",
    "bmp_of_ends_of_lines",
    "webp_within_the_limit",
    "webp_animation_within_the_limit",
}


def check_hostile(names: list[str], tmp_path: Path) -> None:
    files = {name: HOSTILE_IMAGES[name]() for name in names}
    for name, function, taken, pixels, message in measured(files, tmp_path):
        claimed = 120_000_000 if "within" in name else pixels
        assert taken <= A_PIXEL * claimed + ALLOWED, (name, function, taken)
        if message is None:
            assert name not in REFUSALS
        else:
            assert REFUSALS[name] in message and "'photo'" in message, (name, message)
            assert taken < 8 * MEGABYTE or "within" in name, (name, function, taken)


def test_hostile_files_take_memory_in_proportion(tmp_path: Path) -> None:
    check_hostile([name for name in HOSTILE_IMAGES if name not in LARGE], tmp_path)


@pytest.mark.exhaustive
def test_hostile_files_of_the_largest_size_take_memory_in_proportion(tmp_path: Path) -> None:
    check_hostile(sorted(LARGE), tmp_path)


def picture(mode: str, height: int, width: int) -> Image.Image:
    """Return a picture that is smooth, so that writing it is quick, and has no two equal rows."""
    rows, columns = np.ogrid[:height, :width]
    gray = Image.fromarray((rows // 3 + columns // 2).astype(np.uint8))
    if mode == "I;16":
        return Image.fromarray((rows * 7 + columns * 3).astype(np.uint16))
    if mode in ("L", "P", "1"):
        return gray.convert(mode)
    return Image.merge(mode, [gray] * len(Image.new(mode, (1, 1)).getbands()))


def turned(format: str, image: Image.Image, **options: Any) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(format, image, exif=exif, **options)


def animation(format: str, image: Image.Image, **options: Any) -> bytes:
    return encoded(format, image, save_all=True, append_images=[image.transpose(Image.Transpose.ROTATE_180)], **options)


def wide_ppm(height: int, width: int) -> bytes:
    values = np.resize(np.arange(4096, dtype=">u2"), (height, width))
    return f"P5 {width} {height} 4095\n".encode() + values.tobytes()


Size = tuple[int, int]
HONEST: dict[str, Callable[[int, int], bytes]] = {
    "jpeg": lambda h, w: encoded("JPEG", picture("RGB", h, w)),
    "jpeg_progressive_turned": lambda h, w: turned("JPEG", picture("RGB", h, w), progressive=True, subsampling=0),
    "jpeg_gray": lambda h, w: encoded("JPEG", picture("L", h, w)),
    "jpeg_cmyk_progressive": lambda h, w: encoded("JPEG", picture("CMYK", h, w), progressive=True, subsampling=0),
    "jpeg_cmyk_turned": lambda h, w: turned("JPEG", picture("CMYK", h, w)),
    "png": lambda h, w: turned("PNG", picture("RGB", h, w), compress_level=1),
    "png_alpha": lambda h, w: encoded("PNG", picture("RGBA", h, w), compress_level=1),
    "png_gray_alpha": lambda h, w: encoded("PNG", picture("LA", h, w), compress_level=1),
    "png_palette": lambda h, w: encoded("PNG", picture("P", h, w), compress_level=1, transparency=bytes(range(255))),
    "png_16": lambda h, w: encoded("PNG", picture("I;16", h, w), compress_level=1),
    "png_animation": lambda h, w: animation("PNG", picture("RGBA", h, w), compress_level=1),
    "gif": lambda h, w: encoded("GIF", picture("L", h, w)),
    "gif_animation": lambda h, w: animation("GIF", picture("P", h, w), disposal=2, transparency=3),
    "bmp": lambda h, w: encoded("BMP", picture("RGB", h, w)),
    "bmp_bits": lambda h, w: encoded("BMP", picture("1", h, w)),
    "webp": lambda h, w: turned("WEBP", picture("RGB", h, w), method=0),
    "webp_lossless_alpha": lambda h, w: encoded("WEBP", picture("RGBA", h, w), lossless=True, method=0, quality=0),
    "webp_alpha": lambda h, w: encoded("WEBP", picture("RGBA", h, w), method=0),
    "webp_animation": lambda h, w: animation("WEBP", picture("RGBA", h, w), method=0),
    "tiff": lambda h, w: turned("TIFF", picture("RGB", h, w)),
    "tiff_lzw": lambda h, w: turned("TIFF", picture("RGBA", h, w), compression="tiff_lzw"),
    "tiff_jpeg": lambda h, w: encoded("TIFF", picture("RGB", h, w), compression="jpeg"),
    "tiff_one_strip": lambda h, w: encoded("TIFF", picture("CMYK", h, w), compression="tiff_lzw", strip_size=1 << 30),
    "ppm": lambda h, w: encoded("PPM", picture("RGB", h, w)),
    "ppm_16": lambda h, w: encoded("PPM", picture("I;16", h, w)),
    "ppm_12": wide_ppm,
}


def check_honest(height: int, width: int, names: list[str], allowed: int, tmp_path: Path) -> None:
    files = {name: HONEST[name](height, width) for name in names}
    for name, function, taken, pixels, message in measured(files, tmp_path):
        assert message is None and pixels == height * width, (name, message)
        print(f"{function:17} {name:24} {taken / pixels:5.1f} bytes a pixel")
        assert taken <= A_PIXEL * pixels + allowed, (name, function, taken / pixels)


def test_honest_files_take_twelve_bytes_a_pixel(tmp_path: Path) -> None:
    check_honest(800, 1000, list(HONEST), 8 * MEGABYTE, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in HONEST if name != "ppm_12"])  # which Pillow reads in Python, slowly
def test_large_honest_files_take_twelve_bytes_a_pixel(name: str, tmp_path: Path) -> None:
    if name.startswith("webp"):
        check_honest(7320, 16383, [name], ALLOWED, tmp_path)
    else:
        check_honest(10_000, 11_990, [name], ALLOWED, tmp_path)
