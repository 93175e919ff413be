"""A history of generated images, so that a discriminator does not forget what it learned.

Paper: A. Shrivastava et al., "Learning from Simulated and Unsupervised Images through Adversarial Training", 2017,
https://arxiv.org/abs/1612.07828; CycleGAN keeps 50 images.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.metric.metric import as_array, like


class ImagePool:
    """Keeps images, and gives each new one back, or, half of the time once it is full, an old one in its place.

    What is drawn depends on (seed, number of the query) alone, so a checkpoint needs the images and that number.

    Args:
        size: how many images to keep; 0: give each image back.
        seed: not negative.

    Raises:
        ValueError: an argument is negative.
    """

    def __init__(self, size: int = 50, seed: int = 0) -> None:
        if size < 0 or seed < 0:
            raise ValueError(f"ImagePool: size and seed must not be negative, not {size} and {seed}")
        self.size = size
        self.seed = seed
        self.images: list[np.ndarray] = []
        self.queries = 0

    def query(self, images: Any) -> Any:
        """Exchange a batch of new images for one of new and old ones.

        Args:
            images: shape (N, C, H, W), an array or a Tensor; no gradient flows through the pool.

        Returns:
            As many, of the same kind.

        Raises:
            ValueError: they are of another shape than those in the pool.
        """
        new = as_array(images)
        if self.images and new.shape[1:] != self.images[0].shape:
            raise ValueError(f"ImagePool: images of shape {new.shape[1:]} came after those of {self.images[0].shape}")
        source = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, self.queries])))
        self.queries += 1
        given = [self._exchanged(image.copy(), source) for image in new]
        return like(np.stack(given), images) if given else images

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return what a checkpoint keeps: "images", shape (n, C, H, W), and "queries", int64 of shape ()."""
        images = np.stack(self.images) if self.images else np.zeros((0, 0, 0, 0), np.float32)
        return {"images": images, "queries": np.array(self.queries, np.int64)}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue where another pool was.

        Args:
            state: what its :meth:`state_dict` returned, of arrays or Tensors.

        Raises:
            ValueError: it holds more images than fit into this pool.
        """
        images = as_array(state["images"])
        if len(images) > self.size:
            raise ValueError(f"ImagePool: the state holds {len(images)} images, this pool keeps only {self.size}")
        self.images = [image.copy() for image in images]
        self.queries = int(as_array(state["queries"]))

    def _exchanged(self, image: np.ndarray, source: np.random.Generator) -> np.ndarray:
        if len(self.images) < self.size:
            self.images.append(image)
            return image
        if self.size and source.uniform() < 0.5:
            place = int(source.integers(self.size))
            image, self.images[place] = self.images[place], image
        return image
