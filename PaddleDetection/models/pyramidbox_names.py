"""What PyramidBox's parameters are called in files of Paddle's models repository, releases 1.x.

Fluid named layers by their kinds and counted them in the order in which the program has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCALE = "Scale_0.w_0"
"""A name that no other network of 1.x has."""

_CONTEXT = (
    *("branch1.conv", "branch2a.conv", "branch2b.conv", "branch2c.conv"),
    *("ssh_1", "ssh_dimred", "ssh_2", "ssh_3a", "ssh_3b"),
)
_NORMS = {"weight": "w_0", "bias": "b_0", "_mean": "w_1", "_variance": "w_2"}


def fluid_names() -> dict[str, str]:
    """Return the names in files of 1.x by those of PyramidBox's parameters today."""
    blocks = [f"conv_block_{block}.conv{conv}" for block, count in enumerate((2, 2, 3, 3, 3)) for conv in range(count)]
    further = [f"conv{block}.conv{conv}" for block in (6, 7) for conv in (0, 1)]
    convolutions = [f"backbone.{name}" for name in (*blocks, "fc6", "fc7", *further)]
    convolutions += [f"neck.fuse{level}.{name}" for level in (2, 1, 0) for name in ("top", "lateral")]
    convolutions += [f"head.context{level}.{name}" for level in range(6) for name in _CONTEXT]
    convolutions += [f"head.{kind}{level}" for level in range(6) for kind in ("boxes", "scores")]
    names = {}
    for number, name in enumerate(convolutions):
        names[f"{name}.weight"] = f"conv2d_{number}.w_0"
        if not name.endswith(".conv"):
            names[f"{name}.bias"] = f"conv2d_{number}.b_0"
    for number, name in enumerate(name for name in convolutions if name.endswith(".conv")):
        for ours, theirs in _NORMS.items():
            names[f"{name.rpartition('.')[0]}.bn.{ours}"] = f"batch_norm_{number}.{theirs}"
    for number in range(3):
        names[f"neck.fuse{2 - number}.upsample.weight"] = f"conv2d_transpose_{number}.w_0"
        names[f"head.norm{number}.scale"] = f"Scale_{number}.w_0"
    return names


def renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a file of 1.x under today's names; others as they are.

    The network was trained on images in the order blue, green, red: the first convolution's input channels are turned.

    Args:
        values: arrays by name.
    """
    table = {theirs: ours for ours, theirs in fluid_names().items()}
    first = "conv2d_0.w_0"
    return {table.get(name, name): value[:, ::-1] if name == first else value for name, value in values.items()}
