"""Image files of every kind are read as Pillow reads them, or refused in one line that names the file."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any, Optional

import cv2
import numpy as np
import pytest
from PIL import Image, ImageOps

import core
from core.vision import get_image_backend, image_load, read_image, set_image_backend
from core.vision.decoding import decode_image, size_of
from tests.fuzz import cases, mutated, outcome
from tests.hostile_images import encoded as encoded_image
from tests.hostile_images import run_length_bmp

NOISE = np.random.RandomState(0).randint(0, 256, (40, 52, 3), dtype=np.uint8)
PICTURE = cv2.GaussianBlur(NOISE, (0, 0), 2)
GRAY = PICTURE[:, :, 0]


def encoded(format: str, image: Optional[Image.Image] = None, **options: Any) -> bytes:
    return encoded_image(format, Image.fromarray(PICTURE) if image is None else image, **options)


def as_pillow_reads(data: bytes) -> np.ndarray:
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert image is not None
    return np.asarray(image.convert("RGBA").convert("RGB"))


def with_alpha() -> Image.Image:
    return Image.fromarray(np.concatenate([PICTURE, PICTURE[:, :, :1]], axis=2))


def palette_with_transparency() -> bytes:
    return encoded("PNG", Image.fromarray(PICTURE).quantize(16), transparency=bytes(range(0, 240, 15)))


def animation(format: str) -> bytes:
    frames = [Image.fromarray(np.full((20, 30, 3), value, np.uint8)) for value in (50, 100, 200)]
    return encoded(format, frames[0], save_all=True, append_images=frames[1:], duration=40)


FILES = {
    "JPEG": lambda: encoded("JPEG", quality=95),
    "progressive JPEG": lambda: encoded("JPEG", progressive=True),
    "JPEG with subsampled colors": lambda: encoded("JPEG", subsampling=2),
    "grey JPEG": lambda: encoded("JPEG", Image.fromarray(GRAY)),
    "CMYK JPEG": lambda: encoded("JPEG", Image.fromarray(PICTURE).convert("CMYK")),
    "PNG": lambda: encoded("PNG"),
    "grey PNG": lambda: encoded("PNG", Image.fromarray(GRAY)),
    "1-bit PNG": lambda: encoded("PNG", Image.fromarray(GRAY).convert("1")),
    "palette PNG": lambda: encoded("PNG", Image.fromarray(PICTURE).quantize(16)),
    "palette PNG with transparency": palette_with_transparency,
    "PNG with transparency": lambda: encoded("PNG", with_alpha()),
    "grey PNG with transparency": lambda: encoded("PNG", with_alpha().convert("LA")),
    "animated PNG": lambda: animation("PNG"),
    "GIF": lambda: encoded("GIF"),
    "animated GIF": lambda: animation("GIF"),
    "WebP": lambda: encoded("WEBP"),
    "lossless WebP with transparency": lambda: encoded("WEBP", with_alpha(), lossless=True),
    "animated WebP": lambda: animation("WEBP"),
    "TIFF": lambda: encoded("TIFF", compression="tiff_lzw"),
    "CMYK TIFF": lambda: encoded("TIFF", Image.fromarray(PICTURE).convert("CMYK")),
    "1-bit TIFF": lambda: encoded("TIFF", Image.fromarray(GRAY).convert("1")),
    "BMP": lambda: encoded("BMP"),
    "BMP of run lengths": lambda: run_length_bmp(GRAY, np.arange(768).reshape(256, 3).astype(np.uint8)),
    "PPM": lambda: encoded("PPM"),
    "one pixel": lambda: encoded("PNG", Image.fromarray(PICTURE[:1, :1])),
}


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_as_pillow_reads_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "photo.dat"  # the contents say what it is
    path.write_bytes(FILES[name]())
    expected = as_pillow_reads(path.read_bytes())
    image = read_image(path)
    assert image.dtype == np.uint8 and image.flags.c_contiguous
    np.testing.assert_array_equal(image, expected)
    np.testing.assert_array_equal(read_image(path, "bgr"), expected[:, :, ::-1])
    gray = read_image(path, "gray")
    assert gray.shape == (*expected.shape[:2], 1)
    luma = np.clip(expected @ np.array([0.299, 0.587, 0.114]), 0, 255)
    # A JPEG file holds the brightness itself, before its colors are clipped to what can be shown.
    assert np.abs(gray[:, :, 0] - luma).mean() < 1


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_applied(format: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(format, exif=exif)
    expected = as_pillow_reads(data)
    assert expected.shape == ((40, 52, 3) if orientation < 5 else (52, 40, 3))
    np.testing.assert_array_equal(decode_image(data, "photo"), expected)
    assert size_of(data, "photo") == expected.shape[:2]


def test_sixteen_bits_become_eight() -> None:
    values = (np.arange(40 * 52).reshape(40, 52) * 31).astype(np.uint16)
    for format in ("PNG", "TIFF"):
        image = decode_image(encoded(format, Image.fromarray(values)), "scan")
        np.testing.assert_array_equal(image, np.repeat((values >> 8).astype(np.uint8)[:, :, None], 3, axis=2))
    color = np.stack([values, values.T.reshape(40, 52), values[::-1]], axis=2)
    _, data = cv2.imencode(".png", color[:, :, ::-1])
    np.testing.assert_array_equal(decode_image(data.tobytes(), "scan"), (color >> 8).astype(np.uint8))
    header = f"P5 {52} {40} 65535\n".encode()
    np.testing.assert_array_equal(decode_image(header + values.astype(">u2").tobytes(), "scan")[:, :, 1], values >> 8)


def test_the_first_picture_of_an_animation() -> None:
    for format in ("PNG", "GIF", "WEBP"):
        image = decode_image(animation(format), "clip")
        assert image.shape == (20, 30, 3) and np.abs(image.astype(int) - 50).max() <= 2


def jpeg_of_size(height: int, width: int) -> bytes:
    data = bytearray(encoded("JPEG"))
    start = data.index(b"\xff\xc0") + 5
    data[start : start + 4] = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return bytes(data)


def png_of_size(height: int, width: int) -> bytes:
    import zlib

    data = bytearray(encoded("PNG"))
    data[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "image file 'photo' is empty"),
        (b"\0", "'photo' is not an image file that can be read"),
        (b"GIF89a", "'photo' is not an image file that can be read"),
        (b"\xff\xd8\xff\xd9", "'photo' is not an image file that can be read"),
        (b"<html>404 Not Found</html>", "'photo' is not an image file that can be read"),
        (encoded("JPEG")[:500], "'photo' is truncated: it ends after 500 bytes, before its end mark"),
        (encoded("JPEG")[:1000] + b"\xff\xd9", None),
        (encoded("PNG")[:700] + b"IEND", "image file 'photo' is damaged"),
        (encoded("GIF")[:1500], "image file 'photo' is damaged: image file is truncated"),
        (encoded("BMP")[:-200], "image file 'photo' is damaged: image file is truncated"),
        (encoded("TIFF")[:-500], "'photo'"),
        (jpeg_of_size(65000, 65000), r"'photo' claims 65000 x 65000 pixels, more than 120000000; it is not read"),
        (png_of_size(50000, 50000), r"'photo' claims 50000 x 50000 pixels, more than 120000000; it is not read"),
        (jpeg_of_size(0, 10), "'photo'"),
        (
            encoded("TIFF", Image.fromarray(PICTURE[:, :, 0].astype(np.float32))),
            "its pixels are floating-point numbers",
        ),
        (
            encoded("TIFF", Image.fromarray(PICTURE[:, :, 0].astype(np.int32))),
            "its pixels are 32-bit integers; convert",
        ),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, message: Optional[str]) -> None:
    if message is None:  # cut, but closed again: the missing part is grey, as in Pillow
        np.testing.assert_array_equal(decode_image(data, "photo"), as_pillow_reads(data))
        return
    with pytest.raises(ValueError, match=message) as caught:
        decode_image(data, "photo")
    assert "\n" not in str(caught.value)


def test_directories_are_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a directory, not an image file"):
        read_image(tmp_path)
    with pytest.raises(IsADirectoryError, match="is a directory, not an image file"):
        image_load(tmp_path)


def test_a_complaint_that_does_no_harm_is_kept_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    whole = encoded("JPEG")
    start = whole.index(b"\xff\xda")
    odd = whole[:start] + b"\x01\x02" + whole[start:]  # libjpeg: "2 extraneous bytes before marker"
    np.testing.assert_array_equal(decode_image(odd, "photo"), decode_image(whole, "photo"))
    os.write(2, b"mine\n")
    assert capfd.readouterr().err == "mine\n"


SEEDS = [make() for make in FILES.values()]


def test_mutated_files_neither_crash_nor_print(capfd: pytest.CaptureFixture[str]) -> None:
    read = refused = 0
    for number in cases(1000):
        image, message = outcome(partial(decode_image, mutated(number, SEEDS), "photo"), ValueError, name="'photo'")
        if message is None:
            assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3
        read += message is None
        refused += message is not None
    assert read > 100 and refused > 100
    assert capfd.readouterr() == ("", "")


def test_threads_decode_side_by_side(capfd: pytest.CaptureFixture[str]) -> None:
    whole = encoded("JPEG")
    expected = decode_image(whole, "photo")
    damaged = bytearray(whole)
    damaged[len(whole) // 2 : len(whole) // 2 + 40] = bytes(40)
    wrong = []

    def work() -> None:
        for _ in range(60):
            if not np.array_equal(decode_image(whole, "photo"), expected):
                wrong.append("pixels")
            decode_image(bytes(damaged), "photo")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert capfd.readouterr().err == ""


def test_a_forked_process_reads_images_whatever_another_thread_held(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(encoded("JPEG"))
    script = tmp_path / "forks.py"
    script.write_text(
        "import ctypes, os, sys\n"
        "from core.vision import decoding, error_stream, read_image\n"
        "read_image(sys.argv[1])\n"
        "with error_stream._stream_lock, decoding._warnings_lock:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        read_image(sys.argv[1])\n"
        "        libc = ctypes.CDLL(None)\n"
        "        libc.fputs(b'C speaks\\n', ctypes.c_void_p.in_dll(libc, 'stderr'))\n"
        "        os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    command = [sys.executable, "-W", "ignore", str(script), str(tmp_path / "photo.jpg")]
    result = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}, capture_output=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == b"C speaks\n"


def test_reading_images_does_not_load_the_engine(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(encoded("JPEG"))
    code = (
        "import sys, core.vision as vision\n"
        "import core.vision.transforms as T\n"
        f"image = vision.read_image({str(tmp_path / 'photo.jpg')!r})\n"
        "T.Compose([T.RandomResizedCrop(8), T.ToTensor()])(image)\n"
        "assert not {'mxnet', 'numba', 'core.kernels', 'scipy', 'pooch'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_image_load_and_its_backends(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(encoded("PNG", with_alpha()))
    assert get_image_backend() == "pil"
    loaded = image_load(str(path))
    assert isinstance(loaded, Image.Image) and loaded.mode == "RGBA"
    np.testing.assert_array_equal(image_load(path, backend="cv2"), PICTURE[:, :, ::-1])
    tensor = image_load(path, backend="tensor")
    assert tensor.dtype == core.uint8
    np.testing.assert_array_equal(tensor.numpy(), PICTURE.transpose(2, 0, 1))
    set_image_backend("cv2")
    try:
        assert get_image_backend() == "cv2"
        assert isinstance(image_load(path), np.ndarray)
    finally:
        set_image_backend("pil")
    with pytest.raises(ValueError, match="the image backend must be one of 'pil', 'cv2', 'tensor', not 'PIL'"):
        set_image_backend("PIL")
    with pytest.raises(ValueError, match="the image backend must be one of"):
        image_load(path, backend="opencv")
    path.write_bytes(encoded("PNG")[:300])
    with pytest.raises(ValueError, match="photo.png' is damaged: "):
        image_load(path)

