"""PyTorch's side of benchmarks/PaddleNLP/word_networks.py: the same networks on the same numbers of words.

Started by it as ``python word_networks_torch.py FILE.npz SETTINGS``, in an environment with torch and numpy alone.
LSTM and GRU are PyTorch's own, which have no peepholes and reset behind the product. Prints the best epoch's results as
JSON.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from best_epoch_torch import Plan, report
from torch import nn
from torch.nn import functional as F

WINDOWS = {"senta_cnn": (3,), "textcnn": (1, 2, 3), "simnet_cnn": (3,)}


class Encoder(nn.Module):
    """Words to a text's vector; padding is the number behind the last word.

    Args:
        net: the network's name.
        vocabulary: how many words there are.
    """

    def __init__(self, net: str, vocabulary: int) -> None:
        super().__init__()
        self.net = net
        self.table = nn.Embedding(vocabulary + 1, 128, padding_idx=vocabulary)
        nn.init.xavier_uniform_(self.table.weight)
        self.table.weight.data[vocabulary] = 0
        self.filters = 256 if net.startswith("simnet") else 128
        sizes = WINDOWS.get(net, ())
        self.convs = nn.ModuleList([nn.Linear(size * 128, self.filters) for size in sizes])
        kinds = {"gru": nn.GRU, "lstm": nn.LSTM}
        kind = next((kinds[name] for name in kinds if net.endswith(name)), None)
        self.both = net.endswith("bilstm")
        self.rnn = None if kind is None else kind(128, 128, batch_first=True, bidirectional=self.both)
        for layer in self.convs:
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.size = len(sizes) * self.filters or (256 if self.both else 128)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the texts' vectors of words (N, L)."""
        kept = ids != self.table.padding_idx
        words, lengths = self.table(ids), kept.sum(1)
        if self.rnn is not None:
            states, _ = self.rnn(words)
            rows = torch.arange(len(ids))
            last = states[rows, lengths - 1]  # of a backward LSTM that has seen padding and the last word
            if self.net in ("senta_lstm", "senta_gru"):
                return torch.tanh(states.masked_fill(~kept[..., None], -1e4).max(1).values)
            return last
        if not len(self.convs):
            total = words.sum(1)
            return F.softsign(total) if self.net.startswith("simnet") else torch.tanh(total)
        found = []
        act = torch.relu if self.net.startswith("simnet") else torch.tanh
        for layer in self.convs:
            size = layer.in_features // 128
            wide = F.pad(words, (0, 0, size // 2, size - 1 - size // 2))
            columns = torch.cat([wide[:, start : start + ids.shape[1]] for start in range(size)], -1)
            found.append(act(layer(columns)).masked_fill(~kept[..., None], -1e4).max(1).values)
        return torch.cat(found, -1)


class Classifier(nn.Module):
    """A text, or two, to the logits of classes.

    Args:
        settings: as the command line has them.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__()
        net = settings["net"]
        self.pair = net.startswith("simnet")
        self.encoder = Encoder(net, settings["vocabulary"])
        size = self.encoder.size * (2 if self.pair else 1)
        sizes = [size, 128] if self.pair else [size, 128, 96] if net == "senta_bow" else [size, 96]
        self.layers = nn.ModuleList([nn.Linear(one, other) for one, other in zip(sizes, sizes[1:])])
        self.last = nn.Linear(sizes[-1], settings["classes"])
        for layer in (*self.layers, self.last):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.act = torch.relu if self.pair else (lambda x: x) if net == "senta_cnn" else torch.tanh

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the logits of texts (N, L), or pairs (N, 2, L)."""
        vector = torch.cat([self.encoder(ids[:, 0]), self.encoder(ids[:, 1])], -1) if self.pair else self.encoder(ids)
        for layer in self.layers:
            vector = self.act(layer(vector))
        return self.last(vector)


def batches(data: Any, split: str, settings: dict[str, Any], draw: Any) -> Any:
    """Iterate over padded batches of texts of alike length, in random order where there is something to draw with."""
    values, ends, labels = (data[f"{split} {name}"] for name in ("input_ids", "input_ids ends", "label"))
    starts, fill = np.concatenate([[0], ends[:-1]]), settings["vocabulary"]
    sides = 2 if settings["net"].startswith("simnet") else 1
    lengths = (ends - starts) // sides
    order = np.arange(len(labels)) if draw is None else draw.permutation(len(labels))
    size = settings["batch"]
    pools = [order[start : start + 50 * size] for start in range(0, len(order), 50 * size)]
    chosen = []
    for pool in pools:
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        chosen += [pool[start : start + size] for start in range(0, len(pool), size)]
    if draw is not None:
        chosen = [chosen[number] for number in draw.permutation(len(chosen))]
    for rows in chosen:
        ids = np.full((len(rows), sides, max(1, lengths[rows].max())), fill, np.int64)
        for place, row in enumerate(rows):
            own = values[starts[row] : ends[row]].reshape(sides, -1)
            ids[place, :, : own.shape[1]] = own
        yield torch.from_numpy(ids if sides == 2 else ids[:, 0]), torch.from_numpy(labels[rows])


def scores(model: nn.Module, data: Any, split: str, settings: dict[str, Any]) -> dict[str, float]:
    """Return accuracy, and of two classes the area under the ROC curve."""
    found = [(torch.softmax(model(ids), -1), labels) for ids, labels in batches(data, split, settings, None)]
    shares, labels = torch.cat([one[0] for one in found]).numpy(), torch.cat([one[1] for one in found]).numpy()
    result = {"accuracy": float((shares.argmax(1) == labels).mean())}
    if shares.shape[1] == 2:
        ranks = np.argsort(np.argsort(shares[:, 1], kind="stable"), kind="stable") + 1
        right = labels == 1
        result["auc"] = float((ranks[right].sum() - right.sum() * (right.sum() + 1) / 2) / right.sum() / (~right).sum())
    return result


def plan(data: Any, settings: dict[str, Any]) -> Plan:
    """Return what is trained."""
    model = Classifier(settings)
    table = model.encoder.table.weight
    others = [one for one in model.parameters() if one is not table]
    groups = [{"params": [table], "lr": settings["rate"] * settings["emb_lr"]}, {"params": others}]
    return Plan(
        model,
        groups,
        lambda draw: batches(data, "train", settings, draw),
        lambda batch: F.cross_entropy(model(batch[0]), batch[1]),
        lambda split: scores(model, data, split, settings),
        "accuracy",
    )


if __name__ == "__main__":
    report(plan)
