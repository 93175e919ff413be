"""Classification from several perspectives at once (MPM), as suggestion mining of SemEval-2019 has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core.nn import functional as F
from PaddleNLP.tasks.classification import Classification


class MultiPerspective(Classification):
    """Trains four classifiers on one encoder, whose probabilities are averaged.

    They are those of :class:`PaddleNLP.models.combined.perspectives.MultiPerspective`.

    Args:
        config: the experiment.
        monitor: the number by which the best checkpoint is chosen.
    """

    head = "multi_perspective"
    reader = "multi_perspective"

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean cross entropy of the classifiers, and the accuracy of all together."""
        hits = core.equal(core.argmax(_together(logits), axis=-1), fields["label"])
        return self.network.loss(logits, fields["label"]), {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logarithms of the averaged probabilities, (N, classes)."""
        return [_together(self.forward(fields))]


def _together(logits: Any) -> Any:
    """Return the logarithm of the mean probability of (N, classifiers, classes), (N, classes)."""
    return core.log(F.softmax(logits, axis=-1).mean(axis=1).clip(min=1e-30))
