"""What the tasks share that restore pictures or video: pairs, sheets, numbers, and the program that is exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.drawing import sheet
from core.io.randomness import batch_scope
from core.jit.input_spec import InputSpec
from core.train.runner.task import Program
from core.train.task import Evaluator, Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.data.imresize import imresize
from PaddleGAN.losses import PIXEL_LOSSES
from PaddleGAN.metrics import PSNR, SSIM
from PaddleGAN.pictures import fractions_as_bytes
from PaddleGAN.tasks.base import AdversarialTask

SHOWN = 64
"""Pixels of a side of the small pictures on sheets, at most."""


class RestorationTask(AdversarialTask):
    """A task whose samples are (degraded, restored), float32, 0 to 1; one that learns by distances alone has no critic.

    Args:
        config: the experiment.
        pixel: the distance of pictures, of :data:`PaddleGAN.losses.PIXEL_LOSSES`.
        crop_border: pixels at each border that an evaluation leaves out; null: as many as the scale.
        test_y_channel: whether an evaluation compares luma alone, or else red, green and blue.

    Attributes:
        scale: how many times larger the restored pictures are.

    Raises:
        ValueError: there is no such distance, or the border is negative.
    """

    numbers = ("psnr", "ssim", "bicubic_psnr", "bicubic_ssim")
    modes = ("restore",)
    monitor, higher_is_better = "psnr", True
    given_axes = 3
    """Of a sample's degraded picture, or window of pictures."""

    def __init__(
        self, config: GANConfig, pixel: str = "l1", crop_border: Optional[int] = None, test_y_channel: bool = True
    ) -> None:
        super().__init__(config)
        if pixel not in PIXEL_LOSSES:
            raise ValueError(f"task.pixel must be one of {', '.join(PIXEL_LOSSES)}, not {pixel!r}")
        if crop_border is not None and crop_border < 0:
            raise ValueError(f"task.crop_border must not be negative, not {crop_border}")
        self.distance = PIXEL_LOSSES[pixel]
        self.generator = self.add_generator()
        self.scale = int(self.generator.scale)
        self.peak = float(getattr(self.generator, "peak", 1.0))
        self.crop_border = self.scale if crop_border is None else crop_border
        self.test_y_channel = test_y_channel

    # data

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse samples that the network does not restore."""
        scale = getattr(dataset, "scale", None)
        if scale is None:
            raise ValueError(
                f"data.{split}: {self.config.task.name} learns from pairs of pictures of two sizes, which a "
                f"{self.config.data.split(split).dataset.name} does not have"
            )
        if scale != self.scale:
            raise ValueError(
                f"data.{split}.dataset.scale is {scale}, and the {self.config.generator.network.name} of the config "
                f"enlarges by {self.scale}; both must be the same"
            )

    def facts(self) -> list[str]:
        """Return lines that describe the training data.

        Raises:
            ValueError: the samples are no such pairs, or the network cannot take them.
        """
        lines = super().facts()
        for split in self.splits:
            self._check(split)
        shapes = [" x ".join(map(str, field.shape)) for field in self.first("train", 1)[0]]
        return [*lines, f"from {shapes[0]} to {shapes[1]}; parameters: {_parameters(self.generator):,}"]

    def _check(self, split: str) -> None:
        given, wanted = self.first(split, 1)[0]
        fields = (given, wanted)
        if given.ndim != self.given_axes or wanted.ndim != 3 or any(field.dtype != np.float32 for field in fields):
            raise ValueError(
                f"data.{split}: {self.config.task.name} learns from float32 (channels, height, width), 0 to 1; end the "
                "transforms with ToTensor"
            )
        wants = [self.scale * side for side in given.shape[-2:]]
        if list(wanted.shape[-2:]) != wants:
            sizes = ["x".join(map(str, sides)) for sides in (given.shape[-2:], wants, wanted.shape[-2:])]
            raise ValueError(
                f"data.{split}: pictures of {sizes[0]} pixels become {sizes[1]}, not the {sizes[2]} wanted"
            )

    def first(self, split: str, count: int) -> list[Any]:
        """Return a split's first samples, the same each time, whatever its transforms draw."""
        samples = self.dataset(split)
        with batch_scope(self.config.seed, 0, 0):
            return [samples[index] for index in range(min(count, len(samples)))]

    # learning

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the generator's phase."""
        return [self.phase("generator", self.loss, ["generator"], self.config.generator, steps_per_epoch, epochs)]

    def loss(self, given: Any, wanted: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the distance from what is wanted.

        Args:
            given: degraded pictures, (N, 3, H, W), or windows of them.
            wanted: restored ones, (N, 3, scale H, scale W).
        """
        return self.distance(self.restored(given), wanted), {}

    def restored(self, given: Any) -> Any:
        """Return what the generator makes of pictures, 0 to 1."""
        return finished(self.generator(given if self.peak == 1 else given * self.peak), self.peak)

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return what the generator makes of a batch's degraded pictures."""
        return [self.restored(fields[0])]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return RestorationEvaluator(self.scale, self.crop_border, self.test_y_channel)

    def remarks(self) -> list[str]:
        """Return a line that says how the numbers come about."""
        channels = "luma" if self.test_y_channel else "red, green and blue"
        text = f"of bytes, {channels}, without {self.crop_border} pixels at each border"
        return [f"{text}; bicubic: the degraded picture enlarged by imresize taken for the answer"]

    # pictures and use

    def sheet(self) -> np.ndarray:
        """Return the same pictures each time: enlarged bicubically, restored, as they should be."""
        rows = []
        for given, wanted in self.first(self.splits[-1], self.config.samples.count):
            given, wanted = self._middle(given, wanted)
            with core.no_grad():
                made = self.restored(core.to_tensor(given[None])).numpy()
            picture = fractions_as_bytes(_middle_picture(given)[None])[0]
            rows.append([imresize(picture, self.scale), *(fractions_as_bytes(one)[0] for one in (made, wanted[None]))])
        return sheet(rows, ["bicubic", "restored", "wanted"])

    def _middle(self, given: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a part of a pair that a sheet has room for."""
        multiple = int(getattr(self.generator, "multiple", 1))
        height, width = (min(side, SHOWN) // multiple * multiple for side in given.shape[-2:])
        top, left = (given.shape[-2] - height) // 2, (given.shape[-1] - width) // 2
        small = given[..., top : top + height, left : left + width]
        top, left, height, width = (self.scale * side for side in (top, left, height, width))
        large = wanted[:, top : top + height, left : left + width]
        return np.ascontiguousarray(small), np.ascontiguousarray(large)

    def program(self) -> Program:
        """Return the program: degraded pictures of any size, 0 to 1, to restored ones."""
        axes = list(self.first(self.splits[-1], 1)[0][0].shape[:-2])
        multiple = int(getattr(self.generator, "multiple", 1))
        spec = InputSpec(
            [None, *axes, None, None],
            "float32",
            "pictures",
            examples={len(axes) + 1: (8 * multiple, 12 * multiple), len(axes) + 2: (10 * multiple, 16 * multiple)},
        )
        shape = ", ".join(map(str, ["any", *axes, "any", "any"]))
        text = f"pictures float32 [{shape}], 0 to 1, to pictures of {self.scale} times the size"
        return Program(Restoration(self.generator, self.peak), [spec], text)


class Restoration(nn.Layer):
    """A network that takes and gives numbers from 0 to 1, one picture each.

    Args:
        network: takes numbers up to ``peak``; may give several pictures, of which the last one counts.
        peak: the number of white.
    """

    def __init__(self, network: Any, peak: float) -> None:
        super().__init__()
        self.network, self.peak = network, peak

    def forward(self, x: Any) -> Any:
        """Return the restored pictures."""
        return finished(self.network(x if self.peak == 1 else x * self.peak), self.peak)


def finished(results: Any, peak: float) -> Any:
    """Return the last picture of a network's results, with white 1.

    Args:
        results: a picture, or a list of pictures of growing size.
        peak: the number of white.
    """
    last = results[-1] if isinstance(results, (list, tuple)) else results
    return last if peak == 1 else last / peak


class RestorationEvaluator(Evaluator):
    """Gathers "psnr" and "ssim" of restored pictures, and "bicubic_…" of degraded ones enlarged by imresize.

    Args:
        scale: how many times larger the restored pictures are.
        crop_border: pixels at each border that are left out.
        test_y_channel: whether luma alone is compared.
    """

    def __init__(self, scale: int, crop_border: int, test_y_channel: bool) -> None:
        self.scale = scale
        how = (crop_border, test_y_channel)
        self.numbers: dict[str, Any] = {
            **{"psnr": PSNR(*how), "ssim": SSIM(*how)},
            **{"bicubic_psnr": PSNR(*how), "bicubic_ssim": SSIM(*how)},
        }

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in restored pictures, and degraded and wanted ones, the batch's fields."""
        given, wanted = batch[0].numpy(), fractions_as_bytes(batch[1].numpy())
        enlarged = [imresize(fractions_as_bytes(_middle_picture(one)[None])[0], self.scale) for one in given]
        for prefix, pictures in (("", fractions_as_bytes(outputs[0])), ("bicubic_", np.stack(enlarged))):
            for name in ("psnr", "ssim"):
                self.numbers[prefix + name].update(pictures, wanted)

    def result(self) -> dict[str, float]:
        """Return all numbers."""
        return {name: float(metric.accumulate()) for name, metric in self.numbers.items()}


def _middle_picture(given: np.ndarray) -> np.ndarray:
    """Return a picture (C, H, W), or the middle one of a window (frames, C, H, W)."""
    return given if given.ndim == 3 else given[len(given) // 2]


def _parameters(network: Any) -> int:
    return sum(int(np.prod(parameter.shape)) for parameter in network.parameters() if not parameter.stop_gradient)
