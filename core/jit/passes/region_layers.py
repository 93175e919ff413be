"""Operations of a training step as layers of a region with channels last, neighbouring ones joined."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Operation
from core.kernels.dtypes import float32
from core.kernels.regions.layer import NOTHING, Layer

_MOST_STEM = 256  # numbers that a window of a first convolution may see
_STEM_CHANNELS = 64  # that it may have, or its product would have several panels
_OPEN, _NORMAL, _DONE = range(3)
"""What may be joined to a layer: a normalisation and an activation, an activation, nothing."""


class RegionLayers:
    """Takes operations over, one after another.

    Attributes:
        layers: What they became.
        inputs: What these read: images, weights, parameters; one for each use.

    Args:
        operations: All of the step.
        outputs: Its results.
    """

    def __init__(self, operations: Sequence[Operation], outputs: Sequence[Value]) -> None:
        self.layers: list[Layer] = []
        self.inputs: list[Value] = []
        self._readers: dict[int, list[Optional[Operation]]] = defaultdict(list)
        for operation in operations:
            for value in operation.inputs:
                self._readers[id(value)].append(operation)
        for value in outputs:
            self._readers[id(value)].append(None)
        self._places: dict[int, int] = {}
        self._states: dict[int, int] = {}
        self._values: dict[int, Value] = {}
        self._padded: dict[int, tuple[Value, tuple[int, int]]] = {}
        self._statistics: dict[int, list[Value]] = {}
        self._hidden: set[int] = set()

    def take(self, operation: Operation) -> bool:
        """Take an operation over, if that is possible."""
        take = getattr(self, f"_take_{operation.operator.name}", None)
        if take is None or not operation.gradients:
            return False
        metas = [value.meta for value in (*operation.inputs, *operation.outputs)]
        if any(dtype is not float32 or 0 in shape for shape, dtype in metas):
            return False
        return bool(take(operation))

    def has(self, values: Collection[int]) -> bool:
        """Return whether one of some values, by their ``id``, is made here."""
        return any(value in self._values or value in self._padded or value in self._hidden for value in values)

    def factors_of(self, layer: Layer) -> int:
        """Return of how many products an element of a convolution's result is the sum."""
        return math.prod(self.inputs[layer.given].meta[0][1:])

    @property
    def all_statistics(self) -> list[Value]:
        """What is known outside of the batches of all layers."""
        return [value for found in self._statistics.values() for value in found]

    def statistics(self, places: Sequence[int]) -> list[Value]:
        """Return mean and 1 / deviation of normalised layers."""
        return [value for place in places for value in self._statistics[place]]

    def seen_outside(self, read: Collection[int]) -> list[tuple[Value, int]]:
        """Return the values that are read, by their ``id``, and the layers that make them."""
        found = []
        for key, value in list(self._values.items()):
            place = self._places[key]
            if key in read and self.layers[place].kind != "input":
                if self.layers[place].factor != NOTHING:
                    place = self._append(Layer("sum", value.meta[0], source=place, needs=self.layers[place].needs))
                found.append((value, place))
        return found

    # what operators become

    def _take_pad(self, operation: Operation) -> bool:
        (value,), widths = operation.inputs, operation.attributes["widths"]
        plain = operation.attributes["mode"] == "constant" and operation.attributes["value"] == 0
        if not plain or len(widths) != 4 or any(sum(widths[axis]) for axis in (0, 1)) or min(map(min, widths)) < 0:
            return False
        result = operation.outputs[0]
        self._padded[id(result)] = value, (widths[2][0], widths[3][0])
        readers = self._readers[id(result)]
        if readers and all(reader is not None and self._convolution(reader) for reader in readers):
            return True
        del self._padded[id(result)]
        return False

    def _convolution(self, operation: Operation) -> Optional[tuple[str, dict[str, Any]]]:
        """Return which kind of convolution an operation is, and its window, or nothing."""
        if operation.operator.name != "convolution" or not operation.gradients:
            return None
        x, weight = operation.inputs[:2]
        attributes, shape = operation.attributes, weight.meta[0]
        groups, stride, pad = attributes["groups"], attributes["stride"], attributes["pad"]
        square = len(shape) == 4 and shape[2] == shape[3] and stride[0] == stride[1]
        if not square or set(attributes["dilate"]) != {1} or x.meta[1] is not float32:
            return None
        source, more = self._padded.get(id(x), (x, (0, 0)))
        window = {"kernel": shape[2], "stride": stride[0], "pad": (pad[0] + more[0], pad[1] + more[1])}
        kernel, channels = shape[2], source.meta[0][1]
        if groups > 1 and groups == channels == shape[0] and kernel in (3, 5) and stride[0] in (1, 2):
            return ("depthwise", window) if max(window["pad"]) < kernel else None
        if groups == 1 and (kernel, stride[0], max(window["pad"])) == (1, 1, 0) and x is source:
            return "pointwise", window
        seen = channels * kernel * kernel
        outside = id(source) not in self._values and not source.requires_grad
        if groups == 1 and outside and seen <= _MOST_STEM and shape[0] <= _STEM_CHANNELS:
            return "stem", window
        return None

    def _take_convolution(self, operation: Operation) -> bool:
        found = self._convolution(operation)
        if found is None or any(id(value) in self._values for value in operation.inputs[1:]):
            return False
        kind, window = found
        x, weight, *biases = operation.inputs
        source, _ = self._padded.get(id(x), (x, (0, 0)))
        layer = Layer(kind, operation.outputs[0].meta[0], **window)
        if kind == "stem":
            layer.images, layer.images_given = source.meta[0], self._input(source)
        else:
            place = self._place(source)
            if place is None:
                return False
            layer.source = place
        layer.given = self._input(weight)
        layer.shift = self._input(biases[0]) if biases else NOTHING
        layer.needs = any(value.requires_grad for value in operation.inputs)
        self._new(operation.outputs[0], layer, _NORMAL if biases else _OPEN)
        return True

    def _take_batch_normalization(self, operation: Operation) -> bool:
        x, scale, shift = operation.inputs[:3]
        result, *statistics = operation.outputs
        if self._states.get(id(x)) != _OPEN or len(self._readers[id(x)]) != 1 or operation.attributes["axis"] % 4 != 1:
            return False
        if any(id(value) in self._values for value in (scale, shift)):
            return False
        readers = [reader for value in statistics for reader in self._readers[id(value)]]
        if any(reader is None or reader.gradients for reader in readers):
            return False
        place = self._places[id(x)]
        layer = self.layers[place]
        layer.scale, layer.shift = self._input(scale), self._input(shift)
        layer.epsilon = operation.attributes["epsilon"]
        layer.needs = layer.needs or scale.requires_grad or shift.requires_grad
        self._statistics[place] = statistics
        self._hidden.update([id(value) for value in statistics])
        self._grow(x, result, _NORMAL)
        return True

    def _take_activation(self, operation: Operation, name: str, first: float = 0.0, second: float = 0.0) -> bool:
        (x,), result = operation.inputs, operation.outputs[0]
        if id(x) not in self._values:
            return False
        if self._states[id(x)] != _DONE and len(self._readers[id(x)]) == 1:
            layer = self.layers[self._places[id(x)]]
            self._grow(x, result, _DONE)
        else:
            layer = Layer("sum", result.meta[0], source=self._places[id(x)], needs=x.requires_grad)
            self._new(result, layer, _DONE)
        layer.activation, layer.first, layer.second = name, first, second
        return True

    def _take_relu(self, operation: Operation) -> bool:
        return self._take_activation(operation, "relu")

    def _take_minimum_scalar(self, operation: Operation) -> bool:
        """Take what makes a relu6 of a relu."""
        (x,), limit = operation.inputs, operation.attributes["scalar"]
        if id(x) not in self._values or len(self._readers[id(x)]) != 1 or limit <= 0:
            return False
        layer = self.layers[self._places[id(x)]]
        if layer.activation != "relu" or layer.factor != NOTHING:
            return False
        layer.activation, layer.first, layer.second = "bounded", 0.0, float(limit)
        self._grow(x, operation.outputs[0], _DONE)
        return True

    def _take_swish(self, operation: Operation) -> bool:
        return self._take_activation(operation, "swish")

    def _take_sigmoid(self, operation: Operation) -> bool:
        return self._take_activation(operation, "sigmoid")

    def _take_hard_swish(self, operation: Operation) -> bool:
        return self._take_activation(operation, "hard_swish", 1.0 / 6.0, 0.5)

    def _take_hard_sigmoid(self, operation: Operation) -> bool:
        attributes = operation.attributes
        return self._take_activation(operation, "hard_sigmoid", attributes["slope"], attributes["offset"])

    def _take_adaptive_average_pooling(self, operation: Operation) -> bool:
        (x,), result = operation.inputs, operation.outputs[0]
        if id(x) not in self._values or operation.attributes["output_size"] != (1, 1):
            return False
        if self.layers[self._places[id(x)]].factor != NOTHING:
            return False
        self._new(result, Layer("mean", result.meta[0], source=self._places[id(x)], needs=x.requires_grad), _DONE)
        return True

    def _take_add(self, operation: Operation) -> bool:
        first, second = operation.inputs
        if first.meta != second.meta or len(first.meta[0]) != 4 or not self.has([id(first), id(second)]):
            return False
        one, other = self._place(first), self._place(second)
        if one is None or other is None:
            return False
        needs = first.requires_grad or second.requires_grad
        layer = Layer("sum", first.meta[0], source=one, other=other, needs=needs)
        self._new(operation.outputs[0], layer, _NORMAL)
        return True

    def _take_multiply(self, operation: Operation) -> bool:
        """Take the product of images and a factor for each of their channels."""
        x, factor = operation.inputs
        if x.meta != operation.outputs[0].meta:
            x, factor = factor, x
        if id(x) not in self._values or len(x.meta[0]) != 4 or operation.outputs[0].meta != x.meta:
            return False
        batch, channels = x.meta[0][:2]
        if factor.meta[0] not in ((batch, channels, 1, 1), (batch, 1, 1, 1)) or x is factor:
            return False
        place = self._places[id(x)]
        others = [reader for reader in self._readers[id(x)] if reader is not operation]
        taken = all(reader is not None and id(reader.outputs[0]) in self._values for reader in others)
        pooled = taken and all(reader.operator.name == "adaptive_average_pooling" for reader in others if reader)
        if not pooled or self.layers[place].factor != NOTHING or self.layers[place].kind == "input":
            return False
        if id(factor) not in self._values:
            if factor.requires_grad:
                return False
            given = Layer("factor", factor.meta[0], given=self._input(factor), needs=False)
            self.layers[place].factor = self._append(given)
        else:
            if factor.meta[0][1] != channels or len(self._readers[id(factor)]) != 1:
                return False
            self.layers[place].factor = self._places[id(factor)]
        self._grow(x, operation.outputs[0], _DONE)
        return True

    # bookkeeping

    def _input(self, value: Value) -> int:
        self.inputs.append(value)
        return len(self.inputs) - 1

    def _append(self, layer: Layer) -> int:
        self.layers.append(layer)
        return len(self.layers) - 1

    def _place(self, value: Value) -> Optional[int]:
        """Return the layer that makes a value; what comes from outside becomes one."""
        if id(value) in self._padded or id(value) in self._hidden:
            return None
        if id(value) not in self._values:
            layer = Layer("input", value.meta[0], given=self._input(value), needs=value.requires_grad)
            self._new(value, layer, _DONE)
        return self._places[id(value)]

    def _new(self, value: Value, layer: Layer, state: int) -> None:
        self._places[id(value)] = self._append(layer)
        self._values[id(value)], self._states[id(value)] = value, state

    def _grow(self, value: Value, result: Value, state: int) -> None:
        """Let a layer make another value instead of the one before."""
        place = self._places.pop(id(value))
        del self._values[id(value)], self._states[id(value)]
        self._hidden.add(id(value))
        self._places[id(result)], self._values[id(result)], self._states[id(result)] = place, result, state
