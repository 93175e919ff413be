"""Generating sequences step by step: beam search, and the loop that runs it."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from core.operators import cast, stack, take_along_axis, topk, where
from core.operators.indexing.gathering import index_argument
from core.tensor import Tensor, registered

Step = Callable[..., tuple[Any, list[Any]]]
IMPOSSIBLE = -1e9


class BeamOutput(NamedTuple):
    """What one step found for each beam [batch, beams]: its score, its token, and the beam that it continues."""

    scores: Tensor
    predicted_ids: Tensor
    parent_ids: Tensor


class BeamState(NamedTuple):
    """The cell's states, and for each beam [batch, beams] its log-probability, whether it ended, and its length."""

    cell_states: Any
    log_probs: Tensor
    finished: Tensor
    lengths: Tensor


def _mapped(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Apply a function to the tensors of nested tuples, lists and dicts."""
    if isinstance(first, Tensor):
        return function(first, *others)
    if isinstance(first, dict):
        return {key: _mapped(function, first[key], *[other[key] for other in others]) for key in first}
    if isinstance(first, (list, tuple)):
        found = [_mapped(function, *parts) for parts in zip(first, *others)]
        return type(first)(*found) if hasattr(first, "_fields") else type(first)(found)
    raise TypeError(f"decoding: states are Tensors in tuples, lists and dicts, not {type(first).__name__}")


class Decoder:
    """What :func:`dynamic_decode` runs: a subclass says how to begin, what one step is, and what to do at the end."""

    tracks_own_finished = False

    def initialize(self, inits: Any) -> tuple[Any, Any, Tensor]:
        """Return the first inputs and states, and whether sequences have ended.

        Args:
            inits: what the caller of :func:`dynamic_decode` gave.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define initialize(inits)")

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Tensor]:
        """Return a step's outputs, the states after it, the next inputs, and whether sequences have ended.

        Args:
            time: the step's number, from 0.
            inputs: the step's inputs.
            states: the states before it.
            kwargs: what the caller of :func:`dynamic_decode` gave.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define step(time, inputs, states)")


class BeamSearchDecoder(Decoder):
    """Beam search with a recurrent cell: at each step the best continuations of all beams are kept.

    A subclass may override :meth:`step` and build it of the protected methods, which are Paddle's.

    Args:
        cell: Takes inputs and states, returns outputs and new states.
        start_token: The token that sequences begin with.
        end_token: The token that ends them.
        beam_size: How many sequences are kept for each sample.
        embedding_fn: Turns tokens into the cell's inputs; the tokens themselves when None.
        output_fn: Turns the cell's outputs [batch, beams, ...] into scores of all tokens; they are the scores when
            None.
    """

    OutputWrapper = BeamOutput
    StateWrapper = BeamState
    tracks_own_finished = True

    def __init__(
        self,
        cell: Callable[..., Any],
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Optional[Callable[[Tensor], Tensor]] = None,
        output_fn: Optional[Callable[[Tensor], Tensor]] = None,
    ) -> None:
        self.cell = cell
        self.start_token = int(start_token)
        self.end_token = int(end_token)
        self.beam_size = int(beam_size)
        self.embedding_fn = embedding_fn
        self.output_fn = output_fn

    @staticmethod
    def tile_beam_merge_with_batch(x: Tensor, beam_size: int) -> Tensor:
        """Repeat each sample for its beams.

        Args:
            x: Shape [batch, ...].
            beam_size: Number of beams.

        Returns:
            Shape [batch * beams, ...].
        """
        wide = x.unsqueeze(1).expand([x.shape[0], beam_size, *x.shape[1:]])
        return wide.reshape([x.shape[0] * beam_size, *x.shape[1:]])

    def initialize(self, initial_cell_states: Any) -> tuple[Any, BeamState, Tensor]:
        """Return the first inputs, states and whether beams have ended.

        Args:
            initial_cell_states: The cell's first states, each of shape [batch, ...].
        """
        wide = _mapped(self._expand_to_beam_size, initial_cell_states)
        shapes: list[list[int]] = []
        _mapped(lambda state: shapes.append(state.shape), wide)
        if not shapes:
            raise OperatorError("BeamSearchDecoder: the cell's states hold no tensor")
        places = [shapes[0][0], self.beam_size]
        first = np.where(np.arange(self.beam_size) == 0, 0.0, IMPOSSIBLE)
        tokens = Tensor(np.full(places, self.start_token), dtype="int64")
        state = BeamState(
            wide,
            Tensor(np.broadcast_to(first, places), dtype="float32"),
            Tensor(np.zeros(places, bool)),
            Tensor(np.zeros(places), dtype="int64"),
        )
        return self._embedded(tokens), state, state.finished

    def step(
        self, time: Any, inputs: Any, states: BeamState, **kwargs: Any
    ) -> tuple[BeamOutput, BeamState, Any, Tensor]:
        """Run the cell once for all beams and keep the best continuations.

        Args:
            time: The step's number; not used.
            inputs: The cell's inputs [batch, beams, ...].
            states: The state before.
            kwargs: Handed to the cell.

        Returns:
            What was found, the state after, the next inputs, and whether beams have ended.
        """
        merged = _mapped(self._merge_batch_beams, inputs), _mapped(self._merge_batch_beams, states.cell_states)
        outputs, after = self.cell(*merged, **kwargs)
        scores = _mapped(self._split_batch_beams, outputs)
        if self.output_fn is not None:
            scores = self.output_fn(scores)
        found, state = self._beam_search_step(time, scores, _mapped(self._split_batch_beams, after), states)
        return found, state, self._embedded(found.predicted_ids), state.finished

    def finalize(
        self, outputs: BeamOutput, final_states: BeamState, sequence_lengths: Tensor
    ) -> tuple[Tensor, BeamState]:
        """Follow the beams back from their end.

        Args:
            outputs: What all steps found, each of shape [steps, batch, beams].
            final_states: The last state.
            sequence_lengths: The beams' lengths; not used.

        Returns:
            Tokens [steps, batch, beams], and the last state.
        """
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    def _beam_search_step(
        self, time: Any, logits: Tensor, next_cell_states: Any, beam_state: BeamState
    ) -> tuple[BeamOutput, BeamState]:
        """Return the best continuations of all beams, and the state after them.

        Args:
            time: The step's number; not used.
            logits: Scores of all tokens [batch, beams, words].
            next_cell_states: The cell's states after the step, each of shape [batch, beams, ...].
            beam_state: The state before.
        """
        batch, beams, words = logits.shape
        logs = self._mask_probs(F.log_softmax(cast(logits, "float32"), -1), beam_state.finished)
        total = (logs + beam_state.log_probs.unsqueeze(-1)).reshape([batch, beams * words])
        best, places = topk(total, self.beam_size, axis=-1)
        parents, tokens = places // words, places % words
        finished = self._gather(beam_state.finished, parents, batch)
        lengths = self._gather(beam_state.lengths, parents, batch) + cast(finished.logical_not(), "int64")
        finished = finished.logical_or(tokens == self.end_token)
        cell_states = _mapped(lambda x: self._gather(x, parents, batch), next_cell_states)
        return BeamOutput(best, tokens, parents), BeamState(cell_states, best, finished, lengths)

    def _mask_probs(self, probs: Tensor, finished: Tensor) -> Tensor:
        """Return log-probabilities [batch, beams, words] in which beams that have ended can only end again."""
        only_end = np.where(np.arange(probs.shape[-1]) == self.end_token, 0.0, IMPOSSIBLE)
        ended = finished.unsqueeze(-1).expand(probs.shape)
        return where(ended, Tensor(only_end, dtype=probs.dtype).expand(probs.shape), probs)

    def _gather(self, x: Tensor, indices: Tensor, batch_size: Any) -> Tensor:
        """Return [batch, beams, ...] with each beam replaced by the one that ``indices`` [batch, beams] names."""
        index = index_argument(indices, "BeamSearchDecoder")
        index = index.reshape([*index.shape, *[1] * (x.ndim - 2)]).expand([*index.shape, *x.shape[2:]])
        if x.dtype.kind == "b":
            return cast(take_along_axis(cast(x, "int32"), index, 1), x.dtype)
        return take_along_axis(x, index, 1)

    def _expand_to_beam_size(self, x: Tensor) -> Tensor:
        """Return [batch, beams, ...], each sample of [batch, ...] repeated."""
        return x.unsqueeze(1).expand([x.shape[0], self.beam_size, *x.shape[1:]])

    def _merge_batch_beams(self, x: Tensor) -> Tensor:
        """Return [batch * beams, ...] of [batch, beams, ...]."""
        return x.reshape([x.shape[0] * x.shape[1], *x.shape[2:]])

    def _split_batch_beams(self, x: Tensor) -> Tensor:
        """Return [batch, beams, ...] of [batch * beams, ...]."""
        return x.reshape([x.shape[0] // self.beam_size, self.beam_size, *x.shape[1:]])

    def _embedded(self, tokens: Tensor) -> Any:
        return tokens if self.embedding_fn is None else self.embedding_fn(tokens)


def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: Optional[int] = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a decoder until all sequences have ended; how many steps that takes depends on the data.

    In a compiled program it is a loop, whose outputs have ``max_step_num + 1`` steps: behind the last one that was
    needed they repeat what one more step gives, for a beam search that is nothing new.

    Args:
        decoder: Has ``initialize(inits)``, ``step(time, inputs, states)`` and, if outputs are worked on at the end,
            ``finalize(outputs, states, lengths)``; see :class:`BeamSearchDecoder`.
        inits: Handed to ``initialize``.
        max_step_num: The number of the last step, from 0; no limit when None, which a program does not allow.
        output_time_major: Return [steps, batch, ...] instead of [batch, steps, ...].
        impute_finished: Sequences that have ended keep their states; without effect where the decoder tracks ends
            itself.
        is_test: Taken for Paddle's sake and not used.
        return_length: Return the lengths too.
        kwargs: Handed to ``step``.

    Returns:
        The outputs, the last states, and with return_length the lengths.

    Raises:
        OperatorError: all sequences have ended before the first step, or a program is to run without a limit.
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths = cast(finished.logical_not(), "int64") * 0

    def step(time: Tensor, *before: Any) -> tuple[Any, list[Any]]:
        inputs, states, finished, lengths = before
        outputs, following, inputs, ended = decoder.step(time, inputs, states, **kwargs)
        if not getattr(decoder, "tracks_own_finished", False):
            ended = ended.logical_or(finished)
            lengths = lengths + cast(finished.logical_not(), "int64")
            if impute_finished:
                following = _mapped(lambda new, old: _kept(new, old, finished), following, states)
        else:
            lengths = getattr(following, "lengths", lengths)
        return outputs, [inputs, following, ended, lengths]

    run = _all_steps_in_a_program if dispatcher.is_tracing() else _all_steps
    outputs, (_, states, _, lengths) = run(step, [inputs, states, finished, lengths], max_step_num)
    if hasattr(decoder, "finalize"):
        outputs, states = decoder.finalize(outputs, states, lengths)
    if not output_time_major:
        outputs = _mapped(lambda x: x.transpose([1, 0, *range(2, x.ndim)]), outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


def _all_steps(step: Step, current: list[Any], max_step_num: Optional[int]) -> tuple[Any, list[Any]]:
    """Return the outputs of all steps, [steps, batch, ...], and what is there after them."""
    found: list[Any] = []
    while not bool(current[2].all()) and (max_step_num is None or len(found) <= max_step_num):
        outputs, current = step(Tensor(len(found), dtype="int64"), *current)
        found.append(outputs)
    if not found:
        raise OperatorError("dynamic_decode: all sequences have ended before the first step")
    return _mapped(lambda *steps: stack(list(steps), 0), *found), current


def _all_steps_in_a_program(step: Step, current: list[Any], max_step_num: Optional[int]) -> tuple[Any, list[Any]]:
    """Do the same as a loop of the program that is traced: each step writes what it gives to all places behind it."""
    if max_step_num is None:
        raise OperatorError("dynamic_decode: a compiled program needs max_step_num, the number of its last step")
    count = max_step_num + 1
    places = Tensor(np.arange(count), dtype="int64")
    outputs, current = step(Tensor(0, dtype="int64"), *current)
    found = _mapped(lambda output: output.unsqueeze(0).expand([count, *output.shape]), outputs)

    def write(kept: Tensor, output: Tensor, behind: Tensor) -> Tensor:
        mask = behind.reshape([count, *[1] * output.ndim]).expand([count, *output.shape])
        wide = output.unsqueeze(0).expand([count, *output.shape])
        if output.dtype.kind == "b":
            return mask.logical_and(wide).logical_or(mask.logical_not().logical_and(kept))
        return where(mask, wide, kept)

    def go_on(time: Tensor, settled: Tensor, found: Any, current: list[Any]) -> Tensor:
        return settled.logical_not().logical_and(time < count)

    def body(time: Tensor, settled: Tensor, found: Any, current: list[Any]) -> list[Any]:
        settled = current[2].all()
        outputs, after = step(time, *current)
        found = _mapped(lambda kept, output: write(kept, output, places >= time), found, outputs)
        return [time + 1, settled, found, after]

    first = [Tensor(1, dtype="int64"), Tensor(False), found, current]
    _, _, found, current = registered("while_loop")(go_on, body, first)
    return found, current


def _kept(new: Tensor, old: Tensor, done: Tensor) -> Tensor:
    """Return the old state where a sequence has ended."""
    mask = done.reshape([*done.shape, *[1] * (new.ndim - done.ndim)]).expand(new.shape)
    if new.dtype.kind == "b":
        return mask.logical_and(old).logical_or(mask.logical_not().logical_and(new))
    return where(mask, old, new)
