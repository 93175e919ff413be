"""NASNet-A: two searched cells, one that keeps the size of its maps and one that halves it, stacked.

Paper: Zoph et al., "Learning transferable architectures for scalable image recognition", CVPR 2018,
https://arxiv.org/abs/1707.07012
Parameter names are our own, as no PaddleClas has these networks. Details that the paper leaves open are those of its
authors' TF-Slim code: SAME padding, normalisation with epsilon 1e-3, and which earlier output a cell takes. To train as
there, drop paths, the later ones more often: ``drop_path=0.3`` for the large network, 0.4 for PNASNet-5. The authors
let the rate rise during the training.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class Plan(NamedTuple):
    """A searched cell: pairs of operations, each applied to an earlier state, whose results are added.

    State 0 is the cell's input, state 1 the output before that, and each pair adds one more.

    Args:
        pairs: for each sum two times the operation and the state it takes.
        results: the states that are concatenated to the cell's output.
    """

    pairs: Sequence[tuple[tuple[str, int], tuple[str, int]]]
    results: Sequence[int]


NORMAL = Plan(
    (
        (("separable 5", 0), ("separable 3", 1)),
        (("separable 5", 1), ("separable 3", 1)),
        (("average", 0), ("identity", 1)),
        (("average", 1), ("average", 1)),
        (("separable 3", 0), ("identity", 0)),
    ),
    results=(1, 2, 3, 4, 5, 6),
)

REDUCTION = Plan(
    (
        (("separable 5", 0), ("separable 7", 1)),
        (("maximum", 0), ("separable 7", 1)),
        (("average", 0), ("separable 5", 1)),
        (("identity", 3), ("average", 2)),
        (("separable 3", 2), ("maximum", 0)),
    ),
    results=(3, 4, 5, 6),
)


class Maps(NamedTuple):
    """What a cell must know about feature maps: their channels and by what the images' size was divided."""

    channels: int
    stride: int


def normalisation(channels: int) -> nn.BatchNorm2D:
    """Return this family's batch normalisation."""
    return nn.BatchNorm2D(channels, epsilon=1e-3)


class Pointwise(nn.Layer):
    """ReLU, a 1 x 1 convolution and a normalisation: (N, C, H, W) to (N, C', H / stride, W / stride).

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the convolution, pixels.
        activate: whether the ReLU is there.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int = 1, activate: bool = True) -> None:
        super().__init__()
        self.activate = activate
        self.conv = nn.Conv2D(in_channels, out_channels, 1, stride=stride, bias_attr=False)
        self.bn = normalisation(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the new maps."""
        return self.bn(self.conv(F.relu(x) if self.activate else x))


class Halving(nn.Layer):
    """Every second pixel, and those beside them, each through a 1 x 1 convolution: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        half = out_channels // 2
        self.first = nn.Conv2D(in_channels, half, 1, stride=2, bias_attr=False)
        self.second = nn.Conv2D(in_channels, out_channels - half, 1, stride=2, bias_attr=False)
        self.bn = normalisation(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the halved maps."""
        x = F.relu(x)
        beside = F.pad(x, [0, 1, 0, 1])[:, :, 1:, 1:]
        return self.bn(core.concat([self.first(x), self.second(beside)], axis=1))


class Separable(nn.Layer):
    """Twice ReLU, a filter for each channel, a 1 x 1 convolution and a normalisation.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: of the filters, pixels.
        stride: step of the first filters, pixels.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int) -> None:
        super().__init__()
        for number in (1, 2):
            filters = nn.Conv2D(
                in_channels,
                in_channels,
                kernel_size,
                stride=stride,
                padding="SAME",
                groups=in_channels,
                bias_attr=False,
            )
            self.add_sublayer(f"depthwise{number}", filters)
            self.add_sublayer(f"pointwise{number}", nn.Conv2D(in_channels, out_channels, 1, bias_attr=False))
            self.add_sublayer(f"bn{number}", normalisation(out_channels))
            in_channels, stride = out_channels, 1

    def forward(self, x: Any) -> Any:
        """Return the new maps."""
        x = self.bn1(self.pointwise1(self.depthwise1(F.relu(x))))
        return self.bn2(self.pointwise2(self.depthwise2(F.relu(x))))


class Pool(nn.Layer):
    """Averages or maxima of 3 x 3 pixels, and a 1 x 1 convolution where the number of channels changes.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        average: averages rather than maxima.
        stride: step of the windows, pixels.
    """

    def __init__(self, in_channels: int, out_channels: int, average: bool, stride: int) -> None:
        super().__init__()
        pool = F.avg_pool2d if average else F.max_pool2d
        self.pool = functools.partial(pool, kernel_size=3, stride=stride, padding="SAME")
        self.project = None
        if in_channels != out_channels:
            self.project = Pointwise(in_channels, out_channels, activate=False)

    def forward(self, x: Any) -> Any:
        """Return the new maps."""
        x = self.pool(x)
        return x if self.project is None else self.project(x)


def operation(name: str, in_channels: int, out_channels: int, stride: int) -> Optional[nn.Layer]:
    """Return the layer of an operation of :class:`Plan`; None where it changes nothing."""
    if name.startswith("separable"):
        return Separable(in_channels, out_channels, int(name[-1]), stride)
    if name != "identity":
        return Pool(in_channels, out_channels, name == "average", stride)
    return Pointwise(in_channels, out_channels, stride) if stride > 1 or in_channels != out_channels else None


class Cell(nn.Layer):
    """One cell: its input and the output before that to new maps of ``len(plan.results) * channels`` channels.

    Args:
        plan: operations and wiring.
        current: the input's channels and stride.
        previous: those of the output before; None in the first cell, whose input serves as both.
        channels: of each state.
        stride: 2 halves the maps.
        drop: probability that training drops the result of an operation, for a sample.
    """

    def __init__(
        self, plan: Plan, current: Maps, previous: Optional[Maps], channels: int, stride: int, drop: float
    ) -> None:
        super().__init__()
        self.plan = plan
        self.maps = Maps(len(plan.results) * channels, current.stride * stride)
        self.fit_current = Pointwise(current.channels, channels)
        self.fit_previous: Optional[nn.Layer] = None
        widths = [channels, current.channels]
        if previous is not None:
            widths = [channels] * (2 + len(plan.pairs))
            if previous.stride != current.stride:
                self.fit_previous = Halving(previous.channels, channels)
            elif previous.channels != channels:
                self.fit_previous = Pointwise(previous.channels, channels)
        for number, pair in enumerate(plan.pairs):
            for side, (name, state) in zip(("left", "right"), pair):
                width, step = (widths[state], stride) if state < 2 else (channels, 1)
                self.add_sublayer(f"{side}{number}", operation(name, width, channels, step))
        self.drop = nn.Dropout(drop, axis=0) if drop else None

    def forward(self, x: Any, previous: Any) -> Any:
        """Return the cell's maps."""
        states = [self.fit_current(x), previous if self.fit_previous is None else self.fit_previous(previous)]
        for number, pair in enumerate(self.plan.pairs):
            left, right = (
                self._apply(getattr(self, f"{side}{number}"), states[state])
                for side, (_, state) in zip(("left", "right"), pair)
            )
            states.append(left + right)
        return core.concat([states[state] for state in self.plan.results], axis=1)

    def _apply(self, layer: Optional[nn.Layer], x: Any) -> Any:
        if layer is None:
            return x
        return layer(x) if self.drop is None else self.drop(layer(x))


class Step(NamedTuple):
    """One cell of a network.

    Args:
        plan: operations and wiring.
        channels: of each state.
        stride: 2 halves the maps.
        back: the cell's other input is the output so many places before its input.
    """

    plan: Plan
    channels: int
    stride: int = 1
    back: int = 1


class CellNetwork(ImageClassifier):
    """A convolution, a chain of cells and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        stem_channels: channels of the first convolution.
        steps: the cells.
        drop_path: probability that training drops the result of an operation of the last cell; earlier ones have less.
        dropout: of the features before the linear layer.
        class_num: number of classes.
    """

    head_layers = ("dropout", "fc")

    def __init__(
        self, stem_channels: int, steps: Sequence[Step], drop_path: float, dropout: float, class_num: int
    ) -> None:
        super().__init__()
        self.steps = steps
        self.conv0 = nn.Conv2D(3, stem_channels, 3, stride=2, bias_attr=False)
        self.bn0 = normalisation(stem_channels)
        outputs = [Maps(stem_channels, 2)]
        cells: list[Cell] = []
        for number, step in enumerate(steps, start=1):
            previous = outputs[-1 - step.back] if cells else None
            drop = drop_path * number / len(steps)
            cells.append(Cell(step.plan, outputs[-1], previous, step.channels, step.stride, drop))
            outputs.append(cells[-1].maps)
        self.cells = nn.LayerList(cells)
        following = [*(step.stride for step in steps[1:]), 2]
        self.stage_ends = [number for number, stride in enumerate(following) if stride == 2]
        self.stage_channels = [cells[end].maps.channels for end in self.stage_ends]
        self.stage_strides = [cells[end].maps.stride for end in self.stage_ends]
        self.dropout = nn.Dropout(dropout)
        self.fc = fully_connected(self.stage_channels[-1], class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last maps of each size, (N, channels, H/4 to H/32, W/4 to W/32)."""
        outputs = [self.bn0(self.conv0(x))]
        for cell, step in zip(self.cells, self.steps):
            previous = outputs[-1 - step.back] if len(outputs) > 1 else outputs[0]
            outputs.append(cell(outputs[-1], previous))
        return [outputs[end + 1] for end in self.stage_ends]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        pooled = F.adaptive_avg_pool2d(F.relu(features), 1)
        return self.fc(self.dropout(core.flatten(pooled, 1)))


class NASNet(CellNetwork):
    """NASNet-A: two reduction cells as stem, then three times normal cells, with reductions between them.

    Args:
        cells: normal cells of each size of maps.
        channels: of each state of the first normal cells; the last ones have four times as many.
        stem_channels: channels of the first convolution.
        skip_reduction: whether the cell after a reduction takes the output two before it, not the one right before it.
        drop_path: as for :class:`CellNetwork`.
        class_num: number of classes.
    """

    def __init__(
        self,
        cells: int,
        channels: int,
        stem_channels: int,
        skip_reduction: bool,
        drop_path: float = 0.0,
        class_num: int = 1000,
    ) -> None:
        steps = [Step(REDUCTION, channels // 4, 2), Step(REDUCTION, channels // 2, 2)]
        for size in range(3):
            width = channels << size
            if size:
                steps.append(Step(REDUCTION, width, 2))
            steps.append(Step(NORMAL, width, back=2 if size and skip_reduction else 1))
            steps += [Step(NORMAL, width)] * (cells - 1)
        super().__init__(stem_channels, steps, drop_path, 0.5, class_num)


def NASNetA_mobile(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> NASNet:
    """Return NASNet-A (4 @ 1056), for images of 224 x 224; arguments as of :func:`PaddleClas.create_model`."""
    network = functools.partial(NASNet, 4, 44, 32, skip_reduction=False)
    return build("NASNetA_mobile", network, pretrained, class_num=class_num, **kwargs)


def NASNetA_large(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> NASNet:
    """Return NASNet-A (6 @ 4032), for images of 331 x 331; arguments as of :func:`PaddleClas.create_model`."""
    network = functools.partial(NASNet, 6, 168, 96, skip_reduction=True)
    return build("NASNetA_large", network, pretrained, class_num=class_num, **kwargs)
