"""Walks every public operator and layer: traced once with an unknown axis, replayed at sizes 1, 3, 8, it equals eager.

The default run takes the first example of half of the operators, with one unknown axis, and every example of what is
refused. Where the program cannot hold for every size, it is refused in one line; those are listed with the reason.
"""

from __future__ import annotations

import zlib
from typing import Any, Callable

import pytest

import core
from core import operators
from core.jit import tree
from core.kernels.dispatch.errors import OperatorError
from tests.core.dimension_check import Call, inner_axes, leading_axes, trailing_axes
from tests.core.nn.reference_cases import flat
from tests.core.samples import Draw, all_samples, cases_with_tensors
from tests.core.test_reflection_layers import CASES
from tests.sampling import sampled

SAMPLES = all_samples()
NAMES = [name for name in sorted(SAMPLES) if not name.endswith("_")]
REFUSED = {
    "how many results there are depends on data": "bincount lstsq masked_select nonzero unique unique_consecutive",
    "its value is read by Python": "tolist",
    "it returns as many tensors as the axis is long, or loops along it": "gather_tree rnnt_loss unbind unstack",
    "it counts subsets of the axis in Python": "combinations",
    "the result is as long as the smaller of two axes": "cond diag diagonal lu lu_unpack pca_lowrank qr svd trace",
    "which axis it works along, or its rank, depends on a size": "corrcoef cov cross squeeze",
    "at size 1 nothing remains, or the given bounds are cut off": (
        "cumulative_trapezoid diff select_scatter slice strided_slice trapezoid"
    ),
}
REFUSED_LAYERS = {
    "a Python loop runs along the axis": "RNN_reversed_lengths RNNTLoss",
    "a cached step cuts at the given place": "TransformerDecoder_cached TransformerEncoder_cached",
}
CLEAR = (
    "is unknown while this program is being traced", "depends on a size", "depends on data", "was traced for",
    "cannot be read while a program is being compiled",
)  # fmt: skip


ROUNDING = {"cross_entropy": 1e-5}
"""Where a program for unknown sizes has other kernels, which round differently."""


def names_of(table: dict[str, str]) -> set[str]:
    return {name for names in table.values() for name in names.split()}


def is_any_size(name: str) -> bool:
    """Return whether an operator takes any size, and its first example has an axis for it."""
    return name not in names_of(REFUSED) and bool(choices_of(*SAMPLES[name][0](Draw())))


CHOICES = (leading_axes, inner_axes, trailing_axes)


def choices_of(args: Any, kwargs: Any) -> list[Callable[..., Any]]:
    """Return the choices of an unknown axis that a call's tensors have."""
    tensors, _ = tree.flatten((list(args), kwargs))
    return [choose for choose in CHOICES if any(choose(tensors))]


def is_refused(
    function: Callable[..., Any], args: Any, kwargs: Any, tolerance: float, choices: Any = CHOICES
) -> bool:
    """Check a call with each choice of an unknown axis; returns whether one of them was refused."""
    tensors, _ = tree.flatten((list(args), kwargs))
    refused = False
    for choose in choices:
        axes = choose(tensors)
        if not any(axes):
            continue
        call = Call(function, args, kwargs, axes)
        pair = call.examples()
        if pair is None:
            continue
        try:
            call.check(pair, tolerance)
        except OperatorError as error:
            assert any(text in str(error) for text in CLEAR), error
            refused = True
    return refused


OF_ANY_SIZE = [name for name, index in cases_with_tensors() if index == 0 and is_any_size(name)]


@pytest.mark.parametrize("name", sampled(OF_ANY_SIZE, 2, group=lambda name: None))
def test_every_operator_takes_an_unknown_size(name: str) -> None:
    args, kwargs = SAMPLES[name][0](Draw())
    choices = choices_of(args, kwargs)
    chosen = choices[zlib.crc32(name.encode()) % len(choices)]
    assert not is_refused(getattr(operators, name), args, kwargs, ROUNDING.get(name, 1e-6), [chosen])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in names_of(REFUSED) else pytest.mark.exhaustive) for name in NAMES]
)
def test_every_operator_takes_unknown_sizes(name: str) -> None:
    found = []
    for sample in SAMPLES[name]:
        args, kwargs = sample(Draw())
        found.append(is_refused(getattr(operators, name), args, kwargs, ROUNDING.get(name, 1e-6)))
    assert any(found) == (name in names_of(REFUSED)), "refused, or listed as refused, and not the other"


@pytest.mark.parametrize("name", sampled(CASES, 5, group=lambda name: name in names_of(REFUSED_LAYERS) and name))
def test_every_layer_takes_unknown_sizes(name: str) -> None:
    case = CASES[name]
    layer = case.build(core)
    layer.eval()
    tensors = [core.to_tensor(values) for values in case.inputs]
    refused = is_refused(lambda *given: flat(case.call(layer, *given)), tensors, {}, 1e-5)
    assert refused == (name in names_of(REFUSED_LAYERS)), "refused, or listed as refused, and not the other"


def test_the_lists_name_what_exists() -> None:
    assert names_of(REFUSED) <= set(SAMPLES) and names_of(REFUSED_LAYERS) <= set(CASES)
