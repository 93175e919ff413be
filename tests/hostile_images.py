"""Image files that are small and ask for much: each function writes one, and HOSTILE_IMAGES names them all."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Callable

import numpy as np
from PIL import Image

LIMIT = 120_000_000
"""The default limit, in pixels; files just within it must be decoded in proportion, or refused."""
_WITHIN = (10_000, 12_000)  # height, width
_BEYOND = (65_000, 65_000)


def encoded(format: str, image: Image.Image, **options: object) -> bytes:
    """Return an honest image file."""
    stream = io.BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()


def _picture(format: str, size: tuple[int, int] = (16, 24), **options: object) -> bytes:
    return encoded(format, Image.fromarray(np.full((*size, 3), 77, np.uint8)), **options)


def _jpeg_parts(**options: object) -> tuple[bytes, int]:
    """Return a JPEG file and the position of its frame header."""
    data = _picture("JPEG", **options)
    return data, data.index(b"\xff\xc2" if options.get("progressive") else b"\xff\xc0")


def _claiming(data: bytes, frame: int, size: tuple[int, int]) -> bytes:
    return data[: frame + 5] + struct.pack(">HH", *size) + data[frame + 9 :]


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def jpeg_behind_a_false_header() -> bytes:
    """A marker without a length, behind which a reader that skips one finds another frame header than libjpeg does."""
    data, frame = _jpeg_parts(progressive=True)
    false = _segment(0xC2, struct.pack(">BHHB", 8, 16, 24, 3) + b"\x01\x11\x00\x02\x11\x00\x03\x11\x00")
    # A reader that takes 0xFF01 for a segment of 0xFFFE bytes skips the true header; libjpeg reads it as a comment.
    comment = _segment(0xFE, b"\0" * 6 + false)
    return data[:2] + b"\xff\x01" + comment + _claiming(data, frame, _BEYOND)[2:]


def jpeg_beyond_the_limit() -> bytes:
    """A frame header that claims 65,000 x 65,000 pixels."""
    return _claiming(*_jpeg_parts(), _BEYOND)


def jpeg_within_the_limit() -> bytes:
    """A progressive file of 120 million pixels, of which there are a few."""
    return _claiming(*_jpeg_parts(progressive=True), _WITHIN)


def jpeg_of_four_channels() -> bytes:
    """A progressive CMYK file of 120 million pixels, of which there are a few."""
    image = Image.new("CMYK", (24, 16), (9, 99, 199, 50))
    data = encoded("JPEG", image, progressive=True, subsampling=0)
    return _claiming(data, data.index(b"\xff\xc2"), _WITHIN)


def jpeg_with_two_frame_headers() -> bytes:
    """A small frame header before the true one."""
    data, frame = _jpeg_parts()
    length = int.from_bytes(data[frame + 2 : frame + 4], "big") + 2
    return data[: frame + length] + _claiming(data, frame, _WITHIN)[frame:]


def jpeg_with_a_thumbnail_of_another_size() -> bytes:
    """An EXIF segment that holds a small picture's frame header; the true one claims too much."""
    data, frame = _jpeg_parts()
    return data[:2] + _segment(0xE1, b"Exif\0\0" + data) + _claiming(data, frame, _BEYOND)[2:]


def jpeg_behind_rubbish() -> bytes:
    """Bytes between the segments, which libjpeg skips."""
    data, frame = _jpeg_parts()
    return data[:frame] + b"\0\1\2\3" + _claiming(data, frame, _BEYOND)[frame:]


def jpeg_of_many_scans() -> bytes:
    """A progressive file that goes over 120 million pixels 3,000 times."""
    data, frame = _jpeg_parts(progressive=True)
    data = _claiming(data, frame, _WITHIN)
    start = data.index(b"\xff\xda")
    tables = data[frame + 19 : start]
    scan = _segment(0xDA, b"\x01\x01\x00\x01\x05\x00")
    return data[:start] + tables + scan * 3000 + b"\xff\xd9"


def exif_bomb() -> bytes:
    """EXIF data of 64 kB with 3,000 tags, each of which claims the same 28 kB; 84 MB for a reader of them all."""
    entries = b"".join(struct.pack("<HHII", 0x8000 + tag, 7, 28_000, 8) for tag in range(3000))
    return b"II*\0" + struct.pack("<IH", 8, 3000) + entries + b"\0" * 4


def jpeg_with_an_exif_bomb() -> bytes:
    """A CMYK file, which goes to Pillow, with 20 segments of EXIF data that Pillow puts together."""
    data = encoded("JPEG", Image.new("CMYK", (24, 16)))
    entries = b"".join(struct.pack("<HHII", tag, 7, 1_000_000, 8) for tag in range(0x2000, 0x3000))
    exif = (b"II*\0" + struct.pack("<IH", 8, 0x1000) + entries).ljust(1_200_000, b"\0")
    pieces = [exif[start : start + 60_000] for start in range(0, len(exif), 60_000)]
    return data[:2] + b"".join(_segment(0xE1, b"Exif\0\0" + piece) for piece in pieces) + data[2:]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(before: bytes = b"", size: tuple[int, int] = (16, 24), kind: int = 2, depth: int = 8) -> bytes:
    header = struct.pack(">IIBBBBB", size[1], size[0], depth, kind, 0, 0, 0)
    pixels = zlib.compress(bytes(100))
    parts = _chunk(b"IHDR", header), before, _chunk(b"IDAT", pixels), _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _small_png(before: bytes = b"", after: bytes = b"") -> bytes:
    data = _picture("PNG")
    pixels, end = data.index(b"IDAT") - 4, data.index(b"IEND") - 4
    return data[:pixels] + before + data[pixels:end] + after + data[end:]


def png_beyond_the_limit() -> bytes:
    """A header that claims 4 billion pixels."""
    return _png(size=_BEYOND)


def png_within_the_limit() -> bytes:
    """16 bits of four channels, 120 million pixels, of which there are a few."""
    return _png(size=_WITHIN, kind=6, depth=16)


def png_with_two_headers() -> bytes:
    """A second header chunk, which claims more than the first."""
    return _small_png(_chunk(b"IHDR", struct.pack(">IIBBBBB", *_BEYOND, 8, 2, 0, 0, 0)))


def png_with_a_header_behind_the_pixels() -> bytes:
    """The same behind the pixels."""
    return _small_png(after=_chunk(b"IHDR", struct.pack(">IIBBBBB", *_BEYOND, 8, 2, 0, 0, 0)))


def png_with_texts() -> bytes:
    """64 texts that inflate to a million characters each, of four bytes in memory."""
    text = zlib.compress("\U0001f600".encode() + b"a" * 999_000)
    return _small_png(b"".join(_chunk(b"iTXt", b"k%d\0\1\0\0\0" % n + text) for n in range(64)))


def png_with_a_profile() -> bytes:
    """A colour profile that inflates to 128 MB."""
    return _small_png(_chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(128 << 20), 1)))


def png_with_an_exif_bomb() -> bytes:
    """EXIF data whose tags share their values."""
    return _small_png(_chunk(b"eXIf", exif_bomb()))


def png_of_many_frames() -> bytes:
    """An animation that claims 2 billion frames, each as large as the limit."""
    control = struct.pack(">IIIIIHHBB", 0, 24, 16, 0, 0, 1, 1, 2, 0)
    return _small_png(_chunk(b"acTL", struct.pack(">II", 0x7FFFFFFF, 0)) + _chunk(b"fcTL", control))


def _gif(screen: tuple[int, int], frame: tuple[int, int], place: tuple[int, int] = (0, 0), dispose: int = 2) -> bytes:
    control = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, dispose << 2, 1, 0, 0)
    picture = struct.pack("<BHHHHB", 0x2C, place[1], place[0], frame[1], frame[0], 0) + b"\x08\x02\x00\x05\x00"
    palette = bytes(range(256)) * 3
    return b"GIF89a" + struct.pack("<HHBBB", screen[1], screen[0], 0xF7, 0, 0) + palette + control + picture + b"\x3b"


def gif_beyond_the_limit() -> bytes:
    """A screen of 65,000 x 65,000."""
    return _gif(_BEYOND, (1, 1))


def gif_whose_frame_is_larger() -> bytes:
    """A screen of one pixel, and a frame just beyond the limit, within Pillow's own."""
    return _gif((1, 1), (10_000, 17_000))


def gif_within_the_limit() -> bytes:
    """A frame of 120 million pixels, which is filled with the background afterwards."""
    return _gif((1, 1), _WITHIN)


def gif_with_a_frame_far_away() -> bytes:
    """A frame of one pixel whose place makes the screen too large."""
    return _gif((1, 1), (1, 1), (65_000, 65_000))


def gif_of_many_frames() -> bytes:
    """10,000 frames of a million pixels."""
    one = _gif((1000, 1000), (1000, 1000))
    start = one.index(b"\x21\xf9")
    return one[:start] + one[start:-1] * 10_000 + b"\x3b"


def _bmp(size: tuple[int, int], bits: int = 24, compression: int = 0, pixels: bytes = b"") -> bytes:
    header = struct.pack("<IiiHHIIiiII", 40, size[1], size[0], 1, bits, compression, 0, 0, 0, 0, 0)
    palette = bytes(range(256)) * 4 if bits == 8 else b""
    start = 14 + len(header) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + header + palette + pixels


def bmp_beyond_the_limit() -> bytes:
    """A header that claims 4 billion pixels."""
    return _bmp(_BEYOND)


def bmp_upside_down() -> bytes:
    """The same with a negative height, which means rows from the top."""
    return _bmp((-_BEYOND[0], _BEYOND[1]))


def bmp_within_the_limit() -> bytes:
    """120 million pixels, of which there are none."""
    return _bmp((-_WITHIN[0], _WITHIN[1]), 32)


def bmp_of_one_column() -> bytes:
    """120 million rows of one pixel, for each of which a reader keeps a pointer."""
    return _bmp((LIMIT, 1))


def bmp_of_ends_of_lines() -> bytes:
    """Run lengths: 10,000 ends of lines, each of which fills a row."""
    return _bmp(_WITHIN, 8, 1, b"\1\7\0\0" * _WITHIN[0] + b"\0\1")


def _webp_chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _webp(*chunks: bytes) -> bytes:
    content = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(content)) + content


def _webp_canvas(size: tuple[int, int], flags: int = 0) -> bytes:
    sides = b"".join((side - 1).to_bytes(3, "little") for side in size[::-1])
    return _webp_chunk(b"VP8X", struct.pack("<I", flags) + sides)


def _lossless(size: tuple[int, int]) -> bytes:
    """A picture of one colour: five codes of one symbol each, so that a pixel takes no bits."""
    data = encoded("WEBP", Image.fromarray(np.full((16, 16, 4), 77, np.uint8)), lossless=True, exact=True)
    bits = int.from_bytes(data[21:25], "little") & ~0xFFFFFFF | size[1] - 1 | size[0] - 1 << 14
    return data[20:21] + bits.to_bytes(4, "little") + data[25:]


def _frame(picture: bytes, size: tuple[int, int]) -> bytes:
    sides = b"".join((side - 1).to_bytes(3, "little") for side in size[::-1])
    return _webp_chunk(b"ANMF", bytes(6) + sides + bytes(4) + picture)


def webp_beyond_the_limit() -> bytes:
    """A lossless picture that claims 16,384 x 16,384 pixels."""
    return _webp(_webp_chunk(b"VP8L", _lossless((16_384, 16_384))))


def webp_within_the_limit() -> bytes:
    """A lossless picture of 120 million pixels."""
    return _webp(_webp_chunk(b"VP8L", _lossless(_WITHIN)))


def webp_whose_canvas_is_larger() -> bytes:
    """A picture of 16 x 16 on a canvas beyond the limit."""
    return _webp(_webp_canvas((1 << 24, 1 << 24)), _webp_chunk(b"VP8L", _lossless((16, 16))))


def webp_whose_canvas_is_smaller() -> bytes:
    """A picture of 120 million pixels on a canvas of 16 x 16."""
    return _webp(_webp_canvas((16, 16)), _webp_chunk(b"VP8L", _lossless(_WITHIN)))


def webp_whose_frame_is_larger() -> bytes:
    """An animation whose frame says 16 x 16, and whose picture 120 million pixels."""
    frame = _frame(_webp_chunk(b"VP8L", _lossless(_WITHIN)), (16, 16))
    return _webp(_webp_canvas(_WITHIN, 0x02), _webp_chunk(b"ANIM", bytes(6)), frame)


def webp_animation_within_the_limit() -> bytes:
    """An animation of ten frames of 120 million pixels."""
    frame = _frame(_webp_chunk(b"VP8L", _lossless(_WITHIN)), _WITHIN)
    return _webp(_webp_canvas(_WITHIN, 0x02), _webp_chunk(b"ANIM", bytes(6)), frame * 10)


def webp_with_an_exif_bomb() -> bytes:
    """EXIF data whose tags share their values."""
    picture = _webp_chunk(b"VP8L", _lossless((16, 16)))
    return _webp(_webp_canvas((16, 16), 0x08), picture, _webp_chunk(b"EXIF", exif_bomb()))


def _tiff(entries: list[tuple[int, int, int, int]], content: bytes = bytes(64)) -> bytes:
    """Return a TIFF file with the entries (tag, type, count, value); the content starts at byte 8."""
    directory = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    start = 8 + len(content)
    return b"II*\0" + struct.pack("<I", start) + content + struct.pack("<H", len(entries)) + directory + bytes(4)


def _tiff_tags(size: tuple[int, int], compression: int = 1) -> list[tuple[int, int, int, int]]:
    return [(256, 4, 1, size[1]), (257, 4, 1, size[0]), (258, 3, 1, 8), (259, 3, 1, compression), (262, 3, 1, 1)]


_STRIP = [(273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, 0xFFFFFFFF), (279, 4, 1, 64)]


def tiff_beyond_the_limit() -> bytes:
    """A directory that claims 4 billion pixels."""
    return _tiff(_tiff_tags(_BEYOND) + _STRIP)


def tiff_within_the_limit() -> bytes:
    """One compressed strip of 120 million pixels."""
    strip = zlib.compress(bytes(100_000))
    return _tiff([*_tiff_tags(_WITHIN, 8), *_STRIP[:3], (279, 4, 1, len(strip))], strip)


def tiff_of_two_sizes() -> bytes:
    """The width occurs twice: libtiff takes the first one, Pillow the last one."""
    return _tiff([(256, 4, 1, _WITHIN[1]), *_tiff_tags((_WITHIN[0], 24), 8), *_STRIP])


def tiff_of_huge_tiles() -> bytes:
    """An image of 16 x 16 pixels in a compressed tile of 30,000 x 30,000."""
    pixels = zlib.compress(bytes(8_000_000))
    tags = _tiff_tags((16, 16), 8)
    tiles = [(277, 3, 1, 1), (322, 4, 1, 30_000), (323, 4, 1, 30_000), (324, 4, 1, 8), (325, 4, 1, len(pixels))]
    return _tiff(tags + tiles, pixels)


def tiff_of_many_directories() -> bytes:
    """The first directory is small; the second one claims 4 billion pixels, and names itself as its successor."""
    first = _tiff(_tiff_tags((8, 8)) + _STRIP)
    second = _tiff(_tiff_tags(_BEYOND) + _STRIP)[8 + 64 :]
    return first[:-4] + struct.pack("<I", len(first)) + second[:-4] + struct.pack("<I", len(first))


def tiff_of_many_strips() -> bytes:
    """3 million strips, each of which is a Python object to Pillow."""
    count = 3_000_000
    strips = [(273, 3, count, 8), (277, 3, 1, 1), (278, 3, 1, 1), (279, 3, count, 8)]
    return _tiff(_tiff_tags((1000, 8)) + strips, struct.pack("<H", 8) * count * 2)


def tiff_whose_tags_share_their_values() -> bytes:
    """4,000 tags that all claim the same 2 MB."""
    shared = [(0x8000 + number, 7, 2_000_000, 8) for number in range(4000)]
    return _tiff(_tiff_tags((8, 8)) + _STRIP + shared, bytes(2_000_000))


def tiff_whose_exif_tags_share_their_values() -> bytes:
    """The same in the EXIF directory of a TIFF file."""
    tags = b"".join(struct.pack("<HHII", 0x9000 + number, 7, 1_000_000, 8) for number in range(4000))
    content = bytes(1_000_000) + struct.pack("<H", 4000) + tags + bytes(4)
    return _tiff(_tiff_tags((8, 8)) + _STRIP + [(0x8769, 4, 1, 8 + 1_000_000)], content)


def tiff_with_a_larger_jpeg_file() -> bytes:
    """A strip of 16 x 24 pixels that holds a progressive JPEG file of 120 million."""
    strip = jpeg_within_the_limit()
    tags = [(256, 4, 1, 24), (257, 4, 1, 16), (258, 3, 1, 8), (259, 3, 1, 7), (262, 3, 1, 1)]
    return _tiff([*tags, *_STRIP[:3], (279, 4, 1, len(strip))], strip)


def ppm_beyond_the_limit() -> bytes:
    """A header that claims 4 billion pixels."""
    return b"P6 65000 65000 255\n"


def ppm_within_the_limit() -> bytes:
    """120 million pixels of 12 bits, of which there is one."""
    return b"P5 12000 10000 4095\n\0\1"


def ppm_of_words() -> bytes:
    """120 million pixels as text, of which there are three."""
    return b"P2 12000 10000 4095\n1 2 3"


def postscript() -> bytes:
    """A PostScript program, for which Pillow would start Ghostscript."""
    return b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\n(x) print\nshowpage\n%%EOF\n"


def run_length_bmp(pixels: np.ndarray, palette: np.ndarray) -> bytes:
    """Return an honest BMP file of run lengths; a row's last zeros are left to the end of the line.

    Args:
        pixels: uint8, shape (H, W), numbers of colours.
        palette: uint8, shape (256, 3) or (16, 3), RGB.
    """
    bits = 8 if len(palette) == 256 else 4
    code = bytearray()
    for row in pixels[::-1]:
        row = np.trim_zeros(row, "b")
        starts = np.flatnonzero(np.diff(row, prepend=-1 if len(row) else [])) if len(row) else []
        for begin, end in zip(starts, [*starts[1:], len(row)]):
            code += bytes([end - begin, row[begin] if bits == 8 else row[begin] * 17])
        code += b"\0\0"
    start = 54 + 4 * len(palette)
    height, width = pixels.shape
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 1 if bits == 8 else 2, 0, 0, 0, 0, 0)
    colors = np.pad(palette[:, ::-1], ((0, 0), (0, 1))).tobytes()
    return b"BM" + struct.pack("<IHHI", start + len(code) + 2, 0, 0, start) + header + colors + bytes(code) + b"\0\1"


def animated_webp(still: bytes, size: tuple[int, int], canvas: tuple[int, int], place: tuple[int, int]) -> bytes:
    """Return an honest WebP animation of one frame on a larger canvas.

    Args:
        still: a WebP file.
        size: its height and width.
        canvas: height and width.
        place: top and left of the frame, even numbers.
    """
    chunks = still[30:] if still[12:16] == b"VP8X" else still[12:]
    sides = b"".join((side - 1).to_bytes(3, "little") for side in size[::-1])
    corner = b"".join((side // 2).to_bytes(3, "little") for side in place[::-1])
    frame = _webp_chunk(b"ANMF", corner + sides + bytes(4) + chunks)
    return _webp(_webp_canvas(canvas, 0x12), _webp_chunk(b"ANIM", bytes(6)), frame)


HOSTILE_IMAGES: dict[str, Callable[[], bytes]] = {
    name: write
    for name, write in list(globals().items())
    if callable(write) and name.startswith(("jpeg_", "png_", "gif_", "bmp_", "webp_", "tiff_", "ppm_", "postscript"))
}
