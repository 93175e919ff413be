"""Data sets of every layout, written as COCO's and read again: the same images, boxes, classes and masks."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from PaddleDetection.data.cityscapes import CLASSES, CityscapesDataset
from PaddleDetection.data.coco import COCODataset
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.labelme import LabelmeDataset
from PaddleDetection.data.transforms.masks import decoded
from PaddleDetection.data.voc import VOCDataset
from PaddleDetection.data.yolo_text import YOLODataset
from PaddleDetection.tools import to_coco

TRIANGLE = [[1.5, 1.0], [8.25, 1.0], [1.5, 6.0]]


def picture(path: Path, height: int = 10, width: int = 20) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.zeros((height, width, 3), np.uint8))


def write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def voc(folder: Path) -> DetectionDataset:
    (folder / "label_list.txt").write_text("cat\ndog\n")
    (folder / "trainval.txt").write_text("JPEGImages/a.png Annotations/a.xml\nJPEGImages/b.png Annotations/b.xml\n")
    (folder / "Annotations").mkdir()
    for name, size, objects in (("a", (10, 20), ("dog 2 3 9 8 1", "cat 1 1 4 5 0")), ("b", (0, 0), ())):
        picture(folder / "JPEGImages" / f"{name}.png")
        found = "".join(
            "<object><name>{}</name><bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>"
            "<difficult>{}</difficult></object>".format(*one.split())
            for one in objects
        )
        sides = f"<size><width>{size[1]}</width><height>{size[0]}</height></size>"
        (folder / "Annotations" / f"{name}.xml").write_text(f"<annotation>{sides}{found}</annotation>")
    return VOCDataset(str(folder))


def labelme(folder: Path) -> DetectionDataset:
    (folder / "labels.txt").write_text("cat\ndog\n")
    picture(folder / "a.png")
    pixels = base64.b64encode(cv2.imencode(".png", np.eye(3, dtype=np.uint8) * 255)[1].tobytes()).decode()
    shapes = [
        {"label": "dog", "points": TRIANGLE, "shape_type": "polygon", "group_id": 1},
        {"label": "dog", "points": [[12, 2], [18, 2], [18, 7]], "shape_type": "polygon", "group_id": 1},
        {"label": "cat", "points": [[5, 5], [7, 7]], "shape_type": "mask", "mask": pixels},
    ]
    write_json(folder / "a.json", {"imagePath": "a.png", "imageHeight": 10, "imageWidth": 20, "shapes": shapes})
    return LabelmeDataset(str(folder))


def yolo(folder: Path) -> DetectionDataset:
    (folder / "classes.txt").write_text("cat\ndog\n")
    picture(folder / "images" / "train" / "a.png")
    (folder / "labels" / "train").mkdir(parents=True)
    (folder / "labels" / "train" / "a.txt").write_text("1 0.5 0.5 0.5 0.4\n0 0.1 0.2 0.6 0.2 0.6 0.8\n")
    return YOLODataset(str(folder))


def cityscapes(folder: Path, **changes: Any) -> CityscapesDataset:
    picture(folder / "leftImg8bit" / "train" / "ulm" / "ulm_000000_000019_leftImg8bit.png")
    objects = [
        {"label": "road", "polygon": [[0, 0], [20, 0], [20, 10]]},
        {"label": "car", "polygon": [[2, 2], [9, 2], [9, 8]]},
        {"label": "cargroup", "polygon": [[10, 1], [19, 1], [19, 9], [10, 9]]},
        {"label": "person", "polygon": [[1, 1], [3, 1], [3, 5]]},
    ]
    path = folder / "gtFine" / "train" / "ulm" / "ulm_000000_000019_gtFine_polygons.json"
    write_json(path, {"imgHeight": 10, "imgWidth": 20, "objects": objects, **changes})
    return CityscapesDataset(str(folder))


@pytest.mark.parametrize("make", [voc, labelme, yolo, cityscapes])
def test_written_and_read_again(make: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset: DetectionDataset = make(tmp_path)
    target = tmp_path / "all.json"
    assert to_coco.main([make.__name__, str(tmp_path), "--output", str(target)]) == 0
    assert f"wrote {target}: {len(dataset)} images" in capsys.readouterr().out
    again = COCODataset(str(tmp_path), "all.json", allow_empty=True)
    assert again.class_names == dataset.class_names and len(again) == len(dataset)
    for index in range(len(dataset)):
        first, second = dataset.sample(index), again.sample(index)
        assert Path(second["im_file"]).samefile(first["im_file"])
        assert (second["h"], second["w"]) == (10, 20)
        np.testing.assert_allclose(second["gt_bbox"], first["gt_bbox"], atol=1e-3)
        for name in ("gt_class", "is_crowd"):
            assert second[name].tolist() == first[name].tolist()
        masks = [[decoded(mask, 10, 20) for mask in sample.get("gt_poly", ())] for sample in (first, second)]
        for own, read in zip(*masks):
            np.testing.assert_array_equal(own, read)
        areas = again.objects(index)["area"]
        sides = first["gt_bbox"][:, 2:] - first["gt_bbox"][:, :2]
        expected = [mask.sum() for mask in masks[0]] if masks[0] else sides.prod(axis=1)
        np.testing.assert_allclose(areas, expected, rtol=1e-5)


def test_what_is_written_of_an_object(tmp_path: Path) -> None:
    content = to_coco.as_coco(voc(tmp_path), str(tmp_path))
    assert content["images"][1] == {"id": 2, "file_name": "JPEGImages/b.png", "height": 10, "width": 20}
    assert content["annotations"][0] == {
        "id": 1, "image_id": 1, "category_id": 2, "bbox": [2, 3, 7, 5], "area": 35, "iscrowd": 0, "difficult": 1,
    }  # fmt: skip
    assert [one["name"] for one in content["categories"]] == ["cat", "dog"]


def test_cityscapes(tmp_path: Path) -> None:
    sample = cityscapes(tmp_path)[0]
    assert [CLASSES[number] for number in sample["gt_class"][:, 0]] == ["car", "car", "person"]
    assert sample["is_crowd"].tolist() == [[0], [1], [0]]
    assert sample["gt_bbox"].tolist() == [[2, 2, 9, 8], [10, 1, 19, 9], [1, 1, 3, 5]]
    with pytest.warns(UserWarning, match="1 objects that are polygons of fewer than three points are left out"):
        assert cityscapes(tmp_path, objects=[{"label": "car", "polygon": [[1, 1], [5, 5]]}])[0]["gt_poly"] == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"imgWidth": None}, "polygons.json: width must be a number, not 'None'"),
        ({"objects": 3}, "polygons.json: objects must be a list of records"),
        ({"objects": [{"label": "car", "polygon": [1, 2]}]}, "object 0: polygon must be a list of pairs x, y, not "),
        ({"objects": [{"label": "car", "polygon": [[0, 0], [1e9, 0], [3, 3]]}]}, "object 0: a point of a polygon"),
    ],
)
def test_what_cityscapes_files_must_not_say(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        cityscapes(tmp_path, **changes)


def test_missing_files_of_cityscapes(tmp_path: Path) -> None:
    cityscapes(tmp_path)
    next(tmp_path.rglob("*_leftImg8bit.png")).unlink()
    with pytest.raises(FileNotFoundError, match="no image file '.*ulm_000000_000019_leftImg8bit.png'"):
        CityscapesDataset(str(tmp_path))
    next(tmp_path.rglob("*_polygons.json")).unlink()
    with pytest.raises(ValueError, match="there are no files NAME_gtFine_polygons.json"):
        CityscapesDataset(str(tmp_path))


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        to_coco.main(["pickle", "folder", "--output", "a.json"])
    assert "invalid choice: 'pickle'" in capsys.readouterr().err
