"""A full training step of GCN and of GAT on Cora: ours against PyTorch Geometric, and against pgl on Paddle.

    python -m benchmarks.PGL.graph_training FOLDER [--peers PYTHON] [--paddle PYTHON] [--rounds 9] [--threads 2]

FOLDER holds ind.cora.x and the other files of Planetoid; PYTHON is an interpreter that has torch-geometric, or pgl
2.2.6 with paddlepaddle 2.6.2. A step is the pass over the whole graph with dropout, the loss at the 140 labelled nodes,
the gradient and Adam's update, of networks with the published sizes. Each side runs in a process of its own; the sides
take turns, and a ratio is the median of the rounds' ratios, as machines are noisy.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.PGL import graph_training_sides as sides
from benchmarks.side import Side, compare, require

REPEATS = 10


def write_arrays(folder: str, target: Path) -> str:
    """Write Cora's arrays into one file that every interpreter can read, and return its path.

    Args:
        folder: of the files of Planetoid.
        target: where to write.
    """
    from PGL.data import CoraDataset

    data = CoraDataset(root=folder)
    file = target / "cora.npz"
    arrays = {"edges": data.graph.edges, "features": data.graph.node_feat["words"], "labels": data.y}
    np.savez(file, nodes=data.train_index, **arrays)
    return str(file)


def main() -> None:
    """Print one row per comparison, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the files of Planetoid are")
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter that has torch-geometric")
    parser.add_argument("--paddle", metavar="PYTHON", help="an interpreter that has pgl and paddlepaddle")
    parser.add_argument("--rounds", type=int, default=9, help="rounds in which the sides take turns (default 9)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    arguments = parser.parse_args()
    if not arguments.peers and not arguments.paddle:
        parser.error("name an interpreter with --peers or --paddle")
    if arguments.peers:
        require("torch_geometric", "torch", python=arguments.peers)
    if arguments.paddle:
        require("pgl", "paddle", python=arguments.paddle)
    threads = arguments.threads
    with tempfile.TemporaryDirectory() as folder:
        file = write_arrays(arguments.folder, Path(folder))
        ours = Side("ours", sides.ours, (file,), threads)
        print(f"{'':8} {'ours, ms':>9}   {'against':20} {'ms':>9} {'ratio':>7}")
        for name, python, build in (
            ("PyTorch Geometric", arguments.peers, sides.geometric),
            ("pgl 2.2.6", arguments.paddle, sides.pgl),
        ):
            if not python:
                continue
            theirs = Side(name, build, (file, threads), threads, python=python)
            for step in ours.steps:
                mine, other, ratio = compare((ours, step), (theirs, step), arguments.rounds, REPEATS)
                print(f"{step:8} {1e3 * mine:9.2f}   {name:20} {1e3 * other:9.2f} {ratio:7.2f}", flush=True)
            theirs.close()
        ours.close()


if __name__ == "__main__":
    main()
