"""Which files are decoded at all, by which decoder, and up to which size."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, features

from core.vision import image_load, read_image
from core.vision.decoding import decode_image, open_with_pillow
from core.vision.formats import FORMATS, Damaged, image_format, pixel_limit, read_header
from tests.core.vision.test_decoding import FILES, PICTURE, as_pillow_reads, encoded
from tests.hostile_images import HOSTILE_IMAGES, animated_webp, postscript, run_length_bmp

ROOT = Path(__file__).resolve().parents[3]
REFUSED = "'photo' is not an image file that can be read (JPEG, PNG, GIF, BMP, WEBP, TIFF, PPM)"
OTHER_PLUGINS = (
    "AVIF BLP BUFR CUR DCX DDS DIB EPS FITS FLI FPX FTEX GBR GRIB HDF5 ICNS ICO IM IMT IPTC JPEG2000 MCIDAS MIC MPEG "
    "MSP PCD PCX PIXAR PSD QOI SGI SPIDER SUN TGA WMF XBM XPM XVTHUMB"
).split()
WRITTEN = {  # by Pillow, from pictures of these modes
    **dict.fromkeys(("AVIF", "DDS", "DIB", "ICNS", "ICO", "JPEG2000", "PCX", "QOI", "SGI", "TGA"), "RGB"),
    **{"BLP": "P", "MSP": "1", "SPIDER": "F", "XBM": "1"},
}
OPENCVS_SIGNATURES = {
    "OpenEXR": b"\x76\x2f\x31\x01",
    "Radiance": b"#?RADIANCE\n",
    "JPEG 2000": b"\x00\x00\x00\x0cjP  \r\n\x87\n",
    "JPEG 2000, bare": b"\xff\x4f\xff\x51",
    "Sun": b"\x59\xa6\x6a\x95",
    "PAM": b"P7\nWIDTH 2\n",
    "PFM": b"Pf\n2 2\n-1.0\n",
    "AVIF": b"\0\0\0\x20ftypavif",
}


def test_the_formats_are_those_of_the_message() -> None:
    assert FORMATS == ("JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
    assert f"({', '.join(FORMATS)})" in REFUSED
    for name, write in FILES.items():
        assert image_format(write()) in FORMATS, name


def test_every_other_plugin_is_named() -> None:
    Image.init()
    assert set(Image.OPEN) - set(FORMATS) <= set(OTHER_PLUGINS)


@pytest.mark.parametrize("plugin", OTHER_PLUGINS)
def test_no_other_plugin_is_opened(plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.init()
    opened = []

    def factory(*arguments: Any) -> Any:
        opened.append(plugin)
        raise SyntaxError

    data = {"EPS": postscript()}.get(plugin, plugin.encode() + bytes(600))
    if plugin in WRITTEN and (plugin != "AVIF" or features.check("avif")):
        image = Image.fromarray(np.full((32, 32), 77, np.uint8))
        data = encoded(plugin, image.convert(WRITTEN[plugin]))
    monkeypatch.setitem(Image.OPEN, plugin, (factory, lambda prefix: True))
    path = tmp_path / "photo.jpg"
    for content in (data, b"\xff\xd8\xff" + data + b"\xff\xd9", b"BM" + data, b"P6\n" + data):
        path.write_bytes(content)
        for read in (read_image, image_load):
            with pytest.raises(ValueError, match="photo.jpg'"):
                read(path)
    with pytest.raises(ValueError, match=re.escape(REFUSED)):
        decode_image(data, "photo")
    assert opened == []


def test_opencv_sees_only_admitted_files(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    decode = cv2.imdecode

    def recording(array: np.ndarray, flags: int) -> Any:
        seen.append(array.tobytes())
        return decode(array, flags)

    monkeypatch.setattr(cv2, "imdecode", recording)
    for name, signature in OPENCVS_SIGNATURES.items():
        with pytest.raises(ValueError, match=re.escape(REFUSED)):
            decode_image(signature + bytes(100), "photo")
        assert not seen, name
    for name, write in HOSTILE_IMAGES.items():
        if "within" not in name and "ends_of_lines" not in name and "four_channels" not in name:
            try:
                decode_image(write(), "photo")
            except ValueError:
                assert not seen, name
            seen.clear()
    for name, write in FILES.items():
        data = write()
        decode_image(data, name)
        header = read_header(data)
        assert header is not None and bool(seen) == (header.decoder == "opencv"), name
        seen.clear()


@pytest.mark.parametrize(
    "line",
    [
        "from PIL import Image; Image.open('photo')",
        "import PIL.Image; PIL.Image.open('photo')",
        "import cv2; cv2.imread('photo')",
        "import cv2; cv2.imdecode(b'', 1)",
        "from matplotlib.pyplot import imread",
    ],
)
def test_the_linter_refuses_other_readers(line: str) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    for name, code in (("core/vision/other.py", 1), ("PaddleGAN/other.py", 1), ("core/vision/decoding.py", 0)):
        command = [str(ruff), "check", "--select", "TID251", "--stdin-filename", name, "-"]
        result = subprocess.run(command, input=line.replace("; ", "\n"), cwd=ROOT, capture_output=True, text=True)
        assert (result.returncode, "TID251" in result.stdout) == (code, bool(code)), result.stdout + result.stderr


@pytest.mark.parametrize("name", [name for name in FILES if name != "one pixel"])
def test_the_limit_is_exact(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = FILES[name]()
    height, width = decode_image(data, "photo").shape[:2]
    assert decode_image(data, "photo", maximum_pixels=height * width).shape[:2] == (height, width)
    claim = rf"image file 'photo' claims {height} x {width} pixels, more than {height * width - 1}; it is not read"
    for read in (decode_image, open_with_pillow):
        with pytest.raises(ValueError, match=claim):
            read(data, "photo", maximum_pixels=height * width - 1)
        monkeypatch.setenv("CORE_MAXIMUM_PIXELS", str(height * width - 1))
        with pytest.raises(ValueError, match=claim):
            read(data, "photo")
        assert min(np.asarray(read(data, "photo", maximum_pixels=10_000)).shape[:2]) == min(height, width)
        monkeypatch.delenv("CORE_MAXIMUM_PIXELS")


def test_limits_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pixel_limit() == 120_000_000
    monkeypatch.setenv("CORE_MAXIMUM_PIXELS", "400000000")
    assert pixel_limit() == 400_000_000 and pixel_limit(5) == 5
    for value in ("", "many", "-3", "0", "1e9", "9" * 4000):
        monkeypatch.setenv("CORE_MAXIMUM_PIXELS", value)
        with pytest.raises(ValueError, match="environment variable CORE_MAXIMUM_PIXELS is '.*': it must be a positive"):
            decode_image(FILES["PNG"](), "photo")
    with pytest.raises(ValueError, match="maximum_pixels must be positive, not 0"):
        decode_image(FILES["PNG"](), "photo", maximum_pixels=0)


def test_files_longer_than_any_image_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    with path.open("wb") as stream:
        stream.truncate(10 << 30)
    for read in (read_image, image_load):
        with pytest.raises(ValueError, match=r"photo.jpg' has 10737418240 bytes, more than any image within the limit"):
            read(path)
    path.write_bytes(FILES["PNG"]())
    assert read_image(path, maximum_pixels=2080).shape == PICTURE.shape
    assert image_load(path, maximum_pixels=2080).size == (52, 40)
    for backend in ("pil", "cv2", "tensor"):
        with pytest.raises(ValueError, match="claims 40 x 52 pixels, more than 2079"):
            image_load(path, backend, maximum_pixels=2079)


def test_libjpegs_rules_of_markers() -> None:
    data = encoded("JPEG")
    expected = decode_image(data, "photo")
    for extra in (b"\xff\x01", b"\xff\xd0", b"rubbish", b"\xff\x00", b"\xff\xff", b"\xff\xfe\x00\x02", b"\xff\xe5\0\1"):
        odd = data[:20] + extra + data[20:]
        header = read_header(odd)
        assert header is not None and header.size == (40, 52), extra
        np.testing.assert_array_equal(decode_image(odd, "photo"), expected)
    for ends in (b"\xff\xd8", b"\xff\xd9", b""):
        assert read_header(data[:20] + ends) is None


def test_scans_behind_the_picture_do_not_count() -> None:
    data = encoded("JPEG", progressive=True)
    np.testing.assert_array_equal(
        decode_image(data + b"\xff\xda" * 1000 + b"\xff\xd9", "photo"), decode_image(data, "photo")
    )
    with pytest.raises(Damaged, match="it has 3000 scans; at most 100 are decoded"):
        read_header(HOSTILE_IMAGES["jpeg_of_many_scans"]())


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientations_that_pillow_is_not_asked_for(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    for format, image in (("JPEG", Image.fromarray(PICTURE).convert("CMYK")), ("PNG", Image.fromarray(PICTURE))):
        data = encoded(format, image, exif=exif)
        np.testing.assert_array_equal(decode_image(data, "photo"), as_pillow_reads(data))
        opened = open_with_pillow(data, "photo")
        assert opened.size == (52, 40) and opened.getexif().get(0x0112, 1) == orientation
        assert decode_image(data, "photo", "gray").shape == ((40, 52, 1) if orientation < 5 else (52, 40, 1))


def test_broken_exif_data_say_nothing() -> None:
    ninth = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x09\0\0"
    for exif in (b"", b"II", b"XX*\0", b"II*\0\xff\xff\xff\xff", ninth, ninth[:-4]):
        segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + b"Exif\0\0" + exif
        data = encoded("JPEG")
        header = read_header(data[:2] + segment + data[2:])
        assert header is not None and header.orientation == 1


@pytest.mark.parametrize("bits", [8, 4])
def test_run_lengths_of_bmp_files(bits: int) -> None:
    source = np.random.RandomState(bits)
    for _ in range(20):
        height, width = source.randint(1, 60, 2)
        pixels = (source.randint(0, 4, (height, width)) * source.randint(0, 2, (height, 1))).astype(np.uint8)
        palette = source.randint(0, 256, (1 << bits, 3), dtype=np.uint8)
        image = decode_image(run_length_bmp(pixels, palette), "photo")
        np.testing.assert_array_equal(image, palette[pixels])
    opened = open_with_pillow(run_length_bmp(pixels, palette), "photo")
    assert opened.mode == "P"
    np.testing.assert_array_equal(np.asarray(opened.convert("RGB")), palette[pixels])


@pytest.mark.parametrize("options", [{}, {"lossless": True, "exact": True}])
@pytest.mark.parametrize("alpha", [False, True])
def test_the_first_frame_of_a_webp_animation_on_its_canvas(options: dict[str, Any], alpha: bool) -> None:
    pixels = np.concatenate([PICTURE, 255 - PICTURE[:, :, :1]], axis=2) if alpha else PICTURE
    still = encoded("WEBP", Image.fromarray(pixels), **options)
    data = animated_webp(still, (40, 52), canvas=(60, 70), place=(10, 4))
    np.testing.assert_array_equal(decode_image(data, "photo"), as_pillow_reads(data))
    assert decode_image(data, "photo")[:10].max() == 0
    opened = open_with_pillow(data, "photo")
    assert opened.size == (70, 60) and opened.mode == ("RGBA" if alpha else "RGB")
    with pytest.raises(ValueError, match="damaged: its picture of 40 x 52 pixels reaches beyond its 60 x 70"):
        decode_image(animated_webp(still, (40, 52), canvas=(60, 70), place=(22, 4)), "photo")


def test_metadata_do_not_reach_pillow() -> None:
    image = open_with_pillow(HOSTILE_IMAGES["png_with_texts"](), "photo")
    assert image.size == (24, 16) and not any(str(key).startswith("k") for key in image.info)
    jpeg = open_with_pillow(HOSTILE_IMAGES["jpeg_with_an_exif_bomb"](), "photo")
    assert "exif" not in jpeg.info
    for format in ("JPEG", "PNG", "TIFF"):
        data = encoded(format, icc_profile=b"profile" * 20_000, exif=Image.Exif())
        assert open_with_pillow(data, "photo").info["icc_profile"] == b"profile" * 20_000
