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
    from core.kernels.layers.narrow.affine import narrow_affine  # numba loads with the first use

    narrow_affine(*arrays, out=out, **options)


def _check_narrow_affine(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    from core.kernels.channels_last.forms import words  # numba loads with the first use
    from core.kernels.layers.narrow.affine import COLUMNS, can_multiply

    (x, _), (panels, _), (bias, _), (scales, _) = metas
    fits = len(x) > 0 and 0 not in x and len(bias) == 1 and bias == scales
    depth = words(x[-1], 0 if options.get("in_words") else options["form"]) if fits else 0
    fits = fits and can_multiply(depth << options["form"])
    fits = fits and panels == (-(-bias[0] // COLUMNS), 1 + depth, COLUMNS)
    fits = fits and (not options.get("written") or can_multiply(bias[0]))
    if not fits or any(dtype is not float32 for _, dtype in metas):
        raise OperatorError(
            f"narrow_affine: x {list(x)}, panels {list(panels)}, bias {list(bias)} and scales {list(scales)} do not"
            " fit each other"
        )


def _narrow_attention(*arrays: np.ndarray, out: np.ndarray, **options: Any) -> None:
    from core.kernels.layers.narrow.attention import narrow_attention  # numba loads with the first use

    narrow_attention(*arrays, out=out, **options)


def _check_narrow_attention(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    from core.kernels.layers.narrow.attention import can_attend  # numba loads with the first use

    query, key, value, *masks = [shape for shape, _ in metas]
    fits = len(query) == len(key) == 4 and 0 not in (*query, *key) and key == value
    fits = fits and query[0] == key[0] and query[2:] == key[2:] and can_attend(2 * query[3])
    wanted = (query[0], query[2], query[1], key[1]) if fits else ()
    fits = fits and all(
        len(mask) == 4 and all(size in (1, full) for size, full in zip(mask, wanted)) for mask in masks
    )
    if not fits or any(dtype is not float32 for _, dtype in metas):
        raise OperatorError(
            f"narrow_attention: query {list(query)}, key {list(key)}, value {list(value)} and mask"
            f" {[list(mask) for mask in masks]} do not fit each other"
        )


def _last_in_words(shape: tuple[int, ...], form: int, factor: int = 1) -> Meta:
    return ((*shape[:-1], shape[-1] * factor >> form), float32)


def _normalized(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    words = [_last_in_words(metas[0][0], options["written"])] if options.get("written") else []
    return [metas[0], *words, *[metas[0]] * options["keep"]]


def _add_and_normalize(*arrays: np.ndarray, out: Any, **options: Any) -> None:
    if options.get("written"):
        from core.kernels.layers.narrow.normalization import add_and_normalize_narrow  # numba loads with the first use

        add_and_normalize_narrow(*arrays, out=out, **options)
    else:
        from core.kernels.layers.normalization import add_and_normalize_rows  # likewise

        add_and_normalize_rows(*arrays, out=out, **options)


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
    infer=lambda metas, options: [_last_in_words((*metas[0][0][:-1], metas[2][0][0]), options.get("written", 0))],
    differentiable=False,
    fills=True,
)
"""The same in 16 or 8 bits: of x, the matrix in panels, bias, and of bytes the scales of the sums."""

narrow_attention = HostOperator(
    "narrow_attention",
    _narrow_attention,
    check=_check_narrow_attention,
    infer=lambda metas, options: [_last_in_words(metas[0][0], options.get("written", 0), 2)],
    differentiable=False,
    fills=True,
)
"""Attention of the words of query, key and value in bfloat16, and of a mask where there is one."""

add_and_normalize = HostOperator(
    "add_and_normalize",
    _add_and_normalize,
    check=_check_normalization,
    infer=_normalized,
    differentiable=False,
    fills=True,
)
"""The layer-normalised rows of x + y, given x, y, scale and shift; where ``written``, their words; where ``keep``, the
sum."""
