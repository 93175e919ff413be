"""Fluid's recurrent layers for inputs that are projected already: dynamic_lstm, dynamic_lstmp and dynamic_gru.

Parameters have the shapes of Fluid 1.x's files. Where sequences have lengths, a reversed layer begins at each one's
last step, and outputs behind the lengths are 0.
"""

from __future__ import annotations

from typing import Any, Literal, Optional

from core.nn import Layer
from core.nn.param_attr import PresentAttrLike
from core.operators import cast, concat, full, zeros
from core.operators.sequences.recurrent import peephole_lstm, reset_first_gru
from core.tensor import Tensor


class DynamicLSTM(Layer):
    """Long short-term memory with peepholes (Gers and Schmidhuber 2000), Fluid's ``dynamic_lstm``.

    Parameters: ``weight`` (H, 4 H), in the order candidate, input, forget, output; ``bias`` (1, 7 H), the last three
    parts of which are the peepholes of input, forget and output gate, or (1, 4 H).

    Args:
        hidden_size: H; Fluid's ``size`` is four times that.
        use_peepholes: Whether gates see the memory.
        is_reverse: Whether the last step comes first.
        param_attr: ParamAttr of the weight.
        bias_attr: ParamAttr of the bias.

    Raises:
        ValueError: ``hidden_size`` is not positive.
    """

    def __init__(
        self,
        hidden_size: int,
        use_peepholes: bool = True,
        is_reverse: bool = False,
        param_attr: PresentAttrLike = None,
        bias_attr: PresentAttrLike = None,
    ) -> None:
        super().__init__()
        _check_sizes(type(self).__name__, hidden_size=hidden_size)
        self.hidden_size = hidden_size
        self.use_peepholes = use_peepholes
        self.is_reverse = is_reverse
        self.weight = self.create_parameter([self.state_size, 4 * hidden_size], attr=param_attr)
        width = (7 if use_peepholes else 4) * hidden_size
        self.bias = self.create_parameter([1, width], attr=bias_attr, is_bias=True)

    @property
    def state_size(self) -> int:
        """Length of the hidden state."""
        return self.hidden_size

    def forward(
        self,
        input: Tensor,  # noqa: A002  # Fluid's name
        lengths: Optional[Tensor] = None,
        h_0: Optional[Tensor] = None,
        c_0: Optional[Tensor] = None,
    ) -> tuple[Tensor, Tensor]:
        """Return the hidden states and the memories of all steps, (N, L, state_size) and (N, L, H).

        Args:
            input: Projected inputs, (N, L, 4 H).
            lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.
            h_0: Hidden state before the first step, (N, state_size); zeros when None.
            c_0: Memory before the first step, (N, H); zeros when None.

        Raises:
            OperatorError: shapes do not fit each other, or a length is beyond the padding.
        """
        return self._run(input, lengths, h_0, c_0, None)

    def _run(
        self,
        x: Tensor,
        lengths: Optional[Tensor],
        h_0: Optional[Tensor],
        c_0: Optional[Tensor],
        projection: Optional[Tensor],
        **options: Any,
    ) -> tuple[Tensor, Tensor]:
        size = self.hidden_size
        flat = self.bias.reshape([-1])
        peepholes = flat[4 * size :].reshape([3, size]) if self.use_peepholes else None
        states = first_state(h_0, x, self.state_size), first_state(c_0, x, size)
        settings = {"cell_clip": 0.0, "projection_clip": 0.0, "squashed": False, **options}
        y, memories, _ = peephole_lstm(
            x.transpose([1, 0, 2]),
            self.weight,
            flat[: 4 * size],
            states,
            all_lengths(lengths, x),
            peepholes,
            projection,
            reverse=self.is_reverse,
            repeated=False,
            **settings,
        )
        return y.transpose([1, 0, 2]), memories.transpose([1, 0, 2])


class DynamicLSTMP(DynamicLSTM):
    """Long short-term memory whose hidden state is projected (Sak et al. 2014), Fluid's ``dynamic_lstmp``.

    Parameters: ``weight`` (P, 4 H), ``proj_weight`` (H, P), ``bias`` as in :class:`DynamicLSTM`. ELMo's layers have no
    peepholes, the projection's activation ``identity``, and both clips 3.

    Args:
        hidden_size: H, length of the memory.
        proj_size: P, length of the hidden state.
        use_peepholes: Whether gates see the memory.
        is_reverse: Whether the last step comes first.
        cell_clip: Largest size of a number of the memory; any when None.
        proj_clip: Largest size of a number of the hidden state; any when None.
        proj_activation: ``tanh`` or ``identity``.
        param_attr: ParamAttr of both weights.
        bias_attr: ParamAttr of the bias.

    Raises:
        ValueError: a size or clip is not positive, or the activation is another.
    """

    def __init__(
        self,
        hidden_size: int,
        proj_size: int,
        use_peepholes: bool = True,
        is_reverse: bool = False,
        cell_clip: Optional[float] = None,
        proj_clip: Optional[float] = None,
        proj_activation: str = "tanh",
        param_attr: PresentAttrLike = None,
        bias_attr: PresentAttrLike = None,
    ) -> None:
        _check_sizes(type(self).__name__, proj_size=proj_size)
        for name, limit in (("cell_clip", cell_clip), ("proj_clip", proj_clip)):
            if limit is not None and not limit > 0:
                raise ValueError(f"DynamicLSTMP: {name} is a positive number, or None for no limit, got {limit}")
        if proj_activation not in ("tanh", "identity"):
            raise ValueError(f"DynamicLSTMP: proj_activation is 'tanh' or 'identity', not {proj_activation!r}")
        self.proj_size = proj_size
        super().__init__(hidden_size, use_peepholes, is_reverse, param_attr, bias_attr)
        self.cell_clip = cell_clip
        self.proj_clip = proj_clip
        self.proj_activation = proj_activation
        self.proj_weight = self.create_parameter([hidden_size, proj_size], attr=param_attr)

    @property
    def state_size(self) -> int:
        """Length of the hidden state."""
        return self.proj_size

    def forward(
        self,
        input: Tensor,  # noqa: A002  # Fluid's name
        lengths: Optional[Tensor] = None,
        h_0: Optional[Tensor] = None,
        c_0: Optional[Tensor] = None,
    ) -> tuple[Tensor, Tensor]:
        """Return what :meth:`DynamicLSTM.forward` does, the hidden states projected, (N, L, P)."""
        options = {
            "cell_clip": float(self.cell_clip or 0),
            "projection_clip": float(self.proj_clip or 0),
            "squashed": self.proj_activation == "tanh",
        }
        return self._run(input, lengths, h_0, c_0, self.proj_weight, **options)


class DynamicGRU(Layer):
    """Gated recurrent units that reset before they multiply (Cho et al. 2014), Fluid's ``dynamic_gru``.

    Parameters: ``weight`` (H, 3 H), whose numbers are first those of update and reset gate, (H, 2 H), then those of the
    candidate, (H, H); ``bias`` (1, 3 H).

    Args:
        hidden_size: H.
        is_reverse: Whether the last step comes first.
        origin_mode: Whether the update gate says how much of the state is kept, as in the paper, rather than how much
            of it is new.
        param_attr: ParamAttr of the weight.
        bias_attr: ParamAttr of the bias.
        candidate_activation: ``tanh`` or ``relu``.

    Raises:
        ValueError: ``hidden_size`` is not positive, or there is no such activation.
    """

    def __init__(
        self,
        hidden_size: int,
        is_reverse: bool = False,
        origin_mode: bool = False,
        param_attr: PresentAttrLike = None,
        bias_attr: PresentAttrLike = None,
        candidate_activation: Literal["tanh", "relu"] = "tanh",
    ) -> None:
        super().__init__()
        _check_sizes("DynamicGRU", hidden_size=hidden_size)
        if candidate_activation not in ("tanh", "relu"):
            raise ValueError(f"DynamicGRU: candidate_activation is 'tanh' or 'relu', not {candidate_activation!r}")
        self.hidden_size = hidden_size
        self.is_reverse = is_reverse
        self.origin_mode = origin_mode
        self.candidate_activation = candidate_activation
        self.weight = self.create_parameter([hidden_size, 3 * hidden_size], attr=param_attr)
        self.bias = self.create_parameter([1, 3 * hidden_size], attr=bias_attr, is_bias=True)

    def forward(
        self,
        input: Tensor,  # noqa: A002  # Fluid's name
        lengths: Optional[Tensor] = None,
        h_0: Optional[Tensor] = None,
    ) -> Tensor:
        """Return the hidden states of all steps, (N, L, H).

        Args:
            input: Projected inputs, (N, L, 3 H), in the order update, reset, candidate.
            lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.
            h_0: Hidden state before the first step, (N, H); zeros when None.

        Raises:
            OperatorError: shapes do not fit each other, or a length is beyond the padding.
        """
        size, numbers = self.hidden_size, self.weight.reshape([-1])
        y, _ = reset_first_gru(
            input.transpose([1, 0, 2]),
            numbers[: 2 * size * size].reshape([size, 2 * size]),
            numbers[2 * size * size :].reshape([size, size]),
            self.bias.reshape([-1]),
            first_state(h_0, input, size),
            all_lengths(lengths, input),
            reverse=self.is_reverse,
            origin=self.origin_mode,
            repeated=False,
            rectified=self.candidate_activation == "relu",
        )
        return y.transpose([1, 0, 2])


def first_state(given: Optional[Tensor], x: Tensor, size: int) -> Tensor:
    """Return a state before the first step, zeros (N, size) where none is given."""
    return zeros([x.shape[0], size], dtype=x.dtype) if given is None else given


def all_lengths(lengths: Optional[Tensor], x: Tensor) -> Tensor:
    """Return the lengths of sequences (N, L, ...), int64 (N,); L where none are given."""
    return full([x.shape[0]], x.shape[1], "int64") if lengths is None else cast(lengths, "int64")


def joined_directions(parts: list[Tensor], axis: int) -> Tensor:
    """Return outputs of one direction, or of both joined along an axis."""
    return parts[0] if len(parts) == 1 else concat(parts, axis=axis)


def _check_sizes(name: str, **sizes: int) -> None:
    for key, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name}: {key} is a positive number, got {size}")
