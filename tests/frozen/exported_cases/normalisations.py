"""Normalisation of batches, rows, groups of channels and images, with and without parameters."""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from tests.frozen.exported_cases.cases import Case, double, simple, spec
from tests.frozen.exported_cases.convolutions import in_a_row, side_by_side


def without_gradients(x: Any) -> dict[str, Any]:
    """Return images that are normalised where no gradient is wanted."""
    with core.no_grad():
        return {"instances": F.instance_norm(x), "groups": F.group_norm(x, 2), "rows": F.layer_norm(x, x.shape[3:])}


def dropped(x: Any) -> dict[str, Any]:
    """Return what dropout leaves of x in training."""
    return {"elements": F.dropout(x, 0.25, training=True), "channels": F.dropout2d(x, 0.5, training=True)}


def plain(x: Any) -> dict[str, Any]:
    """Return images that are normalised without parameters."""
    return {
        "instances": F.instance_norm(x),
        "rows": F.layer_norm(x, x.shape[3:]),
        "planes": F.layer_norm(x, x.shape[2:]),
        "unit": F.normalize(x, axis=1),
        "local": F.local_response_norm(x, 3),
    }


def _batch() -> Any:
    return side_by_side(plain=nn.BatchNorm2D(8), bare=nn.BatchNorm2D(8, weight_attr=False, bias_attr=False))


def _images() -> Any:
    return side_by_side(
        instances=nn.InstanceNorm2D(8), bare=nn.InstanceNorm2D(8, weight_attr=False, bias_attr=False),
        groups=nn.GroupNorm(4, 8), one_group=nn.GroupNorm(1, 8, weight_attr=False, bias_attr=False),
        local=nn.LocalResponseNorm(5),
    )  # fmt: skip


def _double(layer: Any, shape: tuple[int, ...]) -> Case:
    return Case(
        lambda: layer().to(dtype="float64"), [spec([None, *shape[1:]], "x", "float64")], [[double(shape)]], learns=True
    )


CASES = {
    "normalisations": {
        "rows": simple(lambda: in_a_row(nn.BatchNorm1D(12)), (None, 12), (3, 12), (50, 12), learns=True),
        "sequences": simple(
            lambda: side_by_side(batch=nn.BatchNorm1D(8), instances=nn.InstanceNorm1D(8)), (None, 8, None),
            (2, 8, 9), (3, 8, 40), learns=True,
        ),
        "small": simple(_batch, (2, 8, 4, 4), learns=True),
        "batch": simple(_batch, (None, 8, None, None), (2, 8, 5, 5), (3, 8, 24, 24), learns=True),
        "volumes": simple(
            lambda: side_by_side(batch=nn.BatchNorm3D(4), instances=nn.InstanceNorm3D(4), groups=nn.GroupNorm(2, 4)),
            (2, 4, 3, 5, 6), learns=True,
        ),
        "last": simple(
            lambda: side_by_side(
                batch=nn.BatchNorm2D(8, data_format="NHWC"), groups=nn.GroupNorm(2, 8, data_format="NHWC"),
            ),
            (None, 5, 6, 8), (2, 5, 6, 8), learns=True,
        ),
        "last_of_sequences": simple(
            lambda: in_a_row(nn.BatchNorm1D(8, data_format="NLC")), (2, 9, 8), learns=True
        ),
        "without_gradients": simple(lambda: without_gradients, (2, 8, 6, 7)),
        "without_gradients_large": simple(lambda: without_gradients, (2, 8, 70, 80)),
        "float64_without_gradients": Case(
            lambda: without_gradients, [spec([2, 8, 6, 7], "x", "float64")], [[double((2, 8, 6, 7))]]
        ),
        "dropped": simple(lambda: dropped, (4, 8, 10, 10), random=True),
        "layer_small": simple(lambda: in_a_row(nn.LayerNorm(24)), (None, 24), (3, 24), (40, 24), learns=True),
        "layer_large": simple(lambda: in_a_row(nn.LayerNorm(128)), (2, 300, 128), learns=True),
        "layer_open": simple(
            lambda: in_a_row(nn.LayerNorm(128)), (None, None, 128), (1, 20, 128), (2, 300, 128), learns=True
        ),
        "layer_axes": simple(lambda: in_a_row(nn.LayerNorm([4, 6])), (3, 5, 4, 6), learns=True),
        "images": simple(_images, (None, 8, None, None), (2, 8, 5, 5), (3, 8, 24, 24), learns=True),
        "images_fixed": simple(_images, (2, 8, 12, 12), learns=True, mixed=True),
        "bare": simple(lambda: plain, (2, 8, 6, 7), learns=True),
        "float64": _double(_batch, (2, 8, 5, 5)),
        "float64_layer": _double(lambda: in_a_row(nn.LayerNorm(24)), (3, 24)),
        "float64_images": _double(_images, (2, 8, 5, 5)),
    },
}  # fmt: skip
