"""Functions of layers on images and sequences: resampling, grids, padding, pixels, attention, alignment losses."""

from __future__ import annotations

import numpy as np

from tests.parity.operators.table import NUMBERS, Family, real

FAMILY = Family("nn.functional", tolerance=3e-7)
case = FAMILY.case

for label, shape, options in (
    ("nearest, size", (1, 2, 3, 4), {"size": [5, 6], "mode": "nearest"}),
    ("nearest, scale", (1, 2, 3, 4), {"scale_factor": 2, "mode": "nearest"}),
    ("nearest, smaller", (1, 2, 6, 5), {"size": [3, 2], "mode": "nearest"}),
    ("nearest, 3-D", (1, 1, 2, 3, 2), {"scale_factor": [2, 1, 2], "mode": "nearest", "data_format": "NCDHW"}),
    ("bilinear", (1, 2, 3, 4), {"size": [5, 6], "mode": "bilinear"}),
    ("bilinear, align_mode", (1, 2, 3, 4), {"size": [5, 6], "mode": "bilinear", "align_mode": 1}),
    ("bilinear, corners", (1, 2, 3, 4), {"size": [5, 6], "mode": "bilinear", "align_corners": True}),
    ("bilinear, scales", (1, 2, 3, 4), {"scale_factor": [1.5, 2.0], "mode": "bilinear"}),
    ("bilinear, smaller", (1, 2, 6, 5), {"size": (3, 2), "mode": "bilinear"}),
    ("bilinear, channels last", (1, 3, 4, 2), {"size": [5, 6], "mode": "bilinear", "data_format": "NHWC"}),
    ("linear", (1, 2, 4), {"size": [7], "mode": "linear", "data_format": "NCW"}),
    ("linear, corners", (1, 2, 4), {"size": [7], "mode": "linear", "align_corners": True, "data_format": "NCW"}),
    ("trilinear", (1, 1, 2, 3, 2), {"size": [3, 4, 3], "mode": "trilinear", "data_format": "NCDHW"}),
    ("bicubic", (1, 1, 4, 4), {"size": [6, 5], "mode": "bicubic"}),
    ("bicubic, corners", (1, 1, 4, 4), {"size": [6, 5], "mode": "bicubic", "align_corners": True}),
    ("area", (1, 2, 6, 4), {"size": [3, 2], "mode": "area"}),
):
    case(f"interpolate: {label}", lambda F, x, options=options: F.interpolate(x, **options), shape)
case("upsample", lambda F, x: F.upsample(x, scale_factor=2, mode="bilinear"), (1, 2, 2, 3))
for mode in ("bilinear", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (True, False):
            case(
                f"grid_sample: {mode}, {padding}, align_corners {corners}",
                lambda F, x, g, mode=mode, padding=padding, corners=corners: F.grid_sample(
                    x, g, mode=mode, padding_mode=padding, align_corners=corners
                ),
                (1, 2, 3, 4),
                real(1, 2, 3, 2, low=-1.4, high=1.4),
            )
case("grid_sample: 3-D", lambda F, x, g: F.grid_sample(x, g), (1, 1, 2, 3, 3), real(1, 1, 2, 2, 3, low=-1.2, high=1.2))
for corners in (True, False):
    call = lambda F, t, corners=corners: F.affine_grid(t, [2, 1, 3, 4], align_corners=corners)  # noqa: E731
    case(f"affine_grid: align_corners {corners}", call, (2, 2, 3))
    call = lambda F, t, corners=corners: F.affine_grid(t, [1, 1, 2, 2, 3], align_corners=corners)  # noqa: E731
    case(f"affine_grid: 3-D, align_corners {corners}", call, (1, 3, 4))

for mode in ("constant", "reflect", "replicate", "circular"):
    for shape, pads, layout in (
        ((1, 2, 4), [1, 2], "NCL"),
        ((1, 2, 3, 4), [1, 2, 2, 1], "NCHW"),
        ((1, 3, 4, 2), [1, 2, 0, 1], "NHWC"),
        ((1, 1, 3, 3, 3), [1, 0, 2, 1, 0, 1], "NCDHW"),
    ):
        call = lambda F, x, pads=pads, mode=mode, layout=layout: F.pad(x, pads, mode=mode, data_format=layout)  # noqa: E731
        case(f"pad: {mode}, {layout}", call, shape)
case("pad: value", lambda F, x: F.pad(x, [1, 0, 0, 1], value=2.5), real(1, 1, 2, 2), types=NUMBERS)
case("pad: every axis", lambda F, x: F.pad(x, [1, 0, 2, 1]), real(2, 3))
case("pad: every axis of an image", lambda F, x: F.pad(x, [0, 1, 1, 0, 1, 1, 0, 2], value=1.5), real(1, 2, 2, 2))
case("zeropad2d", lambda F, x: F.zeropad2d(x, [1, 0, 2, 1]), real(1, 2, 2, 3))
case("pixel_shuffle", lambda F, x: F.pixel_shuffle(x, 2), (1, 8, 2, 3))
case("pixel_shuffle: channels last", lambda F, x: F.pixel_shuffle(x, 2, "NHWC"), (1, 2, 3, 8))
case("pixel_unshuffle", lambda F, x: F.pixel_unshuffle(x, 2), (1, 2, 4, 2))
case("pixel_unshuffle: channels last", lambda F, x: F.pixel_unshuffle(x, 2, "NHWC"), (1, 4, 2, 2))
case("channel_shuffle", lambda F, x: F.channel_shuffle(x, 3), (1, 6, 2, 2))
case("channel_shuffle: channels last", lambda F, x: F.channel_shuffle(x, 3, "NHWC"), (1, 2, 2, 6))
case("unfold", lambda F, x: F.unfold(x, 2), (1, 2, 3, 4))
case("unfold: options", lambda F, x: F.unfold(x, [2, 3], [2, 1], [1, 0, 1, 2], [1, 2]), (1, 2, 4, 5))
case("fold", lambda F, x: F.fold(x, [3, 4], 2), (1, 8, 6))
case("fold: options", lambda F, x: F.fold(x, [4, 5], [2, 2], strides=2, paddings=1), (1, 8, 9))
case("temporal_shift", lambda F, x: F.temporal_shift(x, 2, 0.25), (4, 4, 2, 2))
case("temporal_shift: channels last", lambda F, x: F.temporal_shift(x, 2, 0.3, data_format="NHWC"), (4, 2, 2, 4))

qkv = [(1, 3, 2, 4)] * 3
case(
    "scaled_dot_product_attention", lambda F, q, k, v: F.scaled_dot_product_attention(q, k, v), *qkv
)  # with masks on GPUs only

LABELS = np.array([[1, 2, 2], [3, 1, 0]], "int32")
for reduction in ("mean", "sum", "none"):
    case(
        f"ctc_loss: {reduction}",
        lambda F, x, y, n, m, r=reduction: F.ctc_loss(x, y, n, m, reduction=r),
        (6, 2, 4),
        LABELS,
        np.array([6, 5]),
        np.array([3, 2]),
        tolerance=1e-6,
    )
    case(
        f"rnnt_loss: {reduction}",
        # its CPU kernel takes scores for log-probabilities
        lambda F, x, y, n, m, r=reduction: F.rnnt_loss(F.log_softmax(x), y, n, m, fastemit_lambda=0.1, reduction=r),
        (2, 4, 3, 5),
        np.array([[1, 2], [3, 1]], "int32"),
        np.array([4, 3], "int32"),
        np.array([2, 1], "int32"),
        tolerance=1e-6,
    )
case(
    "hsigmoid_loss",
    lambda F, x, y, w, b: F.hsigmoid_loss(x, y, 5, w, b),
    (3, 4),
    np.array([[1], [4], [0]]),
    (4, 4),
    (4, 1),
)
case(
    "hsigmoid_loss: own tree",
    lambda F, x, y, w, t, c: F.hsigmoid_loss(x, y, 4, w, path_table=t, path_code=c),
    (2, 4),
    np.array([[1], [2]]),
    (3, 4),
    np.array([[0, 1, -1], [0, 2, -1]]),
    np.array([[0, 1, -1], [1, 0, -1]]),
)
case(
    "ctc_loss: blank",
    lambda F, x, y, n, m: F.ctc_loss(x, y, n, m, blank=3),
    (6, 2, 4),
    LABELS % 3,
    np.array([6, 5]),
    np.array([3, 2]),
    tolerance=1e-6,
)
case(
    "ctc_loss: by times",
    lambda F, x, y, n, m: F.ctc_loss(x, y, n, m, norm_by_times=True),
    (6, 2, 4),
    LABELS,
    np.array([6, 5]),
    np.array([3, 2]),
    tolerance=1e-6,
)
