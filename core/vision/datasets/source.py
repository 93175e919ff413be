"""What samples of a published data set of images look like."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from PIL import Image

from core.vision.image import get_image_backend


def choose_backend(owner: str, backend: Optional[str]) -> str:
    """Return what kind of image a data set gives.

    Args:
        owner: the data set, for messages.
        backend: "pil" or "cv2"; None: the one of :func:`core.vision.set_image_backend`.

    Returns:
        "pil" or "cv2".

    Raises:
        ValueError: it is neither.
    """
    chosen = get_image_backend() if backend is None else backend
    if chosen not in ("pil", "cv2"):
        raise ValueError(f"{owner}: backend must be 'pil' or 'cv2', not {chosen!r}")
    return chosen


def as_backend(image: np.ndarray, backend: str) -> Any:
    """Return pixels as a PIL image for "pil", and as they are for "cv2"."""
    return Image.fromarray(image) if backend == "pil" else image


def as_sample(image: Any, backend: str) -> Any:
    """Return a transformed image as a sample: for "cv2" always as float32."""
    return image if backend == "pil" else np.asarray(image, dtype=np.float32)
