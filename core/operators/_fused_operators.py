"""Operators of exported programs alone: several others in one custom kernel; see core.jit.passes.custom_kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32


def _packed_affine(*arrays: np.ndarray, activation: str, out: np.ndarray) -> None:
    from core.kernels.layers.affine import packed_affine  # numba loads with the first use

    packed_affine(*arrays, activation=activation, out=out)


def _check_affine(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    from core.kernels.numeric.tiles import COLUMNS  # numba loads with the first use

    (x, _), (panels, _), (bias, _) = metas
    fits = len(x) > 0 and len(bias) == 1 and panels == (-(-bias[0] // COLUMNS), x[-1], COLUMNS)
    if not fits or any(dtype is not float32 for _, dtype in metas):
        raise OperatorError(
            f"packed_affine: x {list(x)}, panels {list(panels)} and bias {list(bias)} do not fit each other"
        )


def _narrow_affine(*arrays: np.ndarray, out: np.ndarray, **options: Any) -> None:
    from core.kernels.layers.narrow_affine import narrow_affine  # numba loads with the first use

    narrow_affine(*arrays, out=out, **options)


def _check_narrow_affine(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    from core.kernels.channels_last.forms import words  # numba loads with the first use
    from core.kernels.layers.narrow_affine import COLUMNS, can_multiply

    (x, _), (panels, _), (bias, _), (scales, _) = metas
    fits = len(x) > 0 and 0 not in x and len(bias) == 1 and bias == scales and can_multiply(x[-1])
    fits = fits and panels == (-(-bias[0] // COLUMNS), 1 + words(x[-1], options["form"]), COLUMNS)
    if not fits or any(dtype is not float32 for _, dtype in metas):
        raise OperatorError(
            f"narrow_affine: x {list(x)}, panels {list(panels)}, bias {list(bias)} and scales {list(scales)} do not"
            " fit each other"
        )


def _add_and_normalize(*arrays: np.ndarray, epsilon: float, keep: bool, out: Any) -> None:
    from core.kernels.layers.normalization import add_and_normalize_rows  # numba loads with the first use

    add_and_normalize_rows(*arrays, epsilon=epsilon, keep=keep, out=out)


def _check_normalization(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    (x, _), (y, _), (scale, _), (shift, _) = metas
    fits = x == y and len(x) > 0 and scale == shift == x[-1:]
    if not fits or any(dtype is not float32 for _, dtype in metas):
        raise OperatorError(
            f"add_and_normalize: x {list(x)}, y {list(y)}, scale {list(scale)} and shift {list(shift)} do not fit"
            " each other"
        )


packed_affine = HostOperator(
    "packed_affine",
    _packed_affine,
    check=_check_affine,
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[2][0][0]), float32)],
    differentiable=False,
    fills=True,
)
"""activation(x @ matrix + bias) of x, the matrix in panels, and bias."""

narrow_affine = HostOperator(
    "narrow_affine",
    _narrow_affine,
    check=_check_narrow_affine,
    infer=lambda metas, options: [((*metas[0][0][:-1], metas[2][0][0]), float32)],
    differentiable=False,
    fills=True,
)
"""The same in 16 or 8 bits: of x, the matrix in panels, bias, and of bytes the scales of the sums."""

add_and_normalize = HostOperator(
    "add_and_normalize",
    _add_and_normalize,
    check=_check_normalization,
    infer=lambda metas, options: [metas[0]] * (2 if options["keep"] else 1),
    differentiable=False,
    fills=True,
)
"""The layer-normalised rows of x + y, given x, y, scale and shift; where ``keep``, the sum too."""
