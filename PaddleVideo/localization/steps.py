"""What surrounds a network of intervals: from features of a video to its input, and from its outputs to intervals.

These are steps for the host, in NumPy; training, ``infer.py`` and exported folders share them.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax

from PaddleVideo.data.intervals.features import checked, resampled
from PaddleVideo.metrics.segmentation import segments
from PaddleVideo.models.localizers.proposals import proposals
from PaddleVideo.models.localizers.suppression import detections


class Steps(abc.ABC):
    """The steps around a network of one kind.

    Attributes:
        kind: the task that it is of.
        feature_dim: features of a step.
        features_first: whether arrays of .npy files are (features, steps), as the official kits write them for it.
    """

    kind: ClassVar[str]
    features_first: ClassVar[bool] = False

    def __init__(self, feature_dim: int) -> None:
        self.feature_dim = feature_dim

    def inputs(self, values: np.ndarray, name: str = "the video") -> np.ndarray:
        """Return what the network takes of one video, with a batch axis of 1.

        Args:
            values: features, (T, D).
            name: of the video, for messages.

        Raises:
            ValueError: a step has another number of features, or one is not finite.
        """
        return self._shaped(checked(values, name, self.feature_dim))[None]

    @abc.abstractmethod
    def _shaped(self, values: np.ndarray) -> np.ndarray:
        """Return the network's input without batch axis."""

    def unbatched(self, outputs: Any) -> list[np.ndarray]:
        """Return the outputs of a batch of one video as arrays without batch axis.

        Args:
            outputs: one, or several, Tensors or arrays.
        """
        several = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return [np.asarray(output)[0] for output in several]

    @abc.abstractmethod
    def found(self, outputs: Sequence[np.ndarray], duration: float) -> np.ndarray:
        """Return the intervals of one video, float64 (M, 4): class, score, begin and end in seconds.

        Args:
            outputs: of the network, without batch axis.
            duration: of the video, seconds.
        """

    def truth(self, videos: Any, index: int, steps: int) -> np.ndarray:
        """Return what is true of a video, as the network counts classes, float64 (G, 3): class, begin and end.

        Args:
            videos: the data set.
            index: which video.
            steps: how many it has.
        """
        return np.asarray(videos.actions(index), np.float64)

    @abc.abstractmethod
    def record(self) -> dict[str, Any]:
        """Return the arguments that make these steps again, as an export keeps them."""


class DetectionSteps(Steps):
    """C-TCN's: the outputs are offsets (K, 2) and logits (K, 1 + classes).

    Args:
        feature_dim: features of a step.
        length: steps that the network takes.
        keep: how many intervals a video has at most, the best ones.
    """

    kind = "ActionDetection"

    def __init__(self, feature_dim: int, length: int, keep: int = 200) -> None:
        super().__init__(feature_dim)
        self.length = length
        self.keep = keep

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return resampled(values, self.length)[None]

    def found(self, outputs: Sequence[np.ndarray], duration: float) -> np.ndarray:
        """Return the intervals after suppression within each class, the best first."""
        offsets, logits = outputs
        return detections(self.length, offsets, softmax(logits, axis=-1), duration)[: self.keep]

    def record(self) -> dict[str, Any]:
        """Return the arguments."""
        return {"feature_dim": self.feature_dim, "length": self.length, "keep": self.keep}


class ProposalSteps(Steps):
    """BMN's and BSN's: the outputs are maps (2 or 1, D, T), and scores of begins and ends (T,).

    Whatever happens in an interval, its class is "action".

    Args:
        feature_dim: features of a step.
        tscale: steps that the network takes.
        keep: how many intervals a video has at most.
        alpha: width of the Gaussian of the soft suppression.
        low: the overlap from which it lowers scores.
    """

    kind = "ActionProposals"

    def __init__(
        self, feature_dim: int, tscale: int, keep: int = 100, alpha: float = 0.4, low: float = 0.55
    ) -> None:
        super().__init__(feature_dim)
        self.tscale = tscale
        self.keep = keep
        self.alpha = alpha
        self.low = low

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(resampled(values, self.tscale).T)

    def found(self, outputs: Sequence[np.ndarray], duration: float) -> np.ndarray:
        """Return the intervals after soft suppression, the best first."""
        maps, starts, ends = outputs[:3]
        rows = proposals(maps, starts, ends, duration, self.keep, self.alpha, self.low)
        return np.column_stack([np.zeros(len(rows)), rows[:, 2], rows[:, :2]])

    def truth(self, videos: Any, index: int, steps: int) -> np.ndarray:
        """Return begins and ends, all of one class."""
        return np.asarray(videos.actions(index), np.float64) * [0.0, 1.0, 1.0]

    def record(self) -> dict[str, Any]:
        """Return the arguments."""
        suppression = {"keep": self.keep, "alpha": self.alpha, "low": self.low}
        return {"feature_dim": self.feature_dim, "tscale": self.tscale, **suppression}


class SegmentationSteps(Steps):
    """MS-TCN's: the outputs are logits of all stages, (stages, classes, T), the last of which counts.

    Args:
        feature_dim: features of a step.
    """

    kind = "ActionSegmentation"
    features_first = True

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(values.T)

    def unbatched(self, outputs: Any) -> list[np.ndarray]:
        """Return the logits of a batch of one video, (stages, classes, T)."""
        return [np.asarray(outputs)[:, 0]]

    def found(self, outputs: Sequence[np.ndarray], duration: float) -> np.ndarray:
        """Return the runs of steps of one class, in the order of time; a score is the mean of its probabilities."""
        shares = softmax(outputs[0][-1], axis=0)
        runs = segments(shares.argmax(axis=0))
        scores = [
            shares[kind, first:last].mean() for kind, first, last in zip(runs.classes, runs.starts, runs.ends)
        ]
        seconds = duration / shares.shape[1]
        return np.column_stack([runs.classes, scores, runs.starts * seconds, runs.ends * seconds]).astype(np.float64)

    def truth(self, videos: Any, index: int, steps: int) -> np.ndarray:
        """Return the runs of steps of one class."""
        runs, seconds = segments(videos.labels(index, steps)), videos.duration(index) / steps
        return np.column_stack([runs.classes, runs.starts * seconds, runs.ends * seconds]).astype(np.float64)

    def record(self) -> dict[str, Any]:
        """Return the arguments."""
        return {"feature_dim": self.feature_dim}


KINDS: Mapping[str, type[Steps]] = {steps.kind: steps for steps in (DetectionSteps, ProposalSteps, SegmentationSteps)}
"""Steps by the task that they are of."""
