"""WIDER FACE's metric by hand, and against its evaluation tools' steps, one detection and one threshold at a time."""

from __future__ import annotations

import base64
import math
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from PaddleDetection.config import EvaluateSection
from PaddleDetection.data.face_scenes import FaceScenes
from PaddleDetection.data.wider_face import WIDERFaceDataset, read_subset
from PaddleDetection.evaluator import DetectionEvaluator, metric_of
from PaddleDetection.metrics.base import Found
from PaddleDetection.metrics.wider_face import WIDERFaceMetric
from PaddleDetection.results import stored
from tests.fuzz import mutated
from tests.PaddleDetection.wider_files import write_ground_truth

Image = tuple[np.ndarray, np.ndarray, np.ndarray]


def tools(images: list[Image]) -> float:
    """Return the average precision of detections (D, 6), faces (G, 4) and which of them count, of each image."""
    scores = np.concatenate([rows[:, 1] for rows, _, _ in images])
    low, high = scores.min(), scores.max()
    curve, faces = np.zeros((1000, 2)), 0
    for rows, boxes, counted in images:
        faces += int(counted.sum())
        if not len(rows) or not len(boxes):
            continue
        rows = rows[np.argsort(-rows[:, 1])]
        state, proposals, recalled = np.zeros(len(boxes)), np.ones(len(rows)), []
        for number, (_, _, left, top, right, bottom) in enumerate(rows):
            overlaps = []
            for x1, y1, x2, y2 in boxes:
                wide = min(right, x2) - max(left, x1) + 1
                high_ = min(bottom, y2) - max(top, y1) + 1
                common = wide * high_ if wide > 0 and high_ > 0 else 0.0
                own = (right - left + 1) * (bottom - top + 1)
                overlaps.append(common / (own + (x2 - x1 + 1) * (y2 - y1 + 1) - common))
            best = int(np.argmax(overlaps))
            if overlaps[best] >= 0.5:
                if not counted[best]:
                    state[best], proposals[number] = -1, -1
                elif state[best] == 0:
                    state[best] = 1
            recalled.append(int((state == 1).sum()))
        for step in range(1000):
            reached = np.flatnonzero((rows[:, 1] - low) / (high - low) >= 1 - (step + 1) / 1000)
            if len(reached):
                curve[step] += (proposals[: reached[-1] + 1] == 1).sum(), recalled[reached[-1]]
    recall = [0.0, *(found / faces for _, found in curve), 1.0]
    precision = [0.0, *(found / max(count, 1) for count, found in curve), 0.0]
    for place in reversed(range(len(precision) - 1)):
        precision[place] = max(precision[place], precision[place + 1])
    return sum((recall[place + 1] - recall[place]) * precision[place + 1] for place in range(len(recall) - 1))


def scene(seed: int) -> Image:
    draw = np.random.RandomState(seed)
    count = draw.randint(1, 8)
    corners = draw.uniform(0, 200, (count, 2))
    boxes = np.concatenate([corners, corners + draw.uniform(8, 60, (count, 2))], 1)
    near = boxes[draw.randint(count, size=12)] + draw.uniform(-6, 6, (12, 4))
    return np.concatenate([np.zeros((12, 1)), draw.uniform(0.1, 0.7, (12, 1)), near], 1), boxes, draw.rand(count) < 0.7


def test_as_the_evaluation_tools_do_it() -> None:
    images = [scene(seed) for seed in range(12)]
    images.append((np.zeros((0, 6)), np.array([[1.0, 1, 9, 9]]), np.array([True])))
    metric = WIDERFaceMetric()
    for rows, boxes, counted in images:
        every = np.ones(len(boxes), bool)
        metric.add(Found(rows), {"gt_bbox": boxes, "difficult": ~every, "medium": counted, "hard": every})
    found = metric.result()
    assert list(found) == ["AP", "AP_medium", "AP_hard"]
    np.testing.assert_allclose(found["AP_medium"], tools(images), rtol=1e-12)
    whole = [(rows, boxes, np.ones(len(boxes), bool)) for rows, boxes, _ in images]
    np.testing.assert_allclose([found["AP"], found["AP_hard"]], tools(whole), rtol=1e-12)
    assert 0.2 < found["AP_medium"] < 0.9


FACES = np.array([[0, 0, 9, 9], [20, 0, 29, 9], [40, 0, 49, 9], [60, 0, 69, 9]], np.float32)


def add(metric: WIDERFaceMetric, found: list[tuple[float, int]], hard: Any = (1, 1, 1, 1)) -> None:
    """Take in an image where faces are found, or nothing at all: (score, which face or -1)."""
    rows = [[0, score, *(FACES[face] if face >= 0 else (80, 80, 89, 89))] for score, face in found]
    truth = {"gt_bbox": FACES, "difficult": np.zeros((4, 1)), "hard": np.array(hard, bool)}
    metric.add(Found(np.array(rows, np.float32).reshape(-1, 6)), truth)


def test_by_hand() -> None:
    metric = WIDERFaceMetric()
    add(metric, [(0.9, 0), (0.8, -1), (0.7, 1), (0.6, 1), (0.5, 2)])
    # right, wrong, right, wrong (a face found twice), right: precisions 1, 2/3 and 3/5 at recalls 1/4, 2/4 and 3/4
    np.testing.assert_allclose(metric.result()["AP_hard"], (1 + 2 / 3 + 3 / 5) / 4, rtol=1e-6)
    assert metric.curves()["hard"].objects == 4


def test_faces_outside_the_set_are_neither_right_nor_wrong() -> None:
    metric = WIDERFaceMetric()
    add(metric, [(0.9, 0), (0.8, 1), (0.7, 1), (0.6, 2)], hard=(1, 0, 1, 0))
    assert metric.result()["AP_hard"] == 1.0
    np.testing.assert_allclose(metric.result()["AP"], (1 + 1 + 3 / 4) / 4)


def test_the_truth_reaches_everything_and_nothing_nothing() -> None:
    metric = WIDERFaceMetric()
    add(metric, [(1.0, face) for face in range(4)])
    assert metric.result() == {"AP": 1.0, "AP_hard": 1.0}
    metric = WIDERFaceMetric()
    add(metric, [])
    assert metric.result() == {"AP": 0.0, "AP_hard": 0.0}
    metric = WIDERFaceMetric()
    add(metric, [(0.5, 0)], hard=(0, 0, 0, 0))
    assert math.isnan(metric.result()["AP_hard"])
    assert math.isnan(WIDERFaceMetric().result()["AP"])


LIST = """0--Parade/a.jpg
3
1 2 10 10 0 0 0 0 0 0
30 2 0 10 0 0 0 0 0 0
50 2 10 10 0 0 0 1 0 0
9--Press/b.jpg
1
5 5 20 20 0 0 0 0 0 0
"""


@pytest.fixture
def dataset(tmp_path: Path) -> WIDERFaceDataset:
    (tmp_path / "list.txt").write_text(LIST)
    write_ground_truth(tmp_path / "truth", {"0--Parade": {"a": [1, 3]}, "9--Press": {"b": [1]}})
    with pytest.warns(UserWarning, match="1 boxes of no area"):
        return WIDERFaceDataset(str(tmp_path), "list.txt", "images", "truth")


def test_sets_of_faces_and_files_of_results(dataset: WIDERFaceDataset, tmp_path: Path) -> None:
    assert [dataset.objects(0)[name].tolist() for name in ("easy", "hard")] == [[True, False], [True, True]]
    assert dataset.objects(0)["difficult"].tolist() == [[0], [1]]
    evaluator = DetectionEvaluator(dataset, EvaluateSection(metric="WIDER"))
    rows = [[0, 0.25, 1.0, 2.0, 11.25, 12.0], [0, 0.5, 50, 2, 60, 12]]
    evaluator.add(0, Found(np.array(rows, np.float32)))
    evaluator.add(1, Found(np.zeros((0, 6), np.float32)))
    assert evaluator.result() == {"AP": 0.5, "AP_easy": 0.5, "AP_medium": 2 / 3, "AP_hard": 2 / 3}
    assert evaluator.lines() == [
        "face: AP 0.500 of 2 objects",
        "easy: AP 0.500 of 2 objects",
        "medium: AP 0.667 of 3 objects",
        "hard: AP 0.667 of 3 objects",
    ]
    assert evaluator.write(tmp_path / "out") == ["bbox.json", "wider_face"]
    text = (tmp_path / "out" / "wider_face" / "0--Parade" / "a.txt").read_text()
    assert text == "0--Parade/a.jpg\n2\n50.0 2.0 10.0 10.0 0.500\n1.0 2.0 10.2 10.0 0.250\n"
    assert (tmp_path / "out" / "wider_face" / "9--Press" / "b.txt").read_text() == "9--Press/b.jpg\n0\n"
    again = DetectionEvaluator(dataset, EvaluateSection(metric="WIDER"))
    for index, found in stored(tmp_path / "out", dataset).items():
        again.add(index, found)
    assert again.result() == evaluator.result()


def test_results_of_images_without_files_are_named_by_their_numbers(tmp_path: Path) -> None:
    evaluator = DetectionEvaluator(FaceScenes("test", 1, 64, 1), EvaluateSection(metric="WIDER"))
    evaluator.add(0, Found(np.zeros((0, 6), np.float32)))
    assert evaluator.write(tmp_path) == ["bbox.json", "wider_face"]
    assert (tmp_path / "wider_face" / "0.txt").read_text() == "0\n0\n"


def test_ground_truth_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("0--Parade/a.jpg\n1\n1 2 10 10\n")
    with pytest.raises(FileNotFoundError):
        WIDERFaceDataset(str(tmp_path), "list.txt", "", "truth")
    write_ground_truth(tmp_path / "truth", {"0--Parade": {"other": [1]}})
    with pytest.raises(ValueError, match="wider_easy_val.mat says nothing of .*0--Parade/a.jpg'; give the"):
        WIDERFaceDataset(str(tmp_path), "list.txt", "", "truth")
    savemat(tmp_path / "truth" / "wider_easy_val.mat", {"event_list": 1})
    with pytest.raises(ValueError, match="wider_easy_val.mat' is not of WIDER FACE's ground truth: it has event_list"):
        WIDERFaceDataset(str(tmp_path), "list.txt", "", "truth")
    (tmp_path / "truth" / "wider_easy_val.mat").write_bytes(b"no" * 100)
    with pytest.raises(ValueError, match="WIDERFaceDataset: .*wider_easy_val.mat' is no Matlab file that can be read"):
        WIDERFaceDataset(str(tmp_path), "list.txt", "", "truth")


@pytest.mark.parametrize(
    "numbers", [range(8), pytest.param(range(8, 150), marks=pytest.mark.exhaustive)], ids=["few", "many"]
)
def test_damaged_ground_truth_is_read_or_refused_in_one_line(numbers: range, tmp_path: Path) -> None:
    write_ground_truth(tmp_path, {"0--Parade": {"a": [1, 3], "b": [2]}, "9--Press": {"c": [1]}})
    path, refused = tmp_path / "wider_easy_val.mat", 0
    good = path.read_bytes()
    for number in numbers:
        path.write_bytes(mutated(number, [good]))
        try:
            found = read_subset(str(path))
        except ValueError as error:
            refused += 1
            assert str(path) in str(error) and len(str(error).splitlines()) == 1, (number, str(error))
        else:
            assert all(faces.dtype == np.int64 for faces in found.values()), number
    assert refused > len(numbers) // 2


def test_ground_truth_that_never_comes_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "wider_easy_val.mat")  # nobody ever writes into it
    with pytest.raises(FileNotFoundError, match="WIDERFaceDataset: no file '.*wider_easy_val.mat'"):
        read_subset(str(tmp_path / "wider_easy_val.mat"))


def test_other_classes_than_faces_are_refused() -> None:
    with pytest.raises(ValueError, match="evaluate.metric WIDER judges faces alone, but the data has 2 classes"):
        metric_of(["cat", "dog"], EvaluateSection(metric="WIDER"))


ENDS_SCIPY = (
    'c-r%I4DoSvQZUssQ1EpO(M`)-7N8K2lUS0LUzBU5P>^4oS)rrgT$GwvlA5BBpJ$~I4y66^%M^@E6^x9nObx95n<*F>7@08;0s@#q'
    'jGn%HKx)N*1_m}D%>fdEO0h!uOi(cp<^tl>vedki_?*n*5{NpGegg)CeikqZ($54pj}ggS0U#?8t3FhFvFS^K>T_Tu&b^#KoR*oB'
    'isW3d{uvC!>1QC*ofTy2tAy%Hz~eqfD!8u-sxN@ZaAXJKbZDf5^lcz9{2Y+f1Nr~K>I1Q>=YghF7@rBr91B!)fItDKKY7sH2Mt$s'
    'bayil8Ln(-{seggSv@C|1_0!JFV+'
)
"""A damaged file, packed, on which scipy's compiled reader ends its process."""


def test_a_file_that_ends_scipys_reader_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wider_easy_val.mat"
    path.write_bytes(zlib.decompress(base64.b85decode(ENDS_SCIPY)))
    with pytest.raises(ValueError, match="wider_easy_val.mat' is no Matlab file .*: scipy's reader ended"):
        read_subset(str(path))
