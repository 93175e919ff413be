"""Local response normalisation: divide by the strength of neighbouring channels."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators.creation.creation import assign
from core.operators.layers._activation_primitives import floating_tensor, through_float32
from core.operators.layers._pooling_primitives import average_windows
from core.operators.layers._windows import channel_first, channel_last
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor


def local_response_norm(
    x: Tensor,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    """Divide by (k + alpha * mean of the squares of neighbouring channels) ** beta (AlexNet's normalisation).

    Args:
        x: Shape (N, C, ...), 3-D to 5-D, floating-point.
        size: Neighbouring channels that count, the channel itself among them; missing ones count as 0.
        alpha: Factor of the mean.
        beta: Exponent.
        k: What is added.
        data_format: A layout with the channel second or last.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: the size is not positive, or x has not 3 to 5 dimensions.
    """
    floating_tensor(x, "local_response_norm")
    if size < 1:
        raise OperatorError(f"local_response_norm: size must be at least 1, got {size}")
    if not 3 <= x.ndim <= 5:
        raise OperatorError(f"local_response_norm: x must have 3 to 5 dimensions, got shape {x.shape}")
    if x.size == 0:
        return assign(x)
    if x.dtype.size == 2:
        return through_float32(local_response_norm, x, size, alpha, beta, k, data_format)
    last = not data_format.startswith("NC")
    if last:
        x = channel_first(x)
    batch, channels = x.shape[:2]
    positions = x.size // (batch * channels)
    squares = reshape_exact(x * x, [batch, 1, channels, positions])
    window = {"kernel": (size, 1), "stride": (1, 1), "pad": (size // 2, 0), "exclusive": False}
    means = average_windows(squares, **window)
    if size % 2 == 0:
        means = means[:, :, :channels]
    means = reshape_exact(means, x.shape)
    result = x / (means * float(alpha) + float(k)) ** float(beta)
    return channel_last(result) if last else result


__all__ = ["local_response_norm"]
