"""PyTorch's side of benchmarks/PaddleNLP/dialogue_memory.py: DAM, eager.

Started by it as ``python dialogue_memory_torch.py KIND WAY BATCH VOCABULARY``, in an environment with torch and numpy
alone. Prints the megabytes that two steps add at their peak.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """Attention without projections, and a feed-forward network."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.scale = size**-0.5
        self.norm0, self.norm1 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.fc0, self.fc1 = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, query: torch.Tensor, key: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        """Return the query's tokens with what they find."""
        scores = query @ key.transpose(1, 2) * self.scale
        weights = torch.softmax(allowed * scores + (allowed - 1) * float(2**32 - 1), -1)
        found = self.norm0(query + weights @ key)
        return self.norm1(found + self.fc1(torch.relu(self.fc0(found))))


class Matching(nn.Module):
    """DAM at its published size.

    Args:
        vocabulary: rows of the table of words.
    """

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, 200)
        self.response, self.turn = (nn.ModuleList(Block(200) for _ in range(5)) for _ in range(2))
        self.to_response, self.to_turn = (nn.ModuleList(Block(200) for _ in range(6)) for _ in range(2))
        self.convs = nn.ModuleList([nn.Conv3d(12, 32, 3, padding=1), nn.Conv3d(32, 16, 3, padding=1)])
        self.classifier = nn.Linear(576, 1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the logits of conversations (N, 10, 50), the response last."""
        kept = (ids != 0).float()
        said, replied = kept[:, :9].reshape(-1, 50), kept[:, 9]
        turn, response = [self.words(ids[:, :9].reshape(-1, 50))], [self.words(ids[:, 9])]
        for block in self.turn:
            turn.append(block(turn[-1], turn[-1], said[:, :, None] * said[:, None]))
        for block in self.response:
            response.append(block(response[-1], response[-1], replied[:, :, None] * replied[:, None]))
        allowed = said.reshape(-1, 9, 50, 1) * replied[:, None, None]
        forth, back = allowed.reshape(-1, 50, 50), allowed.transpose(2, 3).reshape(-1, 50, 50)
        cross, plain = [], []
        for own, other, to_response, to_turn in zip(turn, response, self.to_response, self.to_turn):
            copied = other[:, None].expand(-1, 9, -1, -1).reshape(-1, 50, 200)
            pair = to_response(own, copied, forth), to_turn(copied, own, back)
            cross.append(pair[0] @ pair[1].transpose(1, 2) * 200**-0.5)
            plain.append(own @ copied.transpose(1, 2) * 200**-0.5)
        similar = torch.stack([one.reshape(-1, 9, 50, 50) for one in cross + plain], 1)
        for conv in self.convs:
            similar = F.elu(F.max_pool3d(conv(similar), 3, 3, 1))
        return self.classifier(similar.flatten(1))


def megabytes(field: str) -> float:
    """Return a size from the system's account of this process."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024


def main() -> None:
    """Take the steps."""
    kind, _, batch, vocabulary = sys.argv[1:]
    torch.set_num_threads(1)
    network: Any = Matching(int(vocabulary))
    ids = torch.from_numpy(np.random.default_rng(0).integers(1, int(vocabulary), (int(batch), 10, 50)))
    labels = (torch.arange(int(batch)) % 2).float()

    def step(count: int) -> None:
        if kind == "prediction":
            with torch.inference_mode():
                network(ids[:count])
            return
        each = F.binary_cross_entropy_with_logits(network(ids[:count])[:, 0], labels[:count], reduction="none")
        each.clip(max=10).mean().backward()
        network.zero_grad(set_to_none=False)

    step(1)
    start = megabytes("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    for _ in range(2):
        step(int(batch))
    print(json.dumps(megabytes("VmHWM") - start))


if __name__ == "__main__":
    main()
