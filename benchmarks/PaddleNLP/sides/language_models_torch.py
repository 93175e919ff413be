"""PyTorch's side of benchmarks/PaddleNLP/language_models.py: the same LSTM, weights, windows, rates and clipping.

Started by it as ``python language_models_torch.py FILE.npz SETTINGS``, in an environment with torch and numpy alone.
Prints what the epoch with the best validation part reaches, as JSON.
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    """Vectors, layers of LSTM, scores.

    Args:
        weights: by their names here.
        dropout: between layers, before the first and after the last.
    """

    def __init__(self, weights: dict[str, torch.Tensor], dropout: float) -> None:
        super().__init__()
        vocabulary, size = weights["embedder.weight"].shape
        layers = sum(name.startswith("lstm.weight_ih") for name in weights)
        self.embedder = nn.Embedding(vocabulary, size)
        self.lstm = nn.LSTM(size, size, layers, batch_first=True, dropout=dropout)
        self.fc = nn.Linear(size, vocabulary)
        self.dropout = nn.Dropout(dropout)
        self.load_state_dict({**weights, "fc.weight": weights["fc.weight"].T})

    def forward(self, ids: torch.Tensor, states: Any) -> tuple[torch.Tensor, Any]:
        """Return scores, and the states behind the last word."""
        outputs, states = self.lstm(self.dropout(self.embedder(ids)), states)
        return self.fc(self.dropout(outputs)), tuple(state.detach() for state in states)


def windows(arrays: Any, split: str, steps: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return the windows of a split, ids and labels."""
    ids, labels = (torch.from_numpy(arrays[f"{split} {name}"]) for name in ("ids", "labels"))
    return list(zip(ids.split(steps, 1), labels.split(steps, 1)))


def evaluated(model: Model, batches: list[tuple[torch.Tensor, torch.Tensor]]) -> float:
    """Return the perplexity of a split."""
    model.eval()
    states, total, count = None, 0.0, 0
    with torch.inference_mode():
        for ids, labels in batches:
            logits, states = model(ids, states)
            total += F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum", ignore_index=-100).item()
            count += int((labels != -100).sum())
    return math.exp(total / count)


def main() -> None:
    """Train, and print a line of JSON."""
    arrays, settings = np.load(sys.argv[1]), json.loads(sys.argv[2])
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(settings["seed"])
    weights = {name[2:]: torch.from_numpy(arrays[name]) for name in arrays if name.startswith("w ")}
    model = Model(weights, settings["dropout"])
    parts = {split: windows(arrays, split, settings["steps"]) for split in ("train", "valid", "test")}
    best: dict[str, Any] = {}
    started, spent = time.perf_counter(), time.process_time()
    for epoch in range(settings["epochs"]):
        rate = settings["rate"] * settings["factor"] ** max(epoch - settings["flat_epochs"], 0)
        optimizer = torch.optim.SGD(model.parameters(), rate)
        states = None
        model.train()
        for ids, labels in parts["train"]:
            logits, states = model(ids, states)
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten()) * ids.shape[1]
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
            optimizer.step()
        valid = evaluated(model, parts["valid"])
        if not best or valid < best["valid perplexity"]:
            best = {"valid perplexity": valid, "test perplexity": evaluated(model, parts["test"]), "epoch": epoch + 1}
    seconds = {"seconds": time.perf_counter() - started, "processor_seconds": time.process_time() - spent}
    print(json.dumps({**best, **seconds}))


if __name__ == "__main__":
    main()
