"""The operator of a compiled training step that is many layers with channels last; see core.jit.passes.regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.operator import TRANSIENT, HostOperator
from core.kernels.dtypes import float32
from core.kernels.regions.layer import Layer


class RegionOperator(HostOperator):
    """Layers with channels last, forward and backward; first gradients alone.

    Its inputs are those of the layers, its results what is read outside, mean and 1 / deviation of each normalised
    layer, and the memory that the gradients are computed from.

    Args:
        layers: What it does, in order.
        outputs: The layers that are read outside.
    """

    def __init__(self, layers: Sequence[Layer], outputs: Sequence[int]) -> None:
        from core.kernels.regions.region import Region  # numba loads with it

        self.region = Region(layers, outputs)
        found = [layers[place].shape for place in outputs]
        for place in self.region.normalized:
            found += [layers[place].shape[1:2]] * 2
        metas = [(shape, float32) for shape in (*found, (self.region.room,))]
        super().__init__(
            self.region.name,
            self._fill,
            infer=lambda given, options: metas,
            fills=True,
            gradients=self._gradients,
            register=False,
        )
        self.differentiated = len(outputs)
        TRANSIENT[self.name] = self  # the custom operator finds it by name

    def _fill(self, *inputs: np.ndarray, out: Any) -> None:
        self.region.forward(inputs, out)

    def _gradients(self, given: Any, inputs: Any, results: Any, out: Any) -> None:
        self.region.backward(given, inputs, results[-1], out)
