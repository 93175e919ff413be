"""Sampling neighbours and walks on a graph of a million nodes and 20 million edges, and a GraphSAGE epoch with them.

    python -m benchmarks.PGL.graph_sampling [--peers PYTHON] [--rounds 5]

First what one core does by itself, in its own time, whatever else it works at. Then, on two, against DGL and PyTorch
Geometric, which `--peers` finds in another Python (torch, dgl, torch-geometric with torch-sparse; those that cannot be
imported are named and left out): neighbourhoods of 25 and of each 10 neighbours for batches of 1024 nodes, walks of 40
nodes, and the training of 20 such batches. Each side is a process of its own; they take turns, and a ratio is the
median of the rounds' ratios. A ratio above 1 says that ours is faster.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from typing import Optional

from benchmarks.PGL.graph_sampling_sides import BATCH, BATCHES, dgl, ours, pyg, store
from benchmarks.side import Side, compare

ALONE = {
    "draw alone": "neighbours at fan-out 25, edges",
    "walks alone": "random walks, steps",
    "node2vec alone": "node2vec walks, steps",
}
PAIRED = {
    "neighborhoods": "neighbourhoods (25, 10), edges",
    "walks": "random walks, steps",
    "node2vec": "node2vec walks, steps",
    "epoch": "GraphSAGE epoch, nodes",
}
PEERS = {"DGL": (dgl, "import dgl"), "PyTorch Geometric": (pyg, "import torch_geometric.loader, torch_sparse")}


def main() -> None:
    """Print one row per comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", help="compare with the libraries of this Python")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        maker = Side("the generator", store, (folder,))
        maker.ask("build")
        maker.close()
        _alone(folder, arguments.rounds)
        if arguments.peers:
            _against(folder, arguments.peers, arguments.rounds)


def _alone(folder: str, rounds: int) -> None:
    side = Side("ours", ours, (folder,), threads=1)
    print(f"{'one core':34}{'million a second of its time':>30}")
    for step, title in ALONE.items():
        side.ask(step)
        print(f"{title:34}{statistics.median(side.ask(step) for _ in range(rounds)) / 1e6:30.2f}", flush=True)
    side.close()


def _against(folder: str, python: str, rounds: int) -> None:
    mine = Side("ours", ours, (folder,))
    print(f"\n{'two cores':34}{'ours, /s':>12}   {'against':20}{'/s':>12}{'ratio':>8}")
    for name, (build, needed) in PEERS.items():
        missing = _missing(python, needed)
        if missing:
            print(f"{name}: left out, {missing}")
            continue
        theirs = Side(name, build, (folder,), environment={"PYTHONWARNINGS": "ignore"}, python=python)
        for step in theirs.steps:
            first, second, ratio = compare((mine, step), (theirs, step), rounds)
            one, other = _work(mine, step), _work(theirs, step)
            print(
                f"{PAIRED[step]:34}{one / first:12,.0f}   {name:20}{other / second:12,.0f}{ratio * one / other:8.2f}",
                flush=True,
            )
        theirs.close()
    mine.close()


def _missing(python: str, needed: str) -> Optional[str]:
    found = subprocess.run([python, "-W", "ignore", "-c", needed], capture_output=True, text=True)
    return found.stderr.strip().splitlines()[-1] if found.returncode else None


def _work(side: Side, step: str) -> int:
    """Return how many edges, steps or nodes a step goes through."""
    return BATCH * BATCHES if step == "epoch" else int(side.ask(step))


if __name__ == "__main__":
    main()
