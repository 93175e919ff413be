"""One step of generating sequences for a whole batch: the next tokens, chosen, drawn, or those of the best beams.

Each row's scores are read once; of all continuations only the few best are kept.

Shapes: logits (R, V); tokens so far (R, T), of which ``time`` are valid; forced (R, P), negative where nothing is
forced.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads, vectorized
from core.kernels.numeric.ranking import falling
from core.kernels.numeric.smooth import exp

_LOWEST = np.float32(-np.inf)


def choose_tokens(
    logits: np.ndarray,
    tokens: np.ndarray,
    scores: np.ndarray,
    lengths: np.ndarray,
    ended: np.ndarray,
    forced: np.ndarray,
    time: np.ndarray,
    uniforms: np.ndarray,
    *,
    end_token: int,
    pad_token: int,
    min_length: int,
    repetition_penalty: float,
    temperature: float,
    top_k: int,
    top_p: float,
    samples: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the next token of each row, and all tokens, scores, lengths and ends with it.

    Args:
        logits: Scores of all words.
        tokens, scores, lengths, ended: What was there before; scores (R,), lengths (R,), ended (R,) of int64, 0 or 1.
        forced: Tokens that sequences must begin with.
        time: The step's number, (1,).
        uniforms: A number from 0 to 1 for each row, (R,).
        end_token, pad_token: The token that ends a sequence, and the one that fills up.
        min_length: The end token is not chosen before so many others.
        repetition_penalty: What scores of words that are there already are divided by, or multiplied where negative.
        temperature, top_k, top_p: Of the distribution that is drawn from; 0 and 1 leave all words in.
        samples: Whether tokens are drawn, rather than the best chosen.
        out: (next (R,), tokens, scores, lengths, ended).
    """
    step = int(time[0])
    given = (np.float32(repetition_penalty), np.float32(temperature), top_k, np.float32(top_p), samples)
    arrays = (logits, tokens, scores, lengths, ended, forced, step, uniforms)
    _choose(*arrays, end_token, pad_token, min_length, *given, *out, number_of_threads())


@compiled
def _choose(
    logits: np.ndarray,
    tokens: np.ndarray,
    scores: np.ndarray,
    lengths: np.ndarray,
    ended: np.ndarray,
    forced: np.ndarray,
    time: int,
    uniforms: np.ndarray,
    end_token: int,
    pad_token: int,
    min_length: int,
    penalty: np.float32,
    temperature: np.float32,
    top_k: int,
    top_p: np.float32,
    samples: bool,
    following: np.ndarray,
    new_tokens: np.ndarray,
    new_scores: np.ndarray,
    new_lengths: np.ndarray,
    new_ended: np.ndarray,
    groups: int,
) -> None:
    rows, words = logits.shape
    for group in threads(groups):
        row = np.empty(words, np.float32)
        for r in range(rows * group // groups, rows * (group + 1) // groups):
            token, score = pad_token, np.float32(0)
            if not ended[r]:
                total = _scored(logits[r], tokens[r], time, end_token, min_length, penalty, row)
                if time < forced.shape[1] and forced[r, time] >= 0:
                    token = forced[r, time]
                elif samples:
                    token = _drawn(row, uniforms[r], temperature, top_k, top_p)
                else:
                    token = int(row.argmax())
                score = row[token] - total
            following[r] = token
            for t in range(tokens.shape[1]):
                new_tokens[r, t] = tokens[r, t] if t < time else pad_token
            new_tokens[r, time] = token
            new_scores[r] = scores[r] + score
            new_lengths[r] = lengths[r] + (1 - ended[r])
            new_ended[r] = 1 if ended[r] or token == end_token else 0


@serial
def _scored(
    logits: np.ndarray,
    tokens: np.ndarray,
    time: int,
    end_token: int,
    min_length: int,
    penalty: np.float32,
    row: np.ndarray,
) -> np.float32:
    """Fill a row of scores with penalties; return the logarithm of the sum of their exponentials."""
    for j in range(row.size):
        row[j] = logits[j]
    if penalty != 1:
        for t in range(time):
            word = tokens[t]
            if 0 <= word < row.size:
                score = logits[word]  # a word that is there twice is punished once
                row[word] = score / penalty if score > 0 else score * penalty
    if time < min_length and 0 <= end_token < row.size:
        row[end_token] = _LOWEST
    top = row.max()
    return np.float32(top + np.log(_total(row, top)))


@vectorized
def _total(row: np.ndarray, top: np.float32) -> np.float32:
    total = np.float32(0)
    for j in range(row.size):
        total += exp(row[j] - top)
    return total


@serial
def _drawn(row: np.ndarray, uniform: np.float32, temperature: np.float32, top_k: int, top_p: np.float32) -> int:
    """Return a word, drawn from the best ``top_k``, and of those from the fewest that have ``top_p`` of the whole."""
    words = row.size
    count = min(top_k, words) if top_k > 0 else words
    top = row.max()
    if count < words or top_p < 1:
        order = falling(row)[:count]
    else:
        order = np.arange(words)
    shares = np.empty(count, np.float64)
    total = 0.0
    for i in range(count):
        shares[i] = np.exp((row[order[i]] - top) / temperature)
        total += shares[i]
    if top_p < 1:
        reached, kept = 0.0, 0
        while kept < count and (kept == 0 or reached < top_p * total):
            reached += shares[kept]
            kept += 1
        count, total = kept, reached
    left = uniform * total
    last = 0
    for i in range(count):
        if shares[i] > 0:
            last = i
            if left < shares[i]:
                break
            left -= shares[i]
    return int(order[last])


def beam_step(
    logits: np.ndarray,
    tokens: np.ndarray,
    scores: np.ndarray,
    finished_tokens: np.ndarray,
    finished_scores: np.ndarray,
    finished_lengths: np.ndarray,
    ended: np.ndarray,
    forced: np.ndarray,
    time: np.ndarray,
    *,
    end_token: int,
    pad_token: int,
    min_length: int,
    max_length: int,
    repetition_penalty: float,
    length_penalty: float,
    early_stopping: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the best continuations of each sample's beams, and its best finished sequences.

    Args:
        logits: Scores of all words, of K rows for each sample.
        tokens, scores: Of the beams, (R, T) and (N, K).
        finished_tokens, finished_scores, finished_lengths: The best finished sequences, best first, (N, K, T) and
            (N, K); the score -inf stands for none.
        ended: Whether a sample's search is over, int64 (N,).
        forced, time, end_token, pad_token, min_length, repetition_penalty: As for :func:`choose_tokens`.
        max_length: The number of steps; beams that have not ended by then fill up the finished ones.
        length_penalty: Power of (5 + length) / 6 that finished scores are divided by.
        early_stopping: A search is over with K finished sequences; otherwise, when no beam can become better.
        out: (next (R,), parents (R,), and tokens, scores, finished ones and ends).
    """
    step = int(time[0])
    last = step == max_length - 1
    bound = _divisor(max_length if length_penalty > 0 else step + 2, length_penalty)
    options = (np.float32(_divisor(step + 1, length_penalty)), np.float32(bound), early_stopping, last)
    arrays = (logits, tokens, scores, finished_tokens, finished_scores, finished_lengths, ended, forced, step)
    given = (end_token, pad_token, min_length, np.float32(repetition_penalty), *options)
    _beams(*arrays, *given, *out, number_of_threads())


def _divisor(length: int, power: float) -> float:
    return float(((5 + length) / 6) ** power)


@compiled
def _beams(
    logits: np.ndarray,
    tokens: np.ndarray,
    scores: np.ndarray,
    finished_tokens: np.ndarray,
    finished_scores: np.ndarray,
    finished_lengths: np.ndarray,
    ended: np.ndarray,
    forced: np.ndarray,
    time: int,
    end_token: int,
    pad_token: int,
    min_length: int,
    penalty: np.float32,
    divisor: np.float32,
    bound: np.float32,
    early_stopping: bool,
    last: bool,
    following: np.ndarray,
    parents: np.ndarray,
    new_tokens: np.ndarray,
    new_scores: np.ndarray,
    new_finished_tokens: np.ndarray,
    new_finished_scores: np.ndarray,
    new_finished_lengths: np.ndarray,
    new_ended: np.ndarray,
    groups: int,
) -> None:
    samples, beams = scores.shape
    words = logits.shape[1]
    for group in threads(groups):
        row = np.empty(words, np.float32)
        best, places = np.empty(2 * beams, np.float32), np.empty(2 * beams, np.int64)
        for n in range(samples * group // groups, samples * (group + 1) // groups):
            for k in range(beams):
                new_finished_scores[n, k] = finished_scores[n, k]
                new_finished_lengths[n, k] = finished_lengths[n, k]
                for t in range(tokens.shape[1]):
                    new_finished_tokens[n, k, t] = finished_tokens[n, k, t]
                new_scores[n, k] = scores[n, k] if ended[n] else _LOWEST
                following[n * beams + k], parents[n * beams + k] = pad_token, n * beams + k
                for t in range(tokens.shape[1]):
                    new_tokens[n * beams + k, t] = tokens[n * beams + k, t] if t < time else pad_token
            new_ended[n] = ended[n]
            if ended[n]:
                continue
            for i in range(2 * beams):
                best[i] = _LOWEST
            for k in range(beams):
                r = n * beams + k
                if scores[n, k] > _LOWEST:
                    total = _scored(logits[r], tokens[r], time, end_token, min_length, penalty, row)
                    only = forced[r, time] if time < forced.shape[1] else -1
                    _gather(row, scores[n, k] - total, k * words, only, best, places)
            alive = 0
            for i in range(2 * beams):
                if best[i] == _LOWEST:
                    break
                parent, token = n * beams + places[i] // words, places[i] % words
                if token == end_token:
                    found = (new_finished_tokens[n], new_finished_scores[n], new_finished_lengths[n])
                    _finish(tokens[parent], time, token, pad_token, best[i] / divisor, *found)
                elif alive < beams:
                    r = n * beams + alive
                    new_scores[n, alive], following[r], parents[r] = best[i], token, parent
                    for t in range(time):
                        new_tokens[r, t] = tokens[parent, t]
                    new_tokens[r, time] = token
                    alive += 1
            worst = new_finished_scores[n, beams - 1]
            if alive == 0 or (worst > _LOWEST and (early_stopping or worst >= new_scores[n, 0] / bound)):
                new_ended[n] = 1
            if last and not new_ended[n]:
                for k in range(alive):
                    if new_finished_scores[n, beams - 1] == _LOWEST:
                        found = (new_finished_tokens[n], new_finished_scores[n], new_finished_lengths[n])
                        _append(new_tokens[n * beams + k], time, new_scores[n, k] / divisor, *found)
                new_ended[n] = 1


@serial
def _gather(
    row: np.ndarray, shift: np.float32, place: int, only: int, best: np.ndarray, places: np.ndarray
) -> None:
    """Put a row's continuations among the best; the first of equals wins."""
    count = best.size
    for j in range(row.size):
        score = row[j] + shift
        if score > best[count - 1] and (only < 0 or j == only):
            i = count - 1
            while i > 0 and best[i - 1] < score:
                best[i], places[i] = best[i - 1], places[i - 1]
                i -= 1
            best[i], places[i] = score, place + j


@serial
def _finish(
    before: np.ndarray,
    time: int,
    token: int,
    pad_token: int,
    score: np.float32,
    tokens: np.ndarray,
    scores: np.ndarray,
    lengths: np.ndarray,
) -> None:
    """Put a finished sequence among the best."""
    if not score > scores[-1]:
        return
    i = scores.size - 1
    while i > 0 and scores[i - 1] < score:
        scores[i], lengths[i] = scores[i - 1], lengths[i - 1]
        for t in range(tokens.shape[1]):
            tokens[i, t] = tokens[i - 1, t]
        i -= 1
    scores[i], lengths[i] = score, time + 1
    for t in range(time):
        tokens[i, t] = before[t]
    tokens[i, time] = token
    for t in range(time + 1, tokens.shape[1]):
        tokens[i, t] = pad_token


@serial
def _append(
    sequence: np.ndarray, time: int, score: np.float32, tokens: np.ndarray, scores: np.ndarray, lengths: np.ndarray
) -> None:
    """Put a sequence that has not ended behind the finished ones; its length is negative."""
    i = 0
    while scores[i] > _LOWEST:
        i += 1
    scores[i], lengths[i] = score, -(time + 1)
    for t in range(tokens.shape[1]):
        tokens[i, t] = sequence[t]
