"""Primitives of attention to what a search has kept; :mod:`core.text.generation` says which rows are whose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32, int64
from core.kernels.engine.custom_kernels import kernel
from core.kernels.sizes.dimension import agree
from core.tensor import Tensor, apply


def _refuse(what: str, metas: Sequence[Meta]) -> None:
    raise OperatorError(f"{what} do not fit each other: {', '.join(f'{d.name}{list(s)}' for s, d in metas)}")


def _check_kept(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    query, key, value, keys, values, sources, time = [shape for shape, _ in metas]
    fits = [len(one) for one in (query, key, value, keys, values, sources, time)] == [2, 2, 2, 3, 3, 2, 1]
    fits = fits and agree(query, key) and agree(key, value) and agree(keys, values)
    fits = fits and agree(query, (keys[0], keys[2])) and agree(sources, keys[:2]) and agree(time, (1,))
    fits = fits and [dtype for _, dtype in metas] == [float32] * 5 + [int64] * 2
    if not fits or not isinstance(query[1], int) or query[1] % options["heads"]:
        _refuse("attend_to_kept: query, key, value, kept keys and values, sources, time", metas)


def _check_memory(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernel would read other memory."""
    query, keys, values, added = [shape for shape, _ in metas]
    fits = [len(one) for one in (query, keys, values, added)] == [2, 3, 3, 2] and agree(keys, values)
    fits = fits and agree(query[1:], keys[2:]) and agree(added, keys[:2])
    fits = fits and all(dtype is float32 for _, dtype in metas)
    numbers = query[0], keys[0]
    if fits and all(isinstance(number, int) for number in numbers):
        fits = numbers[0] % max(numbers[1], 1) == 0
    if not fits or not isinstance(query[1], int) or query[1] % options["heads"]:
        _refuse("attend_to_memory: query, keys, values and what is added", metas)


def _check_sources(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    sources, parents, time = [shape for shape, _ in metas]
    fits = [len(one) for one in (sources, parents, time)] == [2, 1, 1] and agree(sources[:1], parents)
    if not fits or any(dtype is not int64 for _, dtype in metas):
        _refuse("follow_parents: sources, parents, time", metas)


_attend_to_kept = HostOperator(
    "attend_to_kept",
    kernel("layers.cached_attention", "attend_to_kept"),
    check=_check_kept,
    infer=lambda metas, options: [metas[0], metas[3], metas[4]],
    differentiable=False,
    fills=True,
)
_attend_to_memory = HostOperator(
    "attend_to_memory",
    kernel("layers.cached_attention", "attend_to_memory"),
    check=_check_memory,
    infer=lambda metas, options: [metas[0]],
    differentiable=False,
    fills=True,
)
_follow = HostOperator(
    "follow_parents",
    kernel("layers.cached_attention", "follow"),
    check=_check_sources,
    infer=lambda metas, options: [metas[0]],
    differentiable=False,
    fills=True,
)


def attend_to_kept(
    query: Tensor, key: Tensor, value: Tensor, kept: tuple[Tensor, Tensor], sources: Tensor, time: Tensor, heads: int
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Let one new token a row attend to itself and all before it, and keep its key and value.

    Args:
        query, key, value: float32 (R, H · D).
        kept: Keys and values of earlier steps, float32 (R, T, H · D), written up to the step before.
        sources: In which row each step's stand, for each row, int64 (R, T).
        time: The step's number, int64 (1,).
        heads: H.

    Returns:
        (float32 (R, H · D), the kept keys and values with the new ones).
    """
    found, keys, values = apply(_attend_to_kept, query, key, value, *kept, sources, time, heads=heads)
    return found, (keys, values)


def attend_to_memory(query: Tensor, keys: Tensor, values: Tensor, added: Tensor, heads: int) -> Tensor:
    """Let new tokens attend to a memory, of which R / N rows behind each other read one.

    Args:
        query: float32 (R, H · D).
        keys, values: float32 (N, S, H · D).
        added: What is added to the scores of each place, float32 (N, S).
        heads: H.

    Returns:
        float32 (R, H · D).
    """
    return apply(_attend_to_memory, query, keys, values, added, heads=heads)


def follow_parents(sources: Tensor, parents: Tensor, time: Tensor) -> Tensor:
    """Return in which row the keys and values of each step stand, for rows that continue others.

    Args:
        sources: Likewise for the rows before, int64 (R, T).
        parents: Which row each one continues, int64 (R,).
        time: The number of the step that was just computed, int64 (1,).
    """
    return apply(_follow, sources, parents, time)
