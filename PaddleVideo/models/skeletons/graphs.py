"""Graphs of joints: which bones there are, and in which sets of neighbours a network looks.

Layouts are those of PaddleVideo 2.3: NTU RGB+D's 25 joints, FSD-10's 25 of OpenPose, COCO's 17.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NTU_BONES = (
    *((1, 2), (2, 21), (3, 21), (4, 3), (5, 21), (6, 5), (7, 6), (8, 7), (9, 21), (10, 9), (11, 10), (12, 11)),
    *((13, 1), (14, 13), (15, 14), (16, 15), (17, 1), (18, 17), (19, 18), (20, 19), (22, 23), (23, 8), (24, 25)),
    (25, 12),
)
"""Joints of each bone as the data set numbers them, from 1: the outer one, then that nearer to the spine."""


class Layout(NamedTuple):
    """Joints, the bones between them, numbered from 0, and the joint that is the body's centre."""

    joints: int
    bones: tuple[tuple[int, int], ...]
    centre: int


LAYOUTS = {
    "ntu-rgb+d": Layout(25, tuple((outer - 1, inner - 1) for outer, inner in NTU_BONES), 20),
    "fsd10": Layout(
        25,
        (
            *((1, 8), (0, 1), (15, 0), (17, 15), (16, 0), (18, 16), (5, 1), (6, 5), (7, 6), (2, 1), (3, 2), (4, 3)),
            *((9, 8), (10, 9), (11, 10), (24, 11), (22, 11), (23, 22), (12, 8), (13, 12), (14, 13), (21, 14)),
            *((19, 14), (20, 19)),
        ),
        8,
    ),
    "coco_keypoint": Layout(
        17,
        (
            *((0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7), (6, 8), (7, 9), (8, 10), (5, 11), (6, 12)),
            *((11, 13), (12, 14), (13, 15), (14, 16), (11, 12)),
        ),
        11,
    ),
}
"""Layouts by name."""


def layout(name: str) -> Layout:
    """Return a layout.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(map(repr, LAYOUTS))}, not {name!r}")
    return LAYOUTS[name]


def columns_normalised(adjacency: np.ndarray) -> np.ndarray:
    """Return a matrix whose columns add up to 1, but for those that are 0."""
    total = adjacency.sum(0)
    return adjacency / np.where(total > 0, total, 1.0)


def spatial_partitions(name: str) -> np.ndarray:
    """Return ST-GCN's three sets of neighbours: a joint itself, those as near to the centre or farther, those nearer.

    The official code counts bones up to one: a joint is the centre, next to it, or far. This follows it.

    Paper: Yan, Xiong and Lin, "Spatial temporal graph convolutional networks for skeleton-based action recognition",
    AAAI 2018, section "Partition strategies", https://arxiv.org/abs/1801.07455

    Args:
        name: of the layout.

    Returns:
        float32 (3, joints, joints): element j, i of a set is the weight of joint j in what joint i becomes.
    """
    joints, bones, centre = layout(name)
    adjacency = np.eye(joints)
    for one, other in bones:
        adjacency[one, other] = adjacency[other, one] = 1.0
    weights = columns_normalised(adjacency)
    outward = np.where(adjacency[:, centre] > 0, 1, 2)
    outward[centre] = 0
    nearer = outward[:, None] < outward[None, :]
    itself = np.eye(joints, dtype=bool)
    neighbours = np.where(itself, 0.0, weights)
    parts = np.where(itself, weights, 0.0), np.where(nearer, 0.0, neighbours), np.where(nearer, neighbours, 0.0)
    return np.stack(parts).astype(np.float32)


def directed_partitions(name: str) -> np.ndarray:
    """Return CTR-GCN's three sets of neighbours: a joint itself, along bones inwards, along bones outwards.

    Args:
        name: of the layout.

    Returns:
        float32 (3, joints, joints), normalised as in :func:`spatial_partitions`.
    """
    joints, bones, _ = layout(name)
    inward, outward = np.zeros((joints, joints)), np.zeros((joints, joints))
    for outer, inner in bones:
        inward[inner, outer] = outward[outer, inner] = 1.0
    parts = np.eye(joints), columns_normalised(inward), columns_normalised(outward)
    return np.stack(parts).astype(np.float32)
