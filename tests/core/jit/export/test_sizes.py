"""Sizes in exported programs: whatever tracing records is written, read back, and worked out as Python would."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core import nn
from core.jit import Predictor
from core.jit.exported import reader as program_reader
from core.jit.exported import values as program_values
from core.jit.input_spec import InputSpec
from core.kernels.dispatch.errors import OperatorError, UnknownSizeError
from core.kernels.sizes.dimension import ARITHMETIC, combine

SHAPES = ((2, 5), (3, 16))
NUMBERS = {"power": 0.5, "scaled": 0.3}


def number_of(value: Any) -> core.Tensor:
    return core.full([1], value, "float64")


def check_number(compute: Callable[[Any, Any], Any], folder: Path) -> None:
    """Assert that a number worked out from sizes is, loaded from a file, what Python computes from ints."""
    core.jit.save(lambda x: number_of(compute(*x.shape)) + x.sum(), folder, [InputSpec([None, None])])
    loaded, predictor = core.jit.load(folder), Predictor(folder)
    for shape in SHAPES:
        x = np.zeros(shape, np.float32)
        assert loaded(core.to_tensor(x)).item() == predictor.run(x).item() == compute(*shape)


def test_the_reader_accepts_what_tracing_records() -> None:
    assert program_values.ARITHMETIC is ARITHMETIC


@pytest.mark.parametrize("sign", ARITHMETIC)
def test_every_operation_on_sizes_goes_through_a_file(sign: str, tmp_path: Path) -> None:
    check_number(lambda n, w: combine(sign, w, NUMBERS.get(sign, 3)), tmp_path / "m")
    text = (tmp_path / "m" / "program.json").read_text()
    assert json.dumps([sign, ["size", "x", 1], NUMBERS.get(sign, 3)]) in text


@pytest.mark.parametrize(
    "compute",
    [
        lambda n, w: w**2 + n**3,
        lambda n, w: w**-0.5 + 2**n,
        lambda n, w: w + (n is not None),
        lambda n, w: w * 1.0,
        lambda n, w: math.floor(w * 0.3) + math.ceil((n - w) / 2),
        lambda n, w: (w / 2) % 1,
        lambda n, w: min(w, math.inf) + max(n, -math.inf),
        lambda n, w: w if w < math.inf else 0,
        lambda n, w: w if w >= True else 0,
    ],
)
def test_what_python_makes_of_sizes_goes_through_a_file(compute: Callable[[Any, Any], Any], tmp_path: Path) -> None:
    check_number(compute, tmp_path / "m")


def test_what_a_file_cannot_hold_is_refused_while_it_is_exported(tmp_path: Path) -> None:
    spec = [InputSpec([None, None])]
    with pytest.raises(UnknownSizeError, match=r"py:\d+: x.shape\[1\] \* inf computes with inf, .*use a finite number"):
        core.jit.save(lambda x: x + x.shape[1] * math.inf, tmp_path / "m", spec)
    with pytest.raises(ValueError, match=r"refused when it is loaded \(.*holds the whole number .*, beyond 2"):
        core.jit.save(lambda x: x + x.shape[1] * 2**40, tmp_path / "m", spec)
    assert not (tmp_path / "m").exists()


def test_slices_to_an_end_that_no_axis_has(tmp_path: Path) -> None:
    def network(x: core.Tensor) -> list[core.Tensor]:
        y = x if x.shape[1] < 2**40 else -x
        return [x[:, 1:sys.maxsize], core.slice(x, [1], [-(2**62)], [2**62]), x[:, ::-1], y]

    core.jit.save(network, tmp_path / "m", [InputSpec([None, None])])
    x = np.arange(10, dtype=np.float32).reshape((2, 5))
    for got, wanted in zip(Predictor(tmp_path / "m").run(x), (x[:, 1:], x, x[:, ::-1], x)):
        np.testing.assert_array_equal(got, wanted)


RESAMPLED: list[dict[str, Any]] = [
    {"scale_factor": factor, "mode": mode, "align_corners": align}
    for factor in (2, 0.5, 1.5, [1.3, 0.7])
    for mode in ("nearest", "bilinear", "bicubic", "area")
    for align in (False, True)
    if mode != "area" or not align
]
SAMPLED = {0, 3, 11, 20, 24}


@pytest.mark.parametrize(
    "options", [pytest.param(o, marks=() if i in SAMPLED else pytest.mark.exhaustive) for i, o in enumerate(RESAMPLED)]
)
def test_images_of_any_size_are_resampled_by_a_factor(options: dict[str, Any], tmp_path: Path) -> None:
    core.seed(0)
    convolution = nn.Conv2D(3, 4, 3, padding=1)

    def network(x: core.Tensor) -> core.Tensor:
        return F.interpolate(F.relu(convolution(x)), **options)

    spec = InputSpec([None, 3, None, None], name="image", examples={2: (16, 24), 3: (20, 30)})
    core.jit.save(network, tmp_path / "m", [spec])
    loaded, predictor = core.jit.load(tmp_path / "m"), Predictor(tmp_path / "m")
    for shape in ((2, 3, 9, 13), (1, 3, 32, 17)):
        x = core.to_tensor(np.random.default_rng(1).standard_normal(shape).astype(np.float32))
        wanted = network(x).numpy()
        np.testing.assert_allclose(loaded(x).numpy(), wanted, rtol=0, atol=1e-6)
        np.testing.assert_allclose(predictor.run(x.numpy()), wanted, rtol=0, atol=2e-6)


def test_an_image_of_which_nothing_would_remain_is_refused(tmp_path: Path) -> None:
    core.jit.save(lambda x: F.interpolate(x, scale_factor=0.5), tmp_path / "m", [InputSpec([1, 3, None, None])])
    for run in (core.jit.load(tmp_path / "m"), lambda x: Predictor(tmp_path / "m").run(x.numpy())):
        with pytest.raises(OperatorError, match=r"traced for sizes where int\(x.shape\[3\] \* 0.5\) < 1 is False"):
            run(core.ones([1, 3, 4, 1]))


def test_values_that_a_model_refuses_are_drawn_anew_or_asked_for(tmp_path: Path) -> None:
    spec = [InputSpec([None, 3, 3])]
    for name, function in (("means", core.poisson), ("matrices", core.linalg.cholesky)):
        core.jit.save(function, tmp_path / name, spec)
        assert core.jit.load(tmp_path / name)(core.eye(3).reshape([1, 3, 3])).shape == [1, 3, 3]

    def table(x: core.Tensor) -> core.Tensor:
        return core.poisson(-core.abs(x) - 1)

    message = r"table is compared .* refuses the random inputs of that \(poisson: the means must not be negative\)"
    with pytest.raises(ValueError, match=message):
        core.jit.save(table, tmp_path / "m", spec)
    with pytest.raises(OperatorError, match="^poisson: the means must not be negative"):
        core.jit.save(table, tmp_path / "m", [core.ones([3])])


def test_what_could_not_be_loaded_again_is_refused_by_the_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_reader, "MAXIMUM_BYTES", 100)
    with pytest.raises(ValueError) as caught:
        core.jit.save(lambda x: x + x.shape[0], tmp_path / "m", [InputSpec([None])])
    assert str(caught.value) == (
        "jit.save: the program would be refused when it is loaded (larger than 100 bytes: no program is): nothing was"
        " written"
    )
    assert not (tmp_path / "m").exists()


def test_branches_and_loops_resample_by_sizes(tmp_path: Path) -> None:
    def network(x: core.Tensor) -> core.Tensor:
        if x.sum() > 0:
            y = F.interpolate(x, scale_factor=1.5) * x.shape[2]
        else:
            y = F.interpolate(x, scale_factor=1.5, mode="bilinear") - x.shape[3] ** 0.5
        count = core.zeros([1])
        while count < 3:
            y = y + F.interpolate(F.avg_pool2d(y, 2), size=y.shape[2:], mode="bicubic") + math.floor(x.shape[2] * 0.3)
            count = count + 1
        return y

    spec = InputSpec([None, 3, None, None], examples={2: (16, 24), 3: (20, 28)})
    core.jit.save(network, tmp_path / "m", [spec])
    loaded, predictor = core.jit.load(tmp_path / "m"), Predictor(tmp_path / "m")
    for shape, sign in (((2, 3, 9, 13), 1), ((1, 3, 5, 4), -1)):
        x = core.to_tensor(sign * np.random.default_rng(1).random(shape, np.float32), stop_gradient=False)
        wanted = core.jit.to_static(network)(x)
        np.testing.assert_allclose(loaded(x).numpy(), wanted.numpy(), rtol=1e-6)
        np.testing.assert_allclose(predictor.run(x.numpy()), wanted.numpy(), rtol=1e-6)
        (expected,), (got,) = core.grad(wanted.sum(), [x]), core.grad(loaded(x).sum(), [x])
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-6)


def test_branches_give_what_is_made_of_sizes_alone(tmp_path: Path) -> None:
    def network(x: core.Tensor) -> tuple[core.Tensor, core.Tensor]:
        if x.sum() > 0:
            if x.max() > 1:
                y = core.arange(x.shape[0])
            else:
                y = core.arange(0, -x.shape[0], -1)
            z = core.tril(core.ones([x.shape[0], x.shape[0]]))
        else:
            y = core.arange(x.shape[0]) * 2
            z = core.eye(x.shape[0])
        return y, z

    core.jit.save(network, tmp_path / "m", [InputSpec([None])])
    loaded, predictor = core.jit.load(tmp_path / "m"), Predictor(tmp_path / "m")
    for size in (2, 5):
        numbers, ones = np.arange(size), np.ones((size, size), np.float32)
        triangle, unit = np.tril(ones), np.eye(size)
        for value, y, z in ((2.0, numbers, triangle), (1.0, -numbers, triangle), (-1.0, numbers * 2, unit)):
            x = np.full(size, value, np.float32)
            for got in ([item.numpy() for item in loaded(core.to_tensor(x))], predictor.run(x)):
                np.testing.assert_array_equal(got[0], y)
                np.testing.assert_array_equal(got[1], z)
