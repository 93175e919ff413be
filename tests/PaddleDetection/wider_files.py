"""Files as WIDER FACE has them: images, a list of their faces, and the ground truth of its evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

from core.vision import write_image
from PaddleDetection.data.face_scenes import FaceScenes


def write_ground_truth(folder: Path, events: dict[str, dict[str, list[int]]]) -> None:
    """Write the three files; the easy set has the first of the given faces."""

    def cells(values: list[Any]) -> np.ndarray:
        array = np.empty((len(values), 1), object)
        array[:, 0] = values
        return array

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("easy", "medium", "hard"):
        faces = [
            cells([np.array(found[: 1 if name == "easy" else None], np.uint8)[:, None] for found in files.values()])
            for files in events.values()
        ]
        content = {
            "event_list": cells(list(events)),
            "file_list": cells([cells(list(files)) for files in events.values()]),
            "gt_list": cells(faces),
        }
        savemat(folder / f"wider_{name}_val.mat", content)


def write_wider(folder: Path, count: int = 4, size: int = 96) -> Path:
    """Write drawn people in the folders and under the names of WIDER FACE; return the folder."""
    for split in ("train", "val"):
        lines, faces = [], {}
        images = folder / f"WIDER_{split}" / "images" / "0--Parade"
        images.mkdir(parents=True)
        scenes = FaceScenes("train" if split == "train" else "valid", count, size, 3)
        for number in range(count):
            scene = scenes.sample(number)
            write_image(images / f"{number}.png", scene["image"])
            boxes = scene["gt_bbox"].round().astype(int)
            lines += [f"0--Parade/{number}.png", str(len(boxes))]
            lines += [f"{x} {y} {right - x} {bottom - y} 0 0 0 0 0 0" for x, y, right, bottom in boxes.tolist()]
            faces[str(number)] = list(range(1, len(boxes) + 1))
        (folder / "wider_face_split").mkdir(exist_ok=True)
        (folder / "wider_face_split" / f"wider_face_{split}_bbx_gt.txt").write_text("\n".join(lines) + "\n")
    write_ground_truth(folder / "eval_tools" / "ground_truth", {"0--Parade": faces})
    return folder
