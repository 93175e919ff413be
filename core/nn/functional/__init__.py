"""paddle.nn.functional: Paddle's functional names, and masked_batch_norm of ours, found in the operator families."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d affine_grid alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear
    binary_cross_entropy binary_cross_entropy_with_logits celu channel_shuffle class_center_sample conv1d
    conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose cosine_embedding_loss cosine_similarity
    cross_entropy ctc_loss diag_embed dice_loss dropout dropout2d dropout3d elu elu_ embedding fold gather_tree
    gaussian_nll_loss gelu glu grid_sample group_norm gumbel_softmax hardshrink hardsigmoid hardswish hardtanh
    hardtanh_ hinge_embedding_loss hsigmoid_loss instance_norm interpolate kl_div l1_loss label_smooth layer_norm
    leaky_relu leaky_relu_ linear local_response_norm log_loss log_sigmoid log_softmax margin_cross_entropy
    margin_ranking_loss masked_batch_norm max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d
    maxout mish mse_loss multi_label_soft_margin_loss multi_margin_loss nll_loss normalize npair_loss one_hot pad
    pairwise_distance pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rnnt_loss rrelu
    scaled_dot_product_attention selu sequence_mask sigmoid sigmoid_focal_loss silu smooth_l1_loss soft_margin_loss
    softmax softmax_ softmax_with_cross_entropy softplus softshrink softsign sparse_attention square_error_cost swish
    tanh tanh_ tanhshrink temporal_shift thresholded_relu thresholded_relu_ triplet_margin_loss
    triplet_margin_with_distance_loss unfold upsample zeropad2d
""".split()  # noqa: PLE0605

# another function has the first name at the top level; the others are not there at all
_ELSEWHERE = {
    "unfold": "core.operators.shape.pixels",
    "class_center_sample": "core.operators.losses.margins",
    "margin_cross_entropy": "core.operators.losses.margins",
    "sparse_attention": "core.operators.layers.attention_sparse",
}


def __getattr__(name: str) -> Any:
    if name == "flash_attention":  # a module in Paddle too
        return importlib.import_module("core.nn.functional.flash_attention")
    if name not in __all__:
        raise AttributeError(f"core.nn.functional has no function {name!r}")
    importlib.import_module("core.autograd")  # the rules belong to the operators
    function = getattr(importlib.import_module(_ELSEWHERE.get(name, "core.operators")), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return list(__all__)
