"""Numbers of 8 bits for a trained network, layer by layer: calibrated, corrected, and measured for what it costs.

:class:`PostTraining` does with :class:`core.quantization.PTQ` what takes more than that: it leaves layers alone that no
data reaches, corrects biases, and finds out which layers suffer most.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core import nn
from core.kernels.dtypes import float32
from core.kernels.layers import quantized
from core.nn.quant.qat.base import QuantedLayer
from core.nn.quant.qat.conv import QuantedConv2D
from core.nn.quant.qat.embedding import QuantedEmbedding
from core.quantization.config import QuantConfig
from core.quantization.factory import ObserverFactory
from core.quantization.observers import (
    AbsMaxChannelWiseWeightObserver,
    HistObserver,
    KLObserver,
    MovingAverageObserver,
)
from core.quantization.observers.seen import SeenObserver
from core.quantization.places import Place, listed_places, places_of
from core.quantization.ptq import PTQ

KINDS: tuple[type[nn.Layer], ...] = (nn.Conv2D, nn.Linear)
"""Layers that compute in 8 bits."""

ALGORITHMS: dict[str, Callable[[], ObserverFactory]] = {
    "absmax": lambda: MovingAverageObserver(moving_rate=1.0, sign=None),
    "moving_average": lambda: MovingAverageObserver(sign=None),
    "percentile": lambda: HistObserver(sign=None),
    "kl": lambda: KLObserver(sign=None),
}
"""How the scale of a layer's input follows from calibration data, by name."""


class _Both:
    """A layer, what it becomes, and where either is.

    Args:
        place: one place of the layer.

    Attributes:
        places: all of them.
    """

    def __init__(self, place: Place) -> None:
        self.places = [place]
        self.original = place.layer
        self.quantized: Any = None

    def put(self, layer: Any) -> None:
        """Let one of them stand there."""
        for place in self.places:
            place.put(layer)


class PostTraining:
    """Quantizes the convolutions and linear layers of trained networks, in place, and the numbers of their tables.

    Run some batches through the networks after it is made, then :meth:`convert`. What is exported afterwards holds
    numbers of 8 bits.

    Args:
        networks: by name, in evaluation mode.
        algorithm: a key of :data:`ALGORITHMS`.

    Raises:
        ValueError: there is nothing to quantize, the algorithm is unknown, or a network is in training mode.

    Example:
        >>> quantization = PostTraining({"model": network})  # doctest: +SKIP
        >>> for images in batches: network(images)
        >>> quantization.convert()
        >>> core.jit.save(network, "exported", [InputSpec([None, 3, 224, 224])])
    """

    def __init__(self, networks: Mapping[str, Any], algorithm: str = "percentile") -> None:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"there is no calibration {algorithm!r}: choose one of {', '.join(ALGORITHMS)}")
        self._both: dict[str, _Both] = {}
        seen: dict[int, _Both] = {}
        for name, network in networks.items():
            for place in places_of(network, f"{name}." if len(networks) > 1 else ""):
                if id(place.layer) in seen:
                    seen[id(place.layer)].places.append(place)
                elif type(place.layer) in KINDS or _is_table(place.layer):
                    self._both[place.path] = seen[id(place.layer)] = _Both(place)
        for place in [place for network in networks.values() for place in listed_places(network)]:
            if id(place.layer) in seen:
                seen[id(place.layer)].places.append(place)
        self._require_places(networks, "has no Conv2D, Linear or Embedding layer inside")
        self._networks = networks
        config = QuantConfig(None, None)
        config.add_type_config(
            list(KINDS), activation=ALGORITHMS[algorithm](), weight=AbsMaxChannelWiseWeightObserver()
        )
        self._ptq = PTQ(config)
        for network in networks.values():
            self._ptq.quantize(network, inplace=True)
        for both in self._both.values():
            made = QuantedEmbedding(both.original) if _is_table(both.original) else both.places[0].now
            both.quantized = made
            both.put(made)
        self._given: Optional[Sequence[Any]] = None
        self._reads_given: dict[str, bool] = {}
        self._hooks = [network.register_forward_pre_hook(self._note_given) for network in networks.values()]
        for name, both in self._both.items():
            if isinstance(both.quantized, QuantedConv2D):
                self._hooks.append(both.quantized.register_forward_pre_hook(self._noted_as(name)))

    @property
    def layers(self) -> list[str]:
        """The names of the layers that are quantized."""
        return list(self._both)

    @property
    def grids(self) -> dict[str, tuple[float, int]]:
        """By layer, the distance of two values of its input, and the number of 0 from 0 to 255; once converted."""
        return {name: layer.activation_quanter.grid() for name, layer in self._computing()}

    def convert(self, bias_correction: bool = True, round_sums: bool = True) -> list[str]:
        """Fix the scales; layers that no data has reached are as they were before.

        Args:
            bias_correction: whether to take from biases what rounding the weights adds to the mean of each output,
                given the means of the inputs. (Nagel et al. 2019, arXiv:1906.04721, section 4.2)
            round_sums: whether what a convolution rounds is read rounded by residual sums and all else behind it.

        Returns:
            The names of the layers that no data has reached.

        Raises:
            ValueError: an input was not finite, or no data has reached any layer.
        """
        unreached = []
        for name, layer in self._computing():
            observer: SeenObserver = layer.activation_quanter
            if not observer.is_finite:
                raise ValueError(
                    f"the input of {name} is not finite on calibration data: a scale cannot be found; look for NaN in"
                    " the data or the weights"
                )
            if not observer.samples:
                unreached.append(name)
        self.keep_in_float(unreached)
        self._require_places(self._networks, "computes nothing with them on calibration data")
        means = {name: layer.activation_quanter.means for name, layer in self._computing()}
        for hook in self._hooks:
            hook.remove()
        for network in self._networks.values():
            self._ptq.convert(network, inplace=True, remain_weight=True)
        for name, layer in self._computing():
            layer.rounds_for_all = round_sums and self._reads_given.get(name) is False
        if bias_correction:
            for name, layer in self._computing():
                _correct_bias(layer, means[name])
        return unreached

    def keep_in_float(self, names: Iterable[str]) -> None:
        """Put layers back as they were.

        Args:
            names: some of :attr:`layers`.

        Raises:
            ValueError: there is no such layer.
        """
        for name in names:
            if name not in self._both:
                raise ValueError(f"no layer {name!r} is quantized; the layers are {', '.join(self._both)}")
            both = self._both.pop(name)
            both.put(both.original)

    @contextlib.contextmanager
    def only(self, names: Sequence[str]) -> Iterator[None]:
        """Inside a ``with`` block, compute all layers but some in float32."""
        try:
            for name, both in self._both.items():
                both.put(both.quantized if name in names else both.original)
            yield
        finally:
            for both in self._both.values():
                both.put(both.quantized)

    def sensitivity(
        self, predict: Callable[[], Sequence[np.ndarray]], progress: Optional[Callable[[], Any]] = None
    ) -> dict[str, float]:
        """Measure what each layer alone does to the results.

        Args:
            predict: computes results on the same data each time.
            progress: called once for each layer.

        Returns:
            By layer, the squared change of the results in relation to their squared size, the largest first.
        """
        with self.only([]):
            wanted = [_floats(array) for array in predict()]
        size = max(sum(float(np.vdot(array, array)) for array in wanted), np.finfo(np.float64).tiny)
        found: dict[str, float] = {}
        for name in self._both:
            with self.only([name]):
                changes = [_floats(array) - before for array, before in zip(predict(), wanted)]
            found[name] = float(sum(float(np.vdot(change, change)) for change in changes) / size)
            if progress is not None:
                progress()
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _note_given(self, network: Any, inputs: Sequence[Any]) -> None:
        """Remember what a network is called with: that is the caller's, and is not rounded in its place."""
        self._given = inputs

    def _noted_as(self, name: str) -> Callable[[Any, Sequence[Any]], None]:
        """Return a hook that notes whether a layer reads what a network was called with, or might."""

        def note(_: Any, inputs: Sequence[Any]) -> None:
            outer = self._given is None or any(inputs[0] is given for given in self._given)
            self._reads_given[name] = outer or self._reads_given.get(name, False)

        return note

    def _computing(self) -> list[tuple[str, Any]]:
        """Return the quantized layers that compute in 8 bits, by name."""
        return [(name, both.quantized) for name, both in self._both.items() if not _is_table(both.original)]

    def _require_places(self, networks: Mapping[str, Any], problem: str) -> None:
        if not self._both:
            kinds = ", ".join(type(network).__name__ for network in networks.values())
            raise ValueError(f"nothing is quantized: {kinds} {problem}")


def _is_table(layer: Any) -> bool:
    return type(layer) is nn.Embedding and layer.weight is not None and layer.weight.dtype is float32


def _floats(array: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.asarray(array, np.float64), posinf=0, neginf=0).ravel()


def _correct_bias(layer: QuantedLayer, means: np.ndarray) -> None:
    """Give a layer a bias of its own, less what rounded weights add to the mean of each output."""
    axis = layer.output_axis
    weight = layer.weight.numpy().astype(np.float64)
    scales = layer.weight_quanter._dequanter._scales.numpy() / np.float32(127)
    rounded = quantized.dequantized_weight(quantized.quantized_weight(weight, scales, axis), scales, axis)
    change = np.moveaxis(rounded - weight, axis, 0)
    change = change.reshape(*change.shape[:2], -1).sum(-1)  # (outputs, inputs of the group)
    groups = len(means) // change.shape[1]
    of_group = means.reshape(groups, -1).repeat(len(change) // groups, 0)
    bias = 0.0 if layer.bias is None else layer.bias.numpy().astype(np.float64)
    corrected: Any = layer.create_parameter([len(change)], is_bias=True)
    corrected.set_value((bias - (change * of_group).sum(1)).astype(np.float32))
    layer.bias = corrected
