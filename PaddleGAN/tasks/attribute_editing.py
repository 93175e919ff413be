"""Editing attributes of faces, as in StarGAN, AttGAN and STGAN, whose critics also learn to predict the attributes.

The attributes wanted in training are those of the batch's other images. The critic is WGAN-GP's, whose penalty is
differentiated twice.

Decided where the sources differ: the critic moves at every step and the generator at every ``critic_steps``-th, as in
StarGAN's code and AttGAN's paper. (In the PaddlePaddle 1.5 kit AttGAN's and STGAN's critics rest while the generator
moves, so that with a ratio of 1 they never learned; here each ratio trains both, and one that leaves the generator
without a step in an epoch is refused.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.drawing import sheet
from core.jit.input_spec import InputSpec
from core.train.runner.task import Program
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import attribute_loss, gradient_penalty, reconstruction
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.attribute_editing_evaluation import (
    EditingEvaluator,
    Judge,
    WithEdits,
    choose_judge,
    possible_edits,
)
from PaddleGAN.tasks.base import AdversarialTask

BATCH = 32
"""Images that are edited at once outside training."""


class AttributeEditing(AdversarialTask):
    """A generator edits the attributes of images; a critic distinguishes real images, and predicts attributes.

    Args:
        config: the experiment.
        critic_steps: steps of the critic for each of the generator.
        penalty: weight of the critic's gradient penalty.
        critic_attributes: weight of the attributes in the critic's loss, predicted from real images.
        generator_attributes: weight of the attributes in the generator's loss, predicted from edited images.
        reconstruction: weight of the mean absolute difference of reconstructed images.

    Attributes:
        takes: what the generator takes beside images, in words.
        attribute_names: the attributes, in the order of their vectors.
        image_size: pixels of a side.

    Raises:
        ValueError: a weight is negative, or the data has no attributes or no square images.
    """

    takes: str
    modes = ("edit", "sweep")
    monitor, higher_is_better = "editing_accuracy", True

    def __init__(
        self,
        config: GANConfig,
        critic_steps: int = 5,
        penalty: float = 10.0,
        critic_attributes: float = 1.0,
        generator_attributes: float = 10.0,
        reconstruction: float = 100.0,
    ) -> None:
        super().__init__(config)
        for name, weight in (
            ("penalty", penalty),
            ("critic_attributes", critic_attributes),
            ("generator_attributes", generator_attributes),
            ("reconstruction", reconstruction),
        ):
            if weight < 0:
                raise ValueError(f"task.{name}: a weight must not be negative, not {weight}")
        self.critic_steps, self.penalty, self.reconstruction = critic_steps, penalty, reconstruction
        self.critic_attributes, self.generator_attributes = critic_attributes, generator_attributes
        samples = self.dataset("train")
        if not hasattr(samples, "attribute_names"):
            raise ValueError(
                f"data.train.dataset: {type(samples).__name__} has no attributes to edit; take Faces or CelebA"
            )
        self.attribute_names: Sequence[str] = samples.attribute_names
        edited = [f"edited_{name}" for name in self.attribute_names]
        self.numbers = ["editing_accuracy", "attributes_kept", "psnr", "ssim", "judge_accuracy", *edited]
        channels, height, width = samples[0][0].shape
        if height != width:
            raise ValueError(f"data.train.transforms: images must be square, not {height} x {width}; crop them")
        self.image_size = int(height)
        count = len(self.attribute_names)
        self.generator = self.add_generator(c_dim=count, image_nc=channels)
        self.discriminator = self.add_discriminator(c_dim=count, image_nc=channels, image_size=height)
        self._judge: Optional[Judge] = None

    # what the three have in common, and where they differ

    def condition(self, source: Any, target: Any) -> Any:
        """Return what the generator takes beside images, (N, K).

        Args:
            source: attributes of the images, 0 or 1, (N, K).
            target: those wanted.
        """
        raise NotImplementedError

    def attribute_loss(self, logits: Any, attributes: Any) -> Any:
        """Return the cross entropy of attributes."""
        return attribute_loss(logits, attributes)

    def edited_and_reconstructed(self, images: Any, source: Any, target: Any) -> tuple[Any, Any]:
        """Return images with the attributes wanted, and what the generator reconstructs of the originals."""
        maps = self.generator.encode(images)
        edited, same = (self.generator.decode(maps, self.condition(source, wanted)) for wanted in (target, source))
        return edited, same

    # training

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the critic's phase, then the generator's, which is rarer."""
        given = (steps_per_epoch, epochs)
        return [
            self.phase("critic", self.critic_loss, ["discriminator"], self.config.discriminator, *given),
            self.phase(
                "generator",
                self.generator_loss,
                ["generator"],
                self.config.generator,
                *given,
                period=self.critic_steps,
            ),
        ]

    def critic_loss(self, images: Any, attributes: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the critic's loss, and its parts.

        Args:
            images: real ones, (N, C, H, W).
            attributes: theirs, 0 or 1, (N, K).
        """
        with core.no_grad():
            made = self.generator(images, self.condition(attributes, shuffled(attributes)))
        (real, logits), (fake, _) = self.discriminator(images), self.discriminator(made)
        distance = real.mean() - fake.mean()
        penalty = gradient_penalty(lambda mixed: self.discriminator(mixed)[0], images, made)
        attribute_loss = self.attribute_loss(logits, attributes)
        loss = self.penalty * penalty + self.critic_attributes * attribute_loss - distance
        return loss, {"distance": distance, "penalty": penalty, "attributes": attribute_loss}

    def generator_loss(self, images: Any, attributes: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, and its parts."""
        target = shuffled(attributes)
        edited, same = self.edited_and_reconstructed(images, attributes, target)
        scores, logits = self.discriminator(edited)
        attribute_loss, difference = self.attribute_loss(logits, target), reconstruction(same, images)
        loss = self.generator_attributes * attribute_loss + self.reconstruction * difference - scores.mean()
        return loss, {"score": scores.mean(), "attributes": attribute_loss, "reconstruction": difference}

    # evaluation

    def fields(self, split: str) -> Any:
        """Return the data set of a split; those that are evaluated have the attributes of each edit as a last field."""
        samples = self.dataset(split)
        return samples if split == "train" else WithEdits(samples)

    def predict(self, images: Any, attributes: Any, wanted: Any) -> Sequence[Any]:
        """Return reconstructed images, and those of each edit, (N, C, H, W) each.

        Args:
            images: real ones.
            attributes: theirs, (N, K).
            wanted: those of each edit, (N, edits, K).
        """
        targets = [attributes, *core.unstack(wanted, axis=1)]
        return [self.generator(images, self.condition(attributes, target)) for target in targets]

    def evaluator(self, split: str) -> EditingEvaluator:
        """Return an empty evaluator."""
        return EditingEvaluator(self.attribute_names, self.judge())

    def judge(self) -> Judge:
        """Return what finds the attributes of edited images, made once; the generator never learned from it."""
        if self._judge is None:
            self._judge = choose_judge(self.dataset("train"), self.config.seed)
        return self._judge

    def remarks(self) -> list[str]:
        """Return a line that says who judged the edits."""
        return [f"attributes classified by {self.judge().description}"]

    def needs(self, mode: str) -> str:
        """Return the attribute that a sweep cannot do without."""
        return f" --attribute {self.attribute_names[0]}" if mode == "sweep" else ""

    # pictures

    def edit(self, images: np.ndarray, source: np.ndarray, target: np.ndarray, strength: float = 1.0) -> np.ndarray:
        """Return images with other attributes, as bytes.

        Args:
            images: float32 (N, C, H, W), -1 to 1.
            source: their attributes, 0 or 1, float32 (N, K).
            target: those wanted.
            strength: 0 reconstructs, 1 edits, and more exaggerates.

        Returns:
            uint8 (N, H, W, 3).
        """
        parts = []
        with core.no_grad():
            for start in range(0, len(images), BATCH):
                taken = [core.to_tensor(array[start : start + BATCH]) for array in (images, source, target)]
                same, other = self.condition(taken[1], taken[1]), self.condition(taken[1], taken[2])
                parts.append(as_bytes(self.generator(taken[0], same + strength * (other - same))))
        return np.concatenate(parts)

    def recognized(self, images: np.ndarray) -> np.ndarray:
        """Return the attributes that the critic sees in images (N, C, H, W): 0 or 1, float32 (N, K)."""
        parts = []
        with core.no_grad():
            for start in range(0, len(images), BATCH):
                logits = self.discriminator(core.to_tensor(images[start : start + BATCH]))[1]
                parts.append((logits.numpy() > 0).astype(np.float32))
        return np.concatenate(parts)

    def first(self, split: str, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the first images of a split, float32 (N, C, H, W), and their attributes, (N, K)."""
        samples = self.dataset(split)
        chosen = [samples[index] for index in range(min(count, len(samples)))]
        images, attributes = (np.stack(column).astype(np.float32) for column in zip(*chosen))
        return images, attributes

    def edits(self, attributes: np.ndarray) -> np.ndarray:
        """Return the attributes (N, K) after each edit, (N, K, K): one turned round, and what contradicts it gone."""
        return possible_edits(self.dataset("train"), attributes)

    def sheet(self) -> np.ndarray:
        """Return rows of an image, its reconstruction, and each edit; of the last split's first images."""
        return self.edited_sheet(*self.first(self.splits[-1], self.config.samples.count), self.attribute_names)

    def edited_sheet(
        self, images: np.ndarray, source: np.ndarray, names: Sequence[str], files: Sequence[str] = ()
    ) -> np.ndarray:
        """Return rows of an image, its reconstruction, and some edits, uint8 (height, width, 3).

        Args:
            images: float32 (N, C, H, W), -1 to 1.
            source: their attributes, float32 (N, K).
            names: the attributes to edit, in order.
            files: where the images come from; none where they are of a split.
        """
        wanted = self.edits(source)
        targets = [wanted[:, list(self.attribute_names).index(name)] for name in names]
        columns = [self.edit(images, source, target) for target in (source, *targets)]
        return sheet(list(zip(as_bytes(images), *columns)), ["input", "reconstruction", *names], files)

    def swept_sheet(
        self,
        images: np.ndarray,
        source: np.ndarray,
        name: str,
        strengths: Sequence[float],
        files: Sequence[str] = (),
    ) -> np.ndarray:
        """Return rows of an image and one edit of it in several strengths, uint8 (height, width, 3)."""
        target = self.edits(source)[:, list(self.attribute_names).index(name)]
        columns = [self.edit(images, source, target, strength) for strength in strengths]
        heads = ["input", *(f"{strength:.3g}" for strength in strengths)]
        return sheet(list(zip(as_bytes(images), *columns)), heads, files, f"{name}: 0 reconstructs, 1 is as learned")

    def program(self) -> Program:
        """Return the program: images and the generator's condition to images."""
        count, side = len(self.attribute_names), self.image_size
        specs = [InputSpec([None, self.generator.image_nc, side, side], "float32", "images")]
        specs.append(InputSpec([None, count], "float32", "condition"))
        names = ", ".join(self.attribute_names)
        given = f"images float32 [any, {self.generator.image_nc}, {side}, {side}], -1 to 1"
        return Program(self.generator, specs, f"{given}, and {self.takes} of {names}")


def shuffled(attributes: Any) -> Any:
    """Return the rows of a batch's attributes in a new random order."""
    return attributes[core.randperm(attributes.shape[0])]
