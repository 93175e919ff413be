"""Exported networks with depthwise convolutions run with channels last, and give what the engine gives."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.program import ExportedProgram
from core.jit.exported.reader import read_program
from core.jit.passes.fusion import optimized
from core.nn import functional as F
from core.static import InputSpec
from tests.core.jit.passes.mobile_networks import (
    FAMILIES,
    Block,
    Head,
    Inverted,
    efficient,
    mobile_v1,
    mobile_v3,
    se_resnext,
)
from tests.sampling import sampled

RNG = np.random.default_rng(4)


def images(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def exported(model: Any, folder: Path, shape: Sequence[Any] = (None, 3, 40, 36)) -> ExportedProgram:
    if isinstance(model, nn.Layer):
        model.eval()
    core.jit.save(model, folder, [InputSpec(list(shape), name="image")])
    return optimized(read_program(folder))


def operators(program: ExportedProgram) -> list[str]:
    return [node.operator for node in program.nodes]


def agrees(folder: Path, *batches: np.ndarray) -> None:
    ours, engine = Predictor(folder), Predictor(folder, fuse=False)
    for batch in batches:
        results, expected = ours.run(batch), engine.run(batch)
        for got, wanted in zip(*[x if isinstance(x, (list, tuple)) else [x] for x in (results, expected)]):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("family", "batch"), sampled([(family, batch) for batch in (None, 2) for family in FAMILIES], 1000)
)
def test_whole_networks_become_one_operator(tmp_path: Path, family: str, batch: Any) -> None:
    core.seed(3)
    program = exported(FAMILIES[family](), tmp_path / "model", [batch, 3, 40, 36])
    assert operators(program) == ["channels_last"] and len(program.weights) == 1
    agrees(tmp_path / "model", *[images(n, 3, 40, 36) for n in ([1, 2, 5] if batch is None else [2])])


def test_what_joins_a_layer(tmp_path: Path) -> None:
    (network,) = exported(mobile_v3(), tmp_path / "model").networks.values()
    kinds = Counter(layer.kind for layer in network.layers)
    assert kinds == {"product": 13, "row": 3, "mean": 4}  # no activation, sum or factor is left by itself
    assert sum(layer.scale is not None for layer in network.layers) == 2
    assert sum(layer.other is not None for layer in network.layers) == 2
    (network,) = exported(se_resnext(), tmp_path / "model").networks.values()
    kinds = Counter(layer.kind for layer in network.layers)
    assert kinds.pop("product") + kinds.pop("row") == 20  # groups that fill a vector are products
    assert kinds == {"mean": 4, "maximum": 1, "combine": 3}


def test_several_threads_at_once(tmp_path: Path) -> None:
    exported(efficient(), tmp_path / "model")
    predictor = Predictor(tmp_path / "model")
    batches = [images(1 + i % 3, 3, 40, 36) for i in range(12)]
    expected = [predictor.run(batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        for result, wanted in zip(pool.map(predictor.run, batches), expected):
            np.testing.assert_array_equal(result, wanted)


def test_feature_maps_come_out_in_the_plain_order(tmp_path: Path) -> None:
    stem, first, second = (
        Block(3, 16, 3, 2, activation=F.relu),
        Inverted(16, 3, F.relu6),
        Inverted(16, 5, F.swish, stride=2),
    )
    for layer in (stem, first, second):
        layer.eval()

    def features(x: Any) -> Any:
        small = first(stem(x))
        large = second(small)
        return [small, large, F.softmax(large.mean(axis=[2, 3]))]

    program = exported(features, tmp_path / "model")
    assert operators(program)[:1] == ["channels_last"] and "convolution" not in operators(program)
    assert [len(meta[0]) for meta in program.nodes[0].metas] == [4, 4]
    agrees(tmp_path / "model", images(1, 3, 40, 36), images(3, 3, 40, 36))


def test_what_stands_before_and_beside_is_left_to_the_engine(tmp_path: Path) -> None:
    network = mobile_v1()
    network.eval()

    def function(x: Any) -> Any:
        x = (x - 0.5) / 0.25
        return network(x) + core.exp(x.mean(axis=[1, 2, 3])).unsqueeze(-1)

    program = exported(function, tmp_path / "model")
    assert operators(program).count("channels_last") == 1 and len(program.nodes) > 5
    agrees(tmp_path / "model", images(2, 3, 40, 36))


def test_sizes_that_are_open_in_every_direction(tmp_path: Path) -> None:
    program = exported(mobile_v1(), tmp_path / "model", [None, 3, None, None])
    assert operators(program) == ["channels_last"]
    agrees(tmp_path / "model", images(1, 3, 33, 47), images(2, 3, 64, 32))


class _Dense(nn.Layer):
    """A depthwise convolution behind a dense one of 3 x 3, which its stride keeps from taking fewer multiplications."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(Block(3, 16, 3), Block(16, 16, 3, stride=2), Block(16, 16, 3, groups=16), Head(16))

    def forward(self, x: Any) -> Any:
        """Return scores."""
        return self.layers(x)


@pytest.mark.parametrize(
    "model",
    [
        lambda: nn.Sequential(Block(3, 16, 3, activation=F.relu), Block(16, 16, 1), Head(16)),
        _Dense,
        lambda: nn.Sequential(
            Block(3, 16, 3), Block(16, 16, 3, groups=16, activation=F.mish), Block(16, 8, 1), Head(8)
        ),
        lambda: nn.Sequential(Block(3, 16, 3), Block(16, 16, 7, groups=16), Head(16)),
        lambda: nn.Sequential(Block(3, 16, 3), Block(16, 16, 3, groups=16, dilation=2, padding=2), Head(16)),
    ],
)
def test_other_networks_are_left_alone(tmp_path: Path, model: Any) -> None:
    program = exported(model(), tmp_path / "model")
    assert "channels_last" not in operators(program) and not program.networks
    agrees(tmp_path / "model", images(2, 3, 40, 36))


def test_a_value_that_several_layers_read_is_kept(tmp_path: Path) -> None:
    stem, rows, last = Block(3, 16, 3), Block(16, 16, 3, groups=16), Block(16, 16, 1)
    for layer in (stem, rows, last):
        layer.eval()

    def function(x: Any) -> Any:
        first = stem(x)
        second = rows(first)
        gate = F.sigmoid(second)
        scaled = second * F.sigmoid(second.mean(axis=[2, 3], keepdim=True))
        pooled = F.adaptive_avg_pool2d(second, 1)
        return [
            last(first + F.relu(second)) + first,
            gate + second * gate,
            first + first,
            last(second * pooled) + scaled,
        ]

    exported(function, tmp_path / "model")
    agrees(tmp_path / "model", images(2, 3, 40, 36))


def test_windows_that_cannot_be_are_left_to_the_engine_to_refuse(tmp_path: Path) -> None:
    exported(mobile_v1(), tmp_path / "model")
    for key, value in (("pad", (-3, -3)), ("stride", (0, 0)), ("groups", 7)):
        program = read_program(tmp_path / "model")
        node = [node for node in program.nodes if node.operator == "convolution"][1]
        node.attributes[key] = value
        with pytest.raises(ValueError, match="convolution|conv2d|modulo by zero"):
            Predictor(program)


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    program = exported(mobile_v1(), tmp_path / "model")
    ((name, weight),) = program.weights.items()
    short = {name: dataclasses.replace(weight, array=weight.array[:-1])}
    with pytest.raises(ValueError, match=r"channels_last: x \[1, 3, 40, 36\] and weights .* do not fit the network"):
        Predictor(dataclasses.replace(program, weights=short, fuse=False))


def test_images_that_are_too_small_are_refused(tmp_path: Path) -> None:
    stem, rows = Block(3, 16, 7, padding=0), Block(16, 16, 3, groups=16)
    program = exported(nn.Sequential(stem, rows, Head(16)), tmp_path / "model", [None, 3, None, None])
    assert operators(program) == ["channels_last"]
    with pytest.raises(ValueError, match="a kernel of size 7 with dilation 1 does not fit into axis 2 of the input"):
        Predictor(tmp_path / "model").run(images(1, 3, 5, 9))
    unmeasured = dataclasses.replace(read_program(tmp_path / "model"), cost=None)
    with pytest.raises(ValueError, match="channels_last: step 1 leaves nothing of images of 5 x 9"):
        Predictor(unmeasured).run(images(1, 3, 5, 9))


class _Pyramid(nn.Layer):
    """Dense convolutions with swish, pooled, joined, repeated, and boxes for each pixel: what detectors are made of."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.down = nn.Conv2D(3, 12, 3, 2, 1), nn.Conv2D(12, 20, 3, 2, 1)
        self.mixed, self.head = nn.Conv2D(60, 12, 1), nn.Conv2D(24, 6, 3, padding=1)

    def forward(self, x: Any) -> Any:
        fine = F.swish(self.stem(x))
        coarse = F.swish(self.down(fine))
        pooled = [F.max_pool2d(coarse, size, 1, size // 2) for size in (5, 13)]
        coarse = F.swish(self.mixed(core.concat([coarse, *pooled], 1)))
        joined = core.concat([F.interpolate(coarse, scale_factor=2.0), fine], 1)
        boxes = F.leaky_relu(self.head(joined), 0.1).transpose([0, 2, 3, 1])
        places = core.arange(boxes.shape[1], dtype="float32").reshape([1, -1, 1])
        return boxes.reshape([boxes.shape[0], -1, 6]).sum(-1), places * coarse.shape[3], F.swish(coarse)


@pytest.mark.parametrize("sizes", [(None, None), (48, 32)])
def test_dense_networks_with_swish_joined_and_repeated_maps(tmp_path: Path, sizes: Any) -> None:
    program = exported(_Pyramid(), tmp_path / "model", [None, 3, *sizes])
    (network,) = program.networks.values()
    left = {"convolution", "swish", "leaky_relu", "maximum_pooling", "transpose", "take", "nearest_positions"}
    assert left.isdisjoint(operators(program))
    kinds = {"product": 3, "winograd": 1, "maximum": 2, "join": 3, "combine": 1}
    assert Counter(layer.kind for layer in network.layers) == kinds
    agrees(tmp_path / "model", images(2, 3, 48, 32), *([images(1, 3, 64, 96)] if None in sizes else []))


def test_positions_that_repeat_otherwise_are_left_to_the_engine(tmp_path: Path) -> None:
    network = _Pyramid()
    network.eval()

    def stretched(x: Any) -> Any:
        fine = F.swish(network.stem(x))
        return F.interpolate(fine, size=[50, 36]), F.interpolate(fine, scale_factor=1.5)

    program = exported(stretched, tmp_path / "model", [None, 3, 40, 36])
    assert operators(program).count("take") == 4 and operators(program)[0] == "channels_last"
    agrees(tmp_path / "model", images(2, 3, 40, 36))


@pytest.mark.parametrize("channels", [4, 8])
def test_a_dense_first_convolution_of_few_channels_reads_plain_images(tmp_path: Path, channels: int) -> None:
    first = nn.Conv2D(channels, channels, 3, padding=1)
    second = nn.Conv2D(channels, channels, 3, padding=1, groups=channels)
    core.jit.save(lambda x: F.relu(first(x)), tmp_path / "alone", [InputSpec([None, channels, 12, 10], name="x")])
    assert operators(optimized(read_program(tmp_path / "alone"))) == ["convolution", "relu"]
    program = exported(lambda x: second(F.relu(first(x))), tmp_path / "model", [None, channels, 12, 10])
    (network,) = program.networks.values()
    assert [layer.kind for layer in network.layers] == ["product", "row"]
    agrees(tmp_path / "model", images(2, channels, 12, 10))


def test_networks_are_taken_over_where_a_fifth_of_the_multiplications_is_saved(tmp_path: Path) -> None:
    first, along = nn.Conv2D(3, 32, 3, padding=1), nn.Conv2D(32, 32, 3, padding=1, groups=32)
    dense, points = nn.Conv2D(32, 32, 3, padding=1), nn.Conv2D(32, 1024, 1)
    program = exported(lambda x: F.relu(dense(along(first(x)))), tmp_path / "model", [None, 3, 20, 24])
    (network,) = program.networks.values()
    assert [layer.kind for layer in network.layers] == ["product", "row", "winograd"]
    agrees(tmp_path / "model", images(2, 3, 20, 24))
    program = exported(lambda x: points(dense(along(first(x)))), tmp_path / "mixed", [None, 3, 20, 24])
    assert operators(program) == ["convolution"] * 4


def test_a_block_whose_shortcut_is_averaged(tmp_path: Path) -> None:
    first, down = nn.Conv2D(3, 32, 3, padding=1), nn.Conv2D(32, 64, 3, stride=2, padding=1)
    dense, shortcut = nn.Conv2D(64, 64, 3, padding=1), nn.Conv2D(32, 64, 1)

    def block(x: Any) -> Any:
        x = F.relu(first(x))
        return F.relu(dense(F.relu(down(x))) + shortcut(F.avg_pool2d(x, 2, 2)))

    program = exported(block, tmp_path / "model", [None, 3, 20, 24])
    (network,) = program.networks.values()
    assert Counter(layer.kind for layer in network.layers) == {"product": 3, "winograd": 1, "average": 1}
    agrees(tmp_path / "model", images(2, 3, 20, 24))


@pytest.mark.parametrize(("behind", "taken"), [(2, True), (3, False)])
def test_convolutions_behind_what_is_unknown_are_left_to_the_engine(tmp_path: Path, behind: int, taken: bool) -> None:
    before = [nn.Conv2D(3, 32, 3, padding=1), nn.Conv2D(32, 32, 3, padding=1)]
    after = [nn.Conv2D(32, 32, 3, padding=1) for _ in range(behind)]

    def network(x: Any) -> Any:
        for layer in before:
            x = F.relu(layer(x))
        x = core.flip(x, [3])
        for layer in after:
            x = F.relu(layer(x))
        return x

    program = exported(network, tmp_path / "model", [None, 3, 20, 24])
    assert Counter(operators(program))["convolution"] == behind + 2 * (not taken)
    assert len(program.networks) == taken
    agrees(tmp_path / "model", images(2, 3, 20, 24))


@pytest.mark.parametrize(("step", "kinds"), [(8, ["product", "row", "product", "product"]), (2, [])])
def test_a_few_dense_convolutions_behind_depthwise_ones_change_nothing(tmp_path: Path, step: int, kinds: Any) -> None:
    first, along = nn.Conv2D(3, 16, 3, padding=1), nn.Conv2D(16, 16, 3, padding=1, groups=16)
    points, dense = nn.Conv2D(16, 64, 1), nn.Conv2D(64, 4, 3, stride=step, padding=1)
    program = exported(lambda x: dense(points(along(first(x)))), tmp_path / "model", [None, 3, 20, 24])
    assert [layer.kind for network in program.networks.values() for layer in network.layers] == kinds
    agrees(tmp_path / "model", images(2, 3, 20, 24))
