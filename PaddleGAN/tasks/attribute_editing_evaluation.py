"""How edits of attributes are judged: which are asked for, by whom they are found, and what is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.io import Dataset
from core.io.randomness import batch_scope
from core.train.task import Evaluator
from core.vision.datasets.face_factors import FACE_ATTRIBUTES, HAIR_COLORS
from PaddleGAN.data.celeba import flip_attribute
from PaddleGAN.data.faces import Faces
from PaddleGAN.metrics import PSNR, SSIM, AttributeEditing, measure_attributes
from PaddleGAN.metrics.classifier import ClassifierNetwork

JUDGED = 20_000
"""Real images that a judge learns from, at most."""

EPOCHS = 5
BATCH = 32


def edits(attributes: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return the attributes after each edit: one flipped, and what contradicts it then taken away.

    Args:
        attributes: 0 or 1, shape (N, K).
        names: of the K attributes.

    Returns:
        Shape (N, K, K): the second axis counts the edits.
    """
    return np.stack([flip_attribute(attributes, names, name) for name in names], axis=1)


class WithEdits(Dataset):
    """Samples with the attributes of each edit as a last field: (image, (K,), (K, K)).

    Drawn faces always have a color of hair, so the edit that would take it away asks for no change.

    Args:
        samples: a data set of (image, attributes) with ``attribute_names``.
    """

    def __init__(self, samples: Any) -> None:
        self.samples = samples

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray, np.ndarray]:
        image, attributes = self.samples[index]
        return image, attributes, possible_edits(self.samples, attributes[None])[0]

    def __len__(self) -> int:
        return len(self.samples)


def possible_edits(samples: Any, attributes: np.ndarray) -> np.ndarray:
    """Return :func:`edits`; where one asks for what no face of the data set is, the attributes stay as they are."""
    names: Sequence[str] = samples.attribute_names
    wanted = edits(attributes, names)
    if isinstance(samples, Faces) and set(HAIR_COLORS) <= set(names):
        colors = wanted[:, :, [list(names).index(color) for color in HAIR_COLORS]]
        wanted = np.where(colors.any(axis=2, keepdims=True), wanted, attributes[:, None])
    return wanted


class Judge:
    """Tells which attributes images have.

    Args:
        measure: images (N, C, H, W), -1 to 1, to bool (N, K).
        description: who it is.
    """

    def __init__(self, measure: Callable[[np.ndarray], np.ndarray], description: str) -> None:
        self.measure = measure
        self.description = description

    def __call__(self, images: np.ndarray) -> np.ndarray:
        """Return the attributes of images."""
        return self.measure(images)


def choose_judge(samples: Any, seed: int) -> Judge:
    """Return a program for drawn faces, and for others a classifier that learns the attributes here.

    Args:
        samples: the data set that the generator learns from.
        seed: of the classifier.
    """
    names: Sequence[str] = samples.attribute_names
    if isinstance(samples, Faces):
        columns = [FACE_ATTRIBUTES.index(name) for name in names]
        return Judge(lambda images: measure_attributes(images)[:, columns], "a program that measures drawn faces")
    return trained_judge(samples, seed)


def trained_judge(samples: Any, seed: int) -> Judge:
    """Return a small classifier of attributes.

    Args:
        samples: a data set of (image, attributes).
        seed: of weights and order.
    """
    core.seed(seed)
    count = min(len(samples), JUDGED)
    learned = _First(samples, count)
    network = ClassifierNetwork(int(samples[0][0].shape[0]), len(samples.attribute_names))
    model = core.Model(network)
    model.prepare(core.optimizer.Adam(2e-3, parameters=network.parameters()), nn.BCEWithLogitsLoss())
    with batch_scope(seed, 0, 0):  # the order depends on numpy's global generator, too
        model.fit(learned, batch_size=BATCH, epochs=EPOCHS, verbose=0, shuffle=True)
    network.eval()

    def measure(images: np.ndarray) -> np.ndarray:
        with core.no_grad():
            return np.asarray(network(core.to_tensor(np.asarray(images, np.float32))).numpy() > 0)

    return Judge(measure, f"a classifier, trained here on {count:,} {type(samples).__name__} images")


class _First(Dataset):
    """The first samples of a data set."""

    def __init__(self, samples: Any, count: int) -> None:
        self.samples, self.count = samples, count

    def __getitem__(self, index: int) -> Any:
        return self.samples[index]

    def __len__(self) -> int:
        return self.count


class EditingEvaluator(Evaluator):
    """Gathers how well attributes were edited and kept, how alike reconstructions are, and how good the judge is.

    Args:
        names: of the attributes.
        judge: finds them.
    """

    def __init__(self, names: Sequence[str], judge: Judge) -> None:
        self.judge = judge
        self.editing = AttributeEditing(names, judge)
        self.psnr, self.ssim = PSNR(), SSIM()
        self.judged = [0, 0]

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in reconstructed images and those of each edit; the batch is images, attributes and edits."""
        images, attributes, wanted = (field.numpy() for field in batch)
        reconstructed, *edited = outputs
        self.psnr.update(reconstructed, images)
        self.ssim.update(reconstructed, images)
        for pictures, target in zip(edited, wanted.transpose(1, 0, 2)):
            changed = target != attributes
            asked = changed.any(axis=1)
            if asked.any():
                self.editing.update(pictures[asked], target[asked], changed[asked])
        right = self.judge(images) == (attributes > 0.5)
        self.judged = [self.judged[0] + int(right.sum()), self.judged[1] + right.size]

    def result(self) -> dict[str, float]:
        """Return "editing_accuracy" and "attributes_kept", 0 to 1, "psnr" (dB) and "ssim" of reconstructions.

        Each attribute has its own "edited_NAME"; "judge_accuracy" is how often the judge is right about real images.
        """
        accuracy, kept = self.editing.accumulate()
        numbers = {"editing_accuracy": accuracy, "attributes_kept": kept}
        numbers.update({"psnr": self.psnr.accumulate(), "ssim": self.ssim.accumulate()})
        numbers["judge_accuracy"] = self.judged[0] / max(self.judged[1], 1)
        for name, (edited, _) in self.editing.by_attribute().items():
            numbers[f"edited_{name}"] = edited
        return numbers
