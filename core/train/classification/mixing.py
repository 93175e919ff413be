"""Splits of labelled samples whose batches may be mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pydantic

from core.io.randomness import sample_scope
from core.train.config.table import Component, Table
from core.train.runner.splits import SplitSection
from core.vision.transforms.mixing import OneOf


class MixedSplitSection(SplitSection):
    """One split of labelled samples; a toolkit names its table of mixes, too.

    Attributes:
        mix_table: the table of mixes, which take ``class_num`` from the program.
    """

    mix_table: ClassVar[Table]

    mix: list[Component] = pydantic.Field(
        [], description="each batch of training is mixed by one of these, drawn at random"
    )

    def mixes(self, class_num: int) -> OneOf:
        """Return what makes a batch of samples, mixed.

        Args:
            class_num: the number of classes.
        """
        return OneOf([self.mix_table.build(mix, class_num=class_num) for mix in self.mix])

    # what preview.py shows

    def steps(self) -> list[str]:
        """Return the names of what is done to the samples."""
        return [component.name for component in [*self.transforms, *self.mix]]

    def mixed(self, samples: Sequence[Any], config: Any, split: str, epoch: int) -> Sequence[Any]:
        """Return samples mixed with one another, where training mixes; the epochs take turns."""
        if not self.mix or split != "train":
            return samples
        with sample_scope(config.seed, epoch, 0, (2,)):
            mix = self.mix_table.build(self.mix[epoch % len(self.mix)], class_num=config.class_num)
            mixed: Sequence[Any] = mix(samples)
            return mixed

    def original(self, dataset: Any, index: int) -> list[tuple[Any, str]]:
        """Return a picture of a sample before the transforms, and its class."""
        return [(dataset.image(index), dataset.class_names[dataset.label(index)])]

    def caption(self, sample: Any, dataset: Any) -> str:
        """Return a class's name, or the greatest shares of a mixed label."""
        shares, names = np.asarray(sample[1]), dataset.class_names
        if shares.ndim == 0:
            return str(names[int(shares)])
        best = np.argsort(-shares, kind="stable")[:2]
        return ", ".join(f"{names[number]} {shares[number]:.0%}" for number in best if shares[number] > 0)
