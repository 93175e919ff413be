"""Images of a class from noise: the class is given to the generator and to the discriminator.

Paper: Mirza and Osindero, "Conditional generative adversarial nets", 2014, https://arxiv.org/abs/1411.1784
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.drawing import grid, sheet
from core.jit.input_spec import InputSpec
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.data.pipeline import DATASETS
from PaddleGAN.losses import GANLoss
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.tasks.noise import DistanceEvaluator, NoiseTask, from_noise


class ConditionalGAN(NoiseTask):
    """CGAN: the discriminator learns to tell generated images from real ones of the same class.

    Args:
        config: the experiment; the second field of its data is the class number.
        gan_mode: the loss, of :data:`PaddleGAN.losses.MODES`; the paper's is "vanilla".
        real_label: what the discriminator should say of real images; 0.9 smooths it.
        mismatched: show the discriminator real images under wrong classes too, for it to reject like generated ones
            (GAN-CLS, Reed et al. 2016, https://arxiv.org/abs/1605.05396); the paper of CGAN does not.
        temperature: what noise is multiplied by outside training: below 1, images are more typical of their class and
            vary less, as where likelihoods are sampled so (Kingma and Dhariwal 2018, https://arxiv.org/abs/1807.03039).

    Raises:
        ValueError: there is no such loss, the networks have other numbers of classes, there is no wrong class, or the
            temperature is not positive.
    """

    numbers = ("fid", "kid", "agreement", "agreement_of_real")
    generators = ("CGANGenerator", "ConditionalDeepConvGenerator")
    discriminators = ("CGANDiscriminator",)

    def __init__(
        self,
        config: GANConfig,
        gan_mode: str = "vanilla",
        real_label: float = 1.0,
        mismatched: bool = False,
        temperature: float = 1.0,
    ) -> None:
        super().__init__(config)
        if not temperature > 0:
            raise ValueError(f"task.temperature must be more than 0, not {temperature}")
        self.temperature = temperature
        self.n_class = self.generator.n_class
        self.mismatched = mismatched
        if mismatched and self.n_class < 2:
            raise ValueError("task.mismatched: there is no wrong class where generator.network.n_class is 1")
        if self.discriminator.n_class != self.n_class:
            raise ValueError(
                f"generator.network.n_class is {self.n_class}, discriminator.network.n_class is "
                f"{self.discriminator.n_class}: make them the same"
            )
        if gan_mode in ("wgan", "wgangp"):
            raise ValueError("task.gan_mode: ConditionalGAN has no gradient penalty; choose another loss")
        self.criterion = GANLoss(gan_mode, target_real_label=real_label)
        self.generator_criterion = GANLoss(gan_mode)

    def facts(self) -> list[str]:
        """Return lines that describe the training data.

        Raises:
            ValueError: the data has a class that the networks do not know, or none at all.
        """
        for split in self.splits:
            labels = class_numbers(self.dataset(split))
            wrong = labels[(labels < 0) | (labels >= self.n_class)]
            if len(wrong):
                raise ValueError(
                    f"data.{split}: an image is of class {wrong[0]}, but generator.network.n_class is {self.n_class}"
                )
        return [*super().facts(), f"{self.n_class} classes"]

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the discriminator's phase, then the generator's."""
        config = self.config
        return [
            self.phase(name, loss, [name], getattr(config, name), steps_per_epoch, epochs)
            for name, loss in (("discriminator", self.discriminator_loss), ("generator", self.generator_loss))
        ]

    def discriminator_loss(self, images: Any, classes: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss on real and on generated images, and how it scores them.

        Args:
            images: real ones, (N, C, H, W).
            classes: theirs, int64 (N,); the generated ones are of the same.
        """
        made = self.generator(self.draw(images), classes).detach()
        real, fake = self.discriminator(images, classes), self.discriminator(made, classes)
        rejected = self.criterion(fake, False, is_disc=True)
        if self.mismatched:
            wrong = self.discriminator(images, self.other_classes(classes))
            rejected = (rejected + self.criterion(wrong, False, is_disc=True)) / 2
        return self.criterion(real, True, is_disc=True) + rejected, {"real": real.mean(), "fake": fake.mean()}

    def other_classes(self, classes: Any) -> Any:
        """Return for each class number another one, each as likely, int64 (N,)."""
        return (classes + core.randint(1, self.n_class, classes.shape, "int64")) % self.n_class

    def generator_loss(self, images: Any, classes: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss."""
        fake = self.discriminator(self.generator(self.draw(images), classes), classes)
        return self.generator_criterion(fake, True), {}

    # evaluation

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return generated images of the classes of a batch's real ones, as many for each as it has noise."""
        noise = fields[-1].reshape([-1, self.noise_size])
        copies = noise.shape[0] // fields[1].shape[0]
        return [self.generator(noise, core.repeat_interleave(fields[1], copies))]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return AgreementEvaluator(self.features(), self.classifier())

    def remarks(self) -> list[str]:
        """Return lines that say by what the images were judged."""
        return [*super().remarks(), f"agreement: {self.classifier().features.description} sees the class asked for"]

    # pictures

    def sheet(self) -> np.ndarray:
        """Return images from the same noise each time, a row for each class."""
        columns = max(self.config.samples.count // self.n_class, 1)
        noise = self.noise(columns * self.n_class, self.config.seed)
        return self.rows(noise, columns, title=from_noise(self.config.seed))

    def rows(self, noise: np.ndarray, across: int, columns: Sequence[str] = (), title: str = "") -> np.ndarray:
        """Return the sheet of images from noise, so many in a row, each row of the next class."""
        classes = np.arange(len(noise)) // across % self.n_class
        names = [self.class_label(number) for number in classes[::across]]
        return grid(self.generate(noise, classes), across, columns=columns, names=names, title=title)

    def class_label(self, number: int) -> str:
        """Return a class's number, with its name where the data set's class knows it."""
        names = getattr(DATASETS.resolve(self.config.data.train.dataset.name), "class_names", ())
        return f"{number} {names[number]}" if number < len(names) else f"class {number}"

    def samples(self, count: int, seed: int, classes: Sequence[int] = ()) -> np.ndarray:
        """Return generated images, uint8 (count, H, W, 3).

        Args:
            count: how many.
            seed: of the noise.
            classes: what they shall show, in turn; all classes where none are given.

        Raises:
            ValueError: there is no such class.
        """
        asked = self._asked(classes)
        for number in asked:
            if not 0 <= number < self.n_class:
                raise ValueError(f"there is no class {number}; the generator knows 0 to {self.n_class - 1}")
        return self.generate(self.noise(count, seed), np.resize(np.array(asked, np.int64), count))

    def samples_sheet(self, pictures: np.ndarray, seed: int, classes: Sequence[int] = ()) -> np.ndarray:
        """Return what :meth:`samples` gave as a labelled sheet with a row for each class that was asked for."""
        asked = self._asked(classes)[: len(pictures)]
        rows = [list(pictures[place :: len(asked)]) for place in range(len(asked))]
        return sheet(rows, names=list(map(self.class_label, asked)), title=from_noise(seed))

    def _asked(self, classes: Sequence[int]) -> list[int]:
        return list(classes) or list(range(self.n_class))

    def program(self) -> Program:
        """Return the program: noise and classes to images."""
        specs = [InputSpec([None, self.noise_size], "float32", "noise"), InputSpec([None], "int64", "classes")]
        text = f"noise float32 [any, {self.noise_size}] and classes int64 [any] to images, -1 to 1"
        return Program(self.generator, specs, text)


class AgreementEvaluator(DistanceEvaluator):
    """Gathers "agreement" too: the share of generated images in which a classifier of real images sees the class asked.

    Beside it is "agreement_of_real", the share of the split's real images whose class it sees.

    Args:
        features: by which images are compared.
        classifier: of real images.
    """

    def __init__(self, features: Any, classifier: Classifier) -> None:
        super().__init__(features)
        self.classifier = classifier
        self.right: list[np.ndarray] = []
        self.right_of_real: list[np.ndarray] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in generated images, and the real ones and their classes, the batch's first two fields."""
        super().update(outputs, batch)
        classes = batch[1].numpy()
        asked = np.repeat(classes, len(outputs[0]) // len(classes))
        self.right.append(self.classifier.predict(outputs[0]) == asked)
        self.right_of_real.append(self.classifier.predict(batch[0]) == classes)

    def result(self) -> dict[str, float]:
        """Return all numbers."""
        shares = {"agreement": self.right, "agreement_of_real": self.right_of_real}
        return {**super().result(), **{name: float(np.concatenate(parts).mean()) for name, parts in shares.items()}}


def class_numbers(samples: Any) -> np.ndarray:
    """Return the class of each sample of a data set, int64 (N,).

    Raises:
        ValueError: its samples have no classes.
    """
    labels = getattr(samples, "labels", None)
    if labels is None:
        raise ValueError(f"{type(samples).__name__} has no classes, which ConditionalGAN needs; take MNIST, say")
    return np.asarray(labels, np.int64).reshape(-1)
