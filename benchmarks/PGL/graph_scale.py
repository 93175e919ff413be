"""GraphSAGE on a graph that lies on disk: 50 million nodes and 2 billion edges, against 20 million edges.

    python -m benchmarks.PGL.graph_scale FOLDER [--nodes 50000000] [--edges 2000000000] [--rounds 5] [--batches 20]
    [--keep]

FOLDER takes both graphs (12 GB at the usual size); one that is there already is used, and both are removed at the end
unless --keep says otherwise. A small graph is tiled and rewired to either size; its edges are made again whenever they
are needed and go to memory-mapped rows (docs/graph_scale.md). Features are 64 numbers of one byte for each node. Then
both graphs are read once, which brings them into the page cache as far as memory allows, and are used in turns, each in
a process of its own: sampling alone, 25 neighbours and 10 of each, for batches of 1024 nodes; and training with it.
Progress goes to the error stream, results to the output.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks.PGL.graph_scale_sides import WIDTH, builder, user
from benchmarks.side import Side

GIB = 2**30
SMALL = (500_000, 20_000_000)


def main() -> None:
    """Build both graphs, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the graphs are stored")
    parser.add_argument("--nodes", type=int, default=50_000_000, help="nodes of the large graph")
    parser.add_argument("--edges", type=int, default=2_000_000_000, help="edges of the large graph")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the graphs take turns (default 5)")
    parser.add_argument("--batches", type=int, default=20, help="batches in a turn (default 20)")
    parser.add_argument("--keep", action="store_true", help="leave the graphs where they are")
    arguments = parser.parse_args()
    graphs = {"small": SMALL, "large": (arguments.nodes, arguments.edges)}
    arguments.folder.mkdir(parents=True, exist_ok=True)
    try:
        for name, (nodes, edges) in graphs.items():
            _build(arguments.folder / name, nodes, edges)
        _measure(arguments.folder, graphs, arguments.rounds, arguments.batches)
    finally:
        if not arguments.keep:
            for name in graphs:
                shutil.rmtree(arguments.folder / name, ignore_errors=True)


def _build(folder: Path, nodes: int, edges: int) -> None:
    if (folder / "graph.json").exists():
        print(f"{nodes:,} nodes, {edges:,} edges: stored already", flush=True)
        return
    needed, free = 4 * edges + (8 + WIDTH) * nodes, shutil.disk_usage(folder.parent).free
    if free < needed + GIB:
        raise SystemExit(f"{folder.parent} has {free / GIB:.1f} GiB free, and the graph takes {needed / GIB:.1f}")
    side = Side("the builder", builder, (str(folder), nodes, edges))
    seconds, most = side.ask("build")
    side.close()
    size = sum(path.stat().st_size for path in folder.iterdir())
    rows = sum(path.stat().st_size for path in folder.glob("incoming.*"))
    print(
        f"{nodes:,} nodes, {edges:,} edges: built in {seconds:.0f} s, {edges / seconds / 1e6:.1f} M edges/s; at most"
        f" {most / GIB:.2f} GiB anonymous memory; {size / GIB:.2f} GiB on disk, {(rows - 8 * nodes) / edges:.2f} bytes"
        f" an edge and 8 a node beside features",
        flush=True,
    )


def _measure(folder: Path, graphs: dict[str, tuple[int, int]], rounds: int, batches: int) -> None:
    sides = {name: Side(name, user, (str(folder / name), batches)) for name in graphs}
    for name, side in sides.items():
        print(f"  reading the {name} graph", file=sys.stderr, flush=True)
        side.ask("warm")
        for step in ("sample", "train"):
            side.ask(step)
    found: dict[tuple[str, str], list[Any]] = {(name, step): [] for name in graphs for step in ("sample", "train")}
    for turn in range(rounds):
        for step in ("sample", "train"):
            for name, side in sides.items():
                found[name, step].append(side.ask(step))
        print(f"  round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    print(f"\n{'':28}{'sampled edges/s':>16}{'trained nodes/s':>16}{'loss':>14}{'RssAnon':>11}{'RssFile':>11}")
    for name, (nodes, edges) in graphs.items():
        sampled = statistics.median(count / seconds for count, seconds in found[name, "sample"])
        trained = statistics.median(count / seconds for count, seconds, _ in found[name, "train"])
        losses = [loss for _, _, loss in found[name, "train"]]
        used = sides[name].ask("memory")
        anonymous, mapped = used["RssAnon"] / GIB, used["RssFile"] / GIB
        print(
            f"{nodes / 1e6:6.1f} M, {edges / 1e6:8.1f} M edges {sampled:16,.0f}{trained:16,.0f}"
            f"{f'{losses[0]:.3f} → {losses[-1]:.3f}':>15}{anonymous:7.2f} GiB{mapped:7.2f} GiB"
        )
    for step, what in (("sample", "sampling"), ("train", "training")):
        pairs = zip(found["small", step], found["large", step])
        ratio = statistics.median(large[0] / large[1] / (small[0] / small[1]) for small, large in pairs)
        print(f"{what}: the large graph reaches {ratio:.0%} of the small one's throughput")
    cached = sides["large"].ask("memory")["Cached"]
    print(f"the machine's page cache: {cached / GIB:.2f} GiB")
    for side in sides.values():
        side.close()


if __name__ == "__main__":
    main()
