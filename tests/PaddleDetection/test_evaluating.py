"""Evaluations: by COCO's measure, of stored result files, and of data that does not fit."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pycocotools import mask as coco
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from core.vision.image import read_image, write_image
from PaddleDetection import eval as evaluation
from PaddleDetection.config import TOOLKIT, EvaluateSection
from PaddleDetection.data.digit_scenes import DigitScenes
from PaddleDetection.evaluator import DetectionEvaluator
from PaddleDetection.metrics.base import Found
from PaddleDetection.results import stored
from tests.PaddleDetection.small import CONFIG, options


def as_json(scenes: DigitScenes) -> dict[str, Any]:
    """Return what COCO's file of the scenes would hold."""
    images, annotations = [], []
    for index in range(len(scenes)):
        truth = scenes.objects(index)
        images.append({"id": index, "height": scenes.size, "width": scenes.size})
        for box, number, mask in zip(truth["gt_bbox"].tolist(), truth["gt_class"][:, 0].tolist(), truth["gt_segm"]):
            left, top, right, bottom = box
            entry = {"id": len(annotations) + 1, "image_id": index, "category_id": number + 1, "iscrowd": 0}
            annotations.append({**entry, "bbox": [left, top, right - left, bottom - top], "area": int(mask.sum())})
    categories = [{"id": number + 1, "name": name} for number, name in enumerate(scenes.class_names)]
    return {"images": images, "annotations": annotations, "categories": categories}


def test_what_an_evaluation_stores_is_judged_without_a_network(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(run), *options("evaluate.metric=COCO", "train.compiled=true"), "--classwise"]
    assert evaluation.main([*words, "--output", str(tmp_path / "first")]) == 0
    output = capsys.readouterr().out
    classes = {str(number) for i in range(4) for number in DigitScenes("test", 4, 64).objects(i)["gt_class"][:, 0]}
    assert set(json.loads((tmp_path / "first" / "results.json").read_text())["test"]["AP_of_classes"]) == classes
    assert output.count(" objects\n") + output.count(" of 1 object\n") == len(classes)
    assert "results.json, bbox.json, precision_recall.png, detections.png" in output
    assert read_image(tmp_path / "first" / "detections.png").shape[2] == 3

    shutil.copytree(run, tmp_path / "bare", ignore=shutil.ignore_patterns("checkpoints"))
    again = [str(tmp_path / "bare"), *words[1:], "--json-eval", str(tmp_path / "first")]
    assert evaluation.main([*again, "--output", str(tmp_path / "second")]) == 0
    assert (tmp_path / "second" / "results.json").read_text() == (tmp_path / "first" / "results.json").read_text()
    assert (tmp_path / "second" / "bbox.json").read_text() == (tmp_path / "first" / "bbox.json").read_text()


def test_cocos_numbers_of_a_stored_file_are_pycocotools(run: Path, tmp_path: Path) -> None:
    scenes, random = DigitScenes("test", 4, 64), np.random.RandomState(0)
    records = [
        {"image_id": one["image_id"], "category_id": one["category_id"], "score": float(random.rand()), "bbox": box}
        for one in as_json(scenes)["annotations"]
        for box in (np.array(one["bbox"]) + random.randint(-1, 2, (2, 4))).tolist()
    ]
    (tmp_path / "bbox.json").write_text(json.dumps(records))
    (tmp_path / "truth.json").write_text(json.dumps(as_json(scenes)))
    words = [str(run), "--json-eval", str(tmp_path), *options("evaluate.metric=COCO")]
    assert evaluation.main([*words, "--output", str(tmp_path / "found")]) == 0
    found = json.loads((tmp_path / "found" / "results.json").read_text())["test"]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(tmp_path / "truth.json"))
        judged = COCOeval(truth, truth.loadRes(str(tmp_path / "bbox.json")), "bbox")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    names = {"AP": 0, "AP50": 1, "AP75": 2, "AP_small": 3, "AR1": 6, "AR10": 7, "AR100": 8}
    expected = {name: judged.stats[place] for name, place in names.items()}
    assert 0.2 < expected["AP"] < 0.9 and "AP_large" not in found
    assert {name: found[name] for name in names} == pytest.approx(expected, abs=1e-12)


def evaluator_of(scenes: DigitScenes, **settings: Any) -> DetectionEvaluator:
    return DetectionEvaluator(scenes, EvaluateSection(**settings))


def perfect(scenes: DigitScenes) -> list[Found]:
    """Return the truth as what is found."""
    found = []
    for index in range(len(scenes)):
        truth = scenes.objects(index)
        rows = np.concatenate([truth["gt_class"], np.full(truth["gt_class"].shape, 0.75), truth["gt_bbox"]], axis=1)
        masks = [coco.encode(np.asfortranarray(mask)) for mask in truth["gt_segm"]]
        found.append(Found(rows.astype(np.float32), masks))
    return found


def test_masks_are_judged_written_and_read_again(tmp_path: Path) -> None:
    scenes = DigitScenes("test", 3, 64)
    first = evaluator_of(scenes, metric="COCO")
    first.update(perfect(scenes), {"index": np.arange(3)})
    assert first.result()["AP"] == pytest.approx(1) and first.result()["mask_AP"] == pytest.approx(1)
    assert first.write(tmp_path) == ["bbox.json", "mask.json"]
    assert first.lines()[0].startswith("0: AP 1.000, of masks 1.000 of ") or first.lines()[0][0].isdigit()
    assert set(first.details()) == {"AP_of_classes", "mask_AP_of_classes"}
    second = evaluator_of(scenes, metric="COCO")
    for index, found in stored(tmp_path, scenes).items():
        second.add(index, found)
    assert second.result() == first.result()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bbox.json": "[{]"}, r"bbox.json is not JSON"),
        ({"bbox.json": "{}"}, r"bbox.json must be a list of records, as COCO's result files are"),
        ({"image_id": 77}, r"bbox.json: record 0 has image_id 77, which the data set does not have"),
        ({"category_id": "cat"}, r"bbox.json: record 0 has category_id 'cat', which the data set does not have"),
        ({"bbox": [1, 2, 3]}, r"bbox.json: record 0: bbox must be 4 finite numbers, not \[1, 2, 3\]"),
        ({"score": None}, r"bbox.json: record 0: score must be 1 finite number, not \[None\]"),
        ({"mask.json": "[]"}, r"mask.json has 0 records, .*bbox.json has \d+"),
        ({"segmentation": [[1, 2]]}, r"mask.json: record 0: segmentation must be compressed run lengths"),
        ({"segmentation": {"size": [64, 64], "counts": "o"}}, r"mask.json: record 0: the run lengths end within"),
        ({"segmentation": None, "score": 0.5}, r"mask.json: record 0 is not of the same image, class and score"),
    ],
)
def test_damaged_result_files_are_named(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    scenes = DigitScenes("test", 1, 64)
    evaluator = evaluator_of(scenes, metric="COCO")
    evaluator.update(perfect(scenes), {"index": [0]})
    evaluator.write(tmp_path)
    for name, value in changed.items():
        target = tmp_path / ("mask.json" if "segmentation" in changed else "bbox.json")
        if name.endswith(".json"):
            (tmp_path / name).write_text(value)
        else:
            records = json.loads(target.read_text())
            records[0][name] = value
            target.write_text(json.dumps(records))
    with pytest.raises(ValueError, match=message):
        stored(tmp_path, scenes)
    with pytest.raises(FileNotFoundError, match="no result file .*bbox.json'; an evaluation writes it"):
        stored(tmp_path / "nowhere", scenes)


def test_many_classes_are_listed_where_it_is_asked_for() -> None:
    scenes = DigitScenes("test", 12, 64)
    scenes.class_names = [*scenes.class_names, *map(str, range(10, 40))]
    for asked, count in ((False, 10), (True, 10)):
        evaluator = evaluator_of(scenes, metric="VOC", classwise=asked)
        evaluator.update(perfect(scenes), {"index": range(12)})
        assert len(evaluator.lines()) == count  # those that have objects


def test_nothing_above_the_threshold_is_an_empty_result(run: Path, tmp_path: Path) -> None:
    words = options("network.score_threshold=1.0", "evaluate.metric=COCO")
    assert evaluation.main([str(run), *words, "--output", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "results.json").read_text())["test"]["AP"] == 0
    assert json.loads((tmp_path / "bbox.json").read_text()) == []
    assert read_image(tmp_path / "precision_recall.png").shape == (500, 700, 3)


def coco_folder(folder: Path, **changes: Any) -> list[str]:
    """Write two scenes as COCO's files; return the overrides that evaluate them."""
    scenes = DigitScenes("test", 2, 64)
    content = {**as_json(scenes), **changes}
    for index in range(2):
        write_image(folder / f"{index}.png", scenes.sample(index)["image"])
        if index < len(content["images"]):
            content["images"][index].setdefault("file_name", f"{index}.png")
    (folder / "all.json").write_text(json.dumps(content))
    dataset = json.dumps({"name": "COCODataset", "dataset_dir": str(folder), "anno_path": "all.json"})
    return options(f"data.test.dataset={dataset}", "evaluate.metric=COCO")


def test_a_folder_of_coco_is_evaluated(run: Path, tmp_path: Path) -> None:
    views = options("train.compiled=true", "evaluate.flip=true", "evaluate.scales=[1.0, 0.5]")
    assert evaluation.main([str(run), *coco_folder(tmp_path), *views, "--output", str(tmp_path / "found")]) == 0
    rows = json.loads((tmp_path / "found" / "bbox.json").read_text())
    assert {row["image_id"] for row in rows} == {0, 1} and {row["category_id"] for row in rows} <= set(range(1, 11))


def test_data_that_does_not_fit_is_told_in_one_line(run: Path, tmp_path: Path) -> None:
    names = [{"id": number + 1, "name": name} for number, name in enumerate("0123456798")]
    words = coco_folder(tmp_path, categories=names)
    with pytest.raises(ValueError, match="data.test: class 8 is '9', but '8' in what the network is trained on; name"):
        evaluation.main([str(run), *words])
    words = coco_folder(tmp_path, images=[], annotations=[])
    with pytest.raises(ValueError, match="data.test: .*all.json: there are no images"):
        evaluation.main([str(run), *words])
    sizes = [{"id": index, "height": 64, "width": 65} for index in range(2)]
    words = coco_folder(tmp_path, images=sizes)
    with pytest.raises(ValueError, match=r"0.png' has 64 x 64 pixels, its annotation says 64 x 65"):
        evaluation.main([str(run), *words])
    words = coco_folder(tmp_path)
    (tmp_path / "1.png").write_bytes((tmp_path / "1.png").read_bytes()[:-400])
    with pytest.raises(ValueError, match=r"1.png.* (truncated|ends|damaged|incomplete)"):
        evaluation.main([str(run), *words])


def test_the_monitored_number_is_the_metrics() -> None:
    for metric, name in (("VOC", "mAP"), ("COCO", "AP")):
        assert TOOLKIT.build_task(TOOLKIT.load(CONFIG, [f"evaluate.metric={metric}"])).monitor == name


def test_boxes_of_voc_are_judged_where_they_lie(run: Path, tmp_path: Path) -> None:
    scene = DigitScenes("test", 1, 64).sample(0)
    cv2.imwrite(str(tmp_path / "a.png"), scene["image"][:, :, ::-1])
    (tmp_path / "label_list.txt").write_text("\n".join("0123456789"))
    (tmp_path / "list.txt").write_text("a.png a.xml\n")
    (tmp_path / "a.xml").write_text(
        "<annotation><size><width>65</width><height>64</height></size><object><name>3</name><bndbox>"
        "<xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>"
    )
    message = json.dumps({"name": "VOCDataset", "dataset_dir": str(tmp_path), "anno_path": "list.txt"})
    with pytest.raises(ValueError, match=r"a.png' has 64 x 64 pixels, its annotation says 64 x 65"):
        evaluation.main([str(run), *options(f"data.test.dataset={message}")])
