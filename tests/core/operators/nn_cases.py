"""Calls of nn.functional, written once and run by Paddle (make_nn_references.py) and by us (test_nn_references.py)."""

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

# activation

for name, options in (
    ("celu", {"alpha": 0.7}),
    ("elu", {"alpha": 1.3}),
    ("gelu", {}),
    ("gelu", {"approximate": True}),
    ("glu", {}),
    ("glu", {"axis": 0}),
    ("hardshrink", {}),
    ("hardsigmoid", {}),
    ("hardsigmoid", {"slope": 0.3, "offset": 0.2}),
    ("hardswish", {}),
    ("hardtanh", {"min": -0.5, "max": 0.8}),
    ("leaky_relu", {"negative_slope": 0.2}),
    ("log_sigmoid", {}),
    ("log_softmax", {"axis": 0}),
    ("maxout", {"groups": 2}),
    ("maxout", {"groups": 3, "axis": -1}),
    ("mish", {}),
    ("relu", {}),
    ("relu6", {}),
    ("rrelu", {"training": False}),
    ("selu", {}),
    ("sigmoid", {}),
    ("silu", {}),
    ("softmax", {}),
    ("softmax", {"axis": 1}),
    ("softplus", {}),
    ("softplus", {"beta": 2, "threshold": 1}),
    ("softshrink", {"threshold": 0.3}),
    ("softsign", {}),
    ("swish", {}),
    ("tanh", {}),
    ("tanhshrink", {}),
    ("thresholded_relu", {"threshold": 0.4}),
):
    label = "_".join([name, *map(str, options.values())])
    shape = (2, 4, 6, 3) if name == "maxout" else (2, 4, 6)
    case(f"{label}", lambda F, x, name=name, options=options: getattr(F, name)(x * 3, **options), shape)
case("prelu_one", lambda F, x, w: F.prelu(x, w), (2, 3, 4), (1,))
case("prelu_channels", lambda F, x, w: F.prelu(x, w), (2, 3, 4), (3,))
case("prelu_last", lambda F, x, w: F.prelu(x, w, data_format="NHWC"), (2, 2, 4, 3), (3,))

# common

case("linear", lambda F, x, w, b: F.linear(x, w, b), (2, 3, 4), (4, 5), (5,))
case("embedding", lambda F, i, w: F.embedding(i, w), np.array([[0, 2], [2, 3]]), (4, 3))
case("embedding_padding", lambda F, i, w: F.embedding(i, w, padding_idx=-2), np.array([[0, 2], [2, 3]]), (4, 3))
case("bilinear", lambda F, x, y, w, b: F.bilinear(x, y, w, b), (3, 4), (3, 5), (2, 4, 5), (1, 2))
case("label_smooth", lambda F, x: F.label_smooth(x, epsilon=0.2), (3, 4))
case("label_smooth_prior", lambda F, x, p: F.label_smooth(x, p, epsilon=0.2), (3, 4), (1, 4))
case("cosine_similarity", lambda F, x, y: F.cosine_similarity(x, y, axis=-1), (3, 4), (3, 4))
for p in (0.0, 1.0, 2.0, 3.0, float("inf"), float("-inf")):
    case(f"pairwise_distance_{p}", lambda F, x, y, p=p: F.pairwise_distance(x, y, p, keepdim=p == 2.0), (3, 4), (3, 4))
for p in (1, 2, 3.5):
    case(f"normalize_{p}", lambda F, x, p=p: F.normalize(x, p, axis=-1), (3, 4))
case("normalize_default", lambda F, x: F.normalize(x), (2, 3, 2))
case("dropout_off", lambda F, x: F.dropout(x, 0.3, training=False, mode="downscale_in_infer"), (3, 4))

# loss

CLASSES = np.array([0, 2, 1, 2])
IGNORED = np.array([0, 2, -100, 2])
CHANCES = np.random.default_rng(0).dirichlet(np.ones(3), 4)
for reduction in ("mean", "sum", "none"):
    for name, labels, options in (
        ("plain", CLASSES, {}),
        ("column", CLASSES[:, None], {}),
        ("ignored", IGNORED, {}),
        ("ignored_two", CLASSES, {"ignore_index": 2}),
        ("smooth", CLASSES, {"label_smoothing": 0.2}),
    ):
        case(
            f"cross_entropy_{name}_{reduction}",
            lambda F, x, y, options=options, r=reduction: F.cross_entropy(x, y, reduction=r, **options),
            (4, 3),
            labels,
        )
        if name != "column":
            case(
                f"cross_entropy_{name}_weighted_{reduction}",
                lambda F, x, y, w, options=options, r=reduction: F.cross_entropy(
                    x, y, (w * w).detach(), reduction=r, **options
                ),
                (4, 3),
                labels,
                (3,),
            )
    case(
        f"cross_entropy_soft_{reduction}",
        lambda F, x, y, w, r=reduction: F.cross_entropy(x, y.detach(), w.detach(), reduction=r, soft_label=True),
        (4, 3),
        CHANCES,
        (3,),
    )
    case(
        f"cross_entropy_axis_{reduction}",
        lambda F, x, y, r=reduction: F.cross_entropy(x, y, reduction=r, axis=1),
        (2, 3, 2, 2),
        np.array([[[0, 1], [2, 2]], [[1, 1], [0, 2]]]),
    )
    for name, function in (
        ("nll_loss", lambda F, x, y, w, r: F.nll_loss(x, y, (w * w).detach(), reduction=r)),
        ("mse_loss", lambda F, x, y, w, r: F.mse_loss(x, w, r)),
        ("l1_loss", lambda F, x, y, w, r: F.l1_loss(x, w, r)),
        ("smooth_l1_loss", lambda F, x, y, w, r: F.smooth_l1_loss(x, x * 0.3 + w.sum() * 0, r, delta=0.6)),
        (
            "soft_margin_loss",
            lambda F, x, y, w, r: F.soft_margin_loss(x, (x.detach() > 0.2).astype(x.dtype) * 2 - 1, r),
        ),
        ("bce", lambda F, x, y, w, r: F.binary_cross_entropy(F.sigmoid(x), F.sigmoid(x * 2).detach(), reduction=r)),
        (
            "bce_weighted",
            lambda F, x, y, w, r: F.binary_cross_entropy(F.sigmoid(x), F.sigmoid(x * 2).detach(), w.detach(), r),
        ),
        (
            "bce_logits",
            lambda F, x, y, w, r: F.binary_cross_entropy_with_logits(x, F.sigmoid(x * 2).detach(), w.detach(), r),
        ),
        ("kl_div", lambda F, x, y, w, r: F.kl_div(x, F.softmax(x * 2).detach() - 0.2, r)),
        ("hinge", lambda F, x, y, w, r: F.hinge_embedding_loss(x, (x.detach() > 0.2).astype(x.dtype) * 2 - 1, 0.8, r)),
        ("poisson", lambda F, x, y, w, r: F.poisson_nll_loss(x, F.relu(x.detach()) * 3, True, True, reduction=r)),
        ("poisson_raw", lambda F, x, y, w, r: F.poisson_nll_loss(x * x + 1, F.relu(x.detach()), False, reduction=r)),
        (
            "gaussian",
            lambda F, x, y, w, r: F.gaussian_nll_loss(x, x.detach() * 2, (x * x + 0.1).detach(), True, reduction=r),
        ),
        ("focal", lambda F, x, y, w, r: F.sigmoid_focal_loss(x, (x.detach() > 0.2).astype(x.dtype), reduction=r)),
        (
            "multi_label",
            lambda F, x, y, w, r: F.multi_label_soft_margin_loss(
                x, (x.detach() > 0.2).astype(x.dtype), w.detach(), reduction=r
            ),
        ),
        ("multi_margin", lambda F, x, y, w, r: F.multi_margin_loss(x, y, 2, 0.9, reduction=r)),
        ("ranking", lambda F, x, y, w, r: F.margin_ranking_loss(x, x.flip(0), x.detach() * 0 + 1, 0.1, r)),
        (
            "cosine_embedding",
            lambda F, x, y, w, r: F.cosine_embedding_loss(x, x.flip(0) * 1.5, (y > 1).astype(x.dtype) * 2 - 1, 0.1, r),
        ),
        ("triplet", lambda F, x, y, w, r: F.triplet_margin_loss(x, x.flip(0), x.flip(1), swap=True, reduction=r)),
        (
            "triplet_distance",
            lambda F, x, y, w, r: F.triplet_margin_with_distance_loss(x, x.flip(0), x.flip(1), reduction=r),
        ),
    ):
        case(
            f"{name}_{reduction}",
            lambda F, x, y, w, function=function, r=reduction: function(F, x, y, w, r),
            (4, 3),
            CLASSES,
            (3,),
        )
case("kl_div_batchmean", lambda F, x: F.kl_div(x, F.softmax(x * 2).detach(), "batchmean"), (4, 3))
case("nll_loss_images", lambda F, x, y: F.nll_loss(x, y), (2, 3, 2), np.array([[0, 1], [2, 2]]))
case("log_loss", lambda F, x: F.log_loss(F.sigmoid(x).astype("float32"), (x.detach() > 0).astype("float32")), (4, 1))
case("square_error_cost", lambda F, x, y: F.square_error_cost(x, y), (4, 3), (4, 3))
case("dice_loss", lambda F, x, y: F.dice_loss(F.softmax(x), y), (4, 3), CLASSES[:, None])
case(
    "npair_loss",
    lambda F, x, z, y: F.npair_loss(x.astype("float32"), z.astype("float32"), y),
    (4, 3),
    (4, 3),
    CLASSES,
)
case(
    "softmax_with_cross_entropy",
    lambda F, x, y: F.softmax_with_cross_entropy(x, y, return_softmax=True),
    (4, 3),
    IGNORED[:, None],
)
case("multi_margin_weighted", lambda F, x, y, w: F.multi_margin_loss(x, y, 1, weight=w.detach()), (4, 3), CLASSES, (3,))
