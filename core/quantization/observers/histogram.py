"""Scales from a histogram of magnitudes: a percentile, or the cut that loses the least information.

Values beyond the scale are cut off; in return those within it lie closer. Zeros are numbers whatever the scale is, so
that they are not counted.
"""

from __future__ import annotations

import abc
from typing import Any, Optional

import numpy as np

from core.quantization.factory import ObserverFactory
from core.quantization.observers.seen import SeenObserver

CUTS = 256
"""At about how many cuts the divergence is looked at."""
UNSEEN = 1e-6
"""The share of a bin in which nothing is left."""


class HistObserver(ObserverFactory):
    """Describes observers whose scale is a percentile of the magnitudes that they saw.

    Args:
        quant_bits: how many bits a number has.
        bins_count: bins of the histogram.
        percent: share of the magnitudes, zeros left out, that lie within the scale.
        sign: whether numbers lie on both sides of 0; None: as the values do.
    """

    def __init__(
        self, quant_bits: int = 8, bins_count: int = 2048, percent: float = 0.9999, sign: Optional[bool] = True
    ) -> None:
        if not 0 < percent <= 1:
            raise ValueError(f"HistObserver: percent is a share above 0 and up to 1, not {percent!r}")
        super().__init__(
            quant_bits=quant_bits, bins_count=_checked("HistObserver", bins_count), percent=percent, sign=sign
        )

    def _get_class(self) -> type[HistObserverLayer]:
        return HistObserverLayer


class KLObserver(ObserverFactory):
    """Describes observers whose scale loses the least information, by the Kullback-Leibler divergence.

    Of each cut, the magnitudes within it, those beyond it added to the last bin, are compared with what is left of them
    in as many steps as there are numbers. (Migacz, "8-bit inference with TensorRT", 2017)

    Args:
        quant_bits: how many bits a number has.
        bins_count: bins of the histogram.
        sign: whether numbers lie on both sides of 0; None: as the values do.
    """

    def __init__(self, quant_bits: int = 8, bins_count: int = 2048, sign: Optional[bool] = True) -> None:
        super().__init__(quant_bits=quant_bits, bins_count=_checked("KLObserver", bins_count), sign=sign)

    def _get_class(self) -> type[KLObserverLayer]:
        return KLObserverLayer


class HistogramObserver(SeenObserver, metaclass=abc.ABCMeta):
    """Counts magnitudes in bins of one width; where a larger one comes, pairs of bins become one.

    Args:
        layer: what is observed.
        quant_bits: how many bits a number has.
        bins_count: how many bins, an even number.
        sign: whether numbers lie on both sides of 0.

    Attributes:
        counts: magnitudes above 0 in each bin, int64.
        reach: the upper end of the last bin; 0 before anything above 0 was seen.
    """

    def __init__(self, layer: Any, quant_bits: int = 8, bins_count: int = 2048, sign: Optional[bool] = True) -> None:
        super().__init__(quant_bits, sign)
        self.counts = np.zeros(bins_count, np.int64)
        self.reach = 0.0

    def see(self, magnitudes: np.ndarray) -> None:
        """Count the magnitudes of a batch."""
        largest = float(magnitudes.max())
        if largest == 0:
            return
        if self.reach == 0:
            self.reach = largest
        while largest > self.reach:
            self.counts = np.append(self.counts.reshape(-1, 2).sum(1), np.zeros(len(self.counts) // 2, np.int64))
            self.reach *= 2
        bins = np.ceil(magnitudes[magnitudes > 0].astype(np.float64) * (len(self.counts) / self.reach)) - 1
        self.counts += np.bincount(np.clip(bins, 0, len(self.counts) - 1).astype(np.int64), minlength=len(self.counts))


class HistObserverLayer(HistogramObserver):
    """Finds a percentile; see :class:`HistObserver` for the arguments."""

    def __init__(
        self,
        layer: Any,
        quant_bits: int = 8,
        bins_count: int = 2048,
        percent: float = 0.9999,
        sign: Optional[bool] = True,
    ) -> None:
        super().__init__(layer, quant_bits, bins_count, sign)
        self.percent = percent

    def threshold(self) -> float:
        """Return the upper end of the first bin up to which the share is reached."""
        below = np.cumsum(self.counts)
        if below[-1] == 0:
            return 0.0
        reached = int(np.searchsorted(below, self.percent * below[-1]))
        return self.reach * (min(reached, len(below) - 1) + 1) / len(below)


class KLObserverLayer(HistogramObserver):
    """Finds the cut that loses the least information; see :class:`KLObserver` for the arguments."""

    def threshold(self) -> float:
        """Return the best cut."""
        levels = (1 << self._quant_bits) - 1 if not self.signed else (1 << (self._quant_bits - 1)) - 1
        return self.reach * best_cut(self.counts, levels) / len(self.counts)


def best_cut(counts: np.ndarray, levels: int) -> int:
    """Return how many of a histogram's bins to keep, so that the divergence is the least.

    At least half of them are kept, as in Paddle: of few samples the divergence measures chance more than what is lost.

    Args:
        counts: int64 (bins,).
        levels: numbers for the kept bins.

    Returns:
        A number of bins: of equally good cuts the widest; all where nothing was counted, or there are no more bins than
        numbers.
    """
    bins = len(counts)
    if bins <= levels or not counts.any():
        return bins
    bins = int(np.flatnonzero(counts)[-1]) + 1
    least = max(levels, bins // 2)
    cuts = range(bins, least - 1, -max(1, (bins - least) // CUTS))
    best = min(cuts, key=lambda cut: divergence(counts, cut, levels), default=bins)
    return max(best, 1)


def divergence(counts: np.ndarray, cut: int, levels: int) -> float:
    """Return how much less is known of magnitudes that are cut off and rounded: Σ p log(p / q), in nats.

    Args:
        counts: int64 (bins,).
        cut: how many bins are kept.
        levels: numbers for them.
    """
    kept = counts[:cut].astype(np.float64)
    wanted = kept.copy()
    wanted[-1] += counts[cut:].sum()
    number = np.arange(cut) * levels // cut
    filled = kept > 0
    share = np.bincount(number, kept, levels) / np.maximum(np.bincount(number, filled, levels), 1)
    left = np.where(filled, share[number], 0.0)
    if left.sum() == 0:
        return float("inf")
    p, q = wanted / wanted.sum(), left / left.sum()
    some = p > 0
    return float(np.sum(p[some] * np.log(p[some] / np.maximum(q[some], UNSEEN))))


def _checked(owner: str, bins: int) -> int:
    if type(bins) is not int or bins < 2 or bins % 2:
        raise ValueError(f"{owner}: bins_count is an even number from 2, not {bins!r}")
    return bins
