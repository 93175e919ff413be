"""Walks every public operator and layer: traced once with an unknown axis, replayed at sizes 1, 3, 8, it equals eager.

Where the program cannot hold for every size, it is refused in one clear line; those are listed with the reason.
"""

from __future__ import annotations

from typing import Any, Callable

import pytest

import core
from core import operators
from core.jit import tree
from core.kernels.dispatch.errors import OperatorError
from tests.core.dimension_check import Call, inner_axes, leading_axes, trailing_axes
from tests.core.nn.reference_cases import flat
from tests.core.samples import Draw, all_samples
from tests.core.test_reflection_layers import CASES

SAMPLES = all_samples()
REFUSED = {
    "how many results there are depends on data": "bincount lstsq masked_select nonzero unique unique_consecutive",
    "its value is read by Python": "tolist",
    "it returns as many tensors as the axis is long, or loops along it": "gather_tree rnnt_loss unbind unstack",
    "it counts subsets of the axis in Python": "combinations",
    "the result is as long as the smaller of two axes": "cond diag diagonal lu lu_unpack pca_lowrank qr svd trace",
    "which axis it works along, or its rank, depends on a size": "corrcoef cov cross squeeze",
    "at size 1 nothing remains, or the given bounds are cut off": (
        "cumulative_trapezoid diff select_scatter slice strided_slice temporal_shift trapezoid"
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


def is_refused(function: Callable[..., Any], args: Any, kwargs: Any, tolerance: float) -> bool:
    """Check a call with each choice of an unknown axis; returns whether one of them was refused."""
    tensors, _ = tree.flatten((list(args), kwargs))
    refused = False
    for choose in (leading_axes, inner_axes, trailing_axes):
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


@pytest.mark.parametrize("name", [name for name in sorted(SAMPLES) if not name.endswith("_")])
def test_every_operator_takes_unknown_sizes(name: str) -> None:
    found = []
    for sample in SAMPLES[name]:
        args, kwargs = sample(Draw())
        found.append(is_refused(getattr(operators, name), args, kwargs, ROUNDING.get(name, 1e-6)))
    assert any(found) == (name in names_of(REFUSED)), "refused, or listed as refused, and not the other"


@pytest.mark.parametrize("name", list(CASES))
def test_every_layer_takes_unknown_sizes(name: str) -> None:
    case = CASES[name]
    layer = case.build(core)
    layer.eval()
    tensors = [core.to_tensor(values) for values in case.inputs]
    refused = is_refused(lambda *given: flat(case.call(layer, *given)), tensors, {}, 1e-5)
    assert refused == (name in names_of(REFUSED_LAYERS)), "refused, or listed as refused, and not the other"


def test_the_lists_name_what_exists() -> None:
    assert names_of(REFUSED) <= set(SAMPLES) and names_of(REFUSED_LAYERS) <= set(CASES)
