"""What the tasks share that learn from images of two kinds that do not belong together: judging and showing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.drawing import sheet
from core.io import Dataset
from core.train.task import Evaluator
from PaddleGAN.config import GANConfig
from PaddleGAN.data import FACE_ATTRIBUTES
from PaddleGAN.metrics import FID, PSNR, AttributeEditing, measure_attributes
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.features import choose_features, inception_path
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.translation import TranslationTask, channels_of

JUDGED = 2000
"""Images of each kind that the classifier of the two kinds learns from, at most."""


class UnpairedTask(TranslationTask):
    """A task that goes from images A to B and back.

    Args:
        config: the experiment; samples are (A, B), which do not belong together.
    """

    numbers: Sequence[str] = (
        *("fid", "fid_a", "fid_b", "input_fid"),
        *("psnr", "input_psnr", "editing_accuracy", "attributes_kept"),
    )

    def __init__(self, config: GANConfig) -> None:
        super().__init__(config)
        self._features: Optional[Any] = None

    def fields(self, split: str) -> Any:
        """Return the data set of a split; one that is evaluated has the true counterparts, where they are known."""
        samples = self.dataset(split)
        known = split != "train" and hasattr(samples, "counterparts")
        return WithCounterparts(samples) if known else samples

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return what became of a batch's A and of its B."""
        return [self.translators["AtoB"](fields[0]), self.translators["BtoA"](fields[1])]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return UnpairedEvaluator(self.features())

    def features(self) -> Any:
        """Return the features that FID compares images by, made once: Inception's, or those of a judge trained here."""
        if self._features is None:
            self._features = choose_features(None if inception_path().is_file() else self._judge())
        return self._features

    def _judge(self) -> Classifier:
        samples = OfTwoKinds([sample[:2] for sample in self.first("train", JUDGED)])
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


def same_channels(config: GANConfig) -> int:
    """Return how many channels the images have, of a task that goes both ways.

    Raises:
        ValueError: the generator takes and gives different numbers.
    """
    given, made = channels_of(config)
    if given != made:
        name = config.task.name
        raise ValueError(
            f"generator.network: {name} goes both ways, so input_nc {given} and output_nc {made} must be the same"
        )
    return given
