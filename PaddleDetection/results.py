"""Result files: bbox.json and mask.json in COCO's format, and WIDER FACE's, one for each image."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.train.logs.run_folder import writing
from core.weights.atomic import atomic_write
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.wider_face import face_list_name
from PaddleDetection.metrics.base import Found

BOXES, MASKS = "bbox.json", "mask.json"

FACES = "wider_face"
"""The folder of WIDER FACE's files."""


def box_rows(found: Found, image_id: int, category_ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield one record for each box of an image: left, top, width and height in pixels.

    Args:
        found: what is found.
        image_id: of the image.
        category_ids: of the classes, in the order of their numbers.
    """
    for number, score, left, top, right, bottom in found.rows.tolist():
        entry = {"image_id": image_id, "category_id": category_ids[int(number)], "score": score}
        yield {**entry, "bbox": [left, top, right - left, bottom - top]}


def mask_rows(found: Found, image_id: int, category_ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield one record for each mask of an image; arguments as of :func:`box_rows`."""
    for (number, score, *_), mask in zip(found.rows.tolist(), found.masks or ()):
        lengths = {"size": mask["size"], "counts": mask["counts"].decode("ascii")}
        entry = {"image_id": image_id, "category_id": category_ids[int(number)], "score": score}
        yield {**entry, "segmentation": lengths}


def write_faces(folder: Path, found: Mapping[str, Found]) -> str:
    """Write what is found as WIDER FACE's evaluation tools read it, FOLDER/EVENT/IMAGE.txt; return the folder's name.

    Each file says event and image, the number of boxes, and of each box left, top, width, height and score.

    Args:
        folder: is made.
        found: by the image's file.
    """
    for file, one in found.items():
        name = face_list_name(file)
        lines = [os.path.join(os.path.dirname(name), os.path.basename(file)), str(len(one.rows))]
        for _, score, left, top, right, bottom in one.rows[np.argsort(-one.rows[:, 1], kind="stable")].tolist():
            lines.append(f"{left:.1f} {top:.1f} {right - left:.1f} {bottom - top:.1f} {score:.3f}")
        path = folder / f"{name}.txt"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as stream:
                stream.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
    return folder.name


def stored(folder: Path, dataset: DetectionDataset) -> dict[int, Found]:
    """Return what result files of a data set say was found, by the images' numbers; images without a record, too.

    Args:
        folder: where bbox.json is, and mask.json if there is one, with a record for each of bbox.json's in its order.
        dataset: whose images they are.

    Raises:
        FileNotFoundError: there is no bbox.json.
        ValueError: a file is no such list, or does not fit the data set or the other file.
    """
    images = {int(dataset.objects(index)["im_id"][0]): index for index in range(len(dataset))}
    numbers = {category: number for number, category in enumerate(dataset.category_ids)}
    rows: dict[int, list[list[float]]] = {index: [] for index in images.values()}
    masks: dict[int, list[Any]] = {index: [] for index in images.values()}
    owners = []
    for where, record in _records(folder / BOXES):
        index, head = _head(where, record, images, numbers)
        left, top, width, height = _numbers(where, record, "bbox", 4)
        rows[index].append([*head, left, top, left + width, top + height])
        owners.append((index, head))
    masked = (folder / MASKS).is_file()
    if masked:
        count = 0
        for where, record in _records(folder / MASKS):
            index, head = _head(where, record, images, numbers)
            if count >= len(owners) or owners[count] != (index, head):
                raise ValueError(f"{where} is not of the same image, class and score as record {count} of {BOXES}")
            masks[index].append(_lengths(where, record))
            count += 1
        if count != len(owners):
            raise ValueError(f"{folder / MASKS} has {count} records, {BOXES} has {len(owners)}")
    return {
        index: Found(np.array(found, np.float32).reshape(-1, 6), masks[index] if masked else None)
        for index, found in rows.items()
    }


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FileNotFoundError(f"no result file {str(path)!r}; an evaluation writes it") from None
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise ValueError(f"{path} must be a list of records, as COCO's result files are")
    for place, record in enumerate(content):
        yield f"{path}: record {place}", record


def _head(where: str, record: dict[str, Any], images: dict[int, int], numbers: dict[int, int]) -> tuple[int, Any]:
    """Return the image's number in the data set, and class and score."""
    for key, known in (("image_id", images), ("category_id", numbers)):
        if not isinstance(record.get(key), int) or record[key] not in known:
            raise ValueError(f"{where} has {key} {record.get(key)!r}, which the data set does not have")
    (score,) = _numbers(where, {"score": [record.get("score")]}, "score", 1)
    return images[record["image_id"]], (numbers[record["category_id"]], score)


def _numbers(where: str, record: dict[str, Any], key: str, count: int) -> list[float]:
    values = record.get(key)
    if not isinstance(values, list) or len(values) != count or not all(
        isinstance(value, (int, float)) and np.isfinite(value) for value in values
    ):
        raise ValueError(f"{where}: {key} must be {count} finite number{'s' if count > 1 else ''}, not {values!r:.80}")
    return [float(value) for value in values]


def _lengths(where: str, record: dict[str, Any]) -> dict[str, Any]:
    mask = record.get("segmentation")
    if not isinstance(mask, dict) or not isinstance(mask.get("counts"), str) or not isinstance(mask.get("size"), list):
        raise ValueError(f"{where}: segmentation must be compressed run lengths, {{size, counts}}, not {mask!r:.80}")
    counts = mask["counts"].encode("ascii", "replace")
    if counts and (counts[-1] - 48) & 32:  # pycocotools would read on behind the end
        raise ValueError(f"{where}: the run lengths end within a number")
    return {"size": mask["size"], "counts": counts}
