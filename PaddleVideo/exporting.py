"""What an export of a recogniser holds: the network, and how frames are chosen, prepared and cut into views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.jit.input_spec import InputSpec
from core.train.config.table import Component
from core.train.runner.task import Program
from PaddleVideo.data.pipeline import SplitSection
from PaddleVideo.data.sources import ArrayFrames

PROBES = ((40, 301, 257), (7, 64, 83))
"""Numbers and sizes of frames, height and width, that show which sizes the preprocessing makes equal."""


def recogniser_program(network: Any, transforms: Sequence[Component], class_names: Sequence[str]) -> Program:
    """Return the program of a network with its preprocessing and class names, for any number of clips.

    Args:
        network: clips to logits.
        transforms: the preprocessing.
        class_names: the classes, in the order of their numbers.
    """
    spec = InputSpec(input_shape(transforms), name="clips")
    sizes = ", ".join("any" if size == -1 else str(size) for size in spec.shape)
    stored = [component.model_dump() for component in transforms]
    extra = {"preprocessing": stored, "class_names": class_names}
    return Program(network, [spec], f"clips float32 [{sizes}] to {len(class_names)} classes", extra)


def input_shape(transforms: Sequence[Component]) -> list[Optional[int]]:
    """Return the network's input shape (N, T, C, H, W): None for the batch, and for what depends on a clip's size."""
    transform = SplitSection.composed(transforms)
    first, second = (transform((ArrayFrames(np.zeros((*probe, 3), np.uint8)), -1))[0].shape[-4:] for probe in PROBES)
    return [None, *[size if size == other else None for size, other in zip(first, second)]]
