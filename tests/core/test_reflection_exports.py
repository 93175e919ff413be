"""Walks every public operator and layer: exported with unknown sizes and loaded, it equals the eager call at two sizes.

Some of them by default; all in the exhaustive run. What no program for unknown sizes can hold is refused by the export.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

import core
from core import operators
from tests.core.dimension_check import (
    FURTHER_SIZES,
    SIZES,
    Call,
    image_axes,
    inner_axes,
    leading_axes,
    trailing_axes,
)
from tests.core.nn.reference_cases import flat
from tests.core.samples import Draw, all_samples
from tests.core.test_reflection_dimensions import names_of
from tests.core.test_reflection_layers import CASES

SAMPLES = all_samples()
OPERATORS = [name for name in sorted(SAMPLES) if not name.endswith("_")]
SAMPLED = {"concat", "conv2d", "interpolate", "matmul", "pad", "reshape", "slice", "split", "unbind"}
SAMPLED_LAYERS = {"BatchNorm2D_eval", "Conv2D_channels_last", "LayerNorm_plain", "Upsample", "ZeroPad2D"}
"""What the default run walks."""
CHOICES = {"leading": leading_axes, "inner": inner_axes, "trailing": trailing_axes, "images": image_axes}
REFUSED = {
    "how many results there are depends on data": "bincount lstsq masked_select nonzero unique unique_consecutive",
    "its value is read by Python": "tolist",
    "it returns as many tensors as the axis is long, or loops along it": "gather_tree rnnt_loss unbind unstack",
    "it counts subsets of the axis in Python": "combinations",
    "in training mode it gives its buffers new values": "batch_norm",
}
REFUSED_LAYERS = {
    "a Python loop runs along the axis": "RNN_reversed_lengths RNNTLoss",
    "it gives its buffers new values in evaluation mode, too": "BatchNorm_trainable_statistics",
}
AT_EXPORT = (
    "is unknown while this program is being traced", "depends on data", "keeps no state",
    "cannot be read while a program is being compiled",
)  # fmt: skip
AT_RUN = ("the program was traced for sizes where", "inputs of this size cannot be expressed by it")
"""What a program says about a size for which a decision of the traced code, or the number of results, is another."""


def marked(names: list[str], sampled: set[str]) -> list[Any]:
    return [pytest.param(name, marks=() if name in sampled else pytest.mark.exhaustive) for name in names]


def assert_clear(message: str, texts: tuple[str, ...]) -> None:
    assert "\n" not in message and any(text in message for text in texts), message


def is_refused(function: Callable[..., Any], args: Any, kwargs: Any, folder: Path) -> bool:
    """Export, load and run a call with each choice of unknown axes; returns whether one export was refused."""
    refused = False
    for word, choose in CHOICES.items():
        call = Call(function, args, kwargs, [])
        call.axes = choose(call.tensors)
        pair = call.examples() if any(call.axes) else None
        if pair is None:  # no axis that may have any size
            continue
        try:
            call.export(pair, folder / word)
        except ValueError as error:
            assert_clear(str(error), AT_EXPORT)
            refused = True
            continue
        for message in call.check_exported(folder / word, (*SIZES, *FURTHER_SIZES)):
            assert_clear(message, AT_RUN)
    return refused


@pytest.mark.parametrize("name", marked(OPERATORS, SAMPLED))
def test_every_operator_is_exported_with_unknown_sizes(name: str, tmp_path: Path) -> None:
    found = []
    for index, sample in enumerate(SAMPLES[name]):
        args, kwargs = sample(Draw())
        found.append(is_refused(getattr(operators, name), args, kwargs, tmp_path / str(index)))
    assert any(found) == (name in names_of(REFUSED)), "refused, or listed as refused, and not the other"


@pytest.mark.parametrize("name", marked(list(CASES), SAMPLED_LAYERS))
def test_every_layer_is_exported_with_unknown_sizes(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    layer = case.build(core)
    layer.eval()
    tensors = [core.to_tensor(values) for values in case.inputs]
    refused = is_refused(lambda *given: flat(case.call(layer, *given)), tensors, {}, tmp_path)
    assert refused == (name in names_of(REFUSED_LAYERS)), "refused, or listed as refused, and not the other"


def test_the_lists_name_what_exists() -> None:
    assert names_of(REFUSED) | SAMPLED <= set(SAMPLES)
    assert names_of(REFUSED_LAYERS) | SAMPLED_LAYERS <= set(CASES)
