"""What both of PyTorch's sides of word_networks.py do: train, and tell what the best epoch reached.

They are started as ``python FILE.py FILE.npz SETTINGS``, in an environment with torch and numpy alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple

import numpy as np
import torch
from torch import nn


class Plan(NamedTuple):
    """What is trained, and how it is judged.

    Attributes:
        model: the network.
        groups: its parameters in groups, as optimizers of PyTorch take them.
        batches: takes a generator; returns the batches of an epoch.
        loss: takes a batch; returns its loss.
        scores: takes a split's name; returns measures of it.
        monitor: the measure of "valid" by which the best epoch is chosen.
    """

    model: nn.Module
    groups: Sequence[dict[str, Any]]
    batches: Callable[[np.random.Generator], Iterable[Any]]
    loss: Callable[[Any], torch.Tensor]
    scores: Callable[[str], Mapping[str, float]]
    monitor: str


def report(make: Callable[[Any, dict[str, Any]], Plan]) -> None:
    """Train with Adam by the command line's files and print the best epoch's measures as JSON.

    Args:
        make: takes the arrays and the settings; returns the plan.
    """
    data, settings = dict(np.load(sys.argv[1])), json.loads(sys.argv[2])
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(settings["seed"])
    draw = np.random.default_rng(settings["seed"])
    plan = make(data, settings)
    optimizer = torch.optim.Adam(plan.groups, settings["rate"])
    started, best = time.process_time(), None
    for _ in range(settings["epochs"]):
        plan.model.train()
        for batch in plan.batches(draw):
            optimizer.zero_grad()
            plan.loss(batch).backward()
            optimizer.step()
        plan.model.eval()
        with torch.no_grad():
            valid = plan.scores("valid")
            if best is None or valid[plan.monitor] > best[0][plan.monitor]:
                best = valid, plan.scores("test")
    assert best is not None
    found = {f"{split} {name}": value for split, one in zip(("valid", "test"), best) for name, value in one.items()}
    print(json.dumps({**found, "processor_seconds": round(time.process_time() - started)}))
