"""How StarGAN v2 is judged: by the domain that a classifier sees, the distance to references, and diversity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.io import Dataset
from core.train.task import Evaluator
from PaddleGAN.metrics import FID
from PaddleGAN.metrics.classifier import Classifier


class OfDomains(Dataset):
    """Images with the number of their domain.

    Args:
        samples: of StarGANv2Dataset.
    """

    def __init__(self, samples: Sequence[Any]) -> None:
        self.samples = samples

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return self.samples[index][0], int(self.samples[index][1])

    def __len__(self) -> int:
        return len(self.samples)


class RestyleEvaluator(Evaluator):
    """Gathers "fid" of images in the styles of references, and these; "agreement" of a classifier; "diversity".

    Args:
        features: by which images are compared.
        classifier: of domains.
    """

    def __init__(self, features: Any, classifier: Classifier) -> None:
        self.distance, self.classifier = FID(features), classifier
        self.right: list[np.ndarray] = []
        self.apart: list[np.ndarray] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in images in two styles each, and a batch's fields."""
        _, _, *references, wanted = (field.numpy() for field in batch)
        for made, reference in zip(outputs, references):
            self.distance.update(made, reference)
            self.right.append(self.classifier.predict(made) == wanted)
        self.apart.append(np.abs(outputs[0].astype(np.float64) - outputs[1]).mean(axis=(1, 2, 3)))

    def result(self) -> dict[str, float]:
        """Return all numbers."""
        agreement, diversity = (float(np.concatenate(parts).mean()) for parts in (self.right, self.apart))
        return {"fid": self.distance.accumulate(), "agreement": agreement, "diversity": diversity}
