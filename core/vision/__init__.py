"""What several vision toolkits share, under the names of ``paddle.vision``: reading images, and transforms."""

from __future__ import annotations

from core.vision import transforms
from core.vision.image import image_files, read_image, write_image

__all__ = ["image_files", "read_image", "transforms", "write_image"]
