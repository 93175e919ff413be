"""Example calls of linear maps, embeddings, dropout and distances."""

from __future__ import annotations

from tests.core.samples import Sample, call

SAMPLES: dict[str, list[Sample]] = {
    "alpha_dropout": [lambda d: call(d.f(4, 5), 0.4), lambda d: call(d.f(4, 5), training=False)],
    "bilinear": [lambda d: call(d.f(4, 2), d.f(4, 3), d.f(5, 2, 3), d.f(1, 5))],
    "cosine_similarity": [lambda d: call(d.f(4, 3), d.f(4, 3)), lambda d: call(d.f(4, 3), d.f(3), axis=-1)],
    "dropout": [
        lambda d: call(d.f(4, 5)),
        lambda d: call(d.f(4, 5), 0.3, axis=1),
        lambda d: call(d.f(4, 5), 0.3, training=False, mode="downscale_in_infer"),
    ],
    "dropout2d": [lambda d: call(d.f(2, 4, 3, 3))],
    "dropout3d": [lambda d: call(d.f(2, 3, 3, 3, 4), data_format="NDHWC")],
    "embedding": [
        lambda d: call(d.i(2, 3, high=5), d.f(5, 4)),
        lambda d: call(d.i(6, high=5), d.f(5, 4), padding_idx=1),
    ],
    "label_smooth": [lambda d: call(d.f(4, 3)), lambda d: call(d.f(4, 3), d.f(1, 3), 0.2)],
    "linear": [
        lambda d: call(d.f(4, 3), d.f(3, 5), d.f(5)),
        lambda d: call(d.f(2, 4, 3), d.f(3, 5)),
        lambda d: call(d.f(2, 4, 3), d.f(3), d.f(4)),
    ],
    "normalize": [lambda d: call(d.f(4, 3)), lambda d: call(d.f(4, 3), p=3, axis=0)],
    "pairwise_distance": [
        lambda d: call(d.f(4, 3), d.f(4, 3)),
        lambda d: call(d.f(4, 3), d.f(4, 3), 1.0, keepdim=True),
    ],
}
