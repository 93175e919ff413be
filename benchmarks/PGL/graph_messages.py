"""Messages on a graph of 100,000 nodes, 2,000,000 edges and 64 features, forward and backward, against other libraries.

    pip install torch dgl
    python -m benchmarks.PGL.graph_messages [--rounds 5] [--threads 2] [--rows sum,weighted,attention] [--peers PYTHON]
                                        [--nodes 100000] [--edges 2000000]

The edges lead between random nodes, in random order. "sum" is send_u_recv: each node adds up its neighbours' features.
"weighted" multiplies them by a number of the edge, and wants its gradient too. "attention" is that of GAT: 8 heads of 8
features, weighed by the softmax of a leaky rectified sum of two numbers of the edge's ends, and gradients of all three.
Ours is given the edges grouped once, or (core.geometric) as they are. Each side has a process of its own; they take
turns, and a ratio is the median of the rounds' ratios, above 1 where ours is faster. The last column is how far the
gradient of the features is from ours. dgl is imported without its graphbolt, which needs older versions of torch.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from benchmarks.PGL import graph_messages_sides as sides
from benchmarks.side import Side, compare, require

ROWS = ("sum", "weighted", "attention")


def main() -> None:
    """Print one row per comparison, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes of the graph (default 100000)")
    parser.add_argument("--edges", type=int, default=2_000_000, help="edges of the graph (default 2000000)")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"which of {','.join(ROWS)} (default all)")
    parser.add_argument(
        "--peers", default=sys.executable, help="interpreter that has torch and dgl (default: this one)"
    )
    options = parser.parse_args()
    wanted = options.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    require("torch", "dgl", python=options.peers)
    size, threads = (options.nodes, options.edges), options.threads
    ours = Side("ours", sides.ours, size, threads)
    others = [
        Side("torch", sides.pytorch, (*size, threads), threads, python=options.peers),
        Side("dgl", sides.dgl, (*size, threads), threads, python=options.peers),
    ]
    print(f"{'':24} {'ms':>8}   {'against':28} {'ms':>8} {'ratio':>6} {'difference':>11}")
    for row in wanted:
        for step in [step for step in ours.steps if step.startswith(row)]:
            expected = ours.ask(step)
            scale = np.abs(expected).max()
            for other in others:
                for theirs in [theirs for theirs in other.steps if theirs.startswith(row)]:
                    mine, its, ratio = compare((ours, step), (other, theirs), options.rounds)
                    difference = np.abs(other.ask(theirs) - expected).max() / scale
                    label = f"{other.name}: {theirs}"
                    print(
                        f"{step:24} {mine * 1e3:8.1f}   {label:28} {its * 1e3:8.1f} {ratio:6.2f} {difference:11.0e}",
                        flush=True,
                    )
    for side in (ours, *others):
        side.close()


if __name__ == "__main__":
    main()
