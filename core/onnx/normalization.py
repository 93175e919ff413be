"""Normalisation and softmax."""

from __future__ import annotations

from core.onnx.graph import Graph, Operand


def frozen_normalization(
    graph: Graph,
    x: Operand,
    scale: Operand,
    shift: Operand,
    mean: Operand,
    variance: Operand,
    *,
    axis: int,
    epsilon: float,
) -> str:
    """Normalise each channel with a given mean and variance; ONNX expects the channels at axis 1."""
    if axis == 1:
        return graph.node("BatchNormalization", x, scale, shift, mean, variance, epsilon=epsilon)
    order = list(range(x.rank))
    order[1], order[axis] = axis, 1
    turned = graph.node("Transpose", x, perm=order)
    normal = graph.node("BatchNormalization", turned, scale, shift, mean, variance, epsilon=epsilon)
    return graph.node("Transpose", normal, perm=order)


def batch_normalization(
    graph: Graph,
    x: Operand,
    scale: Operand,
    shift: Operand,
    unused_mean: Operand,
    unused_variance: Operand,
    *,
    axis: int,
    epsilon: float,
) -> list[str]:
    """Normalise each channel over all other axes; also returns each channel's mean and 1 / sqrt(variance + epsilon)."""
    others = [i for i in range(x.rank) if i != axis]
    mean = graph.reduce("ReduceMean", x, others)
    centred = graph.node("Sub", x, mean)
    variance = graph.reduce("ReduceMean", graph.node("Mul", centred, centred), others)
    root = graph.node("Sqrt", graph.node("Add", variance, graph.number(epsilon, x.dtype)))
    inverse = graph.node("Reciprocal", root)
    around = graph.integers(*[-1 if i == axis else 1 for i in range(x.rank)])
    scaled = graph.node("Mul", graph.node("Mul", centred, inverse), graph.node("Reshape", scale, around))
    normal = graph.node("Add", scaled, graph.node("Reshape", shift, around))
    flat = graph.integers(-1)
    return [normal, graph.node("Reshape", mean, flat), graph.node("Reshape", inverse, flat)]


def masked_batch_normalization(
    graph: Graph, x: Operand, mask: Operand, scale: Operand, shift: Operand, *, epsilon: float
) -> list[str]:
    """Normalise each channel, the last axis, by the rows that count; also returns the statistics of those."""
    rows = list(range(x.rank - 1))
    shares = graph.node("Div", mask, graph.reduce("ReduceSum", mask, rows))
    shares = graph.unsqueeze(shares, x.rank - 1)
    mean = graph.reduce("ReduceSum", graph.node("Mul", x, shares), rows)
    centred = graph.node("Sub", x, mean)
    squares = graph.node("Mul", graph.node("Mul", centred, centred), shares)
    variance = graph.reduce("ReduceSum", squares, rows)
    root = graph.node("Sqrt", graph.node("Add", variance, graph.number(epsilon, x.dtype)))
    inverse, flat = graph.node("Reciprocal", root), graph.integers(-1)
    normal = graph.node("Add", graph.node("Mul", graph.node("Mul", centred, inverse), scale), shift)
    return [normal, graph.node("Reshape", mean, flat), graph.node("Reshape", inverse, flat)]


def layer_normalization(graph: Graph, x: Operand, scale: Operand, shift: Operand, *, epsilon: float) -> list[str]:
    """Normalise each row of the last axis; also returns each row's mean and sqrt(variance + epsilon)."""
    if graph.opset_version >= 17:
        normal, mean, inverse = graph.node_of_many(
            "LayerNormalization", x, scale, shift, outputs=3, axis=-1, epsilon=epsilon
        )
        return [normal, mean, graph.node("Reciprocal", inverse)]
    mean = graph.reduce("ReduceMean", x, [x.rank - 1])
    centred = graph.node("Sub", x, mean)
    variance = graph.reduce("ReduceMean", graph.node("Mul", centred, centred), [x.rank - 1])
    root = graph.node("Sqrt", graph.node("Add", variance, graph.number(epsilon, x.dtype)))
    scaled = graph.node("Mul", graph.node("Div", centred, root), scale)
    return [graph.node("Add", scaled, shift), mean, root]


def instance_normalization(graph: Graph, x: Operand, scale: Operand, shift: Operand, *, epsilon: float) -> list[str]:
    """Normalise each channel of each image; also returns their means and sqrt(variance + epsilon)."""
    others = list(range(2, x.rank))
    mean = graph.reduce("ReduceMean", x, others)
    centred = graph.node("Sub", x, mean)
    variance = graph.reduce("ReduceMean", graph.node("Mul", centred, centred), others)
    root = graph.node("Sqrt", graph.node("Add", variance, graph.number(epsilon, x.dtype)))
    around = graph.integers(-1, *[1 for _ in others])
    scaled = graph.node("Mul", graph.node("Div", centred, root), graph.node("Reshape", scale, around))
    flat = graph.integers(0, 0)
    results = [graph.node("Reshape", statistic, flat) for statistic in (mean, root)]
    return [graph.node("Add", scaled, graph.node("Reshape", shift, around)), *results]


def softmax(graph: Graph, x: Operand, axis: int) -> str:
    """Turn scores into probabilities along an axis."""
    return graph.node("Softmax", x, axis=axis)


def log_softmax(graph: Graph, x: Operand, axis: int) -> str:
    """Turn scores into logarithms of probabilities along an axis."""
    return graph.node("LogSoftmax", x, axis=axis)
