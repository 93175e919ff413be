"""PyTorch's side of benchmarks.PaddleNLP.fine_tuning: transformers' ERNIE on our batches."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import torch
import transformers

from benchmarks.PaddleNLP.sides.torch_weights import torch_weights


def train(folder: Path) -> list[float]:
    """Train on the batches in a folder, and return the losses; logits of the other parts are written there, if wanted.

    Args:
        folder: written by benchmarks.PaddleNLP.fine_tuning.
    """
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    network = {key: value for key, value in settings["network"].items() if key != "name"}
    kind = "ErnieForTokenClassification" if settings["tokens"] else "ErnieForSequenceClassification"
    model = getattr(transformers, kind)(transformers.ErnieConfig(layer_norm_eps=1e-12, **network))
    weights = torch_weights(np.load(folder / "weights.npz"))
    model.load_state_dict({name: weights[name] for name in model.state_dict()})
    decayed = [one for one in model.parameters() if one.ndim > 1]
    others = [one for one in model.parameters() if one.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": settings["weight_decay"]}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups)
    torch.manual_seed(settings["seed"])
    losses = []
    for number, rate in enumerate(settings["rates"]):
        for group in optimizer.param_groups:
            group["lr"] = rate
        batch = read(folder / f"batch_{number}.npz")
        model.train()
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
        optimizer.step()
        losses.append(loss.item())
        if len(losses) in settings["ends"]:
            np.savez(folder / f"logits_{len(losses)}.npz", **logits(model, folder))
    return losses


def read(file: Path) -> dict[str, torch.Tensor]:
    """Return the fields of a batch."""
    return {name: torch.from_numpy(array) for name, array in np.load(file).items()}


def logits(model: torch.nn.Module, folder: Path) -> dict[str, np.ndarray]:
    """Return the logits of the batches of the dev and the test part, by the names of their files."""
    model.eval()
    files = [*folder.glob("valid_*.npz"), *folder.glob("test_*.npz")]
    with torch.inference_mode():
        return {file.stem: model(**read(file)).logits.numpy() for file in files}


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    found = train(Path(sys.argv[1]))
    (Path(sys.argv[1]) / "losses.json").write_text(json.dumps(found), encoding="utf-8")
