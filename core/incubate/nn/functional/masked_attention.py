"""Attention of one new step to those before it, kept in a cache."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from core.operators import arange, full, matmul, stack, where
from core.tensor import Tensor


def masked_multihead_attention(
    x: Tensor,
    cache_kv: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    src_mask: Optional[Tensor] = None,
    cum_offsets: Optional[Tensor] = None,
    sequence_lengths: Optional[Tensor] = None,
    rotary_tensor: Optional[Tensor] = None,
    beam_cache_offset: Optional[Tensor] = None,
    qkv_out_scale: Optional[Tensor] = None,
    out_shift: Optional[Tensor] = None,
    out_smooth: Optional[Tensor] = None,
    seq_len: int = 1,
    rotary_emb_dims: int = 0,
    use_neox_rotary_style: bool = False,
    compute_dtype: str = "default",
    out_scale: float = -1,
    quant_round_type: int = 1,
    quant_max_bound: float = 127.0,
    quant_min_bound: float = -127.0,
) -> tuple[Tensor, Tensor]:
    """Let the newest step of each sequence look at itself and the steps before it, whose keys and values are kept.

    Args:
        x: (batch, 3 * heads * head size): query, key and value of the step.
        cache_kv: (2, batch, heads, longest, head size): keys and values; those of the step are written into it.
        bias: (3, heads, head size), added to x, or None.
        src_mask: (batch, 1, 1, steps), added to the scores. Without ``sequence_lengths`` the step is its last one.
        cum_offsets: unused, as in Paddle.
        sequence_lengths: (batch, 1), integers: how many steps of each sequence are kept already.
        rotary_tensor: None: rotary positions are not offered here (``fused_rotary_position_embedding`` has them).
        beam_cache_offset: None: beams that share a cache are not offered.
        qkv_out_scale: None: 8-bit integers are not offered, neither in nor out.
        out_shift: None, likewise.
        out_smooth: None, likewise.
        seq_len: 1, the number of new steps.
        rotary_emb_dims: 0, see ``rotary_tensor``.
        use_neox_rotary_style: unused without rotary positions.
        compute_dtype: unused: what is computed has the type of x.
        out_scale: not positive, see ``qkv_out_scale``.
        quant_round_type: unused.
        quant_max_bound: unused.
        quant_min_bound: unused.

    Returns:
        The result (batch, heads * head size), and the cache.

    Raises:
        NotImplementedError: an argument wants what is not offered.
        OperatorError: the shapes do not fit, or neither a mask nor lengths say which step it is.
    """
    wanted = {
        "rotary_tensor": rotary_tensor,
        "beam_cache_offset": beam_cache_offset,
        "qkv_out_scale": qkv_out_scale,
        "out_shift": out_shift,
        "out_smooth": out_smooth,
        "rotary_emb_dims": rotary_emb_dims or None,
        "out_scale": out_scale if out_scale > 0 else None,
        "seq_len": None if seq_len == 1 else seq_len,
    }
    for argument, value in wanted.items():
        if value is not None:
            raise NotImplementedError(f"masked_multihead_attention: {argument} is not offered: leave it out")
    if cache_kv is None or cache_kv.ndim != 5 or x.ndim != 2 or x.shape[1] != 3 * cache_kv.shape[2] * cache_kv.shape[4]:
        raise OperatorError(
            "masked_multihead_attention: x is (batch, 3 * heads * head size), cache_kv (2, batch, heads, longest, head"
            f" size), got {x.shape} and {None if cache_kv is None else cache_kv.shape}"
        )
    _, batch, heads, longest, size = cache_kv.shape
    step = x.reshape([batch, 3, heads, 1, size])
    step = step if bias is None else step + bias.unsqueeze([0, 3])
    place = _place(src_mask, sequence_lengths, batch)
    here = arange(0, longest) == place
    keys, values = [where(here.reshape([batch, 1, longest, 1]), step[:, part], cache_kv[part - 1]) for part in (1, 2)]
    scores = matmul(step[:, 0] * size**-0.5, keys, transpose_y=True)
    seen = (arange(0, longest) <= place).reshape([batch, 1, 1, longest])
    scores = scores + (1.0 - seen.astype(scores.dtype)) * -6e4
    if src_mask is not None:
        missing = longest - src_mask.shape[3]
        scores = scores + F.pad(src_mask, [0, missing, 0, 0], data_format="NCHW") if missing else scores + src_mask
    result = matmul(F.softmax(scores), values).reshape([batch, heads * size])
    cache_kv.set_value(stack([keys, values]).detach())
    return result, cache_kv


def _place(mask: Optional[Tensor], lengths: Optional[Tensor], batch: int) -> Any:
    """Return the number of the newest step, (batch, 1)."""
    if lengths is not None:
        return lengths.reshape([-1, 1]).astype("int64")
    if mask is None:
        raise OperatorError(
            "masked_multihead_attention: give src_mask or sequence_lengths, which say where the step is"
        )
    return full([batch, 1], mask.shape[3] - 1, "int64")
