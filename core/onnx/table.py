"""The table: which converter turns which primitive into ONNX, and why the others cannot be."""

from __future__ import annotations

from core.kernels.dispatch.operator import REGISTRY
from core.onnx import (
    attention,
    boxes,
    constants,
    convolution,
    elementwise,
    indexing,
    matrices,
    normalization,
    ordering,
    pooling,
    proposals,
    quantization,
    recurrent,
    reduction,
    resampling,
    shapes,
)
from core.onnx.elementwise import (
    Converter,
    binary,
    comparison,
    comparison_with_scalar,
    logical,
    unary,
    with_scalar,
)

CONVERTERS: dict[str, Converter] = {
    # arithmetic of two operands
    "add": binary("Add"),
    "add_scalar": with_scalar("Add"),
    "add_reverse_scalar": with_scalar("Add", reverse=True),
    "subtract": binary("Sub"),
    "subtract_scalar": with_scalar("Sub"),
    "subtract_reverse_scalar": with_scalar("Sub", reverse=True),
    "multiply": binary("Mul"),
    "multiply_scalar": with_scalar("Mul"),
    "multiply_reverse_scalar": with_scalar("Mul", reverse=True),
    "divide": binary("Div"),
    "divide_scalar": with_scalar("Div"),
    "divide_reverse_scalar": with_scalar("Div", reverse=True),
    "pow": binary("Pow"),
    "pow_scalar": with_scalar("Pow"),
    "pow_reverse_scalar": with_scalar("Pow", reverse=True),
    "pow_integers": elementwise.pow_integers,
    "maximum": binary("Max"),
    "maximum_scalar": with_scalar("Max"),
    "maximum_reverse_scalar": with_scalar("Max", reverse=True),
    "minimum": binary("Min"),
    "minimum_scalar": with_scalar("Min"),
    "minimum_reverse_scalar": with_scalar("Min", reverse=True),
    "remainder": elementwise.remainder,
    "remainder_integers": elementwise.remainder_integers,
    "divide_integers": elementwise.divide_integers,
    "floor_divide_integers": elementwise.floor_divide_integers,
    "hypot": elementwise.hypot,
    "atan2": elementwise.atan2,
    "add_n": elementwise.add_n,
    # comparison, logic, choice
    "equal": comparison("Equal"),
    "equal_scalar": comparison_with_scalar("Equal"),
    "equal_reverse_scalar": comparison_with_scalar("Equal", reverse=True),
    "not_equal": comparison("Equal", negated=True),
    "not_equal_scalar": comparison_with_scalar("Equal", negated=True),
    "not_equal_reverse_scalar": comparison_with_scalar("Equal", negated=True, reverse=True),
    "less_than": comparison("Less"),
    "less_than_scalar": comparison_with_scalar("Less"),
    "less_than_reverse_scalar": comparison_with_scalar("Less", reverse=True),
    "less_equal": comparison("LessOrEqual"),
    "less_equal_scalar": comparison_with_scalar("LessOrEqual"),
    "less_equal_reverse_scalar": comparison_with_scalar("LessOrEqual", reverse=True),
    "greater_than": comparison("Greater"),
    "greater_than_scalar": comparison_with_scalar("Greater"),
    "greater_than_reverse_scalar": comparison_with_scalar("Greater", reverse=True),
    "greater_equal": comparison("GreaterOrEqual"),
    "greater_equal_scalar": comparison_with_scalar("GreaterOrEqual"),
    "greater_equal_reverse_scalar": comparison_with_scalar("GreaterOrEqual", reverse=True),
    "bitwise_and": logical("And", "BitwiseAnd"),
    "bitwise_or": logical("Or", "BitwiseOr"),
    "bitwise_xor": logical("Xor", "BitwiseXor"),
    "bitwise_not": logical("Not", "BitwiseNot"),
    "isfinite": elementwise.isfinite,
    "isinf": unary("IsInf"),
    "isnan": unary("IsNaN"),
    "where": elementwise.where,
    "where_same": elementwise.where,
    "nan_to_num": elementwise.nan_to_num,
    # functions of one operand
    "assign": elementwise.identity,
    "detach": elementwise.identity,
    "cast": elementwise.cast,
    "half_cast": elementwise.cast,
    "abs": unary("Abs"),
    "acos": unary("Acos"),
    "acosh": unary("Acosh"),
    "asin": unary("Asin"),
    "asinh": unary("Asinh"),
    "atan": unary("Atan"),
    "atanh": unary("Atanh"),
    "ceil": unary("Ceil"),
    "clip": elementwise.clip,
    "cos": unary("Cos"),
    "cosh": unary("Cosh"),
    "erf": unary("Erf"),
    "exp": unary("Exp"),
    "expm1": elementwise.expm1,
    "floor": unary("Floor"),
    "gelu": elementwise.gelu,
    "hard_sigmoid": elementwise.hard_sigmoid,
    "hard_swish": elementwise.hard_swish,
    "leaky_relu": elementwise.leaky_relu,
    "log": unary("Log"),
    "log10": elementwise.logarithm(10),
    "log1p": elementwise.log1p,
    "log2": elementwise.logarithm(2),
    "logistic_loss": elementwise.logistic_loss,
    "neg": unary("Neg"),
    "reciprocal": unary("Reciprocal"),
    "relu": unary("Relu"),
    "round": elementwise.round_half_away,
    "rsqrt": elementwise.rsqrt,
    "sigmoid": unary("Sigmoid"),
    "sign": unary("Sign"),
    "sin": unary("Sin"),
    "sinh": unary("Sinh"),
    "sqrt": unary("Sqrt"),
    "square": elementwise.square,
    "swish": elementwise.swish,
    "tan": unary("Tan"),
    "tanh": unary("Tanh"),
    "trunc": elementwise.trunc,
    # products of matrices
    "affine": matrices.affine,
    "inner_products": matrices.inner_products,
    "linear": matrices.linear,
    "matrix_product": matrices.matrix_product,
    "integer_matrix_product": matrices.matrix_product,
    "det": unary("Det"),
    # recurrent networks
    "attention": attention.attention,
    "lstm": recurrent.lstm,
    "gru": recurrent.gru,
    "simple_rnn": recurrent.simple_rnn,
    # convolution
    "convolution": convolution.convolution,
    "convolution_input_gradient": convolution.transposed_convolution,
    "image_to_columns": convolution.image_to_columns,
    "columns_to_image": convolution.columns_to_image,
    # pooling
    "maximum_pooling": pooling.maximum_pooling,
    "average_pooling": pooling.average_pooling,
    "adaptive_average_pooling": pooling.adaptive_average_pooling,
    "maximum_positions": pooling.maximum_positions,
    "adaptive_maximum_positions": pooling.adaptive_maximum_positions,
    "gather_positions": pooling.gather_positions,
    "scatter_positions": pooling.scatter_positions,
    # boxes
    "region_align": boxes.region_align,
    "region_align_levels": boxes.region_align_levels,
    "multiclass_suppression_padded": boxes.multiclass_suppression_padded,
    "generate_proposals_padded": proposals.generate_proposals_padded,
    "share_out_proposals_padded": proposals.share_out_proposals_padded,
    "anchors": proposals.anchors,
    "prior_boxes": proposals.prior_boxes,
    "deformable_columns": boxes.deformable_columns,
    # normalisation
    "batch_normalization": normalization.batch_normalization,
    "frozen_normalization": normalization.frozen_normalization,
    "masked_batch_normalization": normalization.masked_batch_normalization,
    "layer_normalization": normalization.layer_normalization,
    "instance_normalization": normalization.instance_normalization,
    "softmax": normalization.softmax,
    "log_softmax": normalization.log_softmax,
    # shape and order of the elements
    "reshape": shapes.reshape,
    "temporal_shift": shapes.temporal_shift,
    "transpose": shapes.transpose,
    "broadcast_to": shapes.broadcast_to,
    "full": shapes.full,
    "arange": constants.arange,
    "linspace": constants.linspace,
    "eye": constants.eye,
    "positions": constants.positions,
    "positions_along": constants.positions_along,
    "lower_triangle": constants.lower_triangle,
    "slice_origin": constants.slice_origin,
    "unused_statistics": constants.unused_statistics,
    "later_positions": constants.later_positions,
    "diagonal_positions": constants.diagonal_positions,
    "diagonal_mask": constants.diagonal_mask,
    "windows": constants.windows,
    "numbers": constants.numbers,
    "affine_points": constants.affine_points,
    "nearest_positions": resampling.nearest_positions,
    "interpolation_weights": resampling.interpolation_weights,
    "constant_result": shapes.constant_result,
    "concat": shapes.concat,
    "stack": shapes.stack,
    "split": shapes.split,
    "split_equally": shapes.split,
    "slice": shapes.cut,
    "pad": shapes.pad,
    "pad_integers": shapes.pad,
    # positions that are tensors
    "take": indexing.take,
    "mean_cross_entropy": indexing.mean_cross_entropy,
    "pick": indexing.pick,
    "one_hot": indexing.one_hot,
    "scatter_add_rows": indexing.scatter_add_rows,
    "scatter_set_rows": indexing.scatter_set_rows,
    "sum_edges": indexing.sum_edges,
    "extreme_edges": indexing.extreme_edges,
    "searchsorted": indexing.searchsorted,
    "histogram": indexing.histogram,
    # 8 bits
    "quantize_dequantize": quantization.quantize_dequantize,
    "dequantize": quantization.dequantize,
    # reduction
    "sum": reduction.reduction("ReduceSum"),
    "max": reduction.reduction("ReduceMax"),
    "min": reduction.reduction("ReduceMin"),
    "amax": reduction.reduction("ReduceMax"),
    "amin": reduction.reduction("ReduceMin"),
    "prod": reduction.reduction("ReduceProd"),
    "all": reduction.truth("ReduceMin"),
    "any": reduction.truth("ReduceMax"),
    "cumsum": reduction.cumsum,
    "cumprod": reduction.cumprod,
    "logcumsumexp": reduction.logcumsumexp,
    "running_position": reduction.running_position,
    # order
    "arg_extreme": ordering.arg_extreme,
    "argsort": ordering.argsort,
    "topk": ordering.topk,
    "mode": ordering.mode,
    "quantile_ranks": ordering.quantile_ranks,
}
"""Primitive to the function that adds its nodes: ``converter(graph, *operands, **attributes)`` returns the output's
name, an operand, or a list of them."""

_RANDOM = "random numbers, which could not be compared: draw them outside and pass them in"
_ALGEBRA = "matrix factorisation: compute it outside the exported layer"
_FUNCTION = "a function that ONNX lacks: compute it outside the exported layer"
_CELL = "a recurrent cell of Fluid whose inputs are projected before, where ONNX's project them: compute it outside"
_GRADIENT = "a gradient: compute it outside the exported layer"
_EDGES = "messages along the edges of a graph: send_u_recv of core.geometric has a form in ONNX"
_PRINT = "nothing prints there: take it out of the exported layer"
_LENGTH = "a result whose size depends on the data: compute it outside the exported layer"

REFUSED: dict[str, str] = {
    **dict.fromkeys(
        [
            "choose_categories", "choose_class_centers", "draw_neighbors", "dropout_draw", "dropout_mask", "gamma",
            "normal", "poisson", "randint", "shuffle", "uniform",
        ],
        _RANDOM,
    ),
    **dict.fromkeys(
        [
            "cholesky", "eig", "eigh", "inverse", "lu", "matrix_rank", "pinv", "pivot_permutation", "qr", "slogdet",
            "solve", "svd", "triangular_solve",
        ],
        _ALGEBRA,
    ),
    **dict.fromkeys(
        [
            "attend_to_kept", "attend_to_memory", "beam_step", "bessel_i", "choose_tokens", "crf_log_norm",
            "crf_path_score", "ctc", "erfinv", "exponents", "follow_parents", "fourier", "fourier_real",
            "gcd_integers", "lcm_integers", "lgamma", "match_boxes", "matrix_suppression_padded", "nextafter",
            "non_maximum_suppression_padded", "polygamma", "rasterize_objects", "region_largest", "region_sensitive",
            "sample_labels", "sparse_pattern", "viterbi",
        ],
        _FUNCTION,
    ),
    **dict.fromkeys(
        [
            "add_ends", "dot_ends", "edge_expand", "edge_extreme", "edge_softmax", "edge_sum", "gather_extreme",
            "gather_multiply_add", "gather_multiply_sum", "gather_sum", "group_edges", "segment_runs", "sum_of_winners",
        ],
        _EDGES,
    ),
    **dict.fromkeys(["peephole_lstm", "reset_first_gru"], _CELL),
    "gradient": _GRADIENT,
    "print": _PRINT,
    **dict.fromkeys(
        [
            "bincount", "generate_proposals", "lstsq", "matrix_suppression", "multiclass_suppression",
            "non_maximum_suppression", "nonzero", "renumber_nodes", "repeat_positions", "share_out_proposals", "unique",
            "unique_consecutive",
        ],
        _LENGTH,
    ),
}  # fmt: skip
"""Primitive to the reason, with the fix, why it has no converter."""


def reason_for(name: str) -> str:
    """Return why a primitive cannot be exported, with the fix."""
    if name in REFUSED:
        return REFUSED[name]
    if name not in REGISTRY:
        return "Python code of its own, of a PyLayer or hook: call its tensor operators directly"
    return _GRADIENT if name.endswith(GRADIENTS) else "an operator without a form in ONNX: compute it outside"


GRADIENTS = ("_back", "_backward", "_gradient", "_gradients", "_keep")
"""How the names of primitives end that only gradients use."""
