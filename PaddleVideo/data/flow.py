"""Optical flow between the frames of a clip, as pictures that a network takes in place of frames."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from PaddleVideo.data.clips import Sample

SMALLEST = 16
"""Pixels of a side that OpenCV's method needs."""


class OpticalFlow:
    """Replace each frame by how its pixels move to the next one, the last frame by the picture before it.

    The flow is OpenCV's DIS (Kroeger et al., "Fast optical flow using dense inverse search", ECCV 2016,
    https://arxiv.org/abs/1603.03590). Red is the motion to the right, green that downward, blue how far; 128 is none in
    red and green, 0 in blue. Frames should follow each other closely: begin with SampleClips.

    Args:
        bound: how many pixels are the darkest and the brightest; larger motions are cut.

    Raises:
        ValueError: ``bound`` is not positive.
    """

    def __init__(self, bound: float = 20.0) -> None:
        if not bound > 0:
            raise ValueError(f"OpticalFlow: bound must be more than 0, not {bound}")
        self.bound = bound

    def __call__(self, sample: Sample) -> Sample:
        """Return pictures of the flow, uint8 (..., T, H, W, 3), and the label."""
        frames, label = sample
        clips = frames.reshape(-1, *frames.shape[-4:])
        return np.stack([self._clip(clip) for clip in clips]).reshape(frames.shape), label

    def _clip(self, clip: np.ndarray) -> np.ndarray:
        if min(clip.shape[1:3]) < SMALLEST:
            raise ValueError(
                f"OpticalFlow: the {clip.shape[1]}x{clip.shape[2]} frames have less than {SMALLEST} pixels; resize them"
            )
        grey = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in np.ascontiguousarray(clip)]
        method: Any = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
        flows = [method.calc(one, other, None) for one, other in zip(grey, grey[1:])]
        pictures = [self._picture(flow) for flow in flows or [np.zeros((*clip.shape[1:3], 2), np.float32)]]
        return np.stack(pictures if len(clip) == 1 else [*pictures, pictures[-1]])

    def _picture(self, flow: np.ndarray) -> np.ndarray:
        far = np.sqrt((flow * flow).sum(axis=2, keepdims=True)) * (255.0 / self.bound)
        both = 128.0 + flow * (127.0 / self.bound)
        return np.rint(np.concatenate([both, far], axis=2)).clip(0, 255).astype(np.uint8)
