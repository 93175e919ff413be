"""Quantization after training, from what observers see of some batches."""

from __future__ import annotations

import copy

from core.nn import Layer
from core.quantization.quantize import Quantization


class PTQ(Quantization):
    """Puts observers into a trained network; run some batches through it, then :meth:`convert` it."""

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Return the network with observers.

        Args:
            model: the network, in evaluation mode.
            inplace: whether it is changed itself, instead of a copy.

        Raises:
            ValueError: it is in training mode.
        """
        if model.training:
            raise ValueError("PTQ.quantize: the network is in training mode: call its eval() first")
        return self._prepare(model if inplace else copy.deepcopy(model))
