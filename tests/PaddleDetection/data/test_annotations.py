"""COCO's and VOC's annotations: what is read, what is put right, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from core.io import Subset
from PaddleDetection.data import json_stream
from PaddleDetection.data.coco import COCODataset
from PaddleDetection.data.json_stream import records
from PaddleDetection.data.pipeline import SplitSection, batched_fields, network_fields
from PaddleDetection.data.transforms.basic import Decode, Permute, Resize
from PaddleDetection.data.transforms.batch import InOrder
from PaddleDetection.data.transforms.boxes import Poly2Mask
from PaddleDetection.data.transforms.masks import decoded, encoded
from PaddleDetection.data.voc import VOCDataset

TRIANGLE = [1.0, 1.0, 8.0, 1.0, 1.0, 6.0]


def coco(folder: Path, **changes: Any) -> COCODataset:
    """Write two images, the first with an object and a crowd; ``changes`` are of the object, or whole lists."""
    thing = {"id": 1, "image_id": 7, "category_id": 3, "bbox": [1, 1, 7, 5], "area": 9, "segmentation": [TRIANGLE]}
    thing["iscrowd"] = 0
    thing.update({name: value for name, value in changes.items() if name in thing})
    runs = {"size": [10, 20], "counts": [50, 30, 120]}
    crowd = {"id": 2, "image_id": 7, "category_id": 5, "bbox": [5, 0, 3, 10], "iscrowd": 1, "segmentation": runs}
    whole = {
        "info": {"about": ["anything", {"at": "all"}]},
        "images": [
            {"id": 7, "file_name": "a.png", "height": 10, "width": 20},
            {"id": 4, "file_name": "b.png", "height": 6, "width": 8},
        ],
        "annotations": [thing, crowd],
        "categories": [{"id": 5, "name": "cat"}, {"id": 3, "name": "dog"}],
    }
    whole.update({name: value for name, value in changes.items() if name in whole})
    (folder / "all.json").write_text(json.dumps(whole))
    cv2.imwrite(str(folder / "a.png"), np.zeros((10, 20, 3), np.uint8))
    return COCODataset(str(folder), "all.json", **changes.get("settings", {}))


def test_coco(tmp_path: Path) -> None:
    dataset = coco(tmp_path)
    assert dataset.class_names == ["cat", "dog"] and len(dataset) == 1
    sample = Decode()(dataset[0])
    assert sample["im_id"].tolist() == [7] and sample["image"].shape == (10, 20, 3)
    assert sample["gt_bbox"].tolist() == [[1, 1, 8, 6], [5, 0, 8, 10]]
    assert sample["gt_class"].tolist() == [[1], [0]] and sample["is_crowd"].tolist() == [[0], [1]]
    assert sample["gt_poly"][0] == [TRIANGLE] and sample["gt_poly"][1]["size"] == [10, 20]
    everything = coco(tmp_path, settings={"allow_empty": True, "load_crowd": False})
    assert [everything[index]["gt_bbox"].shape for index in range(2)] == [(1, 4), (0, 4)]
    assert everything[1]["gt_poly"] == [] and everything[1]["gt_class"].shape == (0, 1)
    first = coco(tmp_path, settings={"allow_empty": True, "sample_num": 1})
    assert len(first) == 1 and first[0]["im_id"].tolist() == [7]
    with pytest.raises(ValueError, match="COCODataset: sample_num must be positive, or -1 for all images, not 0"):
        coco(tmp_path, settings={"sample_num": 0})


def test_polygons_of_two_points_give_way_to_the_box(tmp_path: Path) -> None:
    dataset = coco(tmp_path, segmentation=[[1, 1, 8, 6]])
    assert dataset[0]["gt_poly"][0] == [[1, 1, 8, 1, 8, 6, 1, 6]]


@pytest.mark.parametrize("box", [[30, 2, 5, 5], [3, 3, 0, 4], [8, 8, -4, -4]])
def test_boxes_of_nothing_are_left_out(box: list[float], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 boxes of no area, or outside their images, are left out, the first is ann"):
        dataset = coco(tmp_path, bbox=box)
    assert dataset[0]["gt_class"].tolist() == [[0]]  # only the crowd


def test_boxes_are_clipped(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 boxes that reach out of their images are clipped, the first is annotation"):
        dataset = coco(tmp_path, bbox=[-5, 2, 40, 4])
    assert dataset[0]["gt_bbox"][0].tolist() == [0, 2, 20, 6]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bbox": [1, 1, float("nan"), 5]}, "annotation 1: the box has a corner that is no finite number"),
        ({"bbox": [1, 2]}, r"annotation 1: bbox must be four numbers, not \[1, 2\]"),
        ({"bbox": [1, 2, "x", 4]}, "annotation 1: a number of bbox must be a number, not 'x'"),
        ({"category_id": 9}, "annotation 1 is of category 9, which is not there"),
        ({"image_id": 9}, "annotation 1 is of image 9, which is not there"),
        ({"id": 2}, "annotation id 2 is there twice"),
        ({"segmentation": {"size": [4, 4], "counts": [16]}}, r"lengths are of size \[4, 4\], its image is \[10, 20\]"),
        ({"segmentation": {"size": [10, 20], "counts": [9]}}, "run lengths do not sum to the image's pixels"),
        ({"segmentation": {"size": [10, 20], "counts": [-5, 205]}}, "run lengths do not sum to the image's pixels"),
        ({"segmentation": {"size": [10, 20], "counts": [1.5]}}, "run lengths must be whole numbers or COCO's text"),
        ({"segmentation": {"size": [10, 20], "counts": "zzz"}}, "its run lengths are not COCO's text: 'zzz'"),
        ({"segmentation": {"size": [10, 20], "counts": "P"}}, "its run lengths are cut off: 'P'"),
        ({"segmentation": [[1, 1, 1e9, 1, 1, 6]]}, "a point of a polygon is no finite number, or far outside of the"),
        ({"segmentation": [[1, 1, "x", 1, 1, 6]]}, "a polygon must be a list of numbers, not "),
        ({"segmentation": 7}, "segmentation must be polygons or run lengths, not '7'"),
        ({"category_id": [3]}, r"annotation 1 is of category '\[3\]', which is not there"),
        ({"images": [{"id": None, "file_name": "a", "height": 2, "width": 2}]}, "one of the images must be a number"),
        ({"images": [{"id": 1, "file_name": "a", "height": 1e6, "width": 1e6}]}, "image 1: .* pixels is too large"),
        ({"images": [{"id": 1, "file_name": "a", "height": 2, "width": 2}] * 2}, "image id 1 is there twice"),
        ({"images": [{"id": 1}]}, "one of the images has no 'file_name'"),
        ({"images": []}, "there are no images"),
        ({"annotations": []}, "there are no images with objects"),
        ({"annotations": [3]}, "'annotations' must hold records, not '3'"),
    ],
)
def test_what_coco_files_must_not_say(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        coco(tmp_path, **changes)


def test_run_lengths_as_text(tmp_path: Path) -> None:
    pixels = np.zeros((10, 20), np.uint8)
    pixels[2:9, 3:17] = 1
    pixels[4, 5] = 0
    written = encoded(pixels)
    lengths = {"size": [10, 20], "counts": written["counts"].decode()}
    assert (decoded(coco(tmp_path, segmentation=lengths)[0]["gt_poly"][0], 10, 20) == pixels).all()


def test_only_crowds_and_images_without_objects_make_batches(tmp_path: Path) -> None:
    dataset = coco(tmp_path, iscrowd=1, settings={"allow_empty": True})
    section = SplitSection.model_validate(
        {
            "dataset": {"name": "COCODataset", "dataset_dir": "d", "anno_path": "a"},
            "transforms": [{"name": "Decode"}],
            "batch_transforms": [{"name": "Resize", "target_size": 8}, {"name": "Permute"}],
            "batch_size": 2,
        }
    )
    cv2.imwrite(str(tmp_path / "b.png"), np.zeros((6, 8, 3), np.uint8))
    dataset.transform = section.composed(section.transforms)
    assert dataset[0]["is_crowd"].tolist() == [[1], [1]] and dataset[1]["is_crowd"].shape == (0, 1)
    fields = batched_fields(list(network_fields(InOrder([Permute()], dict)([dataset[0]])[0])))
    for wanted, objects in (([0, 1], [2, 0]), ([1], [0])):  # the second batch has no box at all
        (batch,) = section.loader_of(Subset(dataset, wanted), fields)
        assert batch["gt_bbox"].shape == [len(wanted), 8, 4] and batch["gt_bbox_lengths"].tolist() == objects
        assert batch["image"].shape == [len(wanted), 3, 8, 8]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_lists_that_are_not_wanted_are_passed(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    others = [[], {"a": ["]", '"[', "\\", {"b": [[1.5, -2e9], None]}]}, "x" * 40, 7]
    content = {"others": others, "info": {"year": [2017]}, "images": [{"id": 1}, {"id": 2}], "last": [[[]]]}
    path = tmp_path / "all.json"
    for text in (json.dumps(content), json.dumps(content, indent=2)):
        path.write_text(text)
        assert list(records(str(path), ("images",))) == [("images", {"id": 1}), ("images", {"id": 2})]
    for cut in ('{"others": [1, {"a": [2', '{"others": ["not ended'):
        path.write_text(cut)
        with pytest.raises(ValueError, match="all.json: not a whole JSON file: a list does not end"):
            list(records(str(path), ("images",)))


def test_json_files_that_are_cut_or_none(tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text('{"images": [{"id": 1}, {"id"')
    with pytest.raises(ValueError, match="cut.json: not a whole JSON file"):
        list(records(str(tmp_path / "cut.json"), ("images",)))
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(ValueError, match="list.json: not such a JSON file: '{' is expected, not "):
        list(records(str(tmp_path / "list.json"), ("images",)))


def voc(folder: Path, box: str = "2 3 9 8", name: str = "cell", extra: str = "") -> VOCDataset:
    corners = "".join(f"<{side}>{x}</{side}>" for side, x in zip(("xmin", "ymin", "xmax", "ymax"), box.split()))
    (folder / "label_list.txt").write_text("blood\ncell\n")
    (folder / "trainval.txt").write_text("a.png a.xml\n")
    (folder / "a.xml").write_text(
        f"{extra}<annotation><size><width>20</width><height>10</height></size><object><name>{name}</name>"
        f"<difficult>1</difficult><bndbox>{corners}</bndbox></object></annotation>"
    )
    cv2.imwrite(str(folder / "a.png"), np.zeros((10, 20, 3), np.uint8))
    return VOCDataset(str(folder))


def test_voc(tmp_path: Path) -> None:
    sample = voc(tmp_path)[0]
    assert sample["gt_bbox"].tolist() == [[2, 3, 9, 8]] and sample["gt_class"].tolist() == [[1]]
    assert sample["difficult"].tolist() == [[1]] and sample["is_crowd"].tolist() == [[0]]
    assert VOCDataset(str(tmp_path), label_list=["cell", "blood"])[0]["gt_class"].tolist() == [[0]]
    with pytest.raises(ValueError, match="label_list: each of its entries must be a class name of its own"):
        VOCDataset(str(tmp_path), label_list=["cell", "cell"])
    with pytest.warns(UserWarning, match="boxes of no area, .*the first is object 0 of a.xml"):
        assert voc(tmp_path, box="5 5 5 9")[0]["gt_bbox"].shape == (0, 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "dog"}, "object 0 is of class 'dog', which is not in the list of classes"),
        ({"box": "1 2 nan 4"}, "object 0 of a.xml: the box has a corner that is no finite number"),
        ({"box": "1 2 x 4"}, "bndbox/xmax of object 0 must be a number, not 'x'"),
        ({"extra": '<!DOCTYPE a [<!ENTITY b "c">]>'}, "must not declare entities or a document type"),
        ({"extra": "<"}, "a.xml: not an XML file"),
    ],
)
def test_what_voc_files_must_not_say(changes: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        voc(tmp_path, **changes)


@pytest.mark.parametrize(("size", "message"), [("a 10", "width must be a number, not 'a'"), ("-3 10", "width must be")])
def test_sizes_that_are_none(size: str, message: str, tmp_path: Path) -> None:
    voc(tmp_path)
    text = (tmp_path / "a.xml").read_text()
    width, height = size.split()
    written = f"<width>{width}</width><height>{height}</height>"
    (tmp_path / "a.xml").write_text(text.replace("<width>20</width><height>10</height>", written))
    with pytest.raises(ValueError, match=f"a.xml: {message}"):
        VOCDataset(str(tmp_path))


def test_an_image_of_another_size_and_one_that_is_listed_twice(tmp_path: Path) -> None:
    dataset = voc(tmp_path)
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((12, 20, 3), np.uint8))
    with pytest.raises(ValueError, match="a.png' has 12 x 20 pixels, its annotation says 10 x 20: correct"):
        Decode()(dataset[0])
    with pytest.raises(ValueError, match="a.png' has 12 x 20 pixels, its annotation says 10 x 20"):
        Decode()(coco_with_another_image(tmp_path))
    (tmp_path / "trainval.txt").write_text("a.png a.xml\na.png a.xml\n")
    with pytest.raises(ValueError, match="trainval.txt: the list names '.*a.png' twice"):
        VOCDataset(str(tmp_path))


def coco_with_another_image(folder: Path) -> Any:
    dataset = coco(folder)
    cv2.imwrite(str(folder / "a.png"), np.zeros((12, 20, 3), np.uint8))
    return dataset[0]


@pytest.mark.parametrize(("box", "kept"), [("30 2 35 8", []), ("9 8 2 3", []), ("-4 2 40 8", [[0, 2, 19, 8]])])
def test_boxes_of_voc_that_are_put_right(box: str, kept: list[list[float]], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 boxes .*, the first is object 0 of a.xml"):
        assert voc(tmp_path, box=box)[0]["gt_bbox"].tolist() == kept


def test_missing_files(tmp_path: Path) -> None:
    voc(tmp_path)
    (tmp_path / "a.png").unlink()
    with pytest.raises(FileNotFoundError, match="no image file '.*a.png'"):
        VOCDataset(str(tmp_path))
    (tmp_path / "trainval.txt").write_text("")
    with pytest.raises(ValueError, match="trainval.txt: the list is empty"):
        VOCDataset(str(tmp_path))
    dataset = coco(tmp_path)
    (tmp_path / "a.png").unlink()
    with pytest.raises(FileNotFoundError, match="a.png"):
        Decode()(dataset[0])


@pytest.mark.parametrize("longest", [35, 37, 39])
def test_run_lengths_and_polygons_keep_the_image_s_size(longest: int, tmp_path: Path) -> None:
    sample = Decode()(coco(tmp_path)[0])
    sample = Poly2Mask()(Resize([30, longest], keep_ratio=True)(sample))  # half of an odd number is rounded
    assert sample["gt_segm"].shape == (2, *sample["image"].shape[:2])
