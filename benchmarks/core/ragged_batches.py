"""Making batches of samples that differ in size: ours beside a plain loop and PyTorch's tools, in microseconds.

    python -m benchmarks.core.ragged_batches [--peers PYTHON] [--rounds 9]

Boxes: 32 samples of 0 to 100 boxes with their labels, padded with a mask, or concatenated with offsets. Tokens: 128
texts of 5 to 200 tokens, padded with a mask. Images: 8 images of up to 3 x 512 x 512, padded with a mask. An epoch:
4,096 texts through a loader with two workers, 64 to a batch. The loop writes box by box and token by token. PyTorch
pads with ``pad_sequence`` and concatenates with ``cat``; images it copies one by one, as torchvision's detectors do.
`--torch` names a Python in which torch and numpy are installed. Each side is a process of its own with one thread;
the sides of a row take turns, and the ratio is the median of the rounds' ratios. A ratio above 1 says that ours is
faster.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

Steps = Mapping[str, Callable[[], Any]]
EPOCH, BATCH = 4096, 64


def main() -> None:
    """Print one row per comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", default=sys.executable, help="the Python that has torch")
    parser.add_argument("--rounds", type=int, default=9, help="rounds in which the sides take turns (default 9)")
    arguments = parser.parse_args()
    from benchmarks.side import Side, compare, lacking

    repeats = {"boxes padded": 200, "boxes concatenated": 200, "tokens": 200, "images": 10, "epoch": 1}
    mine = Side("ours", ours, threads=1)
    peers = [Side("a loop", loop, threads=1)]
    missing = lacking("torch", "numpy", python=arguments.peers)
    if missing:
        print(f"no rows of PyTorch, {missing}")
    else:
        peers.append(Side("PyTorch", pytorch, threads=1, python=arguments.peers))
    print(f"{'':20} {'ours':>12}   {'against':10} {'':>12} {'ratio':>7}")
    for step, times in repeats.items():
        for peer in [peer for peer in peers if step in peer.steps]:
            own, theirs, ratio = compare((mine, step), (peer, step), arguments.rounds, times)
            print(f"{step:20} {own * 1e6:9.0f} us   {peer.name:10} {theirs * 1e6:9.0f} us {ratio:7.2f}", flush=True)
    for side in (mine, *peers):
        side.close()


# --- inside a side ---------------------------------------------------------------------------------------------------


def boxes() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return boxes and labels of 32 samples."""
    counts = np.random.default_rng(0).integers(0, 101, 32)
    return [(np.ones((count, 4), np.float32), np.ones(count, np.int64)) for count in counts.tolist()]


def texts(count: int) -> list[np.ndarray]:
    """Return the tokens of some texts."""
    return [np.ones(length, np.int64) for length in np.random.default_rng(1).integers(5, 201, count).tolist()]


def images() -> list[np.ndarray]:
    """Return 8 images."""
    sizes = np.random.default_rng(2).integers(300, 513, (8, 2)).tolist()
    return [np.ones((3, height, width), np.float32) for height, width in sizes]


class Texts:
    """Texts as a data set of any library."""

    def __init__(self) -> None:
        self.texts = texts(EPOCH)

    def __getitem__(self, index: int) -> np.ndarray:
        return self.texts[index]

    def __len__(self) -> int:
        return len(self.texts)


def ours() -> Steps:
    """Return the steps with this project's collate functions."""
    from core.io import Collate, Concatenate, DataLoader, Pad

    padded = Collate([Pad("boxes"), Pad("boxes", mask=False)])
    joined = Collate([Concatenate("boxes"), Concatenate("boxes", offsets=False)])
    tokens, image = Collate(Pad("length")), Collate(Pad(None, "height", "width"))
    some, sentences, pictures = boxes(), texts(128), images()
    loader = DataLoader(
        Texts(),  # type: ignore[arg-type]
        batch_size=BATCH,
        collate_fn=tokens,
        num_workers=2,
        persistent_workers=True,
    )
    return {
        "boxes padded": lambda: padded(some),
        "boxes concatenated": lambda: joined(some),
        "tokens": lambda: tokens(sentences),
        "images": lambda: image(pictures),
        "epoch": lambda: _read(loader),
    }


def loop() -> Steps:
    """Return the steps as plain loops over boxes and tokens."""
    some, sentences = boxes(), texts(128)

    def padded() -> Any:
        longest = max(len(labels) for _, labels in some)
        rows, mask = np.zeros((len(some), longest, 4), np.float32), np.zeros((len(some), longest), bool)
        kinds = np.zeros((len(some), longest), np.int64)
        for place, (corners, labels) in enumerate(some):
            for number in range(len(corners)):
                rows[place, number] = corners[number]
                kinds[place, number] = labels[number]
                mask[place, number] = True
        return rows, mask, kinds

    def joined() -> Any:
        rows, kinds, offsets = [], [], [0]
        for corners, labels in some:
            for box, label in zip(corners, labels):
                rows.append(box)
                kinds.append(label)
            offsets.append(len(rows))
        return np.array(rows), np.array(offsets), np.array(kinds)

    def tokens() -> Any:
        longest = max(len(text) for text in sentences)
        out, mask = np.zeros((len(sentences), longest), np.int64), np.zeros((len(sentences), longest), bool)
        for place, text in enumerate(sentences):
            for number, token in enumerate(text):
                out[place, number] = token
                mask[place, number] = True
        return out, mask

    return {"boxes padded": padded, "boxes concatenated": joined, "tokens": tokens}


def pytorch() -> Steps:
    """Return the steps with PyTorch's tools."""
    import torch
    from torch.nn.utils.rnn import pad_sequence
    from torch.utils.data import DataLoader

    torch.set_num_threads(1)
    some = [(torch.from_numpy(corners), torch.from_numpy(labels)) for corners, labels in boxes()]
    sentences = [torch.from_numpy(text) for text in texts(128)]
    pictures = [torch.from_numpy(image) for image in images()]

    def masked(samples: Sequence[Any]) -> Any:
        lengths = torch.tensor([len(sample) for sample in samples])
        out = pad_sequence(list(samples), batch_first=True)
        return out, torch.arange(out.shape[1]) < lengths[:, None]

    def padded() -> Any:
        return *masked([corners for corners, _ in some]), pad_sequence([labels for _, labels in some], batch_first=True)

    def joined() -> Any:
        offsets = torch.zeros(len(some) + 1, dtype=torch.int64)
        offsets[1:] = torch.tensor([len(labels) for _, labels in some]).cumsum(0)
        return torch.cat([corners for corners, _ in some]), offsets, torch.cat([labels for _, labels in some])

    def stacked() -> Any:
        height, width = (max(image.shape[axis] for image in pictures) for axis in (1, 2))
        out = torch.zeros(len(pictures), 3, height, width)
        mask = torch.zeros(len(pictures), height, width, dtype=torch.bool)
        for place, seen, image in zip(out, mask, pictures):
            place[:, : image.shape[1], : image.shape[2]].copy_(image)
            seen[: image.shape[1], : image.shape[2]] = True
        return out, mask

    loader = DataLoader(
        Texts(), batch_size=BATCH, collate_fn=Masked(), num_workers=2, persistent_workers=True  # type: ignore[arg-type]
    )
    return {
        "boxes padded": padded,
        "boxes concatenated": joined,
        "tokens": lambda: masked(sentences),
        "images": stacked,
        "epoch": lambda: _read(loader),
    }


class Masked:
    """PyTorch's collate function for the loader; of the module, so that a worker process finds it."""

    def __call__(self, samples: Sequence[np.ndarray]) -> Any:
        """Return padded texts and their mask."""
        import torch
        from torch.nn.utils.rnn import pad_sequence

        lengths = torch.tensor([len(sample) for sample in samples])
        out = pad_sequence([torch.from_numpy(sample) for sample in samples], batch_first=True)
        return out, torch.arange(out.shape[1]) < lengths[:, None]


def _read(loader: Any) -> None:
    count = sum(len(batch[0]) for batch in loader)
    assert count == EPOCH


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main()
