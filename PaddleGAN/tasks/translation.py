"""What the tasks share whose generators make images of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.drawing import sheet
from core.io.randomness import batch_scope
from core.jit.input_spec import InputSpec
from core.train.runner.task import Program
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.base import AdversarialTask

TRANSLATORS = ("UnetGenerator", "unet_128", "unet_256", "ResnetGenerator", "resnet_6block", "resnet_9block")
"""Generators of images from images."""

JUDGES = ("NLayerDiscriminator", "PixelDiscriminator", "basic", "nlayers", "pixel")
"""Discriminators of patches, by all their names."""


class TranslationTask(AdversarialTask):
    """A task of image translation; its samples are two images, float32 (C, H, W), -1 to 1.

    Attributes:
        translators: the generator of each direction that is learned.
        any_size: whether images that are translated may differ in size.
    """

    modes = ("translate",)
    any_size = False
    translators: dict[str, Any]

    def facts(self) -> list[str]:
        """Return lines that describe the training data.

        Raises:
            ValueError: the samples are no two images, or the networks cannot take them.
        """
        lines = super().facts()
        for split in self.splits:
            self._check(split)
        channels, height, width = self.dataset(self.splits[-1])[0][0].shape
        return [*lines, f"images of {width} x {height} pixels, {channels} channels"]

    def _check(self, split: str) -> None:
        sample = self.first(split, 1)[0]
        images = [field for field in sample if isinstance(field, np.ndarray) and field.ndim == 3]
        count = self.fields_of(split)
        if len(sample) != count or len(images) != count or any(image.dtype != np.float32 for image in images):
            asked = {2: "two images", 4: "the four images of AnimeGANV2Dataset"}[count]
            raise ValueError(
                f"data.{split}: {self.config.task.name} learns from {asked}, float32 (channels, height, width), -1 "
                "to 1; choose a data set of pairs, and end its transforms with ToTensor and Normalize"
            )
        self.eval_mode()
        try:
            with core.no_grad():
                self.probe(*(core.to_tensor(image[None]) for image in images))
        except ValueError as error:
            shapes = " and ".join(" x ".join(map(str, image.shape)) for image in images)
            raise ValueError(f"data.{split}: the networks cannot take images of {shapes}: {error}") from None
        finally:
            self.train_mode()

    def fields_of(self, split: str) -> int:
        """Return how many images a sample of a split has."""
        return 2

    def probe(self, *images: Any) -> None:
        """Run the networks once, so that what they cannot take is refused before a run begins."""
        raise NotImplementedError

    def first(self, split: str, count: int) -> list[Any]:
        """Return a split's first samples, the same each time, whatever its transforms draw."""
        samples = self.dataset(split)
        with batch_scope(self.config.seed, 0, 0):
            return [samples[index] for index in range(min(count, len(samples)))]

    def generated(self, images: Sequence[np.ndarray], direction: str = "AtoB") -> np.ndarray:
        """Return what a generator makes of images, one by one, as normalisation may go by the batch.

        Args:
            images: float32 (C, H, W), -1 to 1.
            direction: a key of ``translators``.

        Returns:
            Float32 (N, C, H, W).

        Raises:
            ValueError: this direction is not learned.
        """
        self.check_direction(direction)
        generator = self.translators[direction]
        with core.no_grad():
            return np.concatenate([generator(core.to_tensor(image[None])).numpy() for image in images])

    def check_direction(self, direction: str) -> None:
        """Refuse a direction that is not learned.

        Raises:
            ValueError: it is none of ``translators``.
        """
        if direction not in self.translators:
            raise ValueError(
                f"{self.config.task.name} learns {' and '.join(self.translators)}, not {direction}; for a pair "
                "the direction of the data set counts"
            )

    def sheet(self) -> np.ndarray:
        """Return the same images each time, with what the generators make of them."""
        return self.rows(self.first(self.splits[-1], self.config.samples.count))

    def rows(self, samples: Sequence[Any]) -> np.ndarray:
        """Return a sheet with a row for each sample: input, output, target."""
        columns = [
            as_bytes(np.stack([sample[0] for sample in samples])),
            as_bytes(self.generated([sample[0] for sample in samples])),
            as_bytes(np.stack([sample[1] for sample in samples])),
        ]
        return sheet(list(zip(*columns)), ["input", "output", "target"])

    def program(self) -> Program:
        """Return the program of the first direction: images to images."""
        direction, generator = next(iter(self.translators.items()))
        channels, height, width = self.first(self.splits[-1], 1)[0][0].shape
        text = f"images float32 [any, {channels}, {height}, {width}], -1 to 1, to images of the same size ({direction})"
        return Program(generator, [InputSpec([None, channels, height, width], "float32", "images")], text)


def not_negative(**settings: float) -> None:
    """Check weights of losses.

    Raises:
        ValueError: one is negative.
    """
    for name, value in settings.items():
        if value < 0:
            raise ValueError(f"task.{name} must not be negative, not {value}")


def channels_of(config: Any) -> tuple[int, int]:
    """Return how many channels the generator takes and gives."""
    settings: Mapping[str, Any] = config.generator.network.arguments
    return int(settings.get("input_nc", 3)), int(settings.get("output_nc", 3))
