"""Convolutions and pooling."""

from __future__ import annotations

from tests.parity.operators.table import Family

FAMILY = Family("nn.functional", tolerance=3e-7)
case = FAMILY.case

case("conv1d", lambda F, x, w, b: F.conv1d(x, w, b, stride=2, padding=1), (2, 4, 7), (6, 4, 3), (6,))
case("conv1d: pair", lambda F, x, w: F.conv1d(x, w, padding=[2, 1], dilation=2), (2, 4, 7), (6, 4, 3))
case("conv1d: last", lambda F, x, w, b: F.conv1d(x, w, b, groups=2, data_format="NLC"), (2, 7, 4), (6, 2, 3), (6,))
case("conv2d", lambda F, x, w, b: F.conv2d(x, w, b, stride=[2, 1], padding=[1, 2]), (2, 3, 6, 5), (4, 3, 3, 2), (4,))
case("conv2d: same", lambda F, x, w: F.conv2d(x, w, stride=2, padding="SAME"), (1, 2, 6, 5), (4, 2, 3, 2))
case("conv2d: same dilated", lambda F, x, w: F.conv2d(x, w, padding="SAME", dilation=2), (1, 2, 6, 5), (4, 2, 3, 2))
case("conv2d: valid", lambda F, x, w: F.conv2d(x, w, padding="valid"), (1, 2, 6, 5), (4, 2, 3, 2))
case("conv2d: four", lambda F, x, w: F.conv2d(x, w, padding=[1, 0, 2, 1]), (1, 2, 6, 5), (4, 2, 3, 2))
case(
    "conv2d: pairs",
    lambda F, x, w: F.conv2d(x, w, padding=[[0, 0], [0, 0], [1, 0], [2, 1]]),
    (1, 2, 6, 5),
    (4, 2, 3, 2),
)
case(
    "conv2d: pairs last",
    lambda F, x, w: F.conv2d(x, w, padding=[[0, 0], [1, 0], [2, 1], [0, 0]], data_format="NHWC"),
    (1, 6, 5, 2),
    (4, 2, 3, 2),
)
case("conv2d: depthwise", lambda F, x, w: F.conv2d(x, w, padding=1, groups=4), (2, 4, 5, 5), (8, 1, 3, 3))
case("conv2d: dilated", lambda F, x, w: F.conv2d(x, w, dilation=[2, 1], groups=2), (2, 4, 6, 5), (6, 2, 3, 2))
case("conv3d", lambda F, x, w, b: F.conv3d(x, w, b, stride=2, padding=1), (1, 2, 4, 5, 3), (3, 2, 2, 3, 2), (3,))
case("conv3d: dilated", lambda F, x, w: F.conv3d(x, w, dilation=2, groups=2), (1, 2, 4, 5, 3), (4, 1, 2, 2, 2))
case(
    "conv3d: same",
    lambda F, x, w: F.conv3d(x, w, padding="SAME", data_format="NDHWC"),
    (1, 4, 5, 3, 2),
    (3, 2, 2, 2, 2),
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
    "conv2d_transpose: grouped",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=2, groups=2, dilation=2),
    (2, 4, 3, 4),
    (4, 3, 2, 3),
)
case(
    "conv2d_transpose: size",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=3, output_size=[10, 11]),
    (2, 4, 3, 3),
    (4, 3, 3, 3),
)
case(
    "conv2d_transpose: four",
    lambda F, x, w: F.conv2d_transpose(x, w, stride=2, padding=[0, 1, 2, 0]),
    (2, 4, 3, 4),
    (4, 3, 3, 3),
)
case(
    "conv2d_transpose: same",
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

for kind in ("max", "avg"):
    for rank, size in ((1, (7,)), (2, (7, 8)), (3, (4, 5, 5))):
        shape = (2, 3, *size)
        for ceil in (False, True):
            for pad in (0, 1):
                case(
                    f"{kind}_pool{rank}d: ceil_mode {ceil}, padding {pad}",
                    lambda F, x, kind=kind, rank=rank, ceil=ceil, pad=pad: getattr(F, f"{kind}_pool{rank}d")(
                        x, 3, stride=2, padding=pad, ceil_mode=ceil
                    ),
                    shape,
                )
for ceil in (False, True):
    case(
        f"avg_pool2d: inclusive, ceil_mode {ceil}",
        lambda F, x, ceil=ceil: F.avg_pool2d(x, 3, stride=2, padding=1, exclusive=False, ceil_mode=ceil),
        (2, 3, 7, 8),
    )
    case(
        f"avg_pool1d: inclusive, ceil_mode {ceil}",
        lambda F, x, ceil=ceil: F.avg_pool1d(x, 3, stride=2, padding=1, exclusive=False, ceil_mode=ceil),
        (2, 3, 8),
    )
    case(
        f"avg_pool2d: divisor, ceil_mode {ceil}",
        lambda F, x, ceil=ceil: F.avg_pool2d(x, 3, stride=2, padding=1, divisor_override=5, ceil_mode=ceil),
        (2, 3, 7, 8),
    )
    case(
        f"max_pool2d: gap, ceil_mode {ceil}",
        lambda F, x, ceil=ceil: F.max_pool2d(x, 2, stride=3, ceil_mode=ceil),
        (1, 2, 6, 7),
    )
case("max_pool2d: same", lambda F, x: F.max_pool2d(x, 3, stride=2, padding="SAME"), (1, 2, 6, 7))
case("avg_pool2d: same", lambda F, x: F.avg_pool2d(x, 3, stride=2, padding="SAME"), (1, 2, 6, 7))
case("avg_pool2d: four", lambda F, x: F.avg_pool2d(x, 3, stride=2, padding=[1, 0, 0, 1]), (1, 2, 6, 7))
case("avg_pool2d: four inc", lambda F, x: F.avg_pool2d(x, 3, 2, [1, 0, 0, 1], exclusive=False), (1, 2, 6, 7))
case("max_pool2d: four", lambda F, x: F.max_pool2d(x, 3, stride=2, padding=[1, 0, 0, 1]), (1, 2, 6, 7))
case("max_pool2d: last", lambda F, x: F.max_pool2d(x, 3, stride=2, data_format="NHWC"), (1, 6, 7, 2))
case("avg_pool2d: last", lambda F, x: F.avg_pool2d(x, 3, stride=2, data_format="NHWC"), (1, 6, 7, 2))
case("max_pool1d: mask", lambda F, x: F.max_pool1d(x, 3, 2, 1, return_mask=True), (2, 3, 8))
case("max_pool2d: mask", lambda F, x: F.max_pool2d(x, 3, 2, 1, return_mask=True), (2, 3, 7, 8))
case("max_pool3d: mask", lambda F, x: F.max_pool3d(x, 2, 2, return_mask=True), (1, 2, 4, 4, 5))
case("max_unpool1d", lambda F, x: F.max_unpool1d(*F.max_pool1d(x, 2, return_mask=True), 2), (2, 3, 8))
case("max_unpool2d", lambda F, x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2), (2, 3, 6, 8))
case(
    "max_unpool2d: size",
    lambda F, x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2, output_size=[2, 3, 7, 9]),
    (2, 3, 7, 9),
)
case("max_unpool3d", lambda F, x: F.max_unpool3d(*F.max_pool3d(x, 2, return_mask=True), 2), (1, 2, 4, 4, 6))
for rank, size, target in ((1, (7,), 3), (2, (7, 8), (3, 5)), (3, (5, 6, 7), (2, 3, 3))):
    shape = (2, 3, *size)
    case(
        f"adaptive_avg_pool{rank}d",
        lambda F, x, rank=rank, target=target: getattr(F, f"adaptive_avg_pool{rank}d")(x, target),
        shape,
    )
    case(
        f"adaptive_max_pool{rank}d",
        lambda F, x, rank=rank, target=target: getattr(F, f"adaptive_max_pool{rank}d")(x, target, return_mask=True),
        shape,
    )
    case(f"adaptive_avg_pool{rank}d: one", lambda F, x, rank=rank: getattr(F, f"adaptive_avg_pool{rank}d")(x, 1), shape)
    case(f"adaptive_max_pool{rank}d: one", lambda F, x, rank=rank: getattr(F, f"adaptive_max_pool{rank}d")(x, 1), shape)
case(
    "adaptive_avg_pool2d: kept size, channels last",
    lambda F, x: F.adaptive_avg_pool2d(x, [None, 3], data_format="NHWC"),
    (2, 5, 8, 3),
)
