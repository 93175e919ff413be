"""labelme's and YOLO's annotations: what is read, what is put right, and what is refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from core.vision.image import image_size
from PaddleDetection.data.labelme import LabelmeDataset
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.data.transforms.masks import decoded
from PaddleDetection.data.yolo_text import YOLODataset, label_file

TRIANGLE = [[1.0, 1.0], [8.0, 1.0], [1.0, 6.0]]


def picture(path: Path, height: int = 10, width: int = 20) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.zeros((height, width, 3), np.uint8))


def labelme(folder: Path, *shapes: dict[str, Any], **changes: Any) -> LabelmeDataset:
    whole = {"version": "5.4.1", "imagePath": "a.png", "imageHeight": 10, "imageWidth": 20, "imageData": None}
    content = {**whole, "shapes": list(shapes), **changes}
    (folder / "labels.txt").write_text("__ignore__\n_background_\ncat\ndog\n")
    (folder / "a.json").write_text(json.dumps({name: value for name, value in content.items() if value != "none"}))
    picture(folder / "a.png")
    return LabelmeDataset(str(folder))


def shape(points: Any = TRIANGLE, label: Any = "dog", kind: str = "polygon", **further: Any) -> dict[str, Any]:
    return {"label": label, "points": points, "group_id": None, "shape_type": kind, "flags": {}, **further}


def test_labelme(tmp_path: Path) -> None:
    circle = shape([[10, 5], [13, 5]], "cat", "circle")
    dataset = labelme(tmp_path, shape(), shape([[8, 7], [5, 2]], "cat", "rectangle"), circle, shape(label="__ignore__"))
    assert dataset.class_names == ["cat", "dog"] and len(dataset) == 1
    sample = Decode()(dataset[0])
    np.testing.assert_allclose(sample["gt_bbox"], [[1, 1, 8, 6], [5, 2, 8, 7], [7, 2, 13, 8]], atol=1e-6)
    assert sample["gt_class"].tolist() == [[1], [0], [0]] and sample["is_crowd"].tolist() == [[0]] * 3
    assert sample["gt_poly"][0] == [[1, 1, 8, 1, 1, 6]] and sample["gt_poly"][1] == [[5, 2, 8, 2, 8, 7, 5, 7]]
    assert np.hypot(*(np.reshape(sample["gt_poly"][2], (-1, 2)) - [10, 5]).T).round(6).tolist() == [3] * 36


def test_shapes_of_a_group_are_one_object(tmp_path: Path) -> None:
    second = [[15, 2], [19, 2], [19, 9]]
    dataset = labelme(tmp_path, shape(group_id=4), shape(second, group_id=4), shape(second, group_id=5))
    assert dataset[0]["gt_bbox"].tolist() == [[1, 1, 19, 9], [15, 2, 19, 9]]
    assert [len(parts) for parts in dataset[0]["gt_poly"]] == [2, 1]


def png(pixels: np.ndarray) -> str:
    return base64.b64encode(cv2.imencode(".png", pixels)[1].tobytes()).decode()


def test_masks_of_pixels(tmp_path: Path) -> None:
    drawn = np.array([[1, 0, 1], [0, 1, 1]], np.uint8) * 255
    corners = [[4.0, 5.0], [6.0, 6.0]]
    mask = shape(corners, kind="mask", mask=png(drawn), group_id=1)
    dataset = labelme(tmp_path, mask)
    assert dataset[0]["gt_bbox"].tolist() == [[4, 5, 7, 7]]
    pixels = decoded(dataset[0]["gt_poly"][0], 10, 20)
    assert pixels.sum() == 4 and (pixels[5:7, 4:7] * 255 == drawn).all()
    both = labelme(tmp_path, mask, shape([[10, 1], [14, 1], [14, 4], [10, 4]], group_id=1))
    assert decoded(both[0]["gt_poly"][0], 10, 20).sum() == 16
    for changes, message in (
        ({"mask": png(drawn[:1])}, "a.json: shape 0: its mask has 1 x 3 pixels, its box 2 x 3"),
        ({"mask": "!"}, "a.json: shape 0: its mask must be base64 of a PNG file"),
        ({"mask": None}, "a.json: shape 0: its mask must be base64 of a PNG file"),
        ({"mask": png(drawn)[:40]}, "a.json: (image file )?'the mask of shape 0'"),
        ({"points": [[18, 5], [20, 6]]}, "a.json: shape 0: its mask reaches out of the image of 10 x 20 pixels"),
    ):
        with pytest.raises(ValueError, match=message):
            labelme(tmp_path, {**mask, **changes})


def test_labelme_shapes_that_are_put_right(tmp_path: Path) -> None:
    line, two = shape([[1, 1], [5, 5]], kind="line"), shape([[1, 1], [5, 5]])
    outside, wide = shape([[30, 1], [33, 1], [33, 4]]), shape([[-5, 2], [40, 2], [40, 6]], "cat")
    with pytest.warns(UserWarning) as output:
        dataset = labelme(tmp_path, line, two, outside, wide, shape([[3, 3]], kind="rectangle"))
    (warning,) = output
    assert str(warning.message).endswith(
        "1 boxes of no area, or outside their images, are left out, the first is 'dog' of a.json; "
        "1 boxes that reach out of their images are clipped, the first is 'cat' of a.json; "
        "1 objects that are lines or points are left out, the first is shape 0 of a.json; "
        "1 objects that are polygons of fewer than three points are left out, the first is shape 1 of a.json; "
        "1 objects that are shapes of one point are left out, the first is shape 4 of a.json"
    )
    assert dataset[0]["gt_bbox"].tolist() == [[0, 2, 20, 6]]
    nothing = labelme(tmp_path)[0]
    assert nothing["gt_bbox"].shape == (0, 4) and nothing["gt_class"].shape == (0, 1) and nothing["gt_poly"] == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shapes": [shape(label="bird")]}, "a.json: shape 0 has the label 'bird', which is not in the list of labels"),
        ({"shapes": [shape([[1, 1], [2, float("nan")], [3, 1]])]}, "shape 0: a point of a polygon is no "),
        ({"shapes": [shape([[1, 1], [2], [3, 1]])]}, "a.json: shape 0: points must be a list of pairs x, y, not "),
        ({"shapes": [shape([[1, "x"]])]}, "a.json: shape 0: a polygon must be a list of numbers, not "),
        ({"shapes": [7]}, "a.json: shapes must be a list of records"),
        ({"shapes": "none"}, "a.json: shapes must be a list of records"),
        ({"imagePath": None}, "a.json: imagePath must name the image, not 'None'"),
        ({"imageHeight": -3}, "a.json: height must be a whole number from 0 to "),
    ],
)
def test_what_labelme_files_must_not_say(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        labelme(tmp_path, **changes)


def test_labelme_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="a.json: no image file '.*elsewhere.png'"):
        labelme(tmp_path, imagePath="elsewhere.png")
    with pytest.raises(ValueError, match="a.png' has 10 x 20 pixels, its annotation says 20 x 10 .*turned by its EXIF"):
        Decode()(labelme(tmp_path, imageHeight=20, imageWidth=10)[0])
    (tmp_path / "a.json").write_text("[1]")
    with pytest.raises(ValueError, match="a.json: the file must hold one JSON object, not "):
        LabelmeDataset(str(tmp_path))
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ValueError, match="a.json: not a JSON file"):
        LabelmeDataset(str(tmp_path))
    (tmp_path / "a.json").unlink()
    with pytest.raises(ValueError, match="there are no JSON files"):
        LabelmeDataset(str(tmp_path))
    picture(tmp_path / "images" / "a.png")
    (tmp_path / "marks").mkdir()
    whole = {"imagePath": "..\\images\\a.png", "shapes": [shape()]}
    (tmp_path / "marks" / "a.json").write_text(json.dumps(whole))
    for image_dir in (None, "images"):
        sample = Decode()(LabelmeDataset(str(tmp_path), "marks", image_dir)[0])
        assert (sample["h"], sample["w"]) == (10, 20) and sample["gt_bbox"].tolist() == [[1, 1, 8, 6]]


def yolo(folder: Path, text: str = "1 0.5 0.5 0.5 0.4\n", **settings: Any) -> YOLODataset:
    (folder / "classes.txt").write_text("cat\ndog\n")
    picture(folder / "images" / "train" / "a.png")
    picture(folder / "images" / "train" / "b.png", 6, 8)
    (folder / "labels" / "train").mkdir(parents=True, exist_ok=True)
    (folder / "labels" / "train" / "a.txt").write_text(text)
    return YOLODataset(str(folder), **settings)


def test_yolo(tmp_path: Path) -> None:
    dataset = yolo(tmp_path)
    assert dataset.class_names == ["cat", "dog"] and len(dataset) == 2
    sample = Decode()(dataset[0])
    assert (sample["h"], sample["w"]) == (10, 20) and "gt_poly" not in sample
    np.testing.assert_allclose(sample["gt_bbox"], [[5, 3, 15, 7]], rtol=1e-6)
    assert sample["gt_class"].tolist() == [[1]] and sample["difficult"].tolist() == [[0]]
    assert dataset[1]["gt_bbox"].shape == (0, 4) and dataset[1]["gt_class"].shape == (0, 1)


def test_yolo_polygons(tmp_path: Path) -> None:
    dataset = yolo(tmp_path, "0 0.1 0.2 0.6 0.2 0.6 0.8\n1 0.5 0.5 0.5 0.4\n")
    sample = dataset[0]
    np.testing.assert_allclose(sample["gt_bbox"], [[2, 2, 12, 8], [5, 3, 15, 7]], rtol=1e-6)
    np.testing.assert_allclose(sample["gt_poly"][0][0], [2, 2, 12, 2, 12, 8])
    np.testing.assert_allclose(sample["gt_poly"][1][0], [5, 3, 15, 3, 15, 7, 5, 7], rtol=1e-6)
    assert dataset[1]["gt_poly"] == []


def test_yolo_lists_and_yaml(tmp_path: Path) -> None:
    yolo(tmp_path)
    (tmp_path / "data.yaml").write_text("path: .\nnames:\n  1: dog\n  0: cat\n")
    (tmp_path / "train.txt").write_text("./images/train/a.png\n\n")
    dataset = YOLODataset(str(tmp_path), "train.txt", "data.yaml")
    assert dataset.class_names == ["cat", "dog"] and len(dataset) == 1
    (tmp_path / "data.yaml").write_text("names: [cat, cat]\n")
    with pytest.raises(ValueError, match="data.yaml: names must list the classes, each once, or map 0, 1, 2 ... to"):
        YOLODataset(str(tmp_path), "train.txt", "data.yaml")
    (tmp_path / "train.txt").write_text("images/train/a.png\n./images/train/a.png\n")
    with pytest.raises(ValueError, match="train.txt: the list names '.*a.png' twice"):
        YOLODataset(str(tmp_path), "train.txt")
    (tmp_path / "train.txt").write_text("images/train/c.png\n")
    with pytest.raises(FileNotFoundError, match="train.txt: no image file '.*c.png'"):
        YOLODataset(str(tmp_path), "train.txt")
    (tmp_path / "train.txt").write_text("\n")
    with pytest.raises(ValueError, match="train.txt: there are no images"):
        YOLODataset(str(tmp_path), "train.txt")
    (tmp_path / "labels" / "train" / "a.txt").unlink()
    with pytest.raises(ValueError, match="none of the 2 images has a file of labels; the first one's would be '"):
        YOLODataset(str(tmp_path))


def test_where_labels_are() -> None:
    assert label_file("/d/images/x/images/a.b.jpg") == "/d/images/x/labels/a.b.txt"
    assert label_file("photos/a.jpg") == "photos/a.txt"
    assert label_file("s3://d/images/a.jpg") == "s3://d/labels/a.txt"


def test_yolo_lines_that_are_put_right(tmp_path: Path) -> None:
    with pytest.warns(UserWarning) as output:
        dataset = yolo(tmp_path, "0 0.9 0.5 0.4 0.4\n0 0.9 0.5 0.4 0.4\n1 0.5 0.5 0 0.2\n\n1 0.5 0.5 0.2 0.2\n")
    (warning,) = output
    assert str(warning.message).endswith(
        "1 boxes of no area, or outside their images, are left out, the first is line 3 of a.txt; "
        "1 boxes that reach out of their images are clipped, the first is line 1 of a.txt; "
        "1 objects that are there twice are left out, the first is line 2 of a.txt"
    )
    np.testing.assert_allclose(dataset[0]["gt_bbox"], [[14, 3, 20, 7], [8, 4, 12, 6]], rtol=1e-6)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 0.5 0.5 0.1 0.1", "a.txt:1: class '2' is none of the 2 in the list of classes, 0 to 1"),
        ("0.5 0.5 0.5 0.1 0.1", "a.txt:1: class '0.5' is none of the 2"),
        ("nan 0.5 0.5 0.1 0.1", "a.txt:1: class 'nan' is none of the 2"),
        ("cat 0.5 0.5 0.1 0.1", "a.txt:1: the class must be a number, not 'cat'"),
        ("0 0.5 nan 0.1 0.1", "a.txt:1: the numbers after the class must be shares of the image, between 0 and 1, not"),
        ("0 12 30 40 50", "a.txt:1: the numbers after the class must be shares .* not '12 30 40 50'"),
        ("0 0.5 0.5 -0.1 0.1", "a.txt:1: the numbers after the class must be shares"),
        ("0 0.5 0.5 0.1", "this one holds 3 numbers after the class"),
        ("0 0.1 0.2 0.3 0.4 0.5 0.6 0.7", "at least three; this one holds 7 numbers after the class"),
    ],
)
def test_what_yolo_lines_must_not_say(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        yolo(tmp_path, line)


def test_images_that_are_missing_or_cut(tmp_path: Path) -> None:
    dataset = yolo(tmp_path)
    path = tmp_path / "images" / "train" / "a.png"
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(ValueError, match="image file '.*a.png' is truncated: it ends after 60 bytes"):
        Decode()(dataset[0])
    path.unlink()
    with pytest.raises(FileNotFoundError, match="no image file '.*a.png'"):
        dataset[0]
    assert image_size(tmp_path / "images" / "train" / "b.png") == (6, 8)
