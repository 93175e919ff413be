"""NASNet-A and PNASNet-5, which no PaddleClas has: their cells against NumPy, wired as the papers' figures show."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from PaddleClas.models.nasnet import NORMAL, REDUCTION, Cell, Halving, Maps, NASNet, Plan, Pool
from PaddleClas.models.pnasnet import CELL, PNASNet

Array = np.ndarray
State = dict[str, Array]


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def windows(x: Array, size: int, stride: int, filling: float) -> Array:
    """All size x size windows under TensorFlow's SAME padding: (N, C, H', W', size, size)."""
    pads = []
    for extent in x.shape[2:]:
        total = max((-(-extent // stride) - 1) * stride + size - extent, 0)
        pads.append((total // 2, total - total // 2))
    padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=filling)
    return np.lib.stride_tricks.sliding_window_view(padded, (size, size), (2, 3))[:, :, ::stride, ::stride]


def average(x: Array, stride: int) -> Array:
    return np.nanmean(windows(x, 3, stride, np.nan), axis=(4, 5))


def maximum(x: Array, stride: int) -> Array:
    return windows(x, 3, stride, -np.inf).max(axis=(4, 5))


def mix(x: Array, weight: Array) -> Array:
    return np.einsum("nchw,oc->nohw", x, weight[:, :, 0, 0])


def norm(x: Array, state: State, name: str) -> Array:
    mean, variance, scale, offset = (
        state[f"{name}.{key}"][:, None, None] for key in ("_mean", "_variance", "weight", "bias")
    )
    return (x - mean) / np.sqrt(variance + 1e-3) * scale + offset


def separable(x: Array, state: State, name: str, stride: int) -> Array:
    for number in (1, 2):
        filters = state[f"{name}.depthwise{number}.weight"][:, 0]
        x = np.einsum("nchwij,cij->nchw", windows(relu(x), filters.shape[-1], stride, 0.0), filters)
        x = norm(mix(x, state[f"{name}.pointwise{number}.weight"]), state, f"{name}.bn{number}")
        stride = 1
    return x


def pointwise(x: Array, state: State, name: str, stride: int = 1) -> Array:
    return norm(mix(relu(x)[:, :, ::stride, ::stride], state[f"{name}.conv.weight"]), state, f"{name}.bn")


def halved(x: Array, state: State, name: str) -> Array:
    x = relu(x)
    beside = np.pad(x, [(0, 0), (0, 0), (0, 1), (0, 1)])[:, :, 1:, 1:]
    first = mix(x[:, :, ::2, ::2], state[f"{name}.first.weight"])
    second = mix(beside[:, :, ::2, ::2], state[f"{name}.second.weight"])
    return norm(np.concatenate([first, second], axis=1), state, f"{name}.bn")


def normal(h: Array, p: Array, s: State, stride: int) -> Array:
    a = separable(h, s, "left0", 1) + separable(p, s, "right0", 1)
    b = separable(p, s, "left1", 1) + separable(p, s, "right1", 1)
    c = average(h, 1) + p
    d = average(p, 1) + average(p, 1)
    e = separable(h, s, "left4", 1) + h
    return np.concatenate([p, a, b, c, d, e], axis=1)


def reduction(h: Array, p: Array, s: State, stride: int) -> Array:
    a = separable(h, s, "left0", 2) + separable(p, s, "right0", 2)
    b = maximum(h, 2) + separable(p, s, "right1", 2)
    c = average(h, 2) + separable(p, s, "right2", 2)
    d = average(a, 1) + b
    e = separable(a, s, "left4", 1) + maximum(h, 2)
    return np.concatenate([b, c, d, e], axis=1)


def progressive(h: Array, p: Array, s: State, stride: int) -> Array:
    a = separable(p, s, "left0", stride) + maximum(p, stride)
    b = separable(h, s, "left1", stride) + maximum(h, stride)
    c = separable(h, s, "left2", stride) + separable(h, s, "right2", stride)
    d = separable(c, s, "left3", 1) + maximum(h, stride)
    e = separable(p, s, "left4", stride) + (h if stride == 1 else pointwise(h, s, "right4", stride))
    return np.concatenate([a, b, c, d, e], axis=1)


def filled(layer: core.nn.Layer) -> State:
    """Give a layer random weights and statistics; return them."""
    generator = np.random.default_rng(7)
    state = {}
    for name, tensor in layer.state_dict().items():
        low, high = (0.5, 1.5) if name.endswith("_variance") else (-0.5, 0.5)
        state[name] = generator.uniform(low, high, tensor.shape).astype("float32")
        tensor.set_value(state[name])
    layer.eval()
    return state


def maps(channels: int, size: int) -> Array:
    return np.random.default_rng(channels).standard_normal((2, channels, size, size + 1)).astype("float32")


def kernel_sizes(plan: Plan) -> list[int]:
    return [int(name[-1]) for pair in plan.pairs for name, _ in pair if name.startswith("separable")]


@pytest.mark.parametrize("larger", [False, True], ids=["previous of equal size", "previous of double size"])
@pytest.mark.parametrize(
    ("plan", "stride", "oracle", "kernels"),
    [
        (NORMAL, 1, normal, [5, 3, 5, 3, 3]),
        (REDUCTION, 2, reduction, [5, 7, 7, 5, 3]),
        (CELL, 1, progressive, [5, 7, 5, 3, 3, 3]),
        (CELL, 2, progressive, [5, 7, 5, 3, 3, 3]),
    ],
    ids=["normal", "reduction", "progressive", "progressive that halves"],
)
def test_cells_are_those_of_the_papers(
    plan: Plan, stride: int, oracle: Callable[..., Array], kernels: list[int], larger: bool
) -> None:
    assert kernel_sizes(plan) == kernels
    cell = Cell(plan, Maps(6, 4), Maps(10, 2 if larger else 4), channels=5, stride=stride, drop=0.0)
    state = filled(cell)
    x, previous = maps(6, 8), maps(10, 8)
    if larger:
        previous = np.random.default_rng(3).standard_normal((2, 10, 15, 18)).astype("float32")
    h = pointwise(x, state, "fit_current")
    p = halved(previous, state, "fit_previous") if larger else pointwise(previous, state, "fit_previous")
    expected = oracle(h, p, state, stride)
    with core.no_grad():
        actual = cell(core.to_tensor(x), core.to_tensor(previous)).numpy()
    assert actual.shape == expected.shape == (2, len(plan.results) * 5, *expected.shape[2:])
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def test_the_first_cell_takes_its_input_twice() -> None:
    cell = Cell(CELL, Maps(6, 2), None, channels=4, stride=2, drop=0.0)
    state = filled(cell)
    x = maps(6, 9)
    h = pointwise(x, state, "fit_current")
    with core.no_grad():
        actual = cell(core.to_tensor(x), core.to_tensor(x)).numpy()
    pooled = norm(mix(maximum(x, 2), state["right0.project.conv.weight"]), state, "right0.project.bn")
    expected = separable(x, state, "left0", 2) + pooled
    np.testing.assert_allclose(actual[:, :4], expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    expected = separable(h, state, "left1", 2) + maximum(h, 2)
    np.testing.assert_allclose(actual[:, 4:8], expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def previous_of(network: Any) -> list[tuple[int, int]]:
    """Number of each cell that takes another output than the one before its input, and how far back that is."""
    return [(number, step.back) for number, step in enumerate(network.steps) if step.back != 1]


def test_chains_of_cells() -> None:
    with core.LazyGuard():
        mobile = NASNet(4, 44, 32, skip_reduction=False)
        large = NASNet(6, 168, 96, skip_reduction=True)
        progressive = PNASNet(4, 216, 96)
    kinds = "".join("R" if cell.plan is REDUCTION else "N" for cell in mobile.cells)
    assert kinds == "RR" + "NNNN" + "R" + "NNNN" + "R" + "NNNN"
    assert previous_of(mobile) == []
    assert previous_of(large) == [(9, 2), (16, 2)]  # the first cells behind the two reductions
    assert [cell.maps.channels for cell in large.cells] == [168, 336, *[1008] * 6, 1344, *[2016] * 6, 2688, *[4032] * 6]
    assert [cell.maps.stride for cell in progressive.cells] == [4, 8, *[8] * 4, *[16] * 4, *[32] * 4]
    assert [cell.maps.channels for cell in progressive.cells[::4]] == [270, 1080, 2160, 4320]
    halving = [number for number, cell in enumerate(mobile.cells) if isinstance(cell.fit_previous, Halving)]
    assert halving == [1, 2, 7, 12]
    projected = [
        (number, name)
        for number, cell in enumerate(progressive.cells)
        for name, layer in cell.named_children()
        if isinstance(layer, Pool) and layer.project is not None
    ]
    assert projected == [(0, "right0")]


def test_dropped_paths_are_scaled_and_only_in_training() -> None:
    core.seed(5)
    cell = Cell(NORMAL, Maps(4, 4), Maps(4, 4), channels=4, stride=1, drop=0.5)
    filled(cell)
    x = core.to_tensor(np.random.default_rng(0).standard_normal((64, 4, 3, 3)).astype("float32"))
    with core.no_grad():
        expected = cell(x, x).numpy()[:, 20:24]  # separable of the input, plus the input
        cell.drop.train()
        found = cell(x, x).numpy()[:, 20:24]
    h = cell.fit_current(x).numpy()
    kept = np.abs(found - h - 2 * (expected - h)).max(axis=(1, 2, 3)) < 1e-4
    dropped = np.abs(found - h).max(axis=(1, 2, 3)) < 1e-4
    assert (kept ^ dropped).all()
    assert 16 < kept.sum() < 48
