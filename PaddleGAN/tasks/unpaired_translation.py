"""Images of one kind from images of another, learned without pairs.

Paper: Zhu et al., "Unpaired image-to-image translation using cycle-consistent adversarial networks", ICCV 2017,
https://arxiv.org/abs/1703.10593
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from core.drawing import sheet
from core.io import Dataset
from core.train.callback import Callback
from core.train.task import Evaluator, Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.data import FACE_ATTRIBUTES
from PaddleGAN.losses import GANLoss, identity, reconstruction
from PaddleGAN.metrics import FID, PSNR, AttributeEditing, measure_attributes
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.features import choose_features, inception_path
from PaddleGAN.pictures import as_bytes
from PaddleGAN.pool import ImagePool
from PaddleGAN.tasks.translation import JUDGES, TRANSLATORS, TranslationTask, channels_of, not_negative

JUDGED = 2000
"""Images of each kind that the classifier of the two kinds learns from, at most."""


class CycleGAN(TranslationTask):
    """CycleGAN: generators from A to B and from B to A, which lead back to the start, and a discriminator of each kind.

    A step trains the generators, then the discriminators, with their losses halved, on what pools of generated images
    give. As published, one optimizer moves both generators, and one both discriminators.

    Args:
        config: the experiment; samples are (A, B), which do not belong together.
        gan_mode: the adversarial loss, of :data:`PaddleGAN.losses.MODES`.
        lambda_a: weight of the way from A to B and back.
        lambda_b: weight of the way from B to A and back.
        lambda_identity: weight, times those, of leaving images alone that are of the wanted kind already; 0: not asked.
        pool_size: generated images of each kind that are kept; 0: none.

    Raises:
        ValueError: there is no such loss, a weight is negative, or the two kinds have different channels.
    """

    generators = TRANSLATORS
    discriminators = JUDGES

    def __init__(
        self,
        config: GANConfig,
        gan_mode: str = "lsgan",
        lambda_a: float = 10.0,
        lambda_b: float = 10.0,
        lambda_identity: float = 0.5,
        pool_size: int = 50,
    ) -> None:
        super().__init__(config)
        not_negative(lambda_a=lambda_a, lambda_b=lambda_b, lambda_identity=lambda_identity, pool_size=pool_size)
        if gan_mode in ("wgan", "wgangp"):
            raise ValueError("task.gan_mode: CycleGAN has no gradient penalty; choose another loss")
        given, made = channels_of(config)
        if given != made:
            raise ValueError(
                f"generator.network: CycleGAN goes both ways, so input_nc {given} and output_nc {made} must be the same"
            )
        self.criterion = GANLoss(gan_mode)
        self.lambda_a, self.lambda_b, self.lambda_identity = lambda_a, lambda_b, lambda_identity
        self.a_to_b, self.b_to_a = self.add_generator("generator_a_to_b"), self.add_generator("generator_b_to_a")
        self.judge_a = self.add_discriminator("discriminator_a", input_nc=given)
        self.judge_b = self.add_discriminator("discriminator_b", input_nc=given)
        self.translators = {"AtoB": self.a_to_b, "BtoA": self.b_to_a}
        self.pools = {kind: ImagePool(pool_size, config.seed + number) for number, kind in enumerate("ab")}
        self._features: Optional[Any] = None

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        """Return the phase of both generators, then that of both discriminators."""
        length = (steps_per_epoch, epochs)
        makers, judges = ["generator_a_to_b", "generator_b_to_a"], ["discriminator_a", "discriminator_b"]
        made = ("made_a", "made_b")
        return [
            self.phase("generators", self.generators_loss, makers, self.config.generator, *length, provides=made),
            self.phase(
                "discriminators",
                self.discriminators_loss,
                judges,
                self.config.discriminator,
                *length,
                prepare=self.from_pools,
            ),
        ]

    def generators_loss(self, a: Any, b: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of both generators, its parts, and the images that they made.

        Args:
            a: images of one kind, (N, C, H, W).
            b: images of the other.
        """
        made_b, made_a = self.a_to_b(a), self.b_to_a(b)
        adversarial = self.criterion(self.judge_b(made_b), True) + self.criterion(self.judge_a(made_a), True)
        back_a, back_b = reconstruction(self.b_to_a(made_b), a), reconstruction(self.a_to_b(made_a), b)
        loss = adversarial + self.lambda_a * back_a + self.lambda_b * back_b
        values = {"adversarial": adversarial, "cycle": back_a + back_b}
        if self.lambda_identity:
            kept_a = identity(self.b_to_a(a), a, self.lambda_a, self.lambda_identity)
            kept_b = identity(self.a_to_b(b), b, self.lambda_b, self.lambda_identity)
            values["identity"] = kept_a + kept_b
            loss = loss + values["identity"]
        return loss, {**values, "made_a": made_a, "made_b": made_b}

    def from_pools(self, fields: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
        """Return the fields with generated images of both kinds, of this step or of earlier ones."""
        return [*fields, *(self.pools[kind].query(given[f"made_{kind}"]) for kind in "ab")]

    def discriminators_loss(self, a: Any, b: Any, made_a: Any, made_b: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return half the loss of each discriminator, both together, and each.

        Args:
            a: real images of one kind.
            b: of the other.
            made_a: generated images of the first kind.
            made_b: of the other.
        """
        loss_a, loss_b = (
            0.5 * (self.criterion(judge(real), True, is_disc=True) + self.criterion(judge(made), False, is_disc=True))
            for judge, real, made in ((self.judge_a, a, made_a), (self.judge_b, b, made_b))
        )
        return loss_a + loss_b, {"a": loss_a, "b": loss_b}

    def callbacks(self) -> list[Callback]:
        """Return what writes the sheets, and what keeps the pools in checkpoints."""
        return [*super().callbacks(), PoolStates(self.pools)]

    def probe(self, *images: Any) -> None:
        """Run all four networks once."""
        self.judge_b(self.a_to_b(images[0]))
        self.judge_a(self.b_to_a(images[1]))

    # evaluation

    def fields(self, split: str) -> Any:
        """Return the data set of a split; one that is evaluated has the true counterparts, where they are known."""
        samples = self.dataset(split)
        known = split != "train" and hasattr(samples, "counterparts")
        return WithCounterparts(samples) if known else samples

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return what became of a batch's A and of its B."""
        return [self.a_to_b(fields[0]), self.b_to_a(fields[1])]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return UnpairedEvaluator(self.features())

    def features(self) -> Any:
        """Return the features that FID compares images by, made once: Inception's, or those of a judge trained here."""
        if self._features is None:
            self._features = choose_features(None if inception_path().is_file() else self._judge())
        return self._features

    def _judge(self) -> Classifier:
        samples = OfTwoKinds(self.first("train", JUDGED))
        judge = Classifier(samples, 2, seed=self.config.seed)
        judge.features.description = f"a classifier of A and B, trained here on {len(samples):,} training images"
        return judge

    def remarks(self) -> list[str]:
        """Return lines that say how the numbers came about."""
        lines = [f"fid by the features of {self.features().description}; input: the input taken for the answer"]
        if hasattr(self.dataset(self.splits[-1]), "counterparts"):
            lines.append("psnr to the same face drawn as one of the other kind; attributes are measured by program")
        return lines

    def rows(self, samples: Sequence[Any]) -> np.ndarray:
        """Return a sheet with a row for each sample: A, what became of it, B, what became of it."""
        firsts, others = ([sample[number] for sample in samples] for number in (0, 1))
        columns = [np.stack(firsts), self.generated(firsts), np.stack(others), self.generated(others, "BtoA")]
        return sheet(list(zip(*map(as_bytes, columns))), ["A", "A to B", "B", "B to A"])


class PoolStates(Callback):
    """Keeps the pools of generated images in checkpoints.

    Args:
        pools: by name.
    """

    def __init__(self, pools: Mapping[str, ImagePool]) -> None:
        self.pools = pools

    def state_dict(self) -> dict[str, Any]:
        """Return each pool's state."""
        return {name: pool.state_dict() for name, pool in self.pools.items()}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue with these."""
        for name, pool in self.pools.items():
            pool.set_state_dict(state[name])


class WithCounterparts(Dataset):
    """Samples (A, B) with what A is as B, and B as A.

    Args:
        samples: with a method ``counterparts``.
    """

    def __init__(self, samples: Any) -> None:
        self.samples = samples

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return (*self.samples[index], *self.samples.counterparts(index))

    def __len__(self) -> int:
        return len(self.samples)


class OfTwoKinds(Dataset):
    """The images of samples (A, B), each with its kind, 0 or 1.

    Args:
        samples: pairs.
    """

    def __init__(self, samples: Sequence[Any]) -> None:
        self.images = [image for pair in samples for image in pair]

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return self.images[index], index % 2

    def __len__(self) -> int:
        return len(self.images)


class UnpairedEvaluator(Evaluator):
    """Gathers "fid", the mean of "fid_a" and "fid_b", of generated images and real ones of their kind.

    Where the true counterparts are known: "psnr" to them, and by program "editing_accuracy" and "attributes_kept". What
    the inputs themselves would reach is beside it: "input_fid", "input_psnr".

    Args:
        features: by which images are compared.
    """

    def __init__(self, features: Any) -> None:
        self.distances = {name: FID(features) for name in ("fid_a", "fid_b", "input_fid_a", "input_fid_b")}
        self.peaks = {name: PSNR() for name in ("psnr", "input_psnr")}
        self.editing = AttributeEditing(FACE_ATTRIBUTES)
        self.known = False

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in what became of A and of B, and a batch's A and B, and, where known, their counterparts."""
        a, b, *counterparts = (field.numpy() for field in batch)
        made_b, made_a = outputs
        for kind, made, given, real in (("a", made_a, b, a), ("b", made_b, a, b)):
            self.distances[f"fid_{kind}"].update(made, real)
            self.distances[f"input_fid_{kind}"].update(given, real)
        self.known = bool(counterparts)
        for made, given, truth in zip((made_b, made_a), (a, b), counterparts):
            self.peaks["psnr"].update(made, truth)
            self.peaks["input_psnr"].update(given, truth)
            wanted = measure_attributes(truth)
            self.editing.update(made, wanted, wanted != measure_attributes(given))

    def result(self) -> dict[str, float]:
        """Return all numbers."""
        found = {name: distance.accumulate() for name, distance in self.distances.items()}
        fid, given = ((found[f"{name}_a"] + found[f"{name}_b"]) / 2 for name in ("fid", "input_fid"))
        numbers = {"fid": fid, "fid_a": found["fid_a"], "fid_b": found["fid_b"], "input_fid": given}
        if self.known:
            numbers.update({name: peak.accumulate() for name, peak in self.peaks.items()})
            numbers.update(zip(self.editing.name(), self.editing.accumulate()))
        return numbers
