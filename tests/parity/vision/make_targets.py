"""Store what PaddleDetection 2.6 makes of seeded anchors, proposals and objects; run by a Python that has ``ppdet``:

    python tests/parity/vision/make_targets.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).with_name("targets.npz")
COUNTS = (4, 0, 3)
PROPOSALS = {"plain": {}, "cascade": {"is_cascade": True, "cascade_iou": 0.6}, "alone": {"add_gt_as_proposals": False}}
CROWDS = {"plain": (False, -1.0), "crowd": (True, -1.0), "ignored": (True, 0.4)}


def boxes(random: np.random.RandomState, *shape: int) -> np.ndarray:
    """Return corners of boxes between 5 and 50 pixels wide."""
    corner = random.uniform(0, 60, (*shape, 2))
    return np.concatenate([corner, corner + random.uniform(5, 50, (*shape, 2))], -1).astype(np.float32)


def inputs() -> dict[str, np.ndarray]:
    """Return anchors, proposals, and padded objects of three images, the second one without any."""
    random = np.random.RandomState(7)
    objects = boxes(random, 3, 4)
    near = np.repeat(objects, 5, axis=1) + random.uniform(-6, 6, (3, 20, 4)).astype(np.float32)
    crowd = np.zeros((3, 4), np.int64)
    crowd[2, 1] = crowd[0, 3] = 1
    return {
        "anchors": np.concatenate([boxes(random, 300), near.reshape(-1, 4)]),
        "rois": np.concatenate([boxes(random, 3, 40), near], 1),
        "gt_boxes": objects,
        "gt_classes": random.randint(0, 5, (3, 4)),
        "crowd": crowd,
    }


def outlines() -> list[list[list[list[float]]]]:
    """Return the polygons of each object of each image, x and y in turn, as lists: the official code moves arrays."""
    random = np.random.RandomState(9)
    images = []
    for rows, count in zip(inputs()["gt_boxes"], COUNTS):
        objects = []
        for box in rows[:count].astype(np.float64):
            shapes = []
            for corners in random.randint(3, 9, random.randint(1, 4)):
                share = random.uniform(-0.1, 1.1, (corners, 2))
                shapes.append((box[:2] + share * (box[2:] - box[:2])).ravel().tolist())
            objects.append(shapes)
        images.append(objects)
    return images


def main() -> None:
    """Write the reference."""
    import paddle
    from ppdet.modeling.proposal_generator import target

    sizes = paddle.shape
    paddle.shape = lambda x: sizes(x).unsqueeze(-1)  # the official code joins counts, which have no axis in Paddle 2.6
    given = inputs()
    stored: dict[str, Any] = {}

    def of_images(name: str) -> list[Any]:
        return [paddle.to_tensor(rows[:count]) for rows, count in zip(given[name], COUNTS)]

    classes = [paddle.to_tensor(rows[:count, None]) for rows, count in zip(given["gt_classes"], COUNTS)]
    crowds = [paddle.to_tensor(rows[:count, None].astype("float32")) for rows, count in zip(given["crowd"], COUNTS)]
    for name, (with_crowd, ignore) in CROWDS.items():
        found = target.rpn_anchor_target(
            paddle.to_tensor(given["anchors"]), of_images("gt_boxes"), 64, 0.7, 0.3, 0.5, False, 3, ignore,
            crowds if with_crowd else None, [1.0, 1.0, 2.0, 2.0],
        )  # fmt: skip
        for part, rows in zip(("labels", "boxes", "deltas"), found):
            stored[f"rpn {name} {part}"] = np.stack([row.numpy() for row in rows])
    for name, options in PROPOSALS.items():
        rois = [paddle.to_tensor(rows) for rows in given["rois"]]
        *found, counts = target.generate_proposal_target(
            rois, classes, of_images("gt_boxes"), 32, 0.25, 0.5, 0.4, 5, 0.4, crowds, False, **options
        )
        for part, rows in zip(("rois", "labels", "boxes", "places"), found):
            for image, row in enumerate(rows):
                stored[f"box {name} {part} {image}"] = row.numpy()
        stored[f"box {name} counts"] = counts.numpy()
        if name == "plain":
            labels, places = [row.astype("int32") for row in found[1]], found[3]
            masks = target.generate_mask_target(outlines(), found[0], labels, places, 5, 14)
            stored["masks"] = np.packbits(masks[3].numpy().astype(bool))
            stored["mask weights"] = masks[5].numpy()
    np.savez_compressed(STORED, **stored)


if __name__ == "__main__":
    main()
