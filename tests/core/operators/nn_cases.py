"""Calls of nn.functional, written once and run by the original (make_nn_references.py) and by us (test_nn_references.py)."""

from __future__ import annotations

import zlib
from typing import Any, Callable

import numpy as np

Case = tuple[Callable[..., Any], list[np.ndarray]]
CASES: dict[str, Case] = {}


def case(name: str, function: Callable[..., Any], *inputs: Any) -> None:
    """Add a case: ``function(F, *tensors)``; an input given as a shape becomes random numbers, an array stays."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    arrays = [generator.standard_normal(value) if isinstance(value, tuple) else value for value in inputs]
    assert name not in CASES, name
    CASES[name] = (function, arrays)


def cotangent(shape: Any, index: int) -> np.ndarray:
    """Return the weights of an output's elements in the sum that is differentiated."""
    return np.random.default_rng(index).uniform(0.5, 1.5, tuple(shape))


# convolution

case("conv1d", lambda F, x, w, b: F.conv1d(x, w, b, stride=2, padding=1), (2, 4, 7), (6, 4, 3), (6,))
case("conv1d_pair", lambda F, x, w: F.conv1d(x, w, padding=[2, 1], dilation=2), (2, 4, 7), (6, 4, 3))
case("conv1d_last", lambda F, x, w, b: F.conv1d(x, w, b, groups=2, data_format="NLC"), (2, 7, 4), (6, 2, 3), (6,))
case("conv2d", lambda F, x, w, b: F.conv2d(x, w, b, stride=[2, 1], padding=[1, 2]), (2, 3, 6, 5), (4, 3, 3, 2), (4,))
case("conv2d_same", lambda F, x, w: F.conv2d(x, w, stride=2, padding="SAME"), (1, 2, 6, 5), (4, 2, 3, 2))
case("conv2d_same_dilated", lambda F, x, w: F.conv2d(x, w, padding="SAME", dilation=2), (1, 2, 6, 5), (4, 2, 3, 2))
case("conv2d_valid", lambda F, x, w: F.conv2d(x, w, padding="valid"), (1, 2, 6, 5), (4, 2, 3, 2))
case("conv2d_four", lambda F, x, w: F.conv2d(x, w, padding=[1, 0, 2, 1]), (1, 2, 6, 5), (4, 2, 3, 2))
case(
    "conv2d_pairs",
    lambda F, x, w: F.conv2d(x, w, padding=[[0, 0], [0, 0], [1, 0], [2, 1]]),
    (1, 2, 6, 5),
    (4, 2, 3, 2),
)
case(
    "conv2d_pairs_last",
    lambda F, x, w: F.conv2d(x, w, padding=[[0, 0], [1, 0], [2, 1], [0, 0]], data_format="NHWC"),
    (1, 6, 5, 2),
    (4, 2, 3, 2),
)
case("conv2d_depthwise", lambda F, x, w: F.conv2d(x, w, padding=1, groups=4), (2, 4, 5, 5), (8, 1, 3, 3))
case("conv2d_dilated", lambda F, x, w: F.conv2d(x, w, dilation=[2, 1], groups=2), (2, 4, 6, 5), (6, 2, 3, 2))
case("conv3d", lambda F, x, w, b: F.conv3d(x, w, b, stride=2, padding=1), (1, 2, 4, 5, 3), (3, 2, 2, 3, 2), (3,))
case("conv3d_dilated", lambda F, x, w: F.conv3d(x, w, dilation=2, groups=2), (1, 2, 4, 5, 3), (4, 1, 2, 2, 2))
case(
    "conv3d_same", lambda F, x, w: F.conv3d(x, w, padding="SAME", data_format="NDHWC"), (1, 4, 5, 3, 2), (3, 2, 2, 2, 2)
)
case(
    "conv1d_transpose",
    lambda F, x, w, b: F.conv1d_transpose(x, w, b, stride=2, padding=1, output_padding=1),
    (2, 4, 5),
    (4, 3, 3),
    (3,),
)
case(
    "conv2d_transpose",
    lambda F, x, w, b: F.conv2d_transpose(x, w, b, stride=2, padding=1, output_padding=1),
    (2, 4, 3, 4),
    (4, 3, 3, 3),
    (3,),
)
case(
    "conv2d_transpose_grouped",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=2, groups=2, dilation=2),
    (2, 4, 3, 4),
    (4, 3, 2, 3),
)
case(
    "conv2d_transpose_size",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=3, output_size=[10, 11]),
    (2, 4, 3, 3),
    (4, 3, 3, 3),
)
case(
    "conv2d_transpose_four",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=2, padding=[0, 1, 2, 0]),
    (2, 4, 3, 4),
    (4, 3, 3, 3),
)
case(
    "conv2d_transpose_same",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=2, padding="SAME", data_format="NHWC"),
    (2, 3, 4, 4),
    (4, 3, 3, 3),
)
case(
    "conv3d_transpose",
    lambda F, x, w: F.conv3d_transpose(x, w, stride=2, padding=1, output_padding=1),
    (1, 2, 2, 3, 2),
    (2, 3, 3, 2, 3),
)

# pooling

for kind in ("max", "avg"):
    for rank, size in ((1, (7,)), (2, (7, 8)), (3, (4, 5, 5))):
        shape = (2, 3, *size)
        for ceil in (False, True):
            for pad in (0, 1):
                case(
                    f"{kind}_pool{rank}d_{ceil}_{pad}",
                    lambda F, x, kind=kind, rank=rank, ceil=ceil, pad=pad: getattr(F, f"{kind}_pool{rank}d")(
                        x, 3, stride=2, padding=pad, ceil_mode=ceil
                    ),
                    shape,
                )
for ceil in (False, True):
    case(
        f"avg_pool2d_inclusive_{ceil}",
        lambda F, x, ceil=ceil: F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=False, ceil_mode=ceil),
        (2, 3, 7, 8),
    )
    case(
        f"avg_pool1d_inclusive_{ceil}",
        lambda F, x, ceil=ceil: F.avg_pool1d(x, 3, stride=2, padding=1, exclusive=False, ceil_mode=ceil),
        (2, 3, 8),
    )
    case(
        f"avg_pool2d_override_{ceil}",
        lambda F, x, ceil=ceil: F.avg_pool2d(x, 3, stride=2, padding=1, divisor_override=5, ceil_mode=ceil),
        (2, 3, 7, 8),
    )
    case(f"max_pool2d_gap_{ceil}", lambda F, x, ceil=ceil: F.max_pool2d(x, 2, stride=3, ceil_mode=ceil), (1, 2, 6, 7))
case("max_pool2d_same", lambda F, x: F.max_pool2d(x, 3, stride=2, padding="SAME"), (1, 2, 6, 7))
case("avg_pool2d_same", lambda F, x: F.avg_pool2d(x, 3, stride=2, padding="SAME"), (1, 2, 6, 7))
case("avg_pool2d_four", lambda F, x: F.avg_pool2d(x, 3, stride=2, padding=[1, 0, 0, 1]), (1, 2, 6, 7))
case("avg_pool2d_four_inc", lambda F, x: F.avg_pool2d(x, 3, 2, [1, 0, 0, 1], exclusive=False), (1, 2, 6, 7))
case("max_pool2d_four", lambda F, x: F.max_pool2d(x, 3, stride=2, padding=[1, 0, 0, 1]), (1, 2, 6, 7))
case("max_pool2d_last", lambda F, x: F.max_pool2d(x, 3, stride=2, data_format="NHWC"), (1, 6, 7, 2))
case("avg_pool2d_last", lambda F, x: F.avg_pool2d(x, 3, stride=2, data_format="NHWC"), (1, 6, 7, 2))
case("max_pool1d_mask", lambda F, x: F.max_pool1d(x, 3, 2, 1, return_mask=True), (2, 3, 8))
case("max_pool2d_mask", lambda F, x: F.max_pool2d(x, 3, 2, 1, return_mask=True), (2, 3, 7, 8))
case("max_pool2d_mask_ceil", lambda F, x: F.max_pool2d(x, 3, 2, return_mask=True, ceil_mode=True), (2, 3, 6, 8))
case("max_pool3d_mask", lambda F, x: F.max_pool3d(x, 2, 2, return_mask=True), (1, 2, 4, 4, 5))
case("unpool1d", lambda F, x: F.max_unpool1d(*F.max_pool1d(x, 2, return_mask=True), 2), (2, 3, 8))
case("unpool2d", lambda F, x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2), (2, 3, 6, 8))
case(
    "unpool2d_size",
    lambda F, x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2, output_size=[2, 3, 7, 9]),
    (2, 3, 7, 9),
)
case("unpool3d", lambda F, x: F.max_unpool3d(*F.max_pool3d(x, 2, return_mask=True), 2), (1, 2, 4, 4, 6))
for rank, size, target in ((1, (7,), 3), (2, (7, 8), (3, 5)), (3, (5, 6, 7), (2, 3, 3))):
    shape = (2, 3, *size)
    case(
        f"adaptive_avg{rank}",
        lambda F, x, rank=rank, target=target: getattr(F, f"adaptive_avg_pool{rank}d")(x, target),
        shape,
    )
    case(
        f"adaptive_max{rank}",
        lambda F, x, rank=rank, target=target: getattr(F, f"adaptive_max_pool{rank}d")(x, target, return_mask=True),
        shape,
    )
    case(f"adaptive_avg{rank}_one", lambda F, x, rank=rank: getattr(F, f"adaptive_avg_pool{rank}d")(x, 1), shape)
    case(f"adaptive_max{rank}_one", lambda F, x, rank=rank: getattr(F, f"adaptive_max_pool{rank}d")(x, 1), shape)
case("adaptive_avg2_none", lambda F, x: F.adaptive_avg_pool2d(x, [None, 3], data_format="NHWC"), (2, 5, 8, 3))

# normalisation


def running(like: Any) -> tuple[Any, Any]:
    """Return running statistics of the shape of a parameter."""
    return like.detach() * 0.5, like.detach() * like.detach() + 0.5


def batch_norm(F: Any, x: Any, w: Any, b: Any, **options: Any) -> tuple[Any, ...]:
    """Return the result and the running statistics after it."""
    mean, variance = running(w)
    return F.batch_norm(x, mean, variance, w, b, **options), mean, variance


for name, shape, options in (
    ("2d", (4, 3, 5, 2), {}),
    ("1d", (4, 3), {"data_format": "NC", "momentum": 0.7}),
    ("3d", (2, 3, 2, 3, 2), {"data_format": "NCDHW", "epsilon": 0.1}),
    ("last", (2, 4, 2, 3), {"data_format": "NHWC"}),
):
    for training in (True, False):
        case(
            f"batch_norm_{name}_{training}",
            lambda F, x, w, b, options=options, training=training: batch_norm(F, x, w, b, training=training, **options),
            shape,
            (3,),
            (3,),
        )
case(
    "batch_norm_global",
    lambda F, x, w, b: batch_norm(F, x, w, b, training=True, use_global_stats=True),
    (4, 3, 5, 2),
    (3,),
    (3,),
)
case("batch_norm_bare", lambda F, x: F.batch_norm(x, *running(x[0, :, 0]), training=True), (4, 3, 5))
case("layer_norm", lambda F, x, w, b: F.layer_norm(x, 4, w, b), (2, 3, 4), (4,), (4,))
case("layer_norm_two", lambda F, x, w, b: F.layer_norm(x, [3, 4], w, b, 0.001), (2, 3, 4), (12,), (12,))
case("layer_norm_bare", lambda F, x: F.layer_norm(x, [3, 4]), (2, 3, 4))
case("instance_norm", lambda F, x, w, b: F.instance_norm(x, weight=w, bias=b), (2, 3, 4, 5), (3,), (3,))
case("instance_norm_bare", lambda F, x: F.instance_norm(x, eps=0.01), (2, 3, 4))
case("local_response_odd", lambda F, x: F.local_response_norm(x, 3, alpha=0.5, beta=0.6, k=1.5), (2, 5, 3, 2))
case("local_response_even", lambda F, x: F.local_response_norm(x, 4, alpha=0.5), (2, 5, 3))
case("local_response_last", lambda F, x: F.local_response_norm(x, 3, alpha=0.5, data_format="NDHWC"), (2, 2, 3, 2, 5))
