"""Quantization-aware training (Jacob et al. 2018, arXiv:1712.05877)."""

from __future__ import annotations

import copy

from core.nn import Layer
from core.quantization.quantize import Quantization


class QAT(Quantization):
    """Puts quanters into a network that is to be trained with them."""

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Return the network with quanters.

        Args:
            model: the network, in training mode.
            inplace: whether it is changed itself, instead of a copy.

        Raises:
            ValueError: it is in evaluation mode.
        """
        if not model.training:
            raise ValueError("QAT.quantize: the network is in evaluation mode: call its train() first")
        return self._prepare(model if inplace else copy.deepcopy(model))
