"""Data sets of drawn faces: labelled, paired and unpaired; each drawn from its number, the same in any process."""

from __future__ import annotations

import difflib
from typing import Any, Optional

import numpy as np

from core.io import Dataset
from core.vision.datasets.face_drawing import draw_face
from core.vision.datasets.face_factors import FACE_ATTRIBUTES, HAIR_COLORS, Face, check_fixed, draw_factors
from PaddleGAN.data.images import Transform
from PaddleGAN.data.paired import check_direction


class DrawnFaces(Dataset):
    """What the data sets of drawn faces share.

    Args:
        count: how many samples.
        size: pixels of a side, 32 or more.
        seed: not negative; different seeds draw different faces.
        transform: a function of an image, or of a pair.

    Raises:
        ValueError: an argument is out of range.
    """

    images_together = 1

    def __init__(self, count: int, size: int, seed: int, transform: Optional[Transform]) -> None:
        owner = type(self).__name__
        if count < 1 or size < 32 or seed < 0:
            raise ValueError(
                f"{owner}: count must be positive, size at least 32 and seed not negative; not {count}, {size}, {seed}"
            )
        self.count = count
        self.size = size
        self.seed = seed
        self.transform = transform

    def __len__(self) -> int:
        return self.count

    def _apply(self, images: Any) -> Any:
        return images if self.transform is None else self.transform(images)

    def _check(self, index: int) -> None:
        if not 0 <= index < self.count:
            raise IndexError(f"sample {index} is outside a {type(self).__name__} of {self.count} samples")


class Faces(DrawnFaces):
    """Drawn faces with the attributes they were drawn with; sample i is (image, attributes), these float32, 1 or 0.

    Args:
        count: how many.
        size: pixels of a side, 32 or more.
        seed: not negative; different seeds draw different faces.
        attributes: which of FACE_ATTRIBUTES, in order; None: all.
        fixed: attributes that all faces shall have, or lack, by name.
        keep: keep each face once it is drawn, in 3 size^2 bytes of the process that reads it; drawing takes
            milliseconds.
        transform: a function of an image, uint8 of shape (size, size, 3).

    Raises:
        ValueError: an argument is out of range, an attribute is unknown, or those that are fixed contradict each other.
    """

    def __init__(
        self,
        count: int,
        size: int = 64,
        seed: int = 0,
        attributes: Optional[list[str]] = None,
        fixed: Optional[dict[str, bool]] = None,
        keep: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(count, size, seed, transform)
        self._kept: Optional[dict[int, tuple[np.ndarray, np.ndarray]]] = {} if keep else None
        self.attribute_names = tuple(FACE_ATTRIBUTES if attributes is None else attributes)
        for name in self.attribute_names:
            if name not in FACE_ATTRIBUTES:
                nearest = difflib.get_close_matches(name, FACE_ATTRIBUTES, n=1, cutoff=0.0)[0]
                raise ValueError(f"Faces: no attribute {name!r}; the nearest is {nearest!r}")
        check_fixed(fixed or {})
        self.fixed = fixed

    def face(self, index: int) -> Face:
        """Return what is drawn in sample ``index``."""
        self._check(index)
        return draw_factors(self.seed, index, self.fixed)

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        kept = self._kept.get(index) if self._kept is not None else None
        image, attributes = self._drawn(index) if kept is None else kept
        if self._kept is not None:
            self._kept[index] = image, attributes
            image, attributes = image.copy(), attributes.copy()  # whoever gets them may write in them
        return self._apply(image), attributes

    def _drawn(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        face = self.face(index)
        attributes = np.array([face.attributes[name] for name in self.attribute_names], np.float32)
        return draw_face(face, self.size), attributes


class FaceOutlines(DrawnFaces):
    """Pairs of a face's outline (A) and the same face in color (B), for translation.

    Args:
        count: how many pairs.
        size: pixels of a side, 32 or more.
        seed: not negative; different seeds draw different faces.
        direction: "AtoB": the outline is the input and the face the target; or "BtoA".
        transform: a function of the pair, a tuple.

    Raises:
        ValueError: an argument is out of range.
    """

    images_together = 2

    def __init__(
        self,
        count: int,
        size: int = 64,
        seed: int = 0,
        direction: str = "AtoB",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(count, size, seed, transform)
        check_direction("FaceOutlines", direction)
        self.direction = direction

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        self._check(index)
        face = draw_factors(self.seed, index)
        outline, colored = draw_face(face, self.size, outline=True), draw_face(face, self.size)
        pair: tuple[Any, Any] = self._apply((outline, colored) if self.direction == "AtoB" else (colored, outline))
        return pair


class UnpairedFaces(DrawnFaces):
    """Faces (A, B) of two kinds, which differ in the attributes given; no face is of both kinds.

    Args:
        count: how many of each kind.
        a: the attributes that the kind A has, or lacks, by name: ``{"Black_Hair": True}``.
        b: likewise of B.
        size: pixels of a side, 32 or more.
        seed: not negative; different seeds draw different faces.
        transform: a function of an image.

    Raises:
        ValueError: an argument is out of range, an attribute is unknown, or some contradict each other.
    """

    def __init__(
        self,
        count: int,
        a: dict[str, bool],
        b: dict[str, bool],
        size: int = 64,
        seed: int = 0,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(count, size, seed, transform)
        check_fixed(a)
        check_fixed(b)
        self.a = a
        self.b = b

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        self._check(index)
        first, second = draw_factors(self.seed, 2 * index, self.a), draw_factors(self.seed, 2 * index + 1, self.b)
        return self._apply(draw_face(first, self.size)), self._apply(draw_face(second, self.size))

    def counterparts(self, index: int) -> tuple[Any, Any]:
        """Return the face A of sample ``index`` drawn as one of the kind B, and its face B as one of A.

        Whatever the kind does not say stays as it is.
        """
        self._check(index)
        turned = []
        for number, before, after in ((2 * index, self.a, self.b), (2 * index + 1, self.b, self.a)):
            face = draw_factors(self.seed, number, before)
            other = draw_factors(self.seed, number, _as_kind(face, after))
            turned.append(self._apply(draw_face(other, self.size)))
        return turned[0], turned[1]


def _as_kind(face: Face, kind: dict[str, bool]) -> dict[str, bool]:
    """Return a face's attributes, but for those of a kind and what contradicts these."""
    kept = dict(face.attributes)
    if any(name in kind and kind[name] != kept[name] for name in HAIR_COLORS):
        kept = {name: value for name, value in kept.items() if name not in HAIR_COLORS}
    for name, other in (("Bald", "Bangs"), ("Bangs", "Bald")):
        if kind.get(name):
            kept[other] = False
    return {**kept, **kind}
