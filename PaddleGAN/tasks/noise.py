"""What the tasks share whose generators make images from noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core.drawing import grid
from core.io import Dataset
from core.io.randomness import batch_scope
from core.jit.input_spec import InputSpec
from core.train.runner.task import Program
from core.train.task import Evaluator
from PaddleGAN.config import GANConfig
from PaddleGAN.metrics import FID, KID
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.features import choose_features, inception_path
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.base import AdversarialTask

BATCH = 64
"""Images that are generated at once outside training."""

JUDGED = 5000
"""Real images that the classifier learns from, at most."""

GENERATED = 1000
"""Images that an evaluation generates, at least: where there are fewer real ones, several for each."""


class NoiseTask(AdversarialTask):
    """A task whose generator makes images from noise.

    Args:
        config: the experiment.

    Attributes:
        generator: the generator.
        discriminator: the discriminator, or critic.
        noise_size: numbers of noise for each image.
        temperature: what noise is multiplied by outside training.
    """

    numbers: Sequence[str] = ("fid", "kid")
    modes: Sequence[str] = ("samples", "interpolate")
    temperature = 1.0

    def __init__(self, config: GANConfig) -> None:
        super().__init__(config)
        self.generator, self.discriminator = self.add_generator(), self.add_discriminator()
        own = self.generator
        self.noise_size = int(own.input_nz if hasattr(own, "input_nz") else own.latent_dim)
        self._classifier: Optional[Classifier] = None
        self._features: Any = None

    def draw(self, like: Any) -> Any:
        """Return noise for a training step, standard normal, float32 (N, noise_size).

        Args:
            like: a batch of N images.
        """
        return core.randn([like.shape[0], self.noise_size])

    # evaluation

    def fields(self, split: str) -> Any:
        """Return the data set of a split; those that are evaluated have noise as a last field."""
        samples = self.dataset(split)
        if split == "train":
            return samples
        copies = -(-GENERATED // max(len(samples), 1))
        return WithNoise(samples, self.noise_size, self.config.seed, copies, self.temperature)

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return generated images, as many for each of a batch's real ones as it has noise."""
        return [self.generator(fields[-1].reshape([-1, self.noise_size]))]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return DistanceEvaluator(self.features())

    def features(self) -> Any:
        """Return the features that FID and KID compare images by, made once."""
        if self._features is None:
            self._features = choose_features(None if inception_path().is_file() else self.classifier())
        return self._features

    def classifier(self) -> Classifier:
        """Return a classifier of the real training images, trained once."""
        if self._classifier is None:
            images = Labelled(self.dataset("train"))
            self._classifier = Classifier(images, images.class_num, judge_epochs(len(images)), seed=self.config.seed)
            self._classifier.features.description = (
                f"a classifier of {images.class_num} classes, trained here on {len(images):,} real images"
            )
        return self._classifier

    def remarks(self) -> list[str]:
        """Return a line that says by which features images were compared."""
        return [f"fid and kid by the features of {self.features().description}"]

    # pictures

    def generate(self, noise: np.ndarray, *further: np.ndarray) -> np.ndarray:
        """Return the images that the generator makes, as bytes.

        Args:
            noise: float32 (N, noise_size).
            *further: what else the generator takes for each image.

        Returns:
            uint8 (N, H, W, 3).
        """
        parts = []
        with core.no_grad():
            for start in range(0, len(noise), BATCH):
                taken = [core.to_tensor(array[start : start + BATCH]) for array in (noise, *further)]
                parts.append(as_bytes(self.generator(*taken)))
        return np.concatenate(parts)

    def noise(self, count: int, seed: int) -> np.ndarray:
        """Return noise that follows from a seed, float32 (count, noise_size)."""
        drawn = np.random.default_rng(seed).standard_normal((count, self.noise_size), np.float32)
        return drawn * np.float32(self.temperature)

    def sheet(self) -> np.ndarray:
        """Return images from the same noise each time."""
        return self.samples_sheet(self.samples(self.config.samples.count, self.config.seed), self.config.seed)

    def samples(self, count: int, seed: int, classes: Sequence[int] = ()) -> np.ndarray:
        """Return generated images, uint8 (count, H, W, 3).

        Args:
            count: how many.
            seed: of the noise.
            classes: what they shall show; there are none here.

        Raises:
            ValueError: classes are asked for.
        """
        if classes:
            raise ValueError(f"{self.config.task.name} has no classes; leave out --class")
        return self.generate(self.noise(count, seed))

    def samples_sheet(self, pictures: np.ndarray, seed: int, classes: Sequence[int] = ()) -> np.ndarray:
        """Return what :meth:`samples` gave as a labelled sheet, uint8 (height, width, 3)."""
        return grid(pictures, title=from_noise(seed))

    def interpolate(self, rows: int, steps: int, seed: int) -> np.ndarray:
        """Return a sheet whose rows go from one image to another in even steps, uint8 (height, width, 3).

        Args:
            rows: pairs of images.
            steps: images in a row, those at the ends included.
            seed: of the noise.
        """
        starts, ends = self.noise(2 * rows, seed).reshape(2, rows, -1)
        noise = np.concatenate([along_the_sphere(first, last, steps) for first, last in zip(starts, ends)])
        return self.rows(noise, steps, [f"{share:.0%}" for share in np.linspace(0, 1, steps)], from_noise(seed))

    def rows(self, noise: np.ndarray, across: int, columns: Sequence[str] = (), title: str = "") -> np.ndarray:
        """Return the sheet of images from noise, so many in a row, with the columns' labels and a title."""
        names = [f"way {number + 1}" for number in range(len(noise) // across)]
        return grid(self.generate(noise), across, columns=columns, names=names, title=title)

    def program(self) -> Program:
        """Return the program: noise to images."""
        text = f"noise float32 [any, {self.noise_size}] to images, -1 to 1"
        return Program(self.generator, [InputSpec([None, self.noise_size], "float32", "noise")], text)


def from_noise(seed: int) -> str:
    """Return the title of a sheet of images from noise."""
    return f"from noise, seed {seed}"


def along_the_sphere(first: np.ndarray, last: np.ndarray, steps: int) -> np.ndarray:
    """Return noise on the way from one vector to another, at lengths that noise has.

    On a straight line the middle would be shorter than what generators are trained on. (White, "Sampling generative
    networks", 2016, https://arxiv.org/abs/1609.04468)

    Args:
        first: shape (D,).
        last: shape (D,).
        steps: vectors on the way, both ends included.

    Returns:
        Float32, shape (steps, D).
    """
    cosine = first @ last / (np.linalg.norm(first) * np.linalg.norm(last))
    angle = np.arccos(np.clip(cosine, -1, 1))
    shares = np.linspace(0, 1, steps)[:, None]
    if angle < 1e-6:
        return ((1 - shares) * first + shares * last).astype(np.float32)
    way = np.sin((1 - shares) * angle) * first + np.sin(shares * angle) * last
    return (way / np.sin(angle)).astype(np.float32)


def judge_epochs(count: int) -> int:
    """Return how often the classifier sees each of so many images: for some 600 steps, but 10 to 40 times."""
    return min(max(10, 600 * 32 // count), 40)


class WithNoise(Dataset):
    """Samples with noise, which follows from a seed and the sample's number, as a last field.

    Args:
        samples: a data set of tuples.
        size: numbers of noise for each generated image.
        seed: of the noise.
        copies: images to generate for each sample; the noise has shape (copies, size).
        temperature: what the noise is multiplied by.
    """

    def __init__(self, samples: Any, size: int, seed: int, copies: int = 1, temperature: float = 1.0) -> None:
        self.samples, self.size, self.seed = samples, size, seed
        self.copies, self.temperature = copies, np.float32(temperature)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        noise = np.random.default_rng([self.seed, index]).standard_normal((self.copies, self.size), np.float32)
        sample = self.samples[index]
        return (*(sample if isinstance(sample, tuple) else (sample,)), noise * self.temperature)

    def __len__(self) -> int:
        return len(self.samples)


class Labelled(Dataset):
    """The first images of a data set with one class number each: attributes that are 1 or 0 make one class of each mix.

    Args:
        samples: a data set of (image, class number), or of (image, attributes).

    Raises:
        ValueError: the samples have no labels.
    """

    def __init__(self, samples: Any) -> None:
        first = samples[0]
        if not isinstance(first, tuple) or np.asarray(first[1]).ndim > 1:
            raise ValueError(
                "FID and KID need features: put the weights of Inception-v3 at "
                f"{str(inception_path())!r}, or take images with classes or attributes to train a classifier on"
            )
        with batch_scope(0, 0, 0):  # what their transforms draw is the same each time
            pairs = [samples[index] for index in range(min(len(samples), JUDGED))]
        self.images = [image for image, _ in pairs]
        labels = np.array([np.asarray(label).reshape(-1) for _, label in pairs])
        kinds, self.labels = np.unique(labels, axis=0, return_inverse=True)
        self.class_num = int(labels.max()) + 1 if labels.shape[1] == 1 else len(kinds)
        if labels.shape[1] == 1:
            self.labels = labels[:, 0].astype(np.int64)

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return self.images[index], int(self.labels[index])

    def __len__(self) -> int:
        return len(self.images)


class DistanceEvaluator(Evaluator):
    """Gathers "fid" and "kid" of generated images and the real ones of a split.

    Args:
        features: by which images are compared.
    """

    def __init__(self, features: Any) -> None:
        self.distances = (FID(features), KID(features))

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in generated images (N, C, H, W), and real ones, the batch's first field."""
        for distance in self.distances:
            distance.update(outputs[0], batch[0])

    def result(self) -> dict[str, float]:
        """Return both numbers."""
        fid, kid = self.distances
        return {"fid": fid.accumulate(), "kid": kid.accumulate()[0]}
