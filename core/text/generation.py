"""Generating sequences: greedy, drawn, or by beam search, in one loop that compiles.

A network gives a step: from the last tokens and its states it makes scores of all words and new states. Everything else
is here, and nothing of it leaves the program: under ``core.jit.to_static`` the step is traced once, for any number of
tokens, and only whether all sequences have ended is asked from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.operators import arange, cast, full, gather, to_tensor, uniform, where, zeros
from core.operators import sum as total
from core.operators.sequences.decoding import beam_step, choose_tokens
from core.operators.sequences.kept_attention import follow_parents
from core.static.nn import while_loop
from core.tensor import Tensor, apply

Step = Callable[[Tensor, Tensor, Any], tuple[Tensor, Any]]


class Generated(NamedTuple):
    """What was generated, best first where there are several sequences for a sample.

    Attributes:
        tokens: int64 (N, S, max_length), the padding token behind a sequence's end; S is 1 without beams.
        scores: float32 (N, S): the logarithm of a sequence's probability, of beams divided by the length's penalty.
        lengths: int64 (N, S), the end token included.
        ended: bool (N, S), False for a sequence that was cut off at ``max_length`` without an end token.
    """

    tokens: Tensor
    scores: Tensor
    lengths: Tensor
    ended: Tensor


class Shared(NamedTuple):
    """States whose rows stay where a step wrote them, such as keys and values of attention.

    Beams that continue others do not take such states along; it is noted in which rows those of earlier steps stand.

    Attributes:
        kept: A tensor, or tuples, lists and dicts of tensors (N, T, ...), T steps; a step gets (R, T, ...).
        sources: int64 (R, T), for each row the row that holds each earlier step. A step returns it as it is, and
            need not give it at first.
    """

    kept: Any
    sources: Any = None


@dataclass(frozen=True)
class Generation:
    """How sequences are generated.

    Args:
        start_token: The token that sequences begin with; it is no part of the result.
        end_token: The token that ends them.
        max_length: The most tokens of a sequence, the end token included. Where none has come by then, a sequence is
            cut off, and says so.
        strategy: ``greedy``, ``sampling`` or ``beam``.
        beam_size: Sequences that a beam search follows for each sample.
        pad_token: What fills up short sequences; the end token when None.
        min_length: The end token is not generated before so many others.
        temperature: Scores are divided by it before a token is drawn.
        top_k: Only so many best words are drawn; all when 0.
        top_p: Only the fewest best words that have this share of the probability are drawn.
        repetition_penalty: Scores of words that are there already are divided by it, negative ones multiplied
            (Keskar et al. 2019, arXiv:1909.05858).
        length_penalty: The power of (5 + length) / 6 that scores of finished beams are divided by (Wu et al. 2016,
            arXiv:1609.08144).
        early_stopping: A beam search ends with ``beam_size`` finished sequences; otherwise, when none can be better.

    Raises:
        ValueError: a value is out of range, with its name.
    """

    start_token: int
    end_token: int
    max_length: int
    strategy: str = "greedy"
    beam_size: int = 4
    pad_token: Optional[int] = None
    min_length: int = 0
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    length_penalty: float = 0.0
    early_stopping: bool = False

    def __post_init__(self) -> None:
        rules = {
            "strategy": (self.strategy in ("greedy", "sampling", "beam"), "'greedy', 'sampling' or 'beam'"),
            "max_length": (self.max_length >= 1, "at least 1"),
            "beam_size": (self.beam_size >= 1, "at least 1"),
            "min_length": (0 <= self.min_length < self.max_length, f"from 0 to below max_length={self.max_length}"),
            "temperature": (self.temperature > 0, "above 0"),
            "top_k": (self.top_k >= 0, "at least 0, which leaves all words in"),
            "top_p": (0 < self.top_p <= 1, "above 0 and at most 1"),
            "repetition_penalty": (self.repetition_penalty > 0, "above 0"),
        }
        for name, (good, wanted) in rules.items():
            if not good:
                raise ValueError(f"Generation: {name} is {wanted}, got {getattr(self, name)!r}")

    @property
    def padding(self) -> int:
        """The token that fills up short sequences."""
        return self.end_token if self.pad_token is None else self.pad_token

    @property
    def rows(self) -> int:
        """How many rows a step computes for each sample."""
        return self.beam_size if self.strategy == "beam" else 1


def generate(
    step: Step, states: Any, batch_size: int, settings: Generation, forced: Optional[Tensor] = None
) -> Generated:
    """Generate sequences for a batch.

    Args:
        step: Takes the last tokens, int64 (R,), the step's number, int64 (1,), and states; returns scores of all words,
            float32 (R, V), and new states of the same shapes. It computes ``settings.rows`` rows for each sample, one
            after the other: R = batch_size * rows.
        states: A tensor, or tuples, lists and dicts of tensors, each with one row for each sample, (N, ...), or None.
            They are repeated for the beams, and follow them, but for those that are :class:`Shared`. What stays as it
            is, such as an encoder's result, is better closed over, repeated by :func:`repeat_rows`.
    batch_size: N.
        settings: How.
        forced: Tokens that each sequence must begin with, integers (N, P); negative ones are left to the network.

    Returns:
        What was generated.

    Raises:
        OperatorError: there are fewer words than beams, the end token is no word, or shapes do not fit.
        OperatorTypeError: forced tokens are no integers.
    """
    rows = batch_size * settings.rows
    given = _forced(forced, batch_size, settings)
    states = _mapped(lambda state: repeat_rows(state, settings.rows), states)
    if isinstance(states, Shared):
        own = arange(rows, dtype="int64").unsqueeze(1).expand([rows, settings.max_length])
        states = states._replace(sources=own + zeros([rows, settings.max_length], "int64"))
    search = _beams if settings.strategy == "beam" else _single
    return search(step, states, batch_size, rows, settings, given)


def _single(step: Step, states: Any, batch: int, rows: int, settings: Generation, forced: Tensor) -> Generated:
    """Choose or draw one token after the other."""
    options = {
        "end_token": settings.end_token,
        "pad_token": settings.padding,
        "min_length": settings.min_length,
        "repetition_penalty": settings.repetition_penalty,
        "temperature": settings.temperature,
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "samples": settings.strategy == "sampling",
    }

    def test(time: Any, last: Any, tokens: Any, scores: Any, lengths: Any, ended: Any, states: Any) -> Any:
        return (total(ended) < rows).logical_and((time < settings.max_length).squeeze(0))

    def body(time: Any, last: Any, tokens: Any, scores: Any, lengths: Any, ended: Any, states: Any) -> Any:
        logits, states = step(last, time, states)
        drawn = uniform([rows], "float32", 0.0, 1.0) if options["samples"] else zeros([rows])
        given = (cast(logits, "float32"), tokens, scores, lengths, ended, forced, time, drawn)
        return [time + 1, *apply(choose_tokens, *given, **options), states]

    tokens = full([rows, settings.max_length], settings.padding, "int64")
    nothing = zeros([rows], "int64")
    first = [zeros([1], "int64"), full([rows], settings.start_token, "int64"), tokens, zeros([rows]), nothing, nothing]
    _, _, tokens, scores, lengths, ended, _ = while_loop(test, body, [*first, states])
    return Generated(tokens.unsqueeze(1), scores.unsqueeze(1), lengths.unsqueeze(1), cast(ended, "bool").unsqueeze(1))


def _beams(step: Step, states: Any, batch: int, rows: int, settings: Generation, forced: Tensor) -> Generated:
    """Follow the best beams of each sample."""
    beams, length = settings.beam_size, settings.max_length
    options = {
        "end_token": settings.end_token,
        "pad_token": settings.padding,
        "min_length": settings.min_length,
        "max_length": length,
        "repetition_penalty": settings.repetition_penalty,
        "length_penalty": settings.length_penalty,
        "early_stopping": settings.early_stopping,
    }

    def test(time: Any, last: Any, *searched: Any) -> Any:
        return total(searched[5]) < batch

    def body(time: Any, last: Any, *searched: Any) -> Any:
        logits, new = step(last, time, searched[6])
        found = apply(beam_step, cast(logits, "float32"), *searched[:6], forced, time, **options)
        if isinstance(new, Shared):
            new = new._replace(sources=follow_parents(new.sources, found[1], time))
        else:
            new = _mapped(lambda state: gather(state, found[1], axis=0), new)
        return [time + 1, found[0], *found[2:], new]

    impossible = full([batch, beams], float("-inf"), "float32")
    alone = np.where(np.arange(beams) == 0, 0.0, -np.inf).astype("float32")[None]
    first = [
        zeros([1], "int64"),
        full([rows], settings.start_token, "int64"),
        full([rows, length], settings.padding, "int64"),
        to_tensor(alone).expand([batch, beams]) + zeros([batch, beams]),
        full([batch, beams, length], settings.padding, "int64"),
        impossible,
        zeros([batch, beams], "int64"),
        zeros([batch], "int64"),
    ]
    _, _, _, _, tokens, scores, lengths, _, _ = while_loop(test, body, [*first, states])
    return Generated(tokens, scores, lengths.abs(), lengths > 0)


def repeat_rows(x: Tensor, times: int) -> Tensor:
    """Return each row of (N, ...) repeated, (N * times, ...)."""
    if times == 1:
        return x
    return x.unsqueeze(1).expand([x.shape[0], times, *x.shape[1:]]).reshape([x.shape[0] * times, *x.shape[1:]])


def written_at(buffer: Tensor, value: Tensor, time: Tensor, axis: int = 1) -> Tensor:
    """Return a buffer of fixed size with one step's value at its place: cached keys and values of attention.

    Args:
        buffer: (R, ..., T, ...), T steps along ``axis``.
        value: The same with one step.
        time: The step's number, int64 (1,).
        axis: Where the steps are.
    """
    shape = [1] * buffer.ndim
    shape[axis] = buffer.shape[axis]
    here = (arange(buffer.shape[axis], dtype="int64") == time).reshape(shape).expand_as(buffer)
    return where(here, value.expand_as(buffer), buffer)


def _forced(forced: Optional[Tensor], batch: int, settings: Generation) -> Tensor:
    """Return forced tokens for each row, (R, at least one)."""
    if forced is None:
        return full([batch * settings.rows, 1], -1, "int64")
    if not isinstance(forced, Tensor) or not forced.dtype.is_integer:
        kind = forced.dtype.name if isinstance(forced, Tensor) else type(forced).__name__
        raise OperatorTypeError(f"generate: forced tokens are integers (N, P), got {kind}")
    if forced.ndim != 2 or forced.shape[0] != batch or not 1 <= forced.shape[1] <= settings.max_length:
        raise OperatorError(
            f"generate: forced tokens are ({batch}, 1 to max_length={settings.max_length}), got {forced.shape}"
        )
    return repeat_rows(cast(forced, "int64"), settings.rows)


def _mapped(function: Callable[[Tensor], Tensor], states: Any) -> Any:
    """Apply a function to the tensors of nested tuples, lists and dicts."""
    if isinstance(states, Tensor) or states is None:
        return states if states is None else function(states)
    if isinstance(states, dict):
        return {key: _mapped(function, value) for key, value in states.items()}
    if isinstance(states, (list, tuple)):
        found = [_mapped(function, value) for value in states]
        return type(states)(*found) if hasattr(states, "_fields") else type(states)(found)
    raise OperatorTypeError(f"generate: states are Tensors in tuples, lists and dicts, not {type(states).__name__}")
