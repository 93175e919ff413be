"""Primitives of one step of generating sequences; :mod:`core.text.generation` loops over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int64
from core.kernels.engine.custom_kernels import kernel
from core.kernels.sizes.dimension import agree


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit each other: the kernels would read other memory."""
    (logits, _), (tokens, _), *others = metas
    beams = others[0][0][-1] if "length_penalty" in options else 1
    forced = others[5 if "length_penalty" in options else 3][0]
    if len(logits) != 2 or not agree(logits[:1], tokens[:1]):
        raise OperatorError(f"generation: a step gives scores of words for {tokens[0]} rows, got {list(logits)}")
    if not agree(forced[:1], logits[:1]):
        raise OperatorError(f"generation: forced tokens are for {logits[0]} rows, got {list(forced)}")
    words, end = logits[1], options["end_token"]
    if isinstance(words, int) and words < beams:
        raise OperatorError(f"generation: beam_size={beams} is wider than the vocabulary of {words} words")
    if isinstance(words, int) and not 0 <= end < words:
        raise OperatorError(f"generation: end_token={end} is outside the vocabulary of {words} words")


def _chosen(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[3], *metas[1:5]]


def _continued(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    rows = (metas[0][0][:1], int64)
    return [rows, rows, *metas[1:7]]


choose_tokens = HostOperator(
    "choose_tokens",
    kernel("layers.decoding", "choose_tokens"),
    check=_check,
    infer=_chosen,
    differentiable=False,
    fills=True,
)
beam_step = HostOperator(
    "beam_step",
    kernel("layers.decoding", "beam_step"),
    check=_check,
    infer=_continued,
    differentiable=False,
    fills=True,
)
