"""Programs of format version 1 load and give, in every way to run them, the numbers of the code that wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from tests.frozen.exported import (
    EXPORTS,
    SAME_AS,
    TABLE,
    WAYS,
    Stored,
    gradients,
    kept,
    operators,
    quiet,
)
from tests.frozen.store import unpack
from tests.sampling import sampled

EQUAL, LEARNED = 1e-6, 1e-5
"""How far numbers, and gradients, may be off, as a share of the largest number or of 1."""
LOOSE = {"layer_large": 3e-6, "layer_open": 3e-6, "generator_fixed": 3e-6}
"""Programs of long rows: two kernels normalise them, one of which is off by 2.5e-6 itself, the other by 3e-7. The
generator's stored numbers are those of a processor with AVX-512; without, sums are in another order, off by 1.1e-6."""
ROUNDED = 2.0**-6
"""How far 16-bit numbers may be off: they have 8 binary digits, and a sum that is off by its last one, 2**-8 of it, is
multiplied by weights and rounded again."""
PROGRAMS = {
    (archive, name): entry
    for archive, programs in json.loads(TABLE.read_text(encoding="utf-8")).items()
    for name, entry in programs.items()
}
ARCHIVES = sorted({archive for archive, _ in PROGRAMS})
LEARNING = [key for key, entry in PROGRAMS.items() if entry["learns"]]
SLOW = {"layer", "unfused", "inference", "again"}
"""Ways that the default tests try for a sample."""
SAMPLE = {"small"}


def cases() -> list[Any]:
    """Return archive, program and way, of which the default tests take a sample."""
    return [
        pytest.param(
            archive, name, way, id=f"{archive}-{name}-{way}",
            marks=[pytest.mark.exhaustive] if way in SLOW and name not in SAMPLE else [],
        )
        for (archive, name), entry in PROGRAMS.items() if not entry["random"]
        for way in WAYS if way != "mixed" or entry["mixed"]
    ]  # fmt: skip


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with the programs of each archive."""
    folder = tmp_path_factory.mktemp("exports")
    return {archive: unpack(EXPORTS / f"{archive}.tar.gz", folder / archive) for archive in ARCHIVES}


@pytest.fixture(scope="module")
def known() -> dict[tuple[str, str], Stored]:
    """The stored programs whose numbers were read."""
    return {}


@pytest.fixture
def stored(known: dict[tuple[str, str], Stored], unpacked: dict[str, Path], archive: str, name: str) -> Stored:
    """A stored program."""
    if (archive, name) not in known:
        known[archive, name] = Stored(unpacked[archive] / name)
    return known[archive, name]


def close(found: np.ndarray, wanted: np.ndarray, share: float, place: str) -> None:
    """Check that what is kept of an array differs by at most a share of the largest number, or of 1."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, place
    margin = share * max(1.0, float(np.abs(wanted.astype(np.float64)).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=margin, err_msg=place)


def tolerance(stored: Stored, way: str) -> float:
    """Return how far the results of a program may be off."""
    text = (stored.program / "program.json").read_text(encoding="utf-8")
    if way == "mixed" or "bfloat16" in text:
        if not core.amp.is_bfloat16_supported():
            pytest.skip("this processor does not compute in bfloat16")
        return ROUNDED
    return LOOSE.get(stored.name, EQUAL)


def test_all_are_there() -> None:
    assert sorted(path.name for path in EXPORTS.glob("*.tar.gz")) == [f"{name}.tar.gz" for name in ARCHIVES]
    assert sum(path.stat().st_size for path in EXPORTS.iterdir()) < 1.5 * 2**20


def test_all_are_of_version_1(unpacked: dict[str, Path]) -> None:
    for (archive, name), entry in PROGRAMS.items():
        content = json.loads((unpacked[archive] / name / "program" / "program.json").read_text(encoding="utf-8"))
        assert (content["format"], content["version"]) == ("core.program", 1), (archive, name)
        assert sorted(set(operators(content))) == entry["operators"], (archive, name)


@pytest.mark.parametrize(("archive", "name", "way"), cases())
def test_it_gives_the_same(stored: Stored, way: str) -> None:
    source = SAME_AS.get(way, way)
    share = tolerance(stored, way)
    for call in stored.calls:
        with quiet():
            results = WAYS[way](stored.program, stored.inputs(call))
        wanted = stored.starting_with(f"{call}.{source}.output.")
        shapes = stored.starting_with(f"{call}.{source}.shape.")
        assert len(results) == len(wanted)
        for number, result in zip(wanted, results):
            assert list(result.shape) == shapes[number].tolist()
            close(kept(result), wanted[number], share, f"call {call}, output {number}")


@pytest.mark.parametrize(("archive", "name"), sampled(LEARNING, 5))
def test_it_learns_the_same(stored: Stored) -> None:
    share = tolerance(stored, "layer")
    for call in stored.calls:
        wanted = stored.starting_with(f"{call}.learning.")
        with quiet():
            found = gradients(stored.program, stored.inputs(call))
        assert set(found) == set(wanted)
        for key, array in wanted.items():
            limit = max(share, LEARNED) if key.startswith("gradient") else share
            close(kept(found[key]), array, limit, f"call {call}, {key}")


@pytest.mark.parametrize("way", ["layer", "predictor"])
@pytest.mark.parametrize(("archive", "name"), [("normalisations", "dropped")])
def test_it_drops_as_many(stored: Stored, way: str) -> None:
    core.seed(0)
    (x,) = stored.inputs(0)
    elements, channels = WAYS[way](stored.program, [x])
    left = elements != 0
    close(elements[left], x[left] / 0.75, EQUAL, "elements")
    assert abs(left[x != 0].mean() - 0.75) < 0.05
    whole = channels.any(axis=(2, 3))
    close(channels[whole], x[whole] * 2, EQUAL, "channels")
    assert 0 < whole.sum() < whole.size


CHANGING = (
    "adaptive_average_pooling", "add", "add_n", "affine", "assign", "attention", "batch_normalization",
    "broadcast_to", "cast", "clip", "concat", "convolution", "convolution_input_gradient", "divide", "drop_elements",
    "dropout_mask", "extreme_edges", "frozen_normalization", "gated", "gather_multiply_sum", "gelu", "gru",
    "hard_sigmoid", "inner_products", "instance_normalization", "layer_normalization", "leaky_relu", "log_softmax",
    "lstm", "matrix_product", "maximum_pooling", "mean_cross_entropy", "multiply", "multiply_scalar", "opening",
    "pick", "relu", "reshape", "row_normalization", "sigmoid", "simple_rnn", "slice", "softmax", "split", "sum",
    "sum_edges", "take", "tanh", "transpose", "weighed_channels", "where", "where_same",
)  # fmt: skip
"""Operators that kernels are chosen for, each of which a program holds."""


def test_every_operator_that_kernels_are_chosen_for_is_there() -> None:
    held = {operator for entry in PROGRAMS.values() for operator in entry["operators"]}
    assert set(CHANGING) - held == set()
