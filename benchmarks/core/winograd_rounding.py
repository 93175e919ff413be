"""How Winograd's algorithms for 3 x 3 convolutions round in float32, by the points that they evaluate at.

    python -m benchmarks.core.winograd_rounding [--tiles 40]

Windows of positive numbers, as behind a rectifier, and weights of trained sizes, 64 and 512 channels to 64. "mean" is
the root mean square of the error over that of the result in float64, "largest" the largest error over the largest
result. The plain product is beside them. Computed with NumPy by the matrices of the kernels.
"""

from __future__ import annotations

import argparse

import numpy as np

from core.kernels.channels_last import winograd

OUTPUTS = 64
POINTS = {"2 x 2": (2, None), "4 x 4": (4, None), "4 x 4, usual points": (4, (1.0, 2.0))}
"""Of a way of computing the side of its tiles, and its points where they are not those of the kernels."""


def main() -> None:
    """Print a row for each way and number of channels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiles", type=int, default=40, help="tiles that are computed (default 40)")
    options = parser.parse_args()
    print(f"{'tiles':22} {'channels':>8} {'mean':>8} {'largest':>8} {'plain: mean':>12} {'largest':>8}")
    for name, (side, points) in POINTS.items():
        matrices = winograd.matrices(side, points)
        for channels in (64, 512):
            errors = [f"{error:.1e}" for error in rounding(matrices, channels, options.tiles)]
            print(f"{name:22} {channels:8} {errors[0]:>8} {errors[1]:>8} {errors[2]:>12} {errors[3]:>8}")


def rounding(matrices: tuple[np.ndarray, np.ndarray, np.ndarray], channels: int, tiles: int) -> list[float]:
    """Return the mean and the largest error of an algorithm, and of the plain product.

    Args:
        matrices: for the result, the weights and the window, as of :func:`winograd.matrices`.
        channels: of the windows.
        tiles: how many.
    """
    result, changed, window = matrices
    side, size = result.shape
    random = np.random.default_rng(0)
    x = np.maximum(random.standard_normal((tiles, size, size, channels)), 0).astype(np.float32)
    w = (random.standard_normal((3, 3, channels, OUTPUTS)) * np.sqrt(2 / (9 * channels))).astype(np.float32)
    exact, plain = (_plain(x.astype(kind), w.astype(kind), side) for kind in (np.float64, np.float32))
    weights = np.einsum("ai,bj,ijck->abck", changed, changed, w.astype(np.float64)).astype(np.float32)
    windows = _along(window, _along(window, x, 1), 2)
    products = np.matmul(windows.transpose(1, 2, 0, 3), weights).transpose(2, 0, 1, 3)
    found = _along(result, _along(result, products, 1), 2)
    scale = np.sqrt((exact**2).mean()), np.abs(exact).max()
    return [
        error
        for values in (found, plain)
        for error in (np.sqrt(((values - exact) ** 2).mean()) / scale[0], np.abs(values - exact).max() / scale[1])
    ]


def _plain(x: np.ndarray, w: np.ndarray, side: int) -> np.ndarray:
    total = np.zeros((len(x), side, side, OUTPUTS), x.dtype)
    for i in range(3):
        for j in range(3):
            total += x[:, i : i + side, j : j + side] @ w[i, j]
    return total


def _along(matrix: np.ndarray, values: np.ndarray, axis: int) -> np.ndarray:
    """Return a matrix times an axis, each product and sum rounded to float32 in order."""
    moved = np.moveaxis(values, axis, 0)
    rows = []
    for row in matrix.astype(np.float32):
        total = np.zeros(moved.shape[1:], np.float32)
        for factor, part in zip(row, moved):
            if factor:
                total = total + factor * part
        rows.append(total)
    return np.moveaxis(np.stack(rows), 0, axis)


if __name__ == "__main__":
    main()
