"""Time and memory of reading a generated COCO file of 118,000 images and 860,000 polygons.

    python benchmarks/PaddleDetection/coco_index.py FOLDER
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from PaddleDetection.data.coco import COCODataset

IMAGES, OBJECTS, POINTS = 118_000, 860_000, 20


def write(path: Path) -> None:
    """Write the file."""
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


def main() -> None:
    """Print seconds and megabytes."""
    path = Path(sys.argv[1]) / "generated.json"
    if not path.exists():
        write(path)
    start = time.perf_counter()
    dataset = COCODataset(sys.argv[1], path.name)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = path.stat().st_size / 1e6
    print(f"{size:.0f} MB: {len(dataset)} images in {seconds:.1f} s, at most {peak:.0f} MB in memory")


if __name__ == "__main__":
    main()
