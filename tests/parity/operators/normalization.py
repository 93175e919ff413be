"""Normalisation, and the functions of layers that are no activation, convolution or loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.parity.operators.table import Family

FAMILY = Family("nn.functional", tolerance=3e-7)
case = FAMILY.case


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
            f"batch_norm: {name}, training {training}",
            lambda F, x, w, b, options=options, training=training: batch_norm(F, x, w, b, training=training, **options),
            shape,
            (3,),
            (3,),
        )
case(
    "batch_norm: global",
    lambda F, x, w, b: batch_norm(F, x, w, b, training=True, use_global_stats=True),
    (4, 3, 5, 2),
    (3,),
    (3,),
)
case("batch_norm: bare", lambda F, x: F.batch_norm(x, *running(x[0, :, 0]), training=True), (4, 3, 5))
case("layer_norm", lambda F, x, w, b: F.layer_norm(x, 4, w, b), (2, 3, 4), (4,), (4,))
case("layer_norm: two", lambda F, x, w, b: F.layer_norm(x, [3, 4], w, b, 0.001), (2, 3, 4), (12,), (12,))
case("layer_norm: bare", lambda F, x: F.layer_norm(x, [3, 4]), (2, 3, 4))
case("instance_norm", lambda F, x, w, b: F.instance_norm(x, weight=w, bias=b), (2, 3, 4, 5), (3,), (3,))
case("instance_norm: bare", lambda F, x: F.instance_norm(x, eps=0.01), (2, 3, 4))
case("local_response_norm: odd", lambda F, x: F.local_response_norm(x, 3, alpha=0.5, beta=0.6, k=1.5), (2, 5, 3, 2))
case("local_response_norm: even", lambda F, x: F.local_response_norm(x, 4, alpha=0.5), (2, 5, 3))
case(
    "local_response_norm: channels last",
    lambda F, x: F.local_response_norm(x, 3, alpha=0.5, data_format="NDHWC"),
    (2, 2, 3, 2, 5),
)

case("linear", lambda F, x, w, b: F.linear(x, w, b), (2, 3, 4), (4, 5), (5,))
case("embedding", lambda F, i, w: F.embedding(i, w), np.array([[0, 2], [2, 3]]), (4, 3))
case("embedding: padding", lambda F, i, w: F.embedding(i, w, padding_idx=-2), np.array([[0, 2], [2, 3]]), (4, 3))
case("bilinear", lambda F, x, y, w, b: F.bilinear(x, y, w, b), (3, 4), (3, 5), (2, 4, 5), (1, 2))
case("label_smooth", lambda F, x: F.label_smooth(x, epsilon=0.2), (3, 4))
case("label_smooth: prior", lambda F, x, p: F.label_smooth(x, p.detach(), epsilon=0.2), (3, 4), (1, 4))
case("cosine_similarity", lambda F, x, y: F.cosine_similarity(x, y, axis=-1), (3, 4), (3, 4))
for p in (0.0, 1.0, 2.0, 3.0, float("inf"), float("-inf")):
    case(f"pairwise_distance: {p}", lambda F, x, y, p=p: F.pairwise_distance(x, y, p, keepdim=p == 2.0), (3, 4), (3, 4))
for p in (1, 2, 3.5):
    case(f"normalize: {p}", lambda F, x, p=p: F.normalize(x, p, axis=-1), (3, 4))
case("normalize: default", lambda F, x: F.normalize(x), (2, 3, 2))
case("dropout: off", lambda F, x: F.dropout(x, 0.3, training=False, mode="downscale_in_infer"), (3, 4))
case("linear: no bias", lambda F, x, w: F.linear(x, w), (3,), (3, 2))
case("linear: bias of one element", lambda F, x, w, b: F.linear(x, w, b), (2, 3), (3, 2), (1,))
case("linear: size 0", lambda F, x, w: F.linear(x, w), (0, 3), (3, 2), expected=np.matmul, wrong="Paddle refuses it")
case("embedding: int32", lambda F, i, w: F.embedding(i, w), np.array([[0, 2]], "int32"), (4, 3))
case("embedding: 0-D", lambda F, i, w: F.embedding(i, w), np.array(2), (4, 3))
case("cosine_similarity: broadcast", lambda F, x, y: F.cosine_similarity(x, y, axis=1, eps=1e-4), (2, 3), (1, 3))
case("normalize: epsilon", lambda F, x: F.normalize(x * 1e-3, epsilon=0.1), (2, 3))
case("layer_norm: weight only", lambda F, x, w: F.layer_norm(x, [4], weight=w), (2, 4), (4,))
case("layer_norm: bias only", lambda F, x, b: F.layer_norm(x, (4,), bias=b, epsilon=1e-3), (2, 4), (4,))
case("bilinear: no bias", lambda F, x, y, w: F.bilinear(x, y, w), (3, 4), (3, 5), (2, 4, 5))
case("instance_norm: three axes of space", lambda F, x: F.instance_norm(x), (2, 2, 2, 3, 2))
