"""What several vision toolkits share, under the names of ``paddle.vision``: reading images, transforms, data sets."""

from __future__ import annotations

from core.vision import transforms
from core.vision.image import (
    get_image_backend,
    image_files,
    image_load,
    read_image,
    set_image_backend,
    write_image,
)

__all__ = [
    "get_image_backend",
    "image_files",
    "image_load",
    "read_image",
    "set_image_backend",
    "transforms",
    "write_image",
]
