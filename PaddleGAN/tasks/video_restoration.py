"""Restoration of video: the middle frame of a window, by distances alone.

Paper: Wang et al., "EDVR: Video restoration with enhanced deformable convolutional networks", CVPR workshops 2019,
https://arxiv.org/abs/1905.02716
"""

from __future__ import annotations

from typing import Any, Optional

from PaddleGAN.config import GANConfig
from PaddleGAN.tasks.restoration import RestorationTask


class VideoRestoration(RestorationTask):
    """EDVR; samples are (window of degraded frames, middle frame).

    Args:
        config: the experiment.
        pixel: as for :class:`RestorationTask`.
        crop_border: pixels at each border that an evaluation leaves out; none by default, as for REDS4.
        test_y_channel: whether an evaluation compares luma alone.
    """

    generators = ("EDVRNet",)
    given_axes = 4

    def __init__(
        self,
        config: GANConfig,
        pixel: str = "charbonnier",
        crop_border: Optional[int] = 0,
        test_y_channel: bool = False,
    ) -> None:
        super().__init__(config, pixel, crop_border, test_y_channel)

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse windows that the network does not restore."""
        super().check_dataset(split, dataset)
        frames = getattr(dataset, "number_frames", 1)
        if frames != self.generator.nframes:
            raise ValueError(
                f"data.{split}: the samples have {frames} frames, and generator.network.nframes is "
                f"{self.generator.nframes}; both must be the same"
            )
