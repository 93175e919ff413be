"""Time and memory of reading a generated COCO file of 118,000 images and 860,000 polygons, with two reader workers.

It is written first where FOLDER lacks it; the peak of the indexing process counts that, too, so run it twice. The
workers then read the objects of all images. Memory is what a process does not share, and its part of what it does.

    python -m benchmarks.PaddleDetection.coco_index FOLDER
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

from core.io import DataLoader
from PaddleDetection.data.coco import COCODataset

IMAGES, OBJECTS, POINTS = 118_000, 860_000, 20


def write(path: Path) -> None:
    """Write the file, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = np.random.RandomState(0)
    with path.open("w") as file:
        file.write('{"images": [')
        for number in range(IMAGES):
            file.write(", " * (number > 0))
            file.write(json.dumps({"id": number, "file_name": f"{number:012d}.jpg", "height": 480, "width": 640}))
        file.write('], "annotations": [')
        for number in range(OBJECTS):
            points = np.round(source.uniform(0, 400, 2 * POINTS), 2).tolist()
            record = {"id": number, "image_id": int(source.randint(IMAGES)), "category_id": number % 80, "iscrowd": 0}
            file.write(", " * (number > 0) + json.dumps({**record, "bbox": [5, 5, 300, 300], "segmentation": [points]}))
        names = [{"id": number, "name": f"class {number}"} for number in range(80)]
        file.write(f'], "categories": {json.dumps(names)}}}')


class Objects:
    """The number of objects of each image, of which all that is known is read.

    Args:
        dataset: of images and objects.
    """

    def __init__(self, dataset: COCODataset) -> None:
        self.dataset = dataset

    def __getitem__(self, index: int) -> np.ndarray:
        sample = self.dataset.sample(index)
        assert len(sample["gt_poly"]) == len(sample["gt_bbox"])
        return np.array(len(sample["gt_bbox"]))

    def __len__(self) -> int:
        return len(self.dataset)


def megabytes(process: int) -> float:
    """Return the memory of a process, pages that several share divided among them."""
    rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


def main() -> None:
    """Print seconds and megabytes."""
    path = Path(sys.argv[1]) / "generated.json"
    if not path.exists():
        write(path)
    start, worked = time.perf_counter(), time.process_time()
    dataset = COCODataset(sys.argv[1], path.name)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = path.stat().st_size / 1e6
    text = f"{seconds:.1f} s, {worked:.1f} of a processor"
    print(f"{size:.0f} MB: {len(dataset)} images in {text}, at most {peak:.0f} MB in memory", flush=True)
    start, count, together = time.perf_counter(), 0, 0.0
    for number, found in enumerate(DataLoader(Objects(dataset), batch_size=1000, num_workers=2)):
        count += int(found.sum())
        if number % 20 == 0:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            together = max(together, megabytes(os.getpid()) + sum(map(megabytes, map(int, children))))
    print(f"{count} objects by two workers in {time.perf_counter() - start:.1f} s; all processes {together:.0f} MB")


if __name__ == "__main__":
    main()
