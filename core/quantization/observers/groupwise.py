"""The largest magnitude of each group of a weight's rows."""

from __future__ import annotations

from typing import Any, Optional

from core.operators import abs as absolute
from core.operators import cast, full_like, where, zeros_like
from core.operators import max as largest
from core.quantization.base_observer import BaseObserver
from core.quantization.factory import ObserverFactory
from core.tensor import Tensor


class GroupWiseWeightObserver(ObserverFactory):
    """Describes observers of weights with a scale for each group of rows, in each column.

    Args:
        quant_bits: how many bits a number has.
        group_size: rows of a group, 64 or 128.
    """

    def __init__(self, quant_bits: int = 8, group_size: int = 128) -> None:
        super().__init__(quant_bits=quant_bits, group_size=group_size)

    def _get_class(self) -> type[GroupWiseWeightObserverLayer]:
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(BaseObserver):
    """Finds the largest magnitude of each group of a weight's rows, in each column.

    Args:
        layer: what is observed.
        quant_bits: how many bits a number has.
        group_size: rows of a group, 64 or 128.

    Raises:
        ValueError: the group is of another size.
    """

    def __init__(self, layer: Any, quant_bits: int = 8, group_size: int = 128) -> None:
        super().__init__()
        if group_size not in (64, 128):
            raise ValueError(f"GroupWiseWeightObserver: group_size is 64 or 128, not {group_size}")
        self.quant_bits = quant_bits
        self.group_size = group_size
        self._max: Optional[Tensor] = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the input.

        Args:
            input: a weight (rows, columns).

        Raises:
            ValueError: it is no matrix, or its rows are not a multiple of the group's.
        """
        if input.ndim != 2 or input.shape[0] % self.group_size:
            raise ValueError(
                f"GroupWiseWeightObserver: a weight of a multiple of {self.group_size} rows is expected, "
                f"not one of shape {input.shape}"
            )
        rows, columns = input.shape
        grouped = input.detach().reshape([rows // self.group_size, self.group_size, columns])
        found = cast(largest(absolute(grouped), 1), "float32")
        self._max = where(found == 0, full_like(found, 1e-8), found)
        return input

    def cal_thresholds(self) -> None:
        """Do nothing: the scales are what was seen."""

    def bit_length(self) -> int:
        """Return how many bits a number has."""
        return self.quant_bits

    def quant_axis(self) -> int:
        """Return -1: the scales have two axes."""
        return -1

    def min_value(self) -> float:
        """Return 0."""
        return 0.0

    def max_value(self) -> Optional[Tensor]:
        """Return the scales."""
        return self._max

    def scales(self) -> Optional[Tensor]:
        """Return the scales (groups, columns), float32; None before a weight was seen."""
        return self._max

    def zero_points(self) -> Optional[Tensor]:
        """Return zeros (groups, columns); None before a weight was seen."""
        return None if self._max is None else zeros_like(self._max)
