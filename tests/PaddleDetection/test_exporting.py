"""An export checks itself: what it finds in images is compared with what the training code finds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

from core.vision.image import write_image
from PaddleDetection import export
from PaddleDetection.comparing import Comparison, compare
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.detector import Detections, ONNXDetector, open_detector
from PaddleDetection.exporting import check_export
from PaddleDetection.pasting import pasted


class Stored:
    """Finds always the same."""

    def __init__(self, rows: list[list[float]], masks: Optional[list[Any]] = None) -> None:
        table = np.array(rows, np.float32).reshape(-1, 6)
        names = [f"class {number:.0f}" for number in table[:, 0]]
        self.found = Detections(table[:, 2:], table[:, 0].astype(np.int64), table[:, 1], names, masks)

    def predict(self, image: Any) -> Detections:
        return self.found


ROWS = [[0, 0.9, 10, 10, 30, 30], [0, 0.8, 50, 10, 70, 30], [1, 0.5, 5, 5, 9, 9]]


def compared(rows: list[list[float]], first: Optional[list[list[float]]] = None) -> Comparison:
    one, other = Stored(ROWS if first is None else first), Stored(rows)
    return compare(one, other, {"photo": np.zeros((9, 9, 3), np.uint8)})  # type: ignore[arg-type]


def test_what_is_equal() -> None:
    moved = [[0, 0.80005, 50, 10.05, 70, 30], *ROWS[::2]]
    result = compared(moved)
    assert result.equal and result.ties == 0 and result.objects == 3
    assert result.scores == pytest.approx(5e-5, rel=0.01) and result.corners == pytest.approx(0.05, rel=0.01)
    assert result.describe() == "3 objects in 1 image: scores within 5e-05, corners within 0.05 pixels"
    assert compared([], []).equal


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 0.9, 10, 10, 30, 30], [0, 0.79, 50, 10, 70, 30], ROWS[2]],
        [[1, 0.9, 10, 10, 30, 30], *ROWS[1:]],
        [*ROWS, [1, 0.7, 5, 5, 9, 9]],
        ROWS[1:],
        [[0, 0.9, 10, 10, 30, 31], [0, 0.8, 50, 11, 70, 30], [1, 0.5, 5, 5, 9, 9]],  # too many to be ties
    ],
)
def test_what_is_different(rows: list[list[float]]) -> None:
    result = compared(rows)
    assert not result.equal and result.describe().startswith("DIFFERENT")


def test_ties_may_go_either_way() -> None:
    one_other_box = [[0, 0.9, 12, 12, 32, 32], *ROWS[1:]]
    assert compared(one_other_box).ties == 1 and compared(one_other_box).equal
    last = [*ROWS[:2], [1, 0.50003, 80, 80, 90, 90]]  # the other one of two of a score found room
    assert compared(last).ties == 1 and compared(last).equal


def test_masks_are_compared() -> None:
    full, half = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    half[:2] = 1
    image = {"photo": np.zeros((40, 40, 3), np.uint8)}
    detectors = [Stored(ROWS[:1], [pasted(mask, ROWS[0][2:], 40, 40)]) for mask in (full, full, half)]
    assert compare(*detectors[:2], image).equal  # type: ignore[arg-type]
    result = compare(*detectors[1:], image)  # type: ignore[arg-type]
    (output,) = result.different
    assert output == "photo: the mask of a class 0: an intersection over union of 0.485"  # corners of masks are cut


@pytest.mark.zoo
def test_a_run_is_exported_and_compared(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "exported"
    for place, size in enumerate((64, 80)):  # a size that is padded, too
        write_image(tmp_path / f"{place}.png", DigitScenes("test", 4, size).sample(place)["image"])
    words = [str(run), "--output", str(target), "--onnx", "--check", *(str(tmp_path / f"{i}.png") for i in range(2))]
    assert export.main(words) == 0
    output = capsys.readouterr().out
    assert "exported and the training code: 200 objects in 2 images: scores within" in output
    assert "model.onnx and the training code: 200 objects in 2 images: scores within" in output
    other = open_detector(target / "model.onnx")
    assert isinstance(other, ONNXDetector) and other.class_names == open_detector(run).class_names
    with pytest.raises(FileNotFoundError, match=r"no file '.*none.onnx'; export.py --onnx writes it"):
        open_detector(tmp_path / "none.onnx")

    given = {"run": str(run), "checkpoint": "best", "output": str(target), "onnx": False}
    gone = json.dumps({"name": "COCODataset", "dataset_dir": "nowhere", "anno_path": "all.json"})
    options = argparse.Namespace(**given, check=None, overrides=[f"data.test.dataset={gone}"])
    assert check_export(options) == 0
    assert "not compared on images, for the test split cannot be read" in capsys.readouterr().out
    options = argparse.Namespace(**given, check=["nowhere.png"], overrides=[])
    with pytest.raises(FileNotFoundError, match="no image file 'nowhere.png'"):
        check_export(options)
