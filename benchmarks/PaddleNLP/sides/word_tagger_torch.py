"""PyTorch's side of LAC in benchmarks/PaddleNLP/word_networks.py: two layers of Fluid's GRU and a chain.

PyTorch's own GRU resets behind the product; Fluid's units, which LAC has, are written step by step. Started as
``python word_tagger_torch.py FILE.npz SETTINGS``, in an environment with torch and numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from best_epoch_torch import Plan, report
from torch import nn

BUCKETS = (16, 32, 48, 64, 96, 128, 192, 256)
"""Sentences of a batch are of one bucket, as the config has them."""


class FluidGRU(nn.Module):
    """Fluid's gated recurrent units, which reset before they multiply, from one end of a text.

    Args:
        inputs: length of a character's vector.
        units: of the layer.
        reverse: whether the last character comes first.
    """

    def __init__(self, inputs: int, units: int, reverse: bool) -> None:
        super().__init__()
        self.reverse = reverse
        self.fc = nn.Linear(inputs, 3 * units)
        self.weight = nn.Parameter(torch.empty(units, 3 * units))
        self.bias = nn.Parameter(torch.zeros(3 * units))
        nn.init.zeros_(self.fc.bias)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the states, (N, L, units), zeros behind a text's end."""
        units, steps = self.weight.shape[0], torch.arange(x.shape[1])
        given, inside = self.fc(x) + self.bias, (steps < lengths[:, None])[..., None]
        back = (lengths[:, None] - 1 - steps).clamp(min=0)[..., None]
        if self.reverse:
            given = given.gather(1, back.expand_as(given))
        state, states = x.new_zeros(len(x), units), []
        for row in given.unbind(1):
            gates = torch.sigmoid(row[:, : 2 * units] + state @ self.weight[:, : 2 * units])
            update, reset = gates.chunk(2, -1)
            candidate = torch.tanh(row[:, 2 * units :] + (reset * state) @ self.weight[:, 2 * units :])
            state = (1 - update) * state + update * candidate
            states.append(state)
        found = torch.stack(states, 1)
        return torch.where(inside, found.gather(1, back.expand_as(found)) if self.reverse else found, 0.0)


class Tagger(nn.Module):
    """Characters to scores of tags, and a chain of tags.

    Args:
        vocabulary: how many characters there are; padding is the number behind the last.
        tags: how many tags.
    """

    def __init__(self, vocabulary: int, tags: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary + 1, 128, padding_idx=vocabulary)
        self.gru = nn.ModuleList([FluidGRU(size, 128, way) for size in (128, 256) for way in (False, True)])
        self.fc = nn.Linear(256, tags)
        self.chain = nn.Parameter(torch.empty(tags + 2, tags))  # start, end, and from each tag to each
        weights = [one for one in (*self.gru.parameters(), self.fc.weight) if one.ndim > 1]
        for one in (self.table.weight, *weights):
            nn.init.uniform_(one, -0.1, 0.1)
        self.table.weight.data[vocabulary] = 0
        nn.init.xavier_uniform_(self.chain)
        nn.init.zeros_(self.fc.bias)

    def scores(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the score of each tag at each character, (N, L, tags)."""
        states = self.table(ids)
        for layer in (self.gru[:2], self.gru[2:]):
            states = torch.cat([way(states, lengths) for way in layer], -1)
        return self.fc(states)

    def loss(self, scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the mean of minus the logarithm of the true paths' probabilities."""
        start, stop, moves = self.chain[0], self.chain[1], self.chain[2:]
        rows = torch.arange(len(tags))
        reached = start + scores[:, 0]
        gold = start[tags[:, 0]] + scores[rows, 0, tags[:, 0]]
        for step in range(1, scores.shape[1]):
            inside = step < lengths
            through = torch.logsumexp(reached[:, :, None] + moves, 1) + scores[:, step]
            reached = torch.where(inside[:, None], through, reached)
            own = moves[tags[:, step - 1], tags[:, step]] + scores[rows, step, tags[:, step]]
            gold = gold + torch.where(inside, own, torch.zeros(()))
        gold = gold + stop[tags[rows, lengths - 1]]
        return (torch.logsumexp(reached + stop, 1) - gold).mean()

    def best(self, scores: torch.Tensor, lengths: torch.Tensor) -> list[list[int]]:
        """Return the best path of each sentence."""
        start, stop, moves = self.chain[0], self.chain[1], self.chain[2:]
        reached, back = start + scores[:, 0], []
        for step in range(1, scores.shape[1]):
            most, source = (reached[:, :, None] + moves).max(1)
            inside = (step < lengths)[:, None]
            reached = torch.where(inside, most + scores[:, step], reached)
            back.append(torch.where(inside, source, torch.arange(len(stop))))
        last = (reached + stop).argmax(-1)
        path = [last]
        for source in reversed(back):
            last = source.gather(1, last[:, None])[:, 0]
            path.append(last)
        rows = torch.stack(path[::-1], 1).tolist()
        return [row[:length] for row, length in zip(rows, lengths.tolist())]


def batches(data: Any, split: str, fill: int, size: int, draw: Any) -> Iterator[tuple[torch.Tensor, ...]]:
    """Iterate over padded batches of sentences of one bucket."""
    ends = data[f"{split} input_ids ends"]
    starts = np.concatenate([[0], ends[:-1]])
    lengths = ends - starts
    order = np.arange(len(ends)) if draw is None else draw.permutation(len(ends))
    chosen = []
    for bucket in np.unique(np.searchsorted(BUCKETS, lengths)):
        own = order[np.searchsorted(BUCKETS, lengths[order]) == bucket]
        chosen += [own[start : start + size] for start in range(0, len(own), size)]
    for place in range(len(chosen)) if draw is None else draw.permutation(len(chosen)):
        rows = chosen[place]
        ids = np.full((len(rows), lengths[rows].max()), fill, np.int64)
        tags = np.zeros_like(ids)
        for own, labels, row in zip(ids, tags, rows):
            own[: lengths[row]] = data[f"{split} input_ids"][starts[row] : ends[row]]
            labels[: lengths[row]] = data[f"{split} labels"][starts[row] : ends[row]]
        yield torch.from_numpy(ids), torch.from_numpy(tags), torch.from_numpy(lengths[rows])


def chunks(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    """Return kind, first character and the one behind the last of each chunk, as conlleval finds them."""
    found, start, before = set(), 0, ""
    for place, tag in enumerate((*tags, "O")):
        suffix = tag[-2:-1] == "-" and tag[-1] in "BI"
        mark, kind = ("", "") if tag == "O" else (tag[-1], tag[:-2]) if suffix else (tag[0], tag[2:])
        if before and (mark in ("", "B") or kind != before):
            found.add((before, start, place))
            before = ""
        if mark and not before:
            start, before = place, kind
    return found


def words(tags: Sequence[str]) -> set[tuple[int, int]]:
    """Return first character and the one behind the last of each word: what is outside of chunks is one by itself."""
    found, start = set(), 0
    for place, tag in enumerate((*tags, "O")):
        suffix = tag[-2:-1] == "-" and tag[-1] in "BI"
        inside = (tag[-1] if suffix else tag[0]) == "I" and tag != "O" and place > 0 and tags[place - 1] != "O"
        if not inside:
            if place:
                found.add((start, place))
            start = place
    return found


def f1(model: Tagger, data: Any, split: str, settings: dict[str, Any]) -> dict[str, float]:
    """Return the F1 of chunks, and of words whatever their tags."""
    names, counts = settings["class_names"], np.zeros((2, 3))
    for ids, tags, lengths in batches(data, split, settings["vocabulary"], 32, None):
        paths = model.best(model.scores(ids, lengths), lengths)
        for path, row, length in zip(paths, tags.tolist(), lengths.tolist()):
            rows = [[names[tag] for tag in one[:length]] for one in (path, row)]
            for count, of in zip(counts, (chunks, words)):
                own, true = (of(one) for one in rows)
                count += len(own & true), len(own), len(true)
    return {name: 2 * right / max(own + true, 1) for name, (right, own, true) in zip(("f1", "words_f1"), counts)}


def plan(data: Any, settings: dict[str, Any]) -> Plan:
    """Return what is trained."""
    model = Tagger(settings["vocabulary"], settings["classes"])
    rate = settings["rate"]
    decayed = [one for one in (*model.gru.parameters(), model.fc.weight) if one.ndim > 1]
    plain = [one for one in (*model.gru.parameters(), model.fc.bias) if one.ndim == 1]
    groups = [
        {"params": [model.table.weight], "lr": 5 * rate},
        {"params": [model.chain], "lr": 0.2 * rate},
        {"params": decayed, "weight_decay": 1e-4},
        {"params": plain},
    ]

    def loss(batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        ids, tags, lengths = batch
        return model.loss(model.scores(ids, lengths), tags, lengths)

    return Plan(
        model,
        groups,
        lambda draw: batches(data, "train", settings["vocabulary"], settings["batch"], draw),
        loss,
        lambda split: f1(model, data, split, settings),
        "f1",
    )


if __name__ == "__main__":
    report(plan)
