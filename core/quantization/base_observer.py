"""What an observer is: a quanter that finds the scales and leaves its input as it is."""

from __future__ import annotations

import abc

from core.quantization.base_quanter import BaseQuanter


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """A layer that sees the inputs of another one, and from them finds scales."""

    @abc.abstractmethod
    def cal_thresholds(self) -> None:
        """Compute the scales from what was seen."""
