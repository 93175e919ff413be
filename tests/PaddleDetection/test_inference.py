"""Finding objects in files, arrays, lists and videos."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.vision.image import read_image, write_image
from core.vision.video import VideoReader, VideoWriter
from PaddleDetection import infer
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.detector import Detections, Detector, ObjectDetector, open_detector


def scenes(*sizes: int) -> list[np.ndarray]:
    return [DigitScenes("test", 4, size).sample(place % 4)["image"] for place, size in enumerate(sizes)]


def same(one: Detections, other: Detections) -> bool:
    return one.names == other.names and np.allclose(one.rows, other.rows, atol=1e-3)


def test_a_list_is_looked_at_in_batches_of_one_size(run: Path, tmp_path: Path) -> None:
    detector, images = open_detector(run), scenes(64, 70, 64, 64, 70)
    shapes = []
    forward = detector.run

    def counted(image: np.ndarray, *sizes: np.ndarray) -> Sequence[np.ndarray]:
        shapes.append(image.shape)
        return forward(image, *sizes)

    detector.run = counted  # type: ignore[method-assign]
    found = detector.predict(images, batch_size=2)
    assert shapes == [(2, 3, 64, 64), (2, 3, 96, 96), (1, 3, 64, 64)]  # 70 pixels are padded to a multiple of 32
    alone = [detector.predict(image) for image in images]
    assert len(found) == 5 and all(map(same, found, alone))
    write_image(tmp_path / "a.png", images[1])
    assert same(detector.predict(tmp_path / "a.png"), alone[1])
    assert same(detector.predict([str(tmp_path / "a.png"), images[0]])[0], alone[1])
    assert detector.predict([]) == []
    with pytest.raises(FileNotFoundError, match="no image file 'nowhere.png'"):
        detector.predict(["nowhere.png"])


class Masked(ObjectDetector):
    """Finds two objects in each image, the second without confidence, with masks that are full."""

    class_names = ["cat", "dog"]

    def __init__(self, path: Path) -> None:
        self.path = path
        self.transform = lambda sample: {
            "image": np.zeros((3, 8, 8), np.float32),
            "im_shape": np.array(sample["image"].shape[:2], np.float32),
            "scale_factor": np.ones(2, np.float32),
        }

    def run(self, image: np.ndarray, im_shape: np.ndarray, scale_factor: np.ndarray) -> Sequence[np.ndarray]:
        rows = np.array([[1, 0.9, 4, 2, 14, 10], [0, 0.2, 0, 0, 5, 5], [-1, 0, 0, 0, 0, 0]], np.float32)
        count = len(image)
        return np.tile(rows, (count, 1, 1)), np.full(count, 2, np.int32), np.ones((count, 3, 4, 4), np.float32)


def test_masks_are_of_the_images_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = Masked(tmp_path)
    found = detector.predict(np.zeros((30, 40, 3), np.uint8))
    assert found.names == ["dog", "cat"]
    expected = np.zeros((30, 40), bool)
    expected[2:10, 4:14] = True
    np.testing.assert_array_equal(found.mask(0), expected)
    assert found.mask(1).sum() == 25 and len(found.above(0.5).masks or []) == 1
    np.testing.assert_array_equal(found.above(0.5).mask(0), expected)
    with pytest.raises(ValueError, match="this detector finds no masks, only boxes"):
        Detections(found.boxes, found.classes, found.scores, found.names).mask(0)

    monkeypatch.setattr("PaddleDetection.inference.open_detector", lambda *_: detector)
    write_image(tmp_path / "a.png", np.full((320, 400, 3), 90, np.uint8))
    assert infer.main(["anything", str(tmp_path / "a.png"), "--output", str(tmp_path / "found")]) == 0
    (record,) = json.loads((tmp_path / "found" / "predictions.json").read_text())
    assert record["objects"][0]["mask"]["size"] == [320, 400] and len(record["objects"]) == 1
    assert (read_image(tmp_path / "found" / "a.png")[3:9, 5:13] != 90).any(axis=2).all()


def test_a_video_is_watched_frame_by_frame(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with VideoWriter(tmp_path / "clip.mp4", 64, 64, 5.0) as writer:
        for image in scenes(64, 64, 64):
            writer.write(image)
    (tmp_path / "cut.mp4").write_bytes((tmp_path / "clip.mp4").read_bytes()[:300])
    words = [str(run), str(tmp_path / "clip.mp4"), str(tmp_path / "cut.mp4"), "--draw-threshold", "0"]
    assert infer.main([*words, "--output", str(tmp_path / "found")]) == 1
    watched, broken = json.loads((tmp_path / "found" / "predictions.json").read_text())
    assert watched["frames"] == 3 and "cut.mp4' is damaged" in broken["error"] and "video" in broken
    lines = [json.loads(line) for line in (tmp_path / "found" / watched["lines"]).read_text().splitlines()]
    assert [line["frame"] for line in lines] == [0, 1, 2]
    frames = list(VideoReader(tmp_path / "clip.mp4"))
    for line, frame in zip(lines, frames):
        found = open_detector(run).predict(frame)
        assert [one["name"] for one in line["objects"]] == found.names
    most = max(sum(one["name"] == "3" for one in line["objects"]) for line in lines)
    assert watched["most_at_once"].get("3", 0) == most
    drawn = VideoReader(watched["picture"])
    assert len(list(drawn)) == 3 and drawn.frames_per_second == 5.0
    assert "clip.mp4: 3 frames; at once at most" in capsys.readouterr().out


def huge_png(height: int, width: int) -> bytes:
    """Return a PNG whose header says so many pixels, with few bytes of them."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99))) + chunk(b"IEND", b"")


def test_images_of_twenty_thousand_pixels(run: Path, tmp_path: Path) -> None:
    wide = np.tile(scenes(64)[0], (1, 313, 1))[:, :20_000]
    write_image(tmp_path / "wide.png", wide)
    (tmp_path / "square.png").write_bytes(huge_png(20_000, 20_000))
    words = [str(run), str(tmp_path / "wide.png"), str(tmp_path / "square.png"), "--draw-threshold", "0"]
    assert infer.main([*words, "--output", str(tmp_path / "found")]) == 1
    wide_record, square = json.loads((tmp_path / "found" / "predictions.json").read_text())
    assert read_image(tmp_path / "found" / "wide.png").shape == (64, 20_000, 3)
    assert len(wide_record["objects"]) == 100
    assert "claims 20000 x 20000 pixels, more than 120000000; it is not read" in square["error"]


def test_nothing_above_the_threshold(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_image(tmp_path / "a.png", scenes(64)[0])
    words = [str(run), str(tmp_path / "a.png"), "--draw-threshold", "1.1", "--save-txt"]
    assert infer.main([*words, "--output", str(tmp_path / "found")]) == 0
    (record,) = json.loads((tmp_path / "found" / "predictions.json").read_text())
    assert record["objects"] == [] and (tmp_path / "found" / "a.txt").read_text() == ""
    assert "a.png: nothing found" in capsys.readouterr().out
    detector = open_detector(run)
    assert isinstance(detector, Detector)
    empty = detector.predict(scenes(64)[0]).above(1.1)
    assert empty.rows.shape == (0, 6) and empty.boxes.shape == (0, 4) and empty.names == []
