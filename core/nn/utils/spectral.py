"""Power iteration for the largest singular value of a weight."""

from __future__ import annotations

from typing import Any

from core.autograd import no_grad


def normalised_by_spectrum(
    weight: Any, u: Any, v: Any, dim: int, iterations: int, epsilon: float
) -> tuple[Any, Any, Any]:
    """Return (weight / largest singular value, new u, new v).

    Gradients flow through the weight, not through u and v.

    Args:
        weight: A weight of any shape.
        u: Estimate of the left singular vector (rows,).
        v: Estimate of the right singular vector (columns,).
        dim: Axis of the weight that becomes the rows of the matrix.
        iterations: Number of power iterations.
        epsilon: Added to lengths before dividing by them.
    """
    rows = weight.shape[dim]
    matrix = weight
    if dim != 0:
        matrix = weight.transpose([dim, *(axis for axis in range(len(weight.shape)) if axis != dim)])
    matrix = matrix.reshape([rows, -1])
    with no_grad():
        fixed = matrix.detach()
        for _ in range(iterations):
            v = _unit(fixed.transpose([1, 0]).matmul(u), epsilon)
            u = _unit(fixed.matmul(v), epsilon)
    sigma = (u.detach() * matrix.matmul(v.detach())).sum()
    return weight / sigma, u, v


def _unit(vector: Any, epsilon: float) -> Any:
    return vector / ((vector * vector).sum().sqrt() + epsilon)
