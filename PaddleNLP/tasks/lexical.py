"""Tags by the best path through a chain: lexical analysis as LAC does it, and names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Optional

import core
from core.train.logs.class_names import read_class_names
from core.train.logs.run_folder import RunFolder
from core.weights import read_weights
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.tagging.schemes import OUTSIDE
from PaddleNLP.evaluators.lexical import LexicalEvaluator
from PaddleNLP.tasks.tagging import NONE, TokenClassification

BEST = Path("checkpoints") / "best" / "model.safetensors"


class LexicalAnalysis(TokenClassification):
    """Trains a network whose tags are a path through a chain (a conditional random field).

    Args:
        config: the experiment.
        units: what a raw text is cut into before it is tagged; see :class:`TokenClassification`.
        monitor: the number by which the best checkpoint is chosen.
        segmentation: whether all words are chunks, as LAC's are, so that how well texts are cut is reported, too.
        grows: the folder of a run whose network and tags this one begins with; tags that its data has besides are
            learned in addition. The network must be of its size, and the tokeniser its own.
    """

    head = "crf_token_classification"
    reader = "lexical"

    def __init__(
        self,
        config: LanguageConfig,
        units: Literal["characters", "words"] = "characters",
        monitor: Optional[str] = None,
        segmentation: bool = False,
        grows: Optional[str] = None,
    ) -> None:
        super().__init__(config, units, True, monitor)
        self.segmentation, self.grows = segmentation, grows
        if segmentation:
            self.numbers = [*self.numbers, *(f"words_{name}" for name in ("precision", "recall", "f1"))]
        self._known = 0

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Take over tags of data.train that a run before has not; refuse others, as :class:`LanguageTask` does."""
        if split == "train" and self.grows is not None and not self.class_names:
            known = _tags_of(self.grows)
            self._known = len(known)
            self.class_names = [*known, *(name for name in dataset.labels if name not in known)]
        super().check_dataset(split, dataset)

    def built_network(self, head: str) -> Any:
        """Return the network, with the weights of the run that it grows from."""
        network = super().built_network(head)
        if self.grows is not None and self._known:
            network.set_state_dict(grown(read_weights(Path(self.grows) / BEST), network, self._known, self.grows))
        return network

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return the score of each tag at each token of a batch, (N, L, tags)."""
        return self.network.emissions(fields["input_ids"], attention_mask=fields["input_ids_mask"])

    def loss_of(self, emissions: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean loss of a batch's paths."""
        outside = self.class_names.index(OUTSIDE) if OUTSIDE in self.class_names else 0
        none = core.full([1], NONE, "int64")
        labels = core.where(core.equal(fields["labels"], none), core.full([1], outside, "int64"), fields["labels"])
        return self.network.loss(emissions, labels, self._lengths(fields)), {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the number of each token's tag on the best path, int64 (N, L)."""
        return [self.network.decode(self.forward(fields), self._lengths(fields))]

    def _lengths(self, fields: Mapping[str, Any]) -> Any:
        return fields["input_ids_mask"].astype("int64").sum(axis=1)

    def post_process(self, outputs: Sequence[Any], batch: Any) -> list[Any]:
        """Return the numbers of the tags of each sentence's words; there are none of words behind the cut."""
        labels = batch["labels"].numpy()[:, : outputs[0].shape[1]]  # paths end with the longest text
        return [row[label != NONE] for row, label in zip(outputs[0], labels)]

    def evaluator(self, split: str) -> LexicalEvaluator:
        """Return an empty evaluator."""
        return LexicalEvaluator(self.dataset(split), self.class_names, self.segmentation)

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: whether all words are chunks, too."""
        return {**super().reader_settings(), "segmentation": self.segmentation}


def _tags_of(run: str) -> list[str]:
    if not (Path(run) / BEST).is_file():
        raise FileNotFoundError(f"task.grows: {run!r} is not the folder of a run with a best checkpoint")
    return list(read_class_names(RunFolder(Path(run)), 0))


def grown(values: Mapping[str, Any], network: Any, known: int, run: str) -> dict[str, Any]:
    """Return the weights of a network with more tags: those of one with fewer, and its own fresh ones for the others.

    Args:
        values: weights of the network with fewer tags.
        network: the one with more; its first tags are the other's.
        known: how many those are.
        run: where the weights are from, for messages.

    Raises:
        ValueError: the networks differ otherwise.
    """
    found: dict[str, Any] = {}
    for name, own in network.state_dict().items():
        if name not in values:
            raise ValueError(f"task.grows: {os.fspath(run)!r} has no weight {name!r}: its network is another one")
        old, new = values[name], own.numpy().copy()
        layer = name.rpartition(".")[0]
        if old.shape == new.shape:
            new = old
        elif layer == "fc" or layer.endswith("crf"):
            _put(new, old, known)
        else:
            message = f"{name} has shape {list(old.shape)}, here {list(new.shape)}"
            raise ValueError(f"task.grows: the network of {os.fspath(run)!r} is of another size: {message}")
        found[name] = new
    return found


def _put(new: Any, old: Any, known: int) -> None:
    """Put the numbers of the known tags where they belong; two of start and end stay first, or last."""
    extra = old.shape[-1] - known  # paddlenlp's start and end are tags, too, behind the others
    columns = [*range(known), *range(new.shape[-1] - extra, new.shape[-1])]
    if new.ndim == 1:
        new[columns] = old
    elif new.shape[0] == old.shape[0]:  # the layer below the chain
        new[:, columns] = old
    else:
        first = new.shape[0] - new.shape[1]  # Fluid's rows of start and end stand before the moves
        rows = [*range(first), *(first + column for column in columns)]
        for source, target in enumerate(rows):
            new[target, columns] = old[source]
