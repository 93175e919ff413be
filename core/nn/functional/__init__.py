"""paddle.nn.functional: Paddle's functional names and the operator family each one lives in."""

from __future__ import annotations

import importlib
from typing import Any

_FAMILIES = {
    "activation": """
        celu elu elu_ gelu glu gumbel_softmax hardshrink hardsigmoid hardswish hardtanh hardtanh_ leaky_relu leaky_relu_
        log_sigmoid log_softmax maxout mish prelu relu relu6 relu_ rrelu selu sigmoid silu softmax softmax_ softplus
        softshrink softsign swish tanh tanh_ tanhshrink thresholded_relu thresholded_relu_
    """,
    "common": """
        alpha_dropout bilinear class_center_sample cosine_similarity dropout dropout2d dropout3d embedding label_smooth
        linear normalize pairwise_distance scaled_dot_product_attention sparse_attention
    """,
    "convolution": "conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose",
    "loss": """
        binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy ctc_loss dice_loss
        gaussian_nll_loss hinge_embedding_loss hsigmoid_loss kl_div l1_loss log_loss margin_cross_entropy
        margin_ranking_loss mse_loss multi_label_soft_margin_loss multi_margin_loss nll_loss npair_loss
        poisson_nll_loss rnnt_loss sigmoid_focal_loss smooth_l1_loss soft_margin_loss softmax_with_cross_entropy
        square_error_cost triplet_margin_loss triplet_margin_with_distance_loss
    """,
    "normalization": "batch_norm group_norm instance_norm layer_norm local_response_norm",
    "pooling": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
        adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d
        max_unpool3d
    """,
    "grids": "affine_grid grid_sample",
    "padding": "pad zeropad2d",
    "pixels": "channel_shuffle fold pixel_shuffle pixel_unshuffle unfold",
    "resampling": "interpolate upsample",
    "views": "gather_tree temporal_shift",
    "diagonals": "diag_embed",
    "masking": "one_hot sequence_mask",
}
_FAMILY_OF = {name: family for family, names in _FAMILIES.items() for name in names.split()}

__all__ = sorted(_FAMILY_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    family = _FAMILY_OF.get(name)
    if family is None:
        raise AttributeError(f"core.nn.functional has no function {name!r}")
    try:
        function = getattr(importlib.import_module(f"core.operators.{family}"), name)
    except (ImportError, AttributeError) as error:
        raise AttributeError(f"core.nn.functional.{name} is not there: {error}") from error
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return list(__all__)
